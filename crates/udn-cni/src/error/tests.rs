use super::*;

fn check(code: Code, number: u32, passes: bool) {
    assert_eq!(code.number(), number, "{code:?}");
    assert_eq!(Code::from_number(number), Some(code));
    assert_eq!(code.passes(), passes, "{code:?}");
}

#[test]
fn codes_have_the_numbers_that_runtimes_know() {
    check(Code::IncompatibleVersion, 1, false);
    check(Code::UnsupportedField, 2, false);
    check(Code::UnknownContainer, 3, false);
    check(Code::InvalidEnvironment, 4, false);
    check(Code::InputOutput, 5, false);
    check(Code::Undecodable, 6, false);
    check(Code::InvalidConfig, 7, false);
    check(Code::InvalidNamespace, 8, false);
    check(Code::TryAgainLater, 11, true);
    check(Code::NotAvailable, 50, true);
    check(Code::LimitedConnectivity, 51, true);
    check(Code::Forbidden, 100, false);
    check(Code::Internal, 999, false);
}

#[test]
fn numbers_outside_of_the_table_are_no_codes() {
    for number in [0, 9, 10, 12, 49, 99, 101, 1000, u32::MAX] {
        assert_eq!(Code::from_number(number), None);
    }
}

#[test]
fn an_error_is_told_in_the_version_that_was_asked_for() {
    let error = CniError::new(Code::TryAgainLater, "the server is \"away\"");
    let want = r#"{"cniVersion":"0.4.0","code":11,"msg":"the server is \"away\""}"#;
    assert_eq!(error.to_json(Version::V0_4_0), want);
}

#[test]
fn details_are_told_if_there_are_some() {
    let error = CniError::new(Code::InvalidConfig, "wrong").with_details("line 1");
    let want = r#"{"cniVersion":"1.1.0","code":7,"details":"line 1","msg":"wrong"}"#;
    assert_eq!(error.to_json(Version::V1_1_0), want);
}

#[test]
fn details_are_never_long() {
    let error = CniError::new(Code::InvalidConfig, "wrong").with_details("x".repeat(1_000_000));
    assert_eq!(error.details, format!("{}…", "x".repeat(500)));
}
