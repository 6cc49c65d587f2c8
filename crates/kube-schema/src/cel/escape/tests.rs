//! Names of properties and of identifiers.

use super::{escape, unescape};

fn check(name: &str, identifier: &str) {
    assert_eq!(escape(name).as_deref(), Some(identifier));
    assert_eq!(unescape(identifier).as_deref(), Some(name));
}

#[test]
fn names_become_identifiers_and_come_back() {
    check("plain", "plain");
    check("with-dash", "with__dash__dash");
    check("a.b/c", "a__dot__b__slash__c");
    check("a__b", "a__underscores__b");
    check("a_b", "a_b");
    check("namespace", "__namespace__");
    check("true", "__true__");
}

#[test]
fn what_cannot_be_named_has_no_identifier() {
    for name in ["", "1a", "a b", "é", "a$"] {
        assert_eq!(escape(name), None, "{name}");
    }
    for identifier in ["__nope__", "a__true__", "__true__a"] {
        assert_eq!(unescape(identifier), None, "{identifier}");
    }
}
