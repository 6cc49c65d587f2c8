use super::{Extent, read};

fn check(words: &str, want: &[(&str, Extent)]) {
    let claims = read(words).unwrap();
    let claims: Vec<(&str, Extent)> =
        claims.iter().map(|claim| (claim.id.as_str(), claim.extent.clone())).collect();
    assert_eq!(claims, want, "{words}");
}

#[test]
fn a_mark_names_ids_or_one_id_with_more() {
    check(" L-07, L-08", &[("L-07", Extent::Whole), ("L-08", Extent::Whole)]);
    let half = Extent::Half("the EgressIP rules, both".into());
    check(" T-12 half: the EgressIP rules, both", &[("T-12", half)]);
    check(" X-17 with bench sandbox", &[("X-17", Extent::WithBench("sandbox".into()))]);
}

#[test]
fn a_mark_that_says_too_little_or_too_much_is_refused() {
    for (words, reason) in [
        ("T-12 half", "a half says what is missing"),
        ("T-12 half:", "a half says what is missing"),
        ("T-12, T-13 half: this", "`T-12, T-13` is not an id"),
        ("X-17 with bench", "it names no bench"),
        ("X-17 with bench one two", "it names no bench"),
        ("L7", "`L7` is not an id"),
        ("L-07,", "`` is not an id"),
    ] {
        let error = read(words).unwrap_err();
        assert!(error.contains(reason), "{words}: {error}");
    }
}
