//! Labels that come, stay and go.

use serde_json::{Value, json};
use udn_model::NodeName;
use udn_wire::object::{Node, NodeNetworkReport};

use super::{physical_network_labels, unlabelled_physical_networks};

fn node(labels: Value) -> Node {
    serde_json::from_value(json!({"metadata": {"name": "n1", "labels": labels}})).unwrap()
}

fn report(names: &[&str]) -> NodeNetworkReport {
    let networks: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "bridge": "b"})).collect();
    serde_json::from_value(json!({"status": {"physicalNetworks": networks}})).unwrap()
}

fn check(labels: Value, names: Option<&[&str]>, want: Value) {
    let report = names.map(report);
    let changes = physical_network_labels(&node(labels), report.as_ref());
    assert_eq!(json!(changes), want);
}

#[test]
fn labels_follow_the_report() {
    check(
        json!({"zone": "z", "physical-network.k8s.ovn.org/old": ""}),
        Some(&["tenant", "old", "tenant"]),
        json!({"physical-network.k8s.ovn.org/tenant": ""}),
    );
    check(
        json!({"zone": "z", "physical-network.k8s.ovn.org/old": ""}),
        Some(&["Tenant_1.x"]),
        json!({"physical-network.k8s.ovn.org/old": null,
            "physical-network.k8s.ovn.org/Tenant_1.x": ""}),
    );
    check(
        json!({"physical-network.k8s.ovn.org/tenant": "mine"}),
        Some(&["tenant"]),
        json!({"physical-network.k8s.ovn.org/tenant": ""}),
    );
    check(
        json!({"zone": "z", "physical-network.k8s.ovn.org/old": ""}),
        None,
        json!({"physical-network.k8s.ovn.org/old": null}),
    );
    check(json!({"physical-network.k8s.ovn.org/old": ""}), Some(&["old"]), json!({}));
}

#[test]
fn names_that_fit_no_label_are_left_out_and_told() {
    let long = "x".repeat(64);
    let names = ["good", "a b", "-a", "a.", "ä", &long, "a b"];
    check(json!({}), Some(&names), json!({"physical-network.k8s.ovn.org/good": ""}));
    let findings = unlabelled_physical_networks(&NodeName::new("n1"), &report(&names));
    assert_eq!(findings.len(), 5);
    let want = "physical network \"a b\" gets no label, as a label's name has at most 63 letters, \
                digits, '-', '_' and '.', with a letter or digit at both ends; rename it in \
                ovn-bridge-mappings";
    assert!(findings.iter().any(|it| it.message == want), "{findings:?}");
    let longest = "x".repeat(63);
    assert_eq!(unlabelled_physical_networks(&NodeName::new("n1"), &report(&[&longest])), []);
}
