//! Where the cache folder is, and what makes two recipes differ.

use super::*;

fn check(variables: &[(&str, &str)], want: Option<&str>) {
    let found = choose(|name| {
        variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).into())
    });
    assert_eq!(found, want.map(PathBuf::from), "{variables:?}");
}

#[test]
fn the_most_specific_variable_wins() {
    check(&[("UDN_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")], Some("/a"));
    check(&[("XDG_CACHE_HOME", "/b"), ("HOME", "/c")], Some("/b/udn"));
    check(&[("HOME", "/c")], Some("/c/.cache/udn"));
    check(&[], None);
}

#[test]
fn a_changed_recipe_has_another_digest() {
    let digest = Digest::of(["ab", "c"]);
    assert_eq!(digest, Digest::of(["ab", "c"]));
    assert_ne!(digest, Digest::of(["a", "bc"]));
    assert_ne!(digest, Digest::of(["ab", "d"]));
}

#[test]
fn a_digest_is_the_same_on_every_machine() {
    assert_eq!(Digest::of([]).to_string(), "cbf29ce484222325");
    assert_eq!(Digest::of(["udn"]).to_string().len(), 16);
}
