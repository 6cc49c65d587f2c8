use super::{BadRow, Id, parse};
use crate::shelf::Shelf;

const PAGE: &str = "\
# Register
| id | requirement | shelf |
|---|---|---|
| L-01 | union of `a | b` holds | api |
| L-02 | no shelf | attic |
| L-1 | bad id | api |
| L-01 | again | unit |
| X-04 | crash anywhere | fault |
";

#[test]
fn rows_are_read_and_bad_ones_told_with_their_line() {
    let (requirements, bad) = parse(PAGE);
    let ids: Vec<&str> = requirements.iter().map(|requirement| requirement.id.as_str()).collect();
    assert_eq!(ids, ["L-01", "X-04"]);
    assert_eq!(requirements[0].text, "union of `a | b` holds");
    assert_eq!(requirements[1].shelf, Shelf::Fault);
    let row = |line, reason: &str| BadRow { line, reason: reason.to_owned() };
    assert_eq!(
        bad,
        [
            row(5, "L-02 names no known shelf: `attic`"),
            row(6, "`L-1` is not an id such as L-07"),
            row(7, "L-01 stands twice"),
        ]
    );
}

#[test]
fn ids_have_one_shape() {
    assert!(Id::parse("T-33").is_some());
    for text in ["T-3", "t-03", "TT-03", "T03", "T-0x", ""] {
        assert_eq!(Id::parse(text), None, "{text}");
    }
}

#[test]
fn the_register_of_this_tree_reads_without_a_fault() {
    let page = include_str!("../../../../docs/requirements.md");
    let (requirements, bad) = parse(page);
    assert_eq!(bad, []);
    assert_eq!(requirements.len(), 133);
}
