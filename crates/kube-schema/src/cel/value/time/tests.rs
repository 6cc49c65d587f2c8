//! Texts of times and spans.

use super::{Duration, Timestamp};

#[test]
fn times_read_as_go_reads_them_and_write_as_go_writes_them() {
    let cases = [
        ("2020-02-29T12:34:56Z", "2020-02-29T12:34:56Z"),
        ("2020-02-29T1:34:56Z", "2020-02-29T01:34:56Z"),
        ("2020-02-29T12:34:56.120Z", "2020-02-29T12:34:56.12Z"),
        ("2020-02-29T12:34:56,5+00:00", "2020-02-29T12:34:56.5Z"),
        ("1969-12-31T23:59:59-01:30", "1969-12-31T23:59:59-01:30"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
    ];
    for (text, written) in cases {
        assert_eq!(Timestamp::parse(text).expect(text).to_string(), written);
    }
    let wrong =
        ["2021-02-29T00:00:00Z", "2020-01-01T24:00:00Z", "2020-01-01", "2020-01-01T00:00:00"];
    for text in wrong {
        assert!(Timestamp::parse(text).is_none(), "{text}");
    }
}

#[test]
fn equal_instants_are_equal_whatever_their_offset() {
    let parse = |text| Timestamp::parse(text).expect("it is a time");
    assert_eq!(parse("2020-01-01T01:00:00+01:00"), parse("2020-01-01T00:00:00Z"));
    assert!(parse("2020-01-01T00:00:00Z") < parse("2020-01-01T00:00:00.000000001Z"));
}

#[test]
fn spans_read_as_go_reads_them() {
    let cases = [
        ("0", Some(0)),
        ("1h2m3.5s", Some(3_723_500_000_000)),
        ("-1.5h", Some(-5_400_000_000_000)),
        ("1us", Some(1_000)),
        ("1µs", Some(1_000)),
        ("9223372036854775807ns", Some(i64::MAX)),
        ("9223372036854775808ns", None),
        ("-9223372036854775808ns", Some(i64::MIN)),
        ("", None),
        ("1", None),
        ("1d", None),
    ];
    for (text, want) in cases {
        assert_eq!(Duration::parse(text).map(|span| span.nanoseconds()), want, "{text}");
    }
}
