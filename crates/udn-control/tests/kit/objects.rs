//! Objects as users write them.
//!
//! Invariant: a name says which object it is; nothing is made up beyond it.

#![allow(dead_code, reason = "each test that uses the kit needs another part of it")]

use serde_json::{Value, json};
use udn_wire::keys::{POD_NETWORKS, PRIMARY_LABEL};

/// A namespace with labels; one for primary networks carries their label too.
pub(crate) fn namespace(name: &str, labels: &[(&str, &str)]) -> Value {
    let labels: serde_json::Map<String, Value> =
        labels.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    json!({ "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": name, "labels": labels } })
}

pub(crate) fn primary_namespace(name: &str, team: &str) -> Value {
    namespace(name, &[(PRIMARY_LABEL, ""), ("team", team)])
}

/// A CUDN for the namespaces of a team.
pub(crate) fn cudn(name: &str, team: &str, network: Value) -> Value {
    let selector = json!({ "matchLabels": { "team": team } });
    cudn_for(name, selector, network)
}

pub(crate) fn cudn_for(name: &str, selector: Value, network: Value) -> Value {
    json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
        "metadata": { "name": name },
        "spec": { "namespaceSelector": selector, "network": network } })
}

pub(crate) fn layer2(role: &str, subnets: &[&str]) -> Value {
    json!({ "topology": "Layer2", "layer2": { "role": role, "subnets": subnets } })
}

/// Each subnet with the length of what a node gets of it, if that is said.
pub(crate) fn layer3(role: &str, subnets: &[(&str, Option<u8>)]) -> Value {
    let subnet = |(cidr, part): &(&str, Option<u8>)| match part {
        Some(part) => json!({ "cidr": cidr, "hostSubnet": part }),
        None => json!({ "cidr": cidr }),
    };
    let subnets: Vec<Value> = subnets.iter().map(subnet).collect();
    json!({ "topology": "Layer3", "layer3": { "role": role, "subnets": subnets } })
}

pub(crate) fn localnet(physical: &str, vlan: u16, subnets: &[&str]) -> Value {
    json!({ "topology": "Localnet", "localnet": {
        "role": "Secondary", "physicalNetworkName": physical, "subnets": subnets,
        "vlan": { "mode": "Access", "access": { "id": vlan } },
    } })
}

pub(crate) fn udn(namespace: &str, name: &str, network: Value) -> Value {
    json!({ "apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
        "metadata": { "namespace": namespace, "name": name }, "spec": network })
}

/// A NAD that somebody wrote.
pub(crate) fn nad(namespace: &str, name: &str, config: &str) -> Value {
    json!({ "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
        "metadata": { "namespace": namespace, "name": name }, "spec": { "config": config } })
}

/// A pod that is attached to NADs already.
pub(crate) fn attached_pod(namespace: &str, name: &str, nads: &[&str]) -> Value {
    // Each has its own address, as those have who were given one.
    let sum = namespace.bytes().chain(name.bytes()).fold(5_u8, u8::wrapping_add);
    let entry = json!({
        "ip_addresses": [format!("10.0.7.{sum}/16")],
        "mac_address": format!("0a:58:0a:00:07:{sum:02x}"),
    });
    let entries: serde_json::Map<String, Value> =
        nads.iter().map(|nad| ((*nad).to_owned(), entry.clone())).collect();
    let annotation = Value::Object(entries).to_string();
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": name,
            "annotations": { POD_NETWORKS: annotation } },
        "spec": { "containers": [{ "name": "c", "image": "i" }] },
        "status": { "phase": "Running" } })
}

pub(crate) fn node(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } })
}

pub(crate) fn report(node: &str, status: Value) -> Value {
    json!({ "apiVersion": "k8s.ovn.org/v1alpha1", "kind": "NodeNetworkReport",
        "metadata": { "name": node }, "status": status })
}
