//! Texts that Go's `time.Parse` takes, and what it says of others.

use super::{DATE, LOCAL, Layout, Moment, RFC_3339, parse};

fn check(layout: Layout, text: &str, want: (i64, u32, i32)) {
    let (seconds, nanoseconds, offset_seconds) = want;
    assert_eq!(parse(layout, text), Ok(Moment { seconds, nanoseconds, offset_seconds }), "{text}");
}

#[test]
fn times_are_read_as_go_reads_them() {
    check(DATE, "1970-01-02", (86_400, 0, 0));
    check(DATE, "2000-03-01", (951_868_800, 0, 0));
    check(DATE, "1969-12-31", (-86_400, 0, 0));
    check(DATE, "0000-02-29", (-62_162_121_600, 0, 0));
    check(LOCAL, "2024-01-01T1:02:03", (1_704_070_923, 0, 0));
    check(LOCAL, "2024-01-01T00:00:00.5", (1_704_067_200, 500_000_000, 0));
    check(LOCAL, "2024-01-01T00:00:00,1234567899", (1_704_067_200, 123_456_789, 0));
    check(RFC_3339, "2024-01-01T00:00:00Z", (1_704_067_200, 0, 0));
    check(RFC_3339, "2024-01-01T00:00:00+24:60", (1_703_977_200, 0, 90_000));
}

/// The texts are those of Go 1.26.
#[test]
fn other_texts_are_refused_in_gos_words() {
    for (layout, text, why) in REFUSED {
        assert_eq!(parse(*layout, text), Err(format!("parsing time {why}")), "{text:?}");
    }
}

#[rustfmt::skip]
const REFUSED: &[(Layout, &str, &str)] = &[
    (DATE, "", r#""" as "2006-01-02": cannot parse "" as "2006""#),
    (DATE, "2024-02-30", r#""2024-02-30": day out of range"#),
    (DATE, "2024-02-30x", r#""2024-02-30x": extra text: "x""#),
    (DATE, "20", r#""20" as "2006-01-02": cannot parse "20" as "2006""#),
    (DATE, "2024", r#""2024" as "2006-01-02": cannot parse "" as "-""#),
    (DATE, "2024-", r#""2024-" as "2006-01-02": cannot parse "" as "01""#),
    (DATE, "2024-13-01", r#""2024-13-01": month out of range"#),
    (DATE, "2024-1-01", r#""2024-1-01" as "2006-01-02": cannot parse "1-01" as "01""#),
    (DATE, "2024-01-1", r#""2024-01-1" as "2006-01-02": cannot parse "1" as "02""#),
    (DATE, "2024-01-00", r#""2024-01-00": day out of range"#),
    (DATE, "2024é-01", r#""2024\xc3\xa9-01" as "2006-01-02": cannot parse "\xc3\xa9-01" as "-""#),
    (DATE, "202é4-01", r#""202\xc3\xa94-01" as "2006-01-02": cannot parse "202\xc3\xa94-01" as "2006""#),
    (DATE, "2024-00-01", r#""2024-00-01": month out of range"#),
    (LOCAL, "2024-02-30", r#""2024-02-30" as "2006-01-02T15:04:05": cannot parse "" as "T""#),
    (LOCAL, "2024-01-01T", r#""2024-01-01T" as "2006-01-02T15:04:05": cannot parse "" as "15""#),
    (LOCAL, "2024-01-01t00:00:00z", r#""2024-01-01t00:00:00z" as "2006-01-02T15:04:05": cannot parse "t00:00:00z" as "T""#),
    (LOCAL, "2024-01-01T24:00:00", r#""2024-01-01T24:00:00": hour out of range"#),
    (LOCAL, "2024-01-01T00:60:00", r#""2024-01-01T00:60:00": minute out of range"#),
    (LOCAL, "2024-01-01T00:00:60", r#""2024-01-01T00:00:60": second out of range"#),
    (LOCAL, "2024-01-01T00:00:0", r#""2024-01-01T00:00:0" as "2006-01-02T15:04:05": cannot parse "0" as "05""#),
    (LOCAL, "2024-01-01T00:00:00.", r#""2024-01-01T00:00:00.": extra text: ".""#),
    (LOCAL, "2024-02-30T25:00:00Z", r#""2024-02-30T25:00:00Z": hour out of range"#),
    (LOCAL, "2024-02-30T00:00:00Z", r#""2024-02-30T00:00:00Z": extra text: "Z""#),
    (RFC_3339, "2024-01-01T00:00:00.5", r#""2024-01-01T00:00:00.5" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00""#),
    (RFC_3339, "2024-01-01T00:00:00Zz", r#""2024-01-01T00:00:00Zz": extra text: "z""#),
    (RFC_3339, "2024-01-01T00:00:00+25:61", r#""2024-01-01T00:00:00+25:61": time zone offset minute out of range"#),
    (RFC_3339, "2024-01-01T00:00:00+25:6x", r#""2024-01-01T00:00:00+25:6x": time zone offset hour out of range"#),
    (RFC_3339, "2024-01-01T00:00:00+2x:61", r#""2024-01-01T00:00:00+2x:61" as "2006-01-02T15:04:05Z07:00": cannot parse "+2x:61" as "Z07:00""#),
    (RFC_3339, "2024-01-01T00:00:00*02:00", r#""2024-01-01T00:00:00*02:00" as "2006-01-02T15:04:05Z07:00": cannot parse "*02:00" as "Z07:00""#),
    (RFC_3339, "2024-01-01T00:00:00*25:00", r#""2024-01-01T00:00:00*25:00": time zone offset hour out of range"#),
    (RFC_3339, "2024-01-01T00:00:00+02:0", r#""2024-01-01T00:00:00+02:0" as "2006-01-02T15:04:05Z07:00": cannot parse "+02:0" as "Z07:00""#),
    (RFC_3339, "2024-01-01T00:00:00-02:00!", r#""2024-01-01T00:00:00-02:00!": extra text: "!""#),
    (RFC_3339, "é\t\"\\\x7f", "\"\\xc3\\xa9\\x09\\\"\\\\\x7f\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\\xc3\\xa9\\x09\\\"\\\\\x7f\" as \"2006\""),
    (RFC_3339, "2024-02-30T00:00:00Z", r#""2024-02-30T00:00:00Z": day out of range"#),
];
