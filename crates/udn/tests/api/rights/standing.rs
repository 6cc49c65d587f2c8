//! What stands in the cluster: two nodes, their agents' pods, and what others own.
//!
//! Invariant: it is the same before each test, whatever the one before has changed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::agent::{self, EVENTS};
use super::server::{Bearer, Call, OURS, Server};
use super::{AGENT, CONTROLLER};

/// An account of no rights.
pub(crate) const BYSTANDER: &str = "bystander";

const OTHERS: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: plain}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: bystander, namespace: udn-system}
---
apiVersion: v1
kind: Secret
metadata: {name: secret, namespace: plain}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: plain}
---
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: red, namespace: plain}
spec: {config: '{\"cniVersion\": \"1.1.0\", \"name\": \"x\", \"type\": \"none\"}'}
---
apiVersion: k8s.cni.cncf.io/v1alpha1
kind: IPAMClaim
metadata: {name: claim, namespace: plain}
spec: {network: red, interface: net1}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: own, namespace: plain}
spec: {topology: Layer2, layer2: {role: Secondary, subnets: [10.10.0.0/16]}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: n1, namespace: kube-node-lease}
spec: {holderIdentity: the kubelet of n1}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: udn-controller, namespace: kube-system}
spec: {holderIdentity: the controller}
";

/// Everything that a test could have changed, as lists.
const LISTS: [&str; 17] = [
    "/api/v1/namespaces",
    "/api/v1/nodes",
    "/api/v1/pods",
    "/api/v1/secrets",
    "/api/v1/namespaces/plain/configmaps",
    "/api/v1/serviceaccounts",
    "/api/v1/events",
    "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports",
    "/apis/k8s.ovn.org/v1/userdefinednetworks",
    "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
    "/apis/k8s.cni.cncf.io/v1alpha1/ipamclaims",
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
];

/// Makes everything anew.
#[track_caller]
pub(crate) fn make(server: &Server) {
    let mut manifests = vec![OTHERS.to_owned()];
    for node in ["n1", "n2"] {
        manifests.push(of_node(node));
        manifests.push(pod_of_agent(&format!("agent-{node}"), Some(node)));
    }
    manifests.push(pod_of_agent("agent-nowhere", None));
    for (name, node) in [("here", Some("n1")), ("there", Some("n2")), ("nowhere", None)] {
        manifests.push(pod("plain", name, node, "default"));
    }
    manifests.push(pod(OURS, "controller", Some("n1"), CONTROLLER));
    server.apply(&manifests.join("\n---\n"));
    // What agents make.
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    for node in ["n1", "n2"] {
        server.as_admin(&Call::new("DELETE", format!("{leases}/udn-node.{node}"), Value::Null));
    }
    server.as_admin(&Call::new("DELETE", EVENTS, Value::Null));
    for event in agent::told() {
        let told = server.as_admin(&Call::new("POST", EVENTS, event));
        assert!(told.is_done(), "{told:?}");
    }
}

/// A node as kubelet and controllers have left it, and its report.
fn of_node(name: &str) -> String {
    let annotations = json!({ "k8s.ovn.org/node-chassis-id": "c", "k8s.ovn.org/node-id": "3",
        "k8s.ovn.org/node-subnets": "{}", "other": "x" });
    let labels = json!({ "zone": "a", "physical-network.k8s.ovn.org/provider": "" });
    let metadata = json!({ "name": name, "labels": labels, "annotations": annotations });
    let spec = json!({ "podCIDR": "10.0.0.0/24", "podCIDRs": ["10.0.0.0/24"] });
    let node = json!({ "apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": spec });
    let report = json!({ "apiVersion": "k8s.ovn.org/v1alpha1", "kind": "NodeNetworkReport",
        "metadata": { "name": name } });
    format!("{node}\n---\n{report}")
}

/// The pod of an agent, on a node or not yet on one.
pub(crate) fn pod_of_agent(name: &str, node: Option<&str>) -> String {
    pod(OURS, name, node, AGENT)
}

fn pod(namespace: &str, name: &str, node: Option<&str>, account: &str) -> String {
    let annotations =
        json!({ "k8s.ovn.org/pod-networks": "{}", "k8s.v1.cni.cncf.io/networks": "red" });
    let metadata = json!({ "name": name, "namespace": namespace, "labels": { "app": "web" },
        "annotations": annotations });
    let mut pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata,
        "spec": { "serviceAccountName": account, "containers": [{ "name": "c", "image": "i" }] } });
    if let Some(node) = node {
        pod["spec"]["nodeName"] = node.into();
    }
    pod.to_string()
}

/// Waits until the server follows our roles and policies.
#[track_caller]
pub(crate) fn until_in_force(server: &Server) {
    let loose = server.client(Bearer { account: AGENT, bound: None });
    let nodes = "/api/v1/nodes/n2?dryRun=All";
    let pods = "/api/v1/namespaces/plain/pods/there/status?dryRun=All";
    let reports = "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports/n2?dryRun=All";
    let leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1?dryRun=All";
    let annotated = json!({ "metadata": { "annotations": { "k8s.ovn.org/pod-networks": "" } } });
    let events = "/api/v1/namespaces/plain/events/of-n2?dryRun=All";
    for path in [nodes, pods, reports, leases, events] {
        let probe = Call::new("PATCH", path, annotated.clone());
        server.until("roles and policies", |it| {
            it.ask(&loose, &probe).message().contains("ValidatingAdmissionPolicy")
        });
    }
}

/// Which version of everything there is.
pub(crate) fn versions(server: &Server) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    for list in LISTS {
        let answer = server.as_admin(&Call::read(list));
        assert!(answer.is_done(), "{answer:?}");
        for item in answer.object["items"].as_array().expect("a list") {
            let metadata = &item["metadata"];
            let name = format!("{list} {}/{}", metadata["namespace"], metadata["name"]);
            versions.insert(name, metadata["resourceVersion"].to_string());
        }
    }
    versions
}
