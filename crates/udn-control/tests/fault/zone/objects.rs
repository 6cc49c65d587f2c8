//! Nodes, pods and NADs as a zone needs them.
//!
//! Invariant: nodes carry what node agents tell of themselves; what the cluster controller grants is
//! granted by the cluster controller.

use serde_json::{Value, json};
use udn_wire::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_GATEWAY, NODE_HOST_CIDRS, NODE_LAYER2_VERSION, SELECTION,
};

use crate::kit::objects as kit;
use crate::kit::workloads::annotated;

/// The node whose zone is under test.
pub(crate) const HERE: &str = "node-1";
pub(crate) const THERE: &str = "node-2";

/// A node whose agent has told everything; `host` is the last part of its addresses.
pub(crate) fn node(name: &str, host: u8) -> Value {
    let (v4, v6) = (format!("172.18.0.{host}/24"), format!("fd00:172:18::{host:x}/64"));
    let mut node = kit::node(name);
    node["metadata"]["annotations"] = json!({
        NODE_CHASSIS: format!("chassis-{name}"),
        NODE_LAYER2_VERSION: "2.0",
        NODE_ENCAP_IPS: json!([format!("172.18.0.{host}")]).to_string(),
        NODE_HOST_CIDRS: json!([v4, v6]).to_string(),
        NODE_GATEWAY: gateway(name, host).to_string(),
    });
    node
}

/// How a node reaches what is outside.
pub(crate) fn gateway(name: &str, host: u8) -> Value {
    let (v4, v6) = (format!("172.18.0.{host}/24"), format!("fd00:172:18::{host:x}/64"));
    json!({ "default": { "mode": "shared", "bridge-id": "br-ex",
        "interface-id": format!("br-ex_{name}"),
        "mac-address": format!("02:42:ac:12:00:{host:02x}"), "ip-addresses": [v4, v6],
        "next-hops": ["172.18.0.1", "fd00:172:18::1"], "node-port-enable": "true",
        "vlan-id": "0" } })
}

pub(crate) fn pod(namespace: &str, name: &str, node: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "nodeName": node, "containers": [{ "name": "c", "image": "i" }] } })
}

/// A pod on secondary networks, by the names of their NADs.
pub(crate) fn pod_on(namespace: &str, name: &str, node: &str, nads: &str) -> Value {
    annotated(pod(namespace, name, node), SELECTION, nads)
}

/// A network that somebody wrote as a NAD; `rest` is what else stands in its configuration.
pub(crate) fn nad(namespace: &str, name: &str, network: &str, rest: Value) -> Value {
    kit::nad(namespace, name, &config(namespace, name, network, rest))
}

pub(crate) fn config(namespace: &str, name: &str, network: &str, rest: Value) -> String {
    let mut config = json!({ "cniVersion": "1.1.0", "name": network, "type": "ovn-k8s-cni-overlay",
        "netAttachDefName": format!("{namespace}/{name}") });
    if let (Value::Object(config), Value::Object(rest)) = (&mut config, rest) {
        config.extend(rest);
    }
    config.to_string()
}

/// A localnet's configuration.
pub(crate) fn vlan(id: u16) -> Value {
    json!({ "topology": "localnet", "physicalNetworkName": "datacenter", "vlanID": id,
        "subnets": "192.168.9.0/24,fd09::/64", "excludeSubnets": "192.168.9.0/28" })
}

pub(crate) fn overlay(role: &str, subnets: &str) -> Value {
    json!({ "topology": "layer2", "role": role, "subnets": subnets })
}
