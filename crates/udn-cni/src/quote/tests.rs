use super::*;

fn check(text: &str, want: &str) {
    assert_eq!(quote(text), want);
}

#[test]
fn short_texts_are_shown_whole_with_escapes() {
    check("", "\"\"");
    check("eth0", "\"eth0\"");
    check("a\n\"b\u{7}", r#""a\n\"b\u{7}""#);
    check(&"ü".repeat(80), &format!("\"{}\"", "ü".repeat(80)));
}

#[test]
fn long_texts_are_cut_between_characters() {
    check(&"ü".repeat(81), &format!("\"{}\"…", "ü".repeat(80)));
    check(&"x".repeat(1_000_000), &format!("\"{}\"…", "x".repeat(80)));
}

#[test]
fn what_is_shortened_stays_as_it_is() {
    assert_eq!(shorten("a\n\"b", 4), "a\n\"b");
    assert_eq!(shorten("a\n\"b", 3), "a\n\"…");
    assert_eq!(shorten("üü", 0), "…");
}
