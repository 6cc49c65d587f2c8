//! What an agent may do to its own node, and what only others may.
//!
//! Invariant: whatever is refused to one agent is allowed to another, or to the cluster controller; so
//! it is the sender that is refused, not the request.

use serde_json::{Value, json};
use udn_wire::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_GATEWAY, NODE_HOST_CIDRS, NODE_LAYER2_VERSION,
    NODE_MASQUERADE, NODE_PRIMARY_ADDRESS, NODE_ZONE, POD_NETWORKS,
};

use super::cases::{Case, Want};
use super::server::Call;

mod refused;

pub(crate) use refused::refused;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const REPORTS: &str = "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports";
pub(crate) const EVENTS: &str = "/api/v1/namespaces/plain/events";

/// What a node tells of itself.
const OWN: [&str; 8] = [
    NODE_CHASSIS,
    NODE_ENCAP_IPS,
    NODE_GATEWAY,
    NODE_HOST_CIDRS,
    NODE_LAYER2_VERSION,
    NODE_MASQUERADE,
    NODE_PRIMARY_ADDRESS,
    NODE_ZONE,
];

fn annotated(key: &str, value: Value) -> Value {
    json!({ "metadata": { "annotations": { key: value } } })
}

fn node(name: &str) -> String {
    format!("/api/v1/nodes/{name}")
}

fn status(pod: &str) -> String {
    format!("/api/v1/namespaces/plain/pods/{pod}/status")
}

fn report(node: &str) -> Value {
    json!({ "apiVersion": "k8s.ovn.org/v1alpha1", "kind": "NodeNetworkReport",
        "metadata": { "name": node }, "status": { "programmedUpTo": "7" } })
}

/// The paths at which a report is applied: as a whole, and what it says.
fn applied(node: &str) -> [String; 2] {
    let apply = "?fieldManager=udn-node&force=true";
    [format!("{REPORTS}/{node}{apply}"), format!("{REPORTS}/{node}/status{apply}")]
}

fn lease(name: &str) -> Value {
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": name },
        "spec": { "holderIdentity": "agent" } })
}

fn renewed() -> Value {
    json!({ "spec": { "holderIdentity": "somebody" } })
}

/// An event of a program, which may say where it runs.
fn event(name: &str, component: &str, host: Option<&str>) -> Value {
    let involved = json!({ "kind": "Pod", "namespace": "plain", "name": "here" });
    let mut source = json!({ "component": component });
    if let Some(host) = host {
        source["host"] = host.into();
    }
    json!({ "apiVersion": "v1", "kind": "Event", "metadata": { "name": name },
        "involvedObject": involved, "reason": "Tested", "message": "m", "type": "Normal",
        "source": source })
}

/// Events that others have told.
pub(crate) fn told() -> [Value; 3] {
    [
        event("of-a-kubelet", "kubelet", Some("n1")),
        event("of-n2", "udn-node", Some("n2")),
        event("of-n1", "udn-zone-controller", Some("n1")),
    ]
}

/// All that an agent does: it is done.
pub(crate) fn allowed(name: &str, pod: &str) -> Vec<Case> {
    let done = Want::Done;
    let mut cases: Vec<Case> = OWN
        .iter()
        .map(|key| Case::patch(key, &node(name), annotated(key, "\"new\"".into()), done))
        .collect();
    let granted = annotated(POD_NETWORKS, r#"{"default":{}}"#.into());
    cases.push(Case::patch("its pod's addresses", &status(pod), granted, done));
    for path in applied(name) {
        cases.push(Case::patch("its report", &path, report(name), done));
    }
    let own = format!("udn-node.{name}");
    let delete_first = format!("{LEASES}/{own}");
    cases.push(Case::new("its lease", Call::new("POST", LEASES, lease(&own)), done));
    cases.push(Case::patch("its lease again", &delete_first, renewed(), done));
    for component in ["udn-node", "udn-zone-controller"] {
        let told = format!("{component}.{name}.{pod}");
        let object = event(&told, component, Some(name));
        cases.push(Case::new("an event", Call::new("POST", EVENTS, object), done));
        let again = json!({ "count": 2 });
        cases.push(Case::patch("it again", &format!("{EVENTS}/{told}"), again, done));
    }
    let read = [
        "/api/v1/namespaces",
        "/api/v1/pods",
        "/api/v1/services",
        "/api/v1/nodes",
        "/api/v1/nodes/n1",
        REPORTS,
        "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
        "/apis/networking.k8s.io/v1/servicecidrs",
    ];
    cases.extend(read.map(|path| Case::new("a look", Call::read(path), done)));
    cases
}

/// What an agent may do to its node, if nobody says which one that is.
pub(crate) fn without_a_node() -> Vec<Case> {
    let granted = annotated(POD_NETWORKS, "{\"default\":{}}".into());
    let want = |words| Want::Policy(words);
    let (nodes, pods) = ("may write its own Node only", "may write pods of its own node only");
    let (reports, leases) = ("its own NodeNetworkReport only", "may write its own Lease only");
    let mut cases: Vec<Case> = OWN
        .iter()
        .map(|key| Case::patch(key, &node("n1"), annotated(key, "new".into()), want(nodes)))
        .collect();
    cases.push(Case::patch("a pod's addresses", &status("here"), granted, want(pods)));
    for path in applied("n1") {
        cases.push(Case::patch("a report", &path, report("n1"), want(reports)));
    }
    let made = Call::new("POST", LEASES, lease("udn-node.n1"));
    cases.push(Case::new("a lease", made, want(leases)));
    let made = Call::new("POST", EVENTS, event("new", "udn-node", Some("n1")));
    let events = "may tell events as itself only";
    cases.push(Case::new("an event", made, want(events)));
    cases
}
