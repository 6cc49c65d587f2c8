//! Whatever a pod names is found, and what makes no sense names nothing.

use serde_json::{Value, json};
use udn_model::ObjectName;
use udn_wire::keys::{DEFAULT_SELECTION, POD_NETWORKS, PRIMARY_CLAIM, SELECTION};
use udn_wire::object::Pod;

use super::PodReferences;

fn references(metadata: Value) -> PodReferences {
    let pod: Pod = serde_json::from_value(json!({"metadata": metadata})).unwrap();
    PodReferences::of(&ObjectName::new("a", "pod"), &pod)
}

fn texts<'a>(names: impl IntoIterator<Item = &'a ObjectName>) -> String {
    names.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn check(key: &str, text: &str, nads: &str, claims: &str) {
    let found = references(json!({"annotations": {key: text}}));
    assert_eq!((texts(&found.nads), texts(&found.claims)), (nads.into(), claims.into()));
}

#[test]
fn every_form_names_what_it_names() {
    check(SELECTION, "", "", "");
    check(SELECTION, "null", "", "");
    check(SELECTION, "x, b/y@eth1", "a/x b/y", "");
    check(SELECTION, r#"[{"name":"x"},{"name":"y","namespace":"b"}]"#, "a/x b/y", "");
    check(SELECTION, r#"{"name":"x","ipam-claim-reference":"c"}"#, "a/x", "a/c");
    let both = r#"[{"name":"x","namespace":"b","ipam-claim-reference":"c","ips":[1]},{"name":7}]"#;
    check(SELECTION, both, "b/x", "b/c");
    check(SELECTION, r#"[{"name":"x"}"#, "", "");
    let main = r#"[{"name":"default","namespace":"ovn-kubernetes","ipam-claim-reference":"c"}]"#;
    check(DEFAULT_SELECTION, main, "", "a/c");
    check(DEFAULT_SELECTION, r#"{"ipam-claim-reference":""}"#, "", "");
    check(PRIMARY_CLAIM, "c", "", "a/c");
    check(PRIMARY_CLAIM, "", "", "");
    assert_eq!(
        texts(
            &references(json!({"annotations": {POD_NETWORKS: r#"{"default":{},"b/x/1":{}}"#}}))
                .used
        ),
        "b/x"
    );
}

#[test]
fn only_a_machine_that_has_the_say_counts() {
    let owned = |version: &str, kind: &str, controller: bool| {
        let owner = json!({"apiVersion": version, "kind": kind, "name": "vm", "uid": "u",
            "controller": controller});
        texts(&references(json!({"ownerReferences": [owner]})).machine)
    };
    assert_eq!(owned("kubevirt.io/v1", "VirtualMachineInstance", true), "a/vm");
    assert_eq!(owned("kubevirt.io/v1alpha3", "VirtualMachineInstance", true), "a/vm");
    assert_eq!(owned("kubevirt.io/v1", "VirtualMachineInstance", false), "");
    assert_eq!(owned("other.io/v1", "VirtualMachineInstance", true), "");
    assert_eq!(owned("apps/v1", "ReplicaSet", true), "");
}

#[test]
fn a_pod_that_ended_names_nothing() {
    let annotations = json!({SELECTION: "x", PRIMARY_CLAIM: "c"});
    let pod = json!({"metadata": {"annotations": annotations}, "status": {"phase": "Succeeded"}});
    let pod: Pod = serde_json::from_value(pod).unwrap();
    assert_eq!(PodReferences::of(&ObjectName::new("a", "pod"), &pod), PodReferences::default());
}
