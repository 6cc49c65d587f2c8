//! Objects of a small cluster, as a server tells them.
//!
//! Invariant: an object is whole: a zone that hears of it lacks nothing of it.
#![allow(dead_code, reason = "each shelf uses a part of this")]

use std::fmt;

use serde_json::{Value, json};
use udn_model::MacAddress;
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target, keys};

/// An object that somebody writes.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) object: Value,
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind, self.object)
    }
}

impl Draft {
    /// An object by `namespace/name` or `name`; `rest` may have metadata too.
    pub(crate) fn new(kind: Kind, at: &str, rest: Value) -> Self {
        let Target { namespace, name, .. } = target(kind, at);
        let mut object = rest;
        let metadata = &mut object["metadata"];
        metadata["namespace"] = namespace.into();
        metadata["uid"] = format!("uid-of-{name}").into();
        metadata["name"] = name.into();
        Self { kind, object }
    }

    pub(crate) fn read(&self) -> AnyObject {
        let read = AnyObject::decode(self.kind, &self.object.to_string());
        read.expect("the object is well formed")
    }

    pub(crate) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().expect("every object has a name")
    }

    /// The same object, as it was at a version.
    pub(crate) fn at_version(mut self, version: u64) -> Self {
        self.object["metadata"]["resourceVersion"] = version.to_string().into();
        self
    }

    /// The same object with one annotation more, or with another text in it.
    pub(crate) fn annotated(mut self, key: &str, text: &str) -> Self {
        self.object["metadata"]["annotations"][key] = text.into();
        self
    }

    /// The same object without an annotation.
    pub(crate) fn without(mut self, key: &str) -> Self {
        let annotations = self.object["metadata"]["annotations"].as_object_mut();
        annotations.and_then(|it| it.remove(key)).expect("it had the annotation");
        self
    }

    /// The same pod with addresses on the network of a NAD; they follow from the number.
    pub(crate) fn addressed(self, nad: &str, role: &str, number: u8) -> Self {
        let (v4, v6) = (format!("10.10.0.{number}/16"), format!("fd10::{number:x}/64"));
        let before = self.object["metadata"]["annotations"][keys::POD_NETWORKS].as_str();
        let before = before.unwrap_or("{}");
        let mut networks: Value = serde_json::from_str(before).expect("we wrote it");
        networks[nad] = json!({
            "ip_addresses": [v4, v6], "mac_address": format!("0a:58:0a:0a:00:{number:02x}"),
            "tunnel_id": number, "role": role,
        });
        self.annotated(keys::POD_NETWORKS, &networks.to_string())
    }
}

impl Draft {
    /// The same node with subnets of its own in layer-3 networks.
    pub(crate) fn with_subnets(self, subnets: &Value) -> Self {
        self.annotated(keys::NODE_SUBNETS, &subnets.to_string())
    }

    /// The same pod with an entry of its node's.
    pub(crate) fn carrying(self, key: &str, role: &str, addresses: &[impl AsRef<str>]) -> Self {
        let addresses: Vec<&str> = addresses.iter().map(AsRef::as_ref).collect();
        let before = self.object["metadata"]["annotations"][keys::POD_NETWORKS].as_str();
        let mut networks: Value =
            serde_json::from_str(before.unwrap_or("{}")).expect("we wrote it");
        let first = addresses[0].split('/').next().expect("a text has a beginning");
        let mac = MacAddress::from_ip(first.parse().expect("it is an address"));
        networks[key] =
            json!({"ip_addresses": addresses, "mac_address": mac.to_string(), "role": role});
        self.annotated(keys::POD_NETWORKS, &networks.to_string())
    }

    /// The same object, made at a time.
    pub(crate) fn created(mut self, time: &str) -> Self {
        self.object["metadata"]["creationTimestamp"] = time.into();
        self
    }
}

pub(crate) fn target(kind: Kind, at: &str) -> Target {
    let (namespace, name) = at.split_once('/').unwrap_or(("", at));
    Target { kind, namespace: namespace.to_owned(), name: name.to_owned() }
}

pub(crate) fn namespace(name: &str, is_labelled: bool) -> Draft {
    let labels = if is_labelled { json!({keys::PRIMARY_LABEL: ""}) } else { json!({}) };
    Draft::new(Kind::Namespace, name, json!({"metadata": {"labels": labels}}))
}

/// Node `n<number>`; its id and its addresses follow from the number.
pub(crate) fn node(number: u8) -> Draft {
    let name = format!("n{number}");
    let (v4, v6) = (format!("172.18.0.{number}/16"), format!("fc00::{number}/64"));
    let gateway = json!({"default": {
        "mode": "shared", "bridge-id": "breth0", "interface-id": format!("breth0_{name}"),
        "mac-address": format!("02:00:00:00:00:{number:02x}"), "ip-addresses": [v4, v6],
        "next-hops": ["172.18.255.1", "fc00::1:1"], "node-port-enable": "true", "vlan-id": "0",
    }});
    let annotations = json!({
        keys::NODE_ID: (number + 1).to_string(),
        keys::NODE_CHASSIS: format!("chassis-{number}"),
        keys::NODE_GATEWAY: gateway.to_string(),
        keys::NODE_HOST_CIDRS: json!([v4, v6]).to_string(),
        keys::NODE_PRIMARY_ADDRESS: json!({"ipv4": v4, "ipv6": v6}).to_string(),
        keys::NODE_LAYER2_VERSION: "2.0",
    });
    Draft::new(Kind::Node, &name, json!({"metadata": {"annotations": annotations}}))
}

/// A NAD whose network is described by `config`; with the network's id, if it has one.
pub(crate) fn nad(at: &str, id: Option<u16>, mut config: Value) -> Draft {
    config["type"] = keys::CNI_TYPE.into();
    config["netAttachDefName"] = at.into();
    let mut annotations = json!({});
    if let Some(id) = id {
        annotations[keys::NETWORK_ID] = id.to_string().into();
        let pair = [16_711_684 + u32::from(id), 16_715_779 + u32::from(id)];
        if config["role"] == "primary" {
            annotations[keys::TUNNEL_KEYS] = json!(pair).to_string().into();
        }
    }
    let metadata = json!({"annotations": annotations});
    let spec = json!({"config": config.to_string()});
    Draft::new(Kind::Nad, at, json!({"metadata": metadata, "spec": spec}))
}

pub(crate) fn primary(name: &str, subnets: &str) -> Value {
    json!({"name": name, "topology": "layer2", "role": "primary", "subnets": subnets})
}

pub(crate) fn secondary(name: &str, subnets: &str) -> Value {
    json!({"name": name, "topology": "layer2", "role": "secondary", "subnets": subnets})
}

/// A network in which each node has subnets of its own.
pub(crate) fn layer3(name: &str, role: &str, subnets: &str) -> Value {
    json!({"name": name, "topology": "layer3", "role": role, "subnets": subnets})
}

pub(crate) fn localnet(name: &str, vlan: u16) -> Value {
    json!({"name": name, "topology": "localnet", "physicalNetworkName": "tenant", "vlanID": vlan})
}

/// A pod without addresses; it asks for the networks of the NADs chosen.
pub(crate) fn pod(at: &str, node: &str, chosen: &str) -> Draft {
    let annotations = if chosen.is_empty() { json!({}) } else { json!({keys::SELECTION: chosen}) };
    let rest = json!({"metadata": {"annotations": annotations}, "spec": {"nodeName": node}});
    Draft::new(Kind::Pod, at, rest)
}

pub(crate) fn service(at: &str, addresses: &[&str]) -> Draft {
    let rest = json!({"spec": {"clusterIP": addresses[0], "clusterIPs": addresses}});
    Draft::new(Kind::Service, at, rest)
}
