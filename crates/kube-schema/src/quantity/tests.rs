//! Texts and what the server makes of them.

use super::*;

#[test]
fn quantities_are_written_as_the_server_writes_them() {
    let canonical =
        |text: &str| Quantity::parse(text).map(|quantity| quantity.in_thousandths().to_string());
    for (given, want) in [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1000Ki", "1000Ki"),
        ("2048", "2048"),
        ("0.1Ki", "102400m"),
        ("1e3", "1e3"),
        ("1E3", "1E3"),
        ("1e19", "10e18"),
        ("5e-1", "500e-3"),
        ("1.5e3", "1500"),
        ("12E", "12E"),
        ("12345678901234567890", "12345678901234567890"),
        ("9000Pi", "9223372036854775807"),
        ("1234567k", "1234567k"),
        ("1.5k", "1500"),
        ("0.0000000001", "1m"),
        ("1.23456789", "1235m"),
        ("+5", "+5"),
        ("-5000", "-5k"),
        ("0", "0"),
        ("00.10", "100m"),
    ] {
        assert_eq!(canonical(given), Ok(want.to_owned()), "{given}");
    }
    assert!(canonical("1x").is_err() && canonical("").is_err() && canonical("1.2.3").is_err());
}

/// Each line of the table is a text, and what apimachinery 0.35.4 makes of it: the text it writes,
/// that of a list of resources, and the integer, if it is one; or its error.
#[test]
fn quantities_are_what_apimachinery_makes_of_them() {
    for line in include_str!("tests/quantities.txt").lines() {
        let mut columns = line.split('\t');
        let text = columns.next().expect("a line is not empty");
        let found = match Quantity::parse(text) {
            Ok(quantity) => {
                let int = quantity.amount().to_int().map_or("-".to_owned(), |int| int.to_string());
                vec![quantity.to_string(), quantity.in_thousandths().to_string(), int]
            }
            Err(why) => vec![format!("! {why}")],
        };
        assert_eq!(found, columns.collect::<Vec<_>>(), "{text}");
    }
}
