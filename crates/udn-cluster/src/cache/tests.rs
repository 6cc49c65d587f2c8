//! What goes in, who hears of it, and what comes out.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use udn_model::{Manifest, NetworkName, NodeName, ObjectName};
use udn_wire::Target;
use udn_wire::keys::{CNI_TYPE, NODE_HOST_CIDRS, POD_NETWORKS, PRIMARY_LABEL};
use udn_wire::kind::Kind;
use udn_wire::object::AnyObject;

use super::ObjectCache;
use crate::reconciler::view;
use crate::work_item::WorkItem;

mod pods;

/// A cache whose server counts.
struct Rig {
    cache: ObjectCache,
    version: u64,
}

impl Rig {
    fn new() -> Self {
        Self { cache: ObjectCache::new(ObjectName::new("ovn-kubernetes", "default")), version: 0 }
    }

    /// Puts the next state of an object and compares who hears of it.
    fn put(&mut self, kind: Kind, object: Value, heard: &[&str]) {
        self.version += 1;
        assert_eq!(texts(&self.cache.put(state(kind, object, self.version))), heard);
    }

    fn remove(&mut self, kind: Kind, name: &str, heard: &[&str]) {
        self.version += 1;
        let touched = self.cache.remove(&target(kind, name), self.version);
        assert_eq!(texts(&touched), heard);
    }
}

fn texts(items: &BTreeSet<WorkItem>) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

fn state(kind: Kind, mut object: Value, version: u64) -> AnyObject {
    object["metadata"]["resourceVersion"] = version.to_string().into();
    AnyObject::decode(kind, &object.to_string()).unwrap()
}

fn target(kind: Kind, name: &str) -> Target {
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    Target { kind, namespace: namespace.to_owned(), name: name.to_owned() }
}

fn metadata(name: &str) -> Value {
    let (namespace, name) = name.split_once('/').unwrap_or(("", name));
    json!({"name": name, "namespace": namespace, "uid": format!("uid of {name}")})
}

fn namespace(name: &str) -> Value {
    let mut metadata = metadata(name);
    metadata["labels"] = json!({"name": name, PRIMARY_LABEL: ""});
    json!({"metadata": metadata})
}

fn cudn(name: &str, namespace: &str) -> Value {
    let layer2 = json!({"role": "Primary", "subnets": ["10.10.0.0/16"]});
    let network = json!({"topology": "Layer2", "layer2": layer2});
    let selector = json!({"matchLabels": {"name": namespace}});
    json!({"metadata": metadata(name), "spec": {"namespaceSelector": selector, "network": network}})
}

fn localnet(name: &str, physical: &str) -> Value {
    let localnet = json!({"role": "Secondary", "physicalNetworkName": physical,
        "ipam": {"mode": "Disabled"}});
    let network = json!({"topology": "Localnet", "localnet": localnet});
    json!({"metadata": metadata(name), "spec": {"namespaceSelector": {}, "network": network}})
}

/// A NAD as the controller makes it for a CUDN.
fn made(name: &str) -> Value {
    let maker = name.split_once('/').unwrap().1;
    let config = json!({"type": CNI_TYPE, "name": format!("cluster_udn_{maker}"),
        "topology": "layer2", "role": "primary", "subnets": "10.10.0.0/16",
        "netAttachDefName": name});
    let mut metadata = metadata(name);
    metadata["ownerReferences"] = json!([{"apiVersion": "k8s.ovn.org/v1", "controller": true,
        "kind": "ClusterUserDefinedNetwork", "name": maker, "uid": format!("uid of {maker}")}]);
    json!({"metadata": metadata, "spec": {"config": config.to_string()}})
}

fn pod(name: &str, nad: &str) -> Value {
    let mut metadata = metadata(name);
    metadata["annotations"] = json!({POD_NETWORKS: json!({nad: {}}).to_string()});
    json!({"metadata": metadata, "status": {"phase": "Running"}})
}

fn ready(mut cudn: Value) -> Value {
    cudn["status"]["conditions"] = json!([{"type": "Ready", "status": "True", "reason": "Built",
        "message": "", "lastTransitionTime": ""}]);
    cudn
}

#[test]
fn a_network_among_many_costs_no_more_than_one_alone() {
    let mut rig = Rig::new();
    for number in 0..100 {
        let (name, place) = (format!("net-{number}"), format!("ns-{number}"));
        let item = format!("ClusterUserDefinedNetwork {name}");
        let nad = format!("{place}/{name}");
        rig.put(Kind::Namespace, namespace(&place), &[]);
        rig.put(Kind::ClusterUserDefinedNetwork, cudn(&name, &place), &[&item]);
        rig.put(Kind::Nad, made(&nad), &[&item]);
        rig.put(Kind::Pod, pod(&format!("{place}/pod"), &nad), &[&format!("pod {place}/pod")]);
        let world = view(&rig.cache, &WorkItem::Network(Manifest::Cudn(name))).world;
        let counts = [world.namespaces.len(), world.cluster_networks.len(), world.pods.len()];
        assert_eq!((counts, world.nads.len()), ([1, 1, 0], 1));
    }
    let mut changed = namespace("ns-7");
    changed["metadata"]["labels"]["more"] = "".into();
    rig.put(Kind::Namespace, changed, &["ClusterUserDefinedNetwork net-7"]);
    rig.remove(Kind::Namespace, "ns-8", &["ClusterUserDefinedNetwork net-8", "pod ns-8/pod"]);
}

#[test]
fn old_states_change_nothing() {
    let mut rig = Rig::new();
    let (kind, red) = (Kind::ClusterUserDefinedNetwork, "ClusterUserDefinedNetwork red");
    rig.put(kind, cudn("red", "a"), &[red]);
    rig.put(kind, cudn("red", "b"), &[red]);
    for version in [1, 2] {
        assert!(rig.cache.put(state(kind, cudn("red", "a"), version)).is_empty());
    }
    assert!(rig.cache.remove(&target(kind, "red"), 1).is_empty());
    let spec = rig.cache.world().cluster_networks["red"].spec.value();
    assert_eq!(spec["namespaceSelector"]["matchLabels"]["name"], "b");
    rig.remove(kind, "red", &[red]);
    assert!(rig.cache.put(state(kind, cudn("red", "b"), 2)).is_empty());
    rig.put(kind, cudn("red", "a"), &[red]);
}

#[test]
fn a_list_takes_out_what_it_lacks_unless_that_is_newer() {
    let mut rig = Rig::new();
    let kind = Kind::Namespace;
    for name in ["a", "b", "c"] {
        rig.put(kind, namespace(name), &[]);
    }
    rig.remove(kind, "b", &[]);
    // At version 2 there were a and b; c came later, and b went.
    let list = vec![state(kind, namespace("b"), 2)];
    rig.cache.replace(kind, list, 2);
    assert_eq!(rig.cache.world().namespaces.keys().collect::<Vec<_>>(), ["c"]);
    rig.cache.replace(kind, Vec::new(), 9);
    assert!(rig.cache.world().namespaces.is_empty());
    // The answer to a write that was undone before the list was made.
    rig.cache.put(state(kind, namespace("d"), 8));
    rig.cache.replace(kind, vec![state(kind, namespace("d"), 8)], 8);
    assert!(rig.cache.world().namespaces.is_empty());
}

#[test]
fn a_status_concerns_its_own_network_only() {
    let mut rig = Rig::new();
    let kind = Kind::ClusterUserDefinedNetwork;
    let (red, blue) = ("ClusterUserDefinedNetwork red", "ClusterUserDefinedNetwork blue");
    rig.put(Kind::Namespace, namespace("a"), &[]);
    rig.put(kind, cudn("red", "a"), &[red]);
    rig.put(kind, cudn("blue", "a"), &[blue, red]);
    rig.put(kind, ready(cudn("blue", "a")), &[blue]);
    rig.put(kind, cudn("blue", "b"), &[blue, red]);
    rig.put(kind, cudn("blue", "c"), &[blue]);
}

#[test]
fn pods_matter_where_a_nad_must_go() {
    let mut rig = Rig::new();
    let (red, own) = ("ClusterUserDefinedNetwork red", "pod a/p");
    let item = WorkItem::Network(Manifest::Cudn("red".to_owned()));
    rig.put(Kind::Namespace, namespace("a"), &[]);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "a"), &[red]);
    rig.put(Kind::Nad, made("a/red"), &[red]);
    rig.put(Kind::Pod, pod("a/p", "a/red"), &[own]);
    rig.remove(Kind::Pod, "a/p", &[own]);
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "b"), &[red]);
    rig.put(Kind::Pod, pod("a/p", "a/red"), &[red, own]);
    assert_eq!(view(&rig.cache, &item).world.pods.len(), 1);
    let mut done = pod("a/p", "a/red");
    done["status"]["phase"] = "Succeeded".into();
    rig.put(Kind::Pod, done, &[red, own]);
    assert_eq!(view(&rig.cache, &item).world.pods.len(), 0);
}

#[test]
fn nads_have_a_work_item_whatever_they_say() {
    let mut rig = Rig::new();
    let kind = Kind::Nad;
    let text =
        |name: &str, text: &str| json!({"metadata": metadata(name), "spec": {"config": text}});
    rig.put(kind, text("a/broken", "{"), &["network a/broken"]);
    rig.put(kind, text("a/other", r#"{"type": "bridge"}"#), &[]);
    let mut named = text("a/broken", "{");
    named["metadata"]["annotations"] = json!({"k8s.ovn.org/network-name": "flat"});
    rig.put(kind, named, &["network a/broken", "network flat"]);
    rig.put(kind, made("a/red"), &["ClusterUserDefinedNetwork red"]);
    let default = text("ovn-kubernetes/default", r#"{"type": "ovn-k8s-cni-overlay"}"#);
    rig.put(kind, default, &["the default network's NAD"]);
    let items = rig.cache.items();
    assert!(items.contains(&WorkItem::Network(Manifest::Cudn("red".to_owned()))));
    assert!(items.contains(&WorkItem::HandWritten(NetworkName::new("flat"))));
    assert_eq!(view(&rig.cache, &WorkItem::DefaultNad).world.nads.len(), 1);
}

fn node(name: &str, address: &str) -> Value {
    let mut metadata = metadata(name);
    metadata["annotations"] = json!({NODE_HOST_CIDRS: format!("[\"{address}\"]")});
    json!({"metadata": metadata})
}

#[test]
fn a_heartbeat_reaches_nobody() {
    let mut rig = Rig::new();
    let (red, n1) = ("ClusterUserDefinedNetwork red", "node n1");
    rig.put(Kind::ClusterUserDefinedNetwork, cudn("red", "a"), &[red]);
    rig.put(Kind::Node, node("n1", "10.0.0.1/24"), &[red, n1]);
    let cluster_nodes = view(&rig.cache, &WorkItem::DefaultNad).cluster_nodes;
    rig.put(Kind::Node, node("n1", "10.0.0.1/24"), &[]);
    let mut labelled = node("n1", "10.0.0.1/24");
    labelled["metadata"]["labels"] = json!({"rack": "3"});
    rig.put(Kind::Node, labelled, &[n1]);
    assert!(Arc::ptr_eq(&cluster_nodes, &view(&rig.cache, &WorkItem::DefaultNad).cluster_nodes));
    rig.put(Kind::Node, node("n1", "10.0.0.2/24"), &[red, n1]);
    rig.remove(Kind::Node, "n1", &[red, n1]);
    assert!(view(&rig.cache, &WorkItem::DefaultNad).cluster_nodes.nodes.is_empty());
}

fn report(status: Value) -> Value {
    json!({"metadata": metadata("n1"), "status": status})
}

#[test]
fn a_report_reaches_those_who_wait_and_those_it_is_about() {
    let mut rig = Rig::new();
    let kind = Kind::ClusterUserDefinedNetwork;
    let [new, old, wire] =
        ["new", "old", "wire"].map(|name| format!("ClusterUserDefinedNetwork {name}"));
    let n1 = "node n1";
    rig.put(kind, cudn("new", "a"), &[&new]);
    rig.put(kind, ready(cudn("old", "b")), &[&old]);
    rig.put(kind, ready(localnet("wire", "p")), &[&wire]);
    rig.put(Kind::Node, node("n1", "10.0.0.1/24"), &[&new, &old, &wire, n1]);
    rig.put(Kind::Report, report(json!({"programmedUpTo": "7"})), &[&new, n1]);
    rig.put(Kind::Report, report(json!({"programmedUpTo": "7"})), &[]);
    let physical = json!([{"name": "p", "bridge": "br"}, {"name": "q", "bridge": "br"}]);
    let mut status = json!({"programmedUpTo": "8", "physicalNetworks": physical});
    rig.put(Kind::Report, report(status.clone()), &[&new, &wire, n1]);
    for reason in ["BridgeMissing", "BridgeWithoutPorts"] {
        status["unusablePhysicalNetworks"] = json!([{"name": "p", "reason": reason}]);
        rig.put(Kind::Report, report(status.clone()), &[&new, &wire, n1]);
    }
    status["notProgrammed"] = json!([{"network": "cluster_udn_old", "reason": "NoPort"}]);
    rig.put(Kind::Report, report(status.clone()), &[&new, &old, n1]);
    let cluster_nodes = view(&rig.cache, &WorkItem::DefaultNad).cluster_nodes;
    let told = cluster_nodes.nodes[&NodeName::new("n1")].as_ref().unwrap();
    assert_eq!(told.status.programmed_up_to.as_deref(), Some("8"));
    status["programmedUpTo"] = "6".into();
    rig.put(Kind::Report, report(status), &[&new, &old, &wire, n1]);
    rig.remove(Kind::Report, "n1", &[&new, &old, &wire, n1]);
}
