//! The stories about subnets of nodes: layer-3 networks and nodes that come and go.
//!
//! Invariant: which free subnet a node has is the only thing that a disturbance may change.

use serde_json::{Value, json};
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::keys::NODE_SUBNETS;

use super::ending::MEDDLED;
use super::story::Act::{Create, Delete, Patch, Served, Settle, Start, Stop};
use super::story::{Act, Story};
use crate::kit::objects::{cudn, layer3, nad, namespace, node, primary_namespace, udn};

const CUDN: Kind = Kind::ClusterUserDefinedNetwork;
const NODE: Kind = Kind::Node;

/// All of them.
pub(crate) fn all() -> Vec<Story> {
    let made = [
        ("nodes-with-subnets-come-and-go", come_and_go()),
        ("node-subnets-exhausted-and-appended", exhausted()),
        ("layer3-made-again", made_again()),
        ("layer3-deleted-while-stopped", deleted_while_stopped()),
        ("layer3-by-hand-changes-its-topology", by_hand()),
        ("node-subnets-scribbled-on", scribbled()),
    ];
    let plain = made.map(|(name, acts)| Story { name, settings: <_>::default(), acts });
    let settings = ClusterSettings { builds_default_network: true, ..<_>::default() };
    let default = Story { name: "default-network", settings, acts: default_network() };
    plain.into_iter().chain([default]).collect()
}

/// A primary layer-3 network of both families, and a secondary one beside it.
fn networks() -> Vec<Act> {
    let both = layer3("Primary", &[("10.10.0.0/16", None), ("fd10::/48", None)]);
    vec![
        Create(primary_namespace("net", "net")),
        Create(namespace("side", &[])),
        Create(cudn("net", "net", both)),
        Create(udn("side", "side", layer3("Secondary", &[("10.20.0.0/22", Some(24))]))),
    ]
}

fn joins(name: &str) -> Act {
    Create(node(name))
}

fn leaves(name: &'static str) -> Act {
    Delete(NODE, "", name)
}

fn come_and_go() -> Vec<Act> {
    let nodes = vec![joins("node-1"), joins("node-2"), joins("node-3")];
    let more = vec![
        leaves("node-2"),
        joins("node-4"),
        Settle,
        joins("node-2"),
        leaves("node-1"),
        Create(udn("side", "late", layer3("Secondary", &[("10.30.0.0/16", None)]))),
        joins("node-5"),
        Served,
        Stop,
        // Whoever comes first to a new controller must not get what others carry.
        joins("a-node"),
        Start(None),
        Settle,
    ];
    [nodes, networks(), vec![Settle], more].concat()
}

/// The third node has none until a range is appended, and the fifth none until another one leaves.
fn exhausted() -> Vec<Act> {
    let small = layer3("Primary", &[("10.10.0.0/25", Some(26))]);
    let larger = json!([{ "cidr": "10.10.0.0/25", "hostSubnet": 26 },
        { "cidr": "10.11.0.0/25", "hostSubnet": 26 }]);
    let append = json!({ "spec": { "network": { "layer3": { "subnets": larger } } } });
    vec![
        Create(primary_namespace("net", "net")),
        Create(cudn("net", "net", small)),
        joins("node-1"),
        joins("node-2"),
        Served,
        joins("node-3"),
        Settle,
        Patch(CUDN, "", "net", append),
        joins("node-4"),
        Served,
        joins("node-5"),
        Settle,
        leaves("node-2"),
        Settle,
    ]
}

fn made_again() -> Vec<Act> {
    let other = layer3("Primary", &[("10.12.0.0/16", Some(25))]);
    let again = vec![
        Delete(CUDN, "", "net"),
        joins("node-3"),
        Create(cudn("net", "net", other)),
        Settle,
        Delete(Kind::UserDefinedNetwork, "side", "side"),
        Settle,
    ];
    let nodes = vec![joins("node-1"), joins("node-2"), Settle];
    [networks(), nodes, again].concat()
}

fn deleted_while_stopped() -> Vec<Act> {
    let nodes = vec![joins("node-1"), joins("node-2"), Served, Stop];
    let meanwhile = vec![
        Delete(CUDN, "", "net"),
        Delete(Kind::UserDefinedNetwork, "side", "side"),
        leaves("node-1"),
        joins("node-3"),
        Start(None),
        Settle,
    ];
    [networks(), nodes, meanwhile].concat()
}

/// No finalizer keeps a NAD that somebody wrote, so that its entries outlive it for a while.
fn by_hand() -> Vec<Act> {
    let config = |topology: &str| {
        json!({ "cniVersion": "1.1.0", "type": "ovn-k8s-cni-overlay", "name": "by-hand",
            "topology": topology, "subnets": "10.30.0.0/16", "netAttachDefName": "side/net" })
        .to_string()
    };
    let becomes = |topology| {
        Patch(Kind::Nad, "side", "net", json!({ "spec": { "config": config(topology) } }))
    };
    vec![
        Create(namespace("side", &[])),
        Create(nad("side", "net", &config("layer3"))),
        joins("node-1"),
        joins("node-2"),
        Served,
        becomes("layer2"),
        Settle,
        becomes("layer3"),
        Served,
        Delete(Kind::Nad, "side", "net"),
        joins("node-3"),
        Settle,
    ]
}

/// What users write on nodes is put right, and what nobody knows is taken away.
fn scribbled() -> Vec<Act> {
    let writes = |name, text: Value| {
        let annotations = json!({ NODE_SUBNETS: text, MEDDLED: "yes" });
        Patch(NODE, "", name, json!({ "metadata": { "annotations": annotations } }))
    };
    let nodes = vec![joins("node-1"), joins("node-2"), Served];
    let meanwhile = vec![
        writes("node-1", Value::Null),
        Settle,
        writes("node-2", json!("{")),
        Settle,
        writes("node-1", json!(r#"{"side_side":["172.16.0.0/24"],"unknown":["10.9.0.0/24"]}"#)),
        writes("node-2", json!(r#"{"default":["10.128.0.0/23"],"cluster_udn_net":[]}"#)),
        Settle,
    ];
    [networks(), nodes, meanwhile].concat()
}

fn default_network() -> Vec<Act> {
    let nodes = vec![joins("node-1"), joins("node-2"), Settle];
    let more = vec![leaves("node-1"), joins("node-3"), Settle];
    [nodes, networks(), more].concat()
}
