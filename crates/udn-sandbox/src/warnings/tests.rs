//! Warnings by example.

use std::collections::BTreeMap;

use k8s_openapi::api::events::v1::Event;
use serde_json::json;
use udn_control::cluster::FIELD_MANAGER;
use udn_control::zone::Listing;
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use super::{of_conditions, of_event};

#[test]
fn a_condition_that_is_not_as_it_should_be_is_told() {
    let condition = |kind: &str, status: &str| {
        json!({ "type": kind, "status": status, "reason": "Why", "message": "so it is",
            "lastTransitionTime": "2026-11-18T00:00:00Z" })
    };
    let conditions = [
        condition("NetworkCreated", "True"),
        condition("Ready", "Unknown"),
        condition("Degraded", "True"),
    ];
    let network = json!({ "metadata": { "name": "red" }, "status": { "conditions": conditions } });
    let network = AnyObject::decode(Kind::ClusterUserDefinedNetwork, &network.to_string());
    let mut listing = Listing::default();
    listing.world.put(network.expect("it is a CUDN"));
    let told: Vec<String> = of_conditions(&listing).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "ClusterUserDefinedNetwork red: Ready is Unknown: Why: so it is",
            "ClusterUserDefinedNetwork red: Degraded is True: Why: so it is",
        ]
    );
}

/// Whether an event of a version is told of a pod of version 10.
fn check(version: &str, event_type: &str, controller: &str, want: Option<&str>) {
    let event: Event = serde_json::from_value(json!({
        "metadata": { "name": "any", "resourceVersion": version },
        "eventTime": "2026-11-18T00:00:00.000000Z",
        "type": event_type, "reason": "PoolExhausted", "note": "no address is left",
        "reportingController": controller,
        "regarding": { "apiVersion": "v1", "kind": "Pod", "namespace": "red", "name": "red-1" },
    }))
    .expect("it is an event");
    let pod = Target { kind: Kind::Pod, namespace: "red".to_owned(), name: "red-1".to_owned() };
    let listing = Listing { versions: BTreeMap::from([(pod, 10)]), ..Listing::default() };
    assert_eq!(of_event(&event, &listing).map(|it| it.to_string()).as_deref(), want);
}

#[test]
fn a_warning_is_told_unless_its_object_changed_since() {
    check("11", "Warning", FIELD_MANAGER, Some("Pod red/red-1: PoolExhausted: no address is left"));
    check("9", "Warning", FIELD_MANAGER, None);
    check("11", "Normal", FIELD_MANAGER, None);
    check("11", "Warning", "kubelet", None);
}

#[test]
fn a_late_warning_about_addresses_that_a_pod_has_is_not_told() {
    let event: Event = serde_json::from_value(json!({
        "metadata": { "name": "any", "resourceVersion": "11" },
        "eventTime": "2026-11-18T00:00:00.000000Z",
        "type": "Warning", "reason": "ErrorAllocatingPod", "note": "its NAD does not exist",
        "reportingController": FIELD_MANAGER,
        "regarding": { "apiVersion": "v1", "kind": "Pod", "namespace": "red", "name": "red-1" },
    }))
    .expect("it is an event");
    let told = |annotations: serde_json::Value| {
        let metadata = json!({ "namespace": "red", "name": "red-1", "annotations": annotations });
        let pod = json!({ "metadata": metadata }).to_string();
        let target =
            Target { kind: Kind::Pod, namespace: "red".to_owned(), name: "red-1".to_owned() };
        let mut listing =
            Listing { versions: BTreeMap::from([(target, 10)]), ..Listing::default() };
        listing.world.put(AnyObject::decode(Kind::Pod, &pod).expect("it is a pod"));
        of_event(&event, &listing).is_some()
    };
    assert!(told(json!({})));
    assert!(!told(json!({ "k8s.ovn.org/pod-networks": "{}" })));
}
