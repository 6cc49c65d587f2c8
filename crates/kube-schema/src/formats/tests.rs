//! Texts of every format, and texts that are not.

use super::{checker, duration};

fn check(format: &str, valid: &[&str], invalid: &[&str]) {
    let is_valid = checker(format).expect("the format is known");
    for text in valid {
        assert!(is_valid(text), "{text:?} is a {format}");
    }
    for text in invalid {
        assert!(!is_valid(text), "{text:?} is no {format}");
    }
}

#[test]
fn unknown_formats_check_nothing() {
    for format in ["", "int32", "int64", "double", "float", "quantity", "ip"] {
        assert!(checker(format).is_none(), "{format:?}");
    }
}

#[test]
fn addresses() {
    check("ipv4", &["1.2.3.4", "010.0.0.1", "::ffff:1.2.3.4"], &["", "1.2.3", "::1", "1.2.3.256"]);
    check(
        "ipv6",
        &["::1", "2001:db8::", "::ffff:1.2.3.4"],
        &["1.2.3.4", "fe80::1%eth0", ":::", ""],
    );
    let valid = ["10.0.0.0/8", "10.0.0.0/08", "010.1.2.3/32", "2001:db8::/32", "::/0"];
    check("cidr", &valid, &["10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "/8"]);
    let valid =
        ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"];
    check(
        "mac",
        &valid,
        &["", "01:23:45:67:89", "01:23:45:67:89:a", "01-23:45:67:89:ab", "zz:23:45:67:89:ab"],
    );
    check("hostname", &["a", "a.example", "a-b.example.com"], &["", "-a", "a..b", "a_b"]);
    check(
        "uri",
        &["/a", "http://a:80/b?c", "mailto:a", "*"],
        &["", "a/b", "http://a:x/", "/%zz", "http://a b/"],
    );
    check("email", &["a@b", "A <a@b.c>", "a.b+c@d.e"], &["", "a", "a@", "@b", "a b@c"]);
}

#[test]
fn times() {
    check(
        "date",
        &["2024-02-29", "0000-01-01"],
        &["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", ""],
    );
    let valid = ["2024-01-01T00:00:00Z", "2024-01-01t23:59:59.123+02:00", "2024-01-01T00:00:00z"];
    check("date-time", &valid, &["2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00", "T"]);
    check("datetime", &valid, &["x"]);
    check("duration", &["5 days", "1 h 2 min", "3weeks"], &["", "x", "5", "5 parsecs"]);
    assert_eq!(duration("2 minutes 5 seconds"), Ok(125_000_000_000));
}

#[test]
fn codes() {
    let uuid = "01234567-89ab-4cde-8f01-23456789abcd";
    check("uuid", &[uuid, "0123456789AB4CDE8F0123456789ABCD"], &["", "x", &uuid[1..]]);
    check("uuid4", &[uuid], &["01234567-89ab-3cde-8f01-23456789abcd"]);
    check("uuid3", &["01234567-89ab-3cde-0f01-23456789abcd"], &[uuid]);
    check(
        "uuid5",
        &["01234567-89ab-5cde-af01-23456789abcd"],
        &["01234567-89ab-5cde-0f01-23456789abcd"],
    );
    check("bsonobjectid", &["507f1f77bcf86cd799439011"], &["507f1f77bcf86cd79943901", "x"]);
    check("isbn", &["0321751043", "978-0321751041"], &["0321751044", "978-0321751042", ""]);
    check("isbn10", &["0-321-75104-3"], &["978-0321751041"]);
    check("isbn13", &["978 0321751041"], &["0321751043"]);
    check("creditcard", &["4111-1111-1111-1111"], &["4111-1111-1111-1112", ""]);
    check("ssn", &["111-11-1111", "111 11 1111"], &["111111111", "111-11-111a"]);
    check("hexcolor", &["#fff", "FFEEDD"], &["#ffff", "#ggg", ""]);
    check("rgbcolor", &["rgb(0, 10,255)"], &["rgb(0,0,256)", "rgb(0,0)"]);
    check("byte", &["aGk=", "aGkh", "aA=="], &["", "a", "aGk", "a-_="]);
    check("password", &["", "x"], &[]);
    check("k8s-short-name", &["a-1"], &["A", "a.b", "-a", ""]);
    check("k8s-long-name", &["a.b-1"], &["A", "a..b", ""]);
}
