use super::reason;
use crate::args::TestRequest;
use crate::shelf::Shelf;

#[test]
fn everything_is_whole_and_so_is_one_shelf() {
    let request = TestRequest { shelves: vec![Shelf::Api], ..TestRequest::everything() };
    assert_eq!(reason(&TestRequest::everything(), |_| false), None);
    assert_eq!(reason(&request, |name| name == "HOME"), None);
}

#[test]
fn a_filter_and_words_for_the_programs_leave_something_out() {
    let filter = TestRequest { filter: Some("ping".into()), ..TestRequest::everything() };
    assert_eq!(reason(&filter, |_| false).as_deref(), Some("only tests with `ping` in their name"));
    let words = vec!["--skip".into(), "ping".into()];
    let words = TestRequest { passed_on: words, ..TestRequest::everything() };
    assert_eq!(
        reason(&words, |_| false).as_deref(),
        Some("the test programs were told `--skip ping`")
    );
}

#[test]
fn a_variable_that_selects_leaves_something_out() {
    for variable in ["ONLY", "UDN_SEED", "UPDATE", "PROPTEST_CASES"] {
        let reason = reason(&TestRequest::everything(), |name| name == variable);
        assert_eq!(reason, Some(format!("{variable} is set")));
    }
}
