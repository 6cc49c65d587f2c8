//! What the agent of a node may not do, though its roles would let it pass, or nearly.
//!
//! Invariant: the agent is that of n1; every name that is not `n1`, `here` or `udn-node.n1` is another's.

use serde_json::{Value, json};
use udn_wire::keys::{
    NETWORK_ID, NODE_ID, NODE_JOIN_LEGACY, NODE_SUBNETS, NODE_TRANSIT_ADDRESS, OPEN_PORTS,
    PHYSICAL_NETWORK_LABEL, POD_NETWORKS, PRIMARY_CLAIM, SELECTION, TUNNEL_KEYS,
};

use super::{
    EVENTS, LEASES, OWN, REPORTS, annotated, applied, event, lease, node, renewed, report, status,
};
use crate::rights::cases::{Case, Want};
use crate::rights::server::Call;

/// What the cluster controller and others tell of a node.
const FOREIGN: [&str; 8] = [
    NODE_ID,
    NODE_SUBNETS,
    NODE_TRANSIT_ADDRESS,
    NODE_JOIN_LEGACY,
    NETWORK_ID,
    TUNNEL_KEYS,
    "other",
    "volumes.kubernetes.io/controller-managed-attach-detach",
];

const NODE_ONLY: Want =
    Want::Policy("A node agent may write its own Node only: n1 cannot write n2");
const ANNOTATIONS_ONLY: Want = Want::Policy("A node agent may change annotations of its Node only");
const THESE_ONLY: Want =
    Want::Policy("A node agent may change these annotations of its Node only: ");
const PODS_ONLY: Want =
    Want::Policy("A node agent may write pods of its own node only: n1 cannot write plain/");
const ADDRESSES_ONLY: Want = Want::Policy("A node agent may change the addresses of pods only");
const THIS_ONLY: Want = Want::Policy("A node agent may change this annotation of pods only: ");
const REPORT_ONLY: Want =
    Want::Policy("A node may write its own NodeNetworkReport only: n1 cannot write that of n");
const LEASE_ONLY: Want =
    Want::Policy("A node agent may write its own Lease only: n1 cannot write ");

/// All of it.
pub(crate) fn refused() -> Vec<Case> {
    [own_node(), other_nodes(), pods(), reports(), leases(), events()]
        .into_iter()
        .flatten()
        .collect()
}

fn own_node() -> Vec<Case> {
    let mut cases = Vec::new();
    for key in FOREIGN {
        for value in [json!("5"), Value::Null] {
            let is_there = [NODE_ID, NODE_SUBNETS, "other"].contains(&key);
            // To remove what is not there is no change.
            if is_there || !value.is_null() {
                cases.push(Case::patch(key, &node("n1"), annotated(key, value), THESE_ONLY));
            }
        }
    }
    let physical = format!("{PHYSICAL_NETWORK_LABEL}foreign");
    let changes = [
        ("a label", json!({ "metadata": { "labels": { "zone": "b" } } })),
        ("a physical network", json!({ "metadata": { "labels": { physical: "" } } })),
        ("no labels", json!({ "metadata": { "labels": null } })),
        ("a finalizer", json!({ "metadata": { "finalizers": ["a.b/c"] } })),
        ("a taint", json!({ "spec": { "taints": [{ "key": "k", "effect": "NoExecute" }] } })),
        ("a cordon", json!({ "spec": { "unschedulable": true } })),
        ("a provider's name", json!({ "spec": { "providerID": "p" } })),
    ];
    let of_change = |(what, patch)| Case::patch(what, &node("n1"), patch, ANNOTATIONS_ONLY);
    cases.extend(changes.map(of_change));
    let status = json!({ "status": { "capacity": { "cpu": "64" } } });
    let no_role = Want::NoRole("patch", "nodes/status", "");
    cases.push(Case::patch("its capacity", &format!("{}/status", node("n1")), status, no_role));
    cases
}

fn other_nodes() -> Vec<Case> {
    let mut cases: Vec<Case> = OWN
        .iter()
        .chain(&FOREIGN)
        .map(|key| Case::patch(key, &node("n2"), annotated(key, "new".into()), NODE_ONLY))
        .collect();
    let labelled = json!({ "metadata": { "labels": { "zone": "b" } } });
    let cordon = json!({ "spec": { "unschedulable": true } });
    let status = json!({ "status": { "capacity": { "cpu": "64" } } });
    let no_role = Want::NoRole("patch", "nodes/status", "");
    let new = json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n3" } });
    cases.extend([
        Case::patch("its label", &node("n2"), labelled, NODE_ONLY),
        Case::patch("its cordon", &node("n2"), cordon, NODE_ONLY),
        Case::patch("its status", &format!("{}/status", node("n2")), status, no_role),
        Case::new(
            "a node",
            Call::new("POST", "/api/v1/nodes", new),
            Want::NoRole("create", "nodes", ""),
        ),
    ]);
    cases
}

fn pods() -> Vec<Case> {
    let granted = || annotated(POD_NETWORKS, "{\"default\":{}}".into());
    let mut cases = vec![
        Case::patch("another node's pod", &status("there"), granted(), PODS_ONLY),
        Case::patch("a pod of no node", &status("nowhere"), granted(), PODS_ONLY),
    ];
    let status_of_own = [
        ("its phase", json!({ "status": { "phase": "Succeeded" } })),
        (
            "its address",
            json!({ "status": { "podIP": "10.0.0.9", "podIPs": [{"ip": "10.0.0.9"}] } }),
        ),
        ("its label", json!({ "metadata": { "labels": { "app": "db" } } })),
        ("its finalizer", json!({ "metadata": { "finalizers": ["a.b/c"] } })),
    ];
    let of_own = |(what, patch)| Case::patch(what, &status("here"), patch, ADDRESSES_ONLY);
    cases.extend(status_of_own.map(of_own));
    for key in [SELECTION, PRIMARY_CLAIM, OPEN_PORTS, "k8s.v1.cni.cncf.io/network-status"] {
        let patch = annotated(key, "blue".into());
        cases.push(Case::patch(key, &status("here"), patch, THIS_ONLY));
    }
    let removed = annotated(SELECTION, Value::Null);
    cases.push(Case::patch("its networks", &status("here"), removed, THIS_ONLY));
    cases
}

fn reports() -> Vec<Case> {
    // One that stands, and one that does not.
    let mut cases = Vec::new();
    for name in ["n2", "n3"] {
        let [whole, said] = applied(name);
        cases.push(Case::patch("another node's report", &whole, report(name), REPORT_ONLY));
        if name == "n2" {
            cases.push(Case::patch("what it says", &said, report(name), REPORT_ONLY));
        }
    }
    cases.push(Case::new("a report", Call::new("POST", REPORTS, report("n3")), REPORT_ONLY));
    cases
}

fn leases() -> Vec<Case> {
    let other = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/udn-controller";
    let group = "coordination.k8s.io";
    let made = |name| Call::new("POST", LEASES, lease(name));
    vec![
        Case::new("another agent's lease", made("udn-node.n2"), LEASE_ONLY),
        Case::new("a lease of no agent", made("kubelet"), LEASE_ONLY),
        Case::patch("its kubelet's lease", &format!("{LEASES}/n1"), renewed(), LEASE_ONLY),
        Case::patch("who leads", other, renewed(), Want::NoRole("patch", "leases", group)),
        Case::new("leases", Call::read(LEASES), Want::NoRole("list", "leases", group)),
    ]
}

fn events() -> Vec<Case> {
    let as_itself = Want::Policy("A node agent may tell events as itself only: n1 cannot speak as");
    let count_only = Want::Policy("A node agent may count an event again and change nothing else");
    let at = |name: &str| format!("{EVENTS}/{name}");
    let told = |component, host| Call::new("POST", EVENTS, event("new", component, host));
    let again = || json!({ "count": 2 });
    let mut cases = vec![
        Case::new("an event of a kubelet", told("kubelet", Some("n1")), as_itself),
        Case::new("an event of another node", told("udn-node", Some("n2")), as_itself),
        Case::new("an event of nobody", told("", None), as_itself),
        Case::new("an event of no node", told("udn-node", None), as_itself),
        Case::patch("a kubelet's, again", &at("of-a-kubelet"), again(), as_itself),
        Case::patch("another node's, again", &at("of-n2"), again(), as_itself),
    ];
    let changes = [
        json!({ "message": "other" }),
        json!({ "reason": "Other" }),
        json!({ "type": "Warning" }),
        json!({ "source": { "host": "n2" } }),
        json!({ "metadata": { "labels": { "a": "b" } } }),
    ];
    let of_change = |patch| Case::patch("another text", &at("of-n1"), patch, count_only);
    cases.extend(changes.map(of_change));
    cases
}
