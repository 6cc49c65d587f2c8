//! Names and what is wrong with them.

use super::{
    label, label_value, old_label, path_segment, qualified, subdomain, without_trailing_dash,
};

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
    characters, '-' or '.', and must start and end with an alphanumeric character (e.g. \
    'example.com', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

fn check(found: Vec<String>, want: &[&str]) {
    assert_eq!(found, want);
}

#[test]
fn subdomains_are_checked() {
    for text in ["a", "a.b", "0-9.x", "a--b"] {
        check(subdomain(text), &[]);
    }
    for text in ["", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "é"] {
        check(subdomain(text), &[SUBDOMAIN]);
    }
    check(subdomain(&"a".repeat(253)), &[]);
    check(subdomain(&"a".repeat(254)), &["must be no more than 253 characters"]);
}

#[test]
fn labels_are_checked() {
    check(label("a-b"), &[]);
    check(label("a.b"), &["must not contain dots"]);
    check(label(&"a".repeat(64)), &["must be no more than 63 characters"]);
    let shape = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
                 '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or \
                 '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    check(label("a_b"), &[shape]);
    check(old_label("abc"), &[]);
    let shape = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
                 with an alphabetic character, and end with an alphanumeric character (e.g. \
                 'my-name',  or 'abc-123', regex used for validation is \
                 '[a-z]([-a-z0-9]*[a-z0-9])?')";
    check(old_label("1abc"), &[shape]);
}

#[test]
fn keys_are_checked() {
    let shape = "name part must consist of alphanumeric characters, '-', '_' or '.', and must \
                 start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or \
                 '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    for text in ["a", "A_b.c-d", "example.com/a"] {
        check(qualified(text), &[]);
    }
    check(qualified(""), &["name part must be non-empty", shape]);
    check(qualified("/a"), &["prefix part must be non-empty"]);
    check(qualified("x/"), &["name part must be non-empty", shape]);
    check(qualified("a b"), &[shape]);
    check(qualified("X/a"), &[&format!("prefix part {SUBDOMAIN}")]);
    check(qualified(&"a".repeat(64)), &["name part must be no more than 63 bytes"]);
    let found = qualified("a/b/c");
    assert!(found[0].starts_with("a valid label key must consist of alphanumeric"), "{found:?}");
    assert!(found[0].ends_with("prefix and '/' (e.g. 'example.com/MyName')"), "{found:?}");
}

#[test]
fn values_and_segments_are_checked() {
    check(label_value(""), &[]);
    check(label_value("a_B.1"), &[]);
    check(label_value(&"a".repeat(64)), &["must be no more than 63 bytes"]);
    let found = label_value("-");
    assert!(
        found[0].starts_with("a valid label must be an empty string or consist of"),
        "{found:?}"
    );
    check(path_segment("..", false), &["may not be '..'"]);
    check(path_segment("..", true), &[]);
    check(path_segment("a/b%", false), &["may not contain '/'", "may not contain '%'"]);
    assert_eq!(without_trailing_dash("net-"), "nea");
    assert_eq!(without_trailing_dash("-"), "-");
    assert_eq!(without_trailing_dash("net"), "net");
    assert_eq!(without_trailing_dash("né-"), "n\u{fffd}a");
}
