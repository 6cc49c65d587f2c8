//! The stories: networks, nodes and pods come, change and go.
//!
//! Invariant: at the end of each, all networks are in order.

use serde_json::{Value, json};
use udn_wire::Kind;
use udn_wire::keys::{NODE_CHASSIS, NODE_GATEWAY};

use super::objects::{HERE, THERE, config, gateway, nad, node, overlay, pod, pod_on, vlan};
use super::story::{Act, Story};
use crate::kit::objects::{cudn, layer2, localnet, namespace, primary_namespace, udn};

pub(crate) fn all() -> Vec<Story> {
    vec![coming(), changing(), going(), rivals()]
}

const BOTH: [&str; 2] = ["10.10.0.0/16", "fd10::/64"];

/// Namespaces, nodes, and one network of each sort, with pods on both nodes.
pub(crate) fn base() -> Vec<Value> {
    vec![
        node(HERE, 11),
        node(THERE, 12),
        primary_namespace("red", "red"),
        primary_namespace("blue", "blue"),
        namespace("plain", &[("team", "plain")]),
        cudn("red", "red", layer2("Primary", &BOTH)),
        cudn("blue", "blue", layer2("Primary", &BOTH)),
        udn("plain", "flat", layer2("Secondary", &["10.30.0.0/24", "fd30::/64"])),
        cudn("wire", "plain", localnet("datacenter", 7, &["192.168.7.0/24", "fd07::/64"])),
        pod("red", "one", HERE),
        pod("red", "two", THERE),
        pod("blue", "one", HERE),
        pod_on("plain", "one", HERE, "flat,wire"),
        pod_on("plain", "two", THERE, "flat,wire"),
    ]
}

fn stands() -> impl Iterator<Item = Act> {
    base().into_iter().map(Act::Create).chain([Act::Settle])
}

/// Nodes come after networks, and pods before both.
fn coming() -> Story {
    let mut objects = base();
    let late = objects.split_off(2);
    let acts = late.into_iter().map(Act::Create);
    let acts = acts.chain([Act::Settle]);
    let acts = acts.chain(objects.into_iter().map(Act::Create));
    let service = json!({ "apiVersion": "v1", "kind": "Service",
        "metadata": { "namespace": "kube-system", "name": "kube-dns" },
        "spec": { "ports": [{ "port": 53 }] } });
    Story { name: "coming", acts: acts.chain([Act::Settle, Act::Create(service)]).collect() }
}

fn annotate(node: &'static str, key: &str, value: &Value) -> Act {
    Act::Patch(Kind::Node, "", node, json!({ "metadata": { "annotations": { key: value } } }))
}

/// Nodes get other chassis and gateways, pods move and end, NADs say something else.
fn changing() -> Story {
    let nad_says = |rest: Value| {
        let config = config("plain", "nine", "nine", rest);
        Act::Patch(Kind::Nad, "plain", "nine", json!({ "spec": { "config": config } }))
    };
    let bridge = json!({ "cniVersion": "1.1.0", "name": "nine", "type": "bridge" }).to_string();
    let ends = json!({ "phase": "Succeeded" });
    let more = vec![
        Act::Create(nad("plain", "nine", "nine", vlan(9))),
        Act::Create(pod_on("plain", "three", HERE, "nine")),
        Act::Settle,
        annotate(THERE, NODE_CHASSIS, &json!("another-chassis")),
        annotate(HERE, NODE_GATEWAY, &json!(gateway(HERE, 21).to_string())),
        nad_says(vlan(10)),
        Act::Delete(Kind::Pod, "red", "one"),
        Act::Create(pod("red", "one", THERE)),
        Act::Status(Kind::Pod, "red", "two", ends),
        Act::Settle,
        annotate(THERE, NODE_CHASSIS, &Value::Null),
        Act::Patch(Kind::Nad, "plain", "nine", json!({ "spec": { "config": bridge } })),
        Act::Delete(Kind::Pod, "blue", "one"),
        Act::Settle,
        annotate(THERE, NODE_CHASSIS, &json!("a-third-chassis")),
        nad_says(vlan(11)),
        Act::Delete(Kind::Node, "", THERE),
        Act::Delete(Kind::Pod, "plain", "two"),
        Act::Create(node(THERE, 13)),
        Act::Create(pod("blue", "one", THERE)),
    ];
    Story { name: "changing", acts: stands().chain(more).collect() }
}

/// Networks are deleted with pods on them, and come again as others.
fn going() -> Story {
    let pods =
        [("red", "one"), ("red", "two"), ("plain", "one"), ("plain", "two"), ("blue", "one")];
    let pods_go = pods.map(|(namespace, name)| Act::Delete(Kind::Pod, namespace, name));
    let [red_one, red_two, plain_one, plain_two, blue_one] = pods_go;
    let more = vec![
        Act::Delete(Kind::ClusterUserDefinedNetwork, "", "red"),
        Act::Delete(Kind::UserDefinedNetwork, "plain", "flat"),
        Act::Settle,
        red_one,
        red_two,
        plain_one,
        Act::Settle,
        plain_two,
        Act::Delete(Kind::ClusterUserDefinedNetwork, "", "wire"),
        Act::Create(cudn("red", "red", layer2("Primary", &["10.20.0.0/16"]))),
        Act::Create(pod("red", "one", HERE)),
        blue_one,
        Act::Delete(Kind::ClusterUserDefinedNetwork, "", "blue"),
        Act::Delete(Kind::Node, "", THERE),
        Act::Settle,
        Act::Create(cudn("blue", "blue", layer2("Primary", &["fd10::/64"]))),
        Act::Create(udn("plain", "flat", layer2("Secondary", &["10.31.0.0/24"]))),
        Act::Create(pod_on("plain", "one", HERE, "flat")),
        Act::Create(pod("blue", "one", HERE)),
    ];
    Story { name: "going", acts: stands().chain(more).collect() }
}

/// Networks that want the same name in OVN, or the same namespace.
fn rivals() -> Story {
    let acts = vec![
        Act::Create(node(HERE, 11)),
        Act::Create(primary_namespace("red", "red")),
        Act::Create(namespace("plain", &[])),
        Act::Create(nad("plain", "one", "tenant-red", overlay("secondary", "10.40.0.0/24"))),
        Act::Create(nad("plain", "two", "tenant.red", overlay("secondary", "10.41.0.0/24"))),
        Act::Create(nad("red", "first", "first", overlay("primary", "10.42.0.0/24"))),
        Act::Create(nad("red", "second", "second", overlay("primary", "10.43.0.0/24"))),
        Act::Create(pod_on("plain", "one", HERE, "one")),
        Act::Create(pod("red", "one", HERE)),
        Act::Settle,
        Act::Delete(Kind::Nad, "plain", "one"),
        Act::Delete(Kind::Nad, "red", "first"),
        Act::Settle,
        Act::Delete(Kind::Pod, "plain", "one"),
        Act::Delete(Kind::Pod, "red", "one"),
        Act::Settle,
        Act::Create(pod_on("plain", "two", HERE, "two")),
        Act::Create(pod("red", "two", HERE)),
    ];
    Story { name: "rivals", acts }
}
