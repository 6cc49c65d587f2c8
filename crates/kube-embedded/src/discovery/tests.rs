//! Discovery of a real server beside our own of the same kinds.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    aggregated_core, aggregated_groups, core_versions, group, groups, order, resources, sample,
    version,
};
use crate::kinds::Kind;

fn kinds() -> Vec<Arc<Kind>> {
    [sample::custom(), sample::core()].concat()
}

#[test]
fn documents_are_those_of_the_server() {
    let observed: Value =
        serde_json::from_str(include_str!("tests/observed.json")).expect("the file is JSON");
    let kinds = kinds();
    let found = json!({
        "groups": groups(&kinds),
        "group": group(&kinds, "example.org"),
        "v1": resources(&kinds, "example.org", "v1"),
        "v1beta1": resources(&kinds, "example.org", "v1beta1"),
        "core": resources(&kinds, "", "v1"),
        "aggregatedGroups": aggregated_groups(&kinds),
        "aggregatedCore": aggregated_core(&kinds),
    });
    for (name, want) in observed.as_object().expect("it has documents") {
        assert_eq!(&found[name], want, "{name}");
    }
}

#[test]
fn what_is_not_served_has_no_document() {
    let kinds = kinds();
    assert_eq!(group(&kinds, "nobody.example.org"), None);
    assert_eq!(group(&kinds, ""), None);
    assert_eq!(resources(&kinds, "example.org", "v9"), None);
}

#[test]
fn the_core_group_names_the_address_of_the_server() {
    assert_eq!(
        core_versions(&kinds(), "127.0.0.1:6443"),
        json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs":
                [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}],
        })
    );
    assert_eq!(version()["gitVersion"], "v1.35.4+udn");
}

#[test]
fn versions_are_ordered_by_stability_then_by_number() {
    let want = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "foo1", "v1foo"];
    let mut found = want;
    found.reverse();
    found.sort_by_key(|name| Reverse(order::version(name)));
    assert_eq!(found, want);
}
