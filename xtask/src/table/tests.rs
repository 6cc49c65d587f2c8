use std::time::Duration;

use super::{Table, count, human};

#[test]
fn columns_align_and_no_line_ends_in_blanks() {
    let mut table = Table::new(["shelf", "tests"]);
    table.row(["property".into(), "3".into()]);
    table.row(["unit".into(), String::new()]);
    assert_eq!(table.render(), "  shelf     tests\n  ────────  ─────\n  property  3\n  unit\n");
}

#[test]
fn durations_read_like_speech() {
    for (milliseconds, want) in
        [(40, "0.0 s"), (1_250, "1.2 s"), (59_900, "59.9 s"), (75_000, "1 min 15 s")]
    {
        assert_eq!(human(Duration::from_millis(milliseconds)), want);
    }
}

#[test]
fn one_thing_is_singular() {
    assert_eq!(count(1, "file"), "1 file");
    assert_eq!(count(0, "file"), "0 files");
}
