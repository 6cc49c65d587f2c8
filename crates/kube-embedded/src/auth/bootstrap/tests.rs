//! The file holds together.

use super::*;

#[test]
fn every_binding_has_its_role() {
    let objects = bootstrap();
    let named = |kind: &str| -> Vec<&Value> {
        let of_kind = objects.iter().filter(|object| object["kind"] == kind);
        of_kind.map(|object| &object["metadata"]["name"]).collect()
    };
    let roles = named("ClusterRole");
    let bindings = objects.iter().filter(|object| object["kind"] == "ClusterRoleBinding");
    for binding in bindings {
        assert!(roles.contains(&&binding["roleRef"]["name"]), "{binding}");
    }
    assert_eq!(roles.len() + named("ClusterRoleBinding").len(), objects.len());
}
