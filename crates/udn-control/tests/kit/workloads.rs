//! Pods, claims and virtual machines as users and KubeVirt write them.
//!
//! Invariant: nothing is asked for that the name of a function does not say.

#![allow(dead_code, reason = "each test that uses the kit needs another part of it")]

use serde_json::{Map, Value, json};
use udn_wire::keys::{
    DEFAULT_SELECTION, LAUNCHER, LAUNCHER_LABEL, MACHINE_NAME, POD_NETWORKS, SELECTION,
};

/// A pod on a node.
pub(crate) fn pod(namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "nodeName": "node-1", "containers": [{ "name": "c", "image": "i" }] } })
}

/// The same object with one more annotation.
pub(crate) fn annotated(mut object: Value, key: &str, text: &str) -> Value {
    object["metadata"]["annotations"][key] = text.into();
    object
}

/// A pod that asks for something on its primary network, in the list form.
pub(crate) fn asking(pod: Value, request: Value) -> Value {
    annotated(pod, DEFAULT_SELECTION, &Value::Array(vec![default_selection(request)]).to_string())
}

/// The same in the object form.
pub(crate) fn asking_plainly(pod: Value, request: Value) -> Value {
    annotated(pod, DEFAULT_SELECTION, &default_selection(request).to_string())
}

fn default_selection(request: Value) -> Value {
    let named = json!({ "name": "default", "namespace": "ovn-kubernetes" });
    merged(named, request)
}

/// A pod on secondary networks.
pub(crate) fn selecting(pod: Value, selections: Value) -> Value {
    annotated(pod, SELECTION, &selections.to_string())
}

/// An object whose controller is another one, as the server holds that.
pub(crate) fn owned_by(mut object: Value, owner: &Value) -> Value {
    let metadata = &owner["metadata"];
    object["metadata"]["ownerReferences"] = json!([{ "apiVersion": owner["apiVersion"],
        "kind": owner["kind"], "name": metadata["name"], "uid": metadata["uid"],
        "controller": true, "blockOwnerDeletion": false }]);
    object
}

/// A pod in which a virtual machine runs.
pub(crate) fn launcher(namespace: &str, name: &str, machine: &str) -> Value {
    let mut pod = annotated(pod(namespace, name), MACHINE_NAME, machine);
    pod["metadata"]["labels"] = json!({ LAUNCHER_LABEL: LAUNCHER });
    pod
}

pub(crate) fn claim(namespace: &str, name: &str, network: &str) -> Value {
    json!({ "apiVersion": "k8s.cni.cncf.io/v1alpha1", "kind": "IPAMClaim",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "network": network, "interface": "" } })
}

/// A claim that asks for addresses itself.
pub(crate) fn claim_for(namespace: &str, name: &str, network: &str, ips: &[String]) -> Value {
    let mut claim = claim(namespace, name, network);
    claim["spec"]["ipRequest"] = json!(ips);
    claim
}

/// What KubeVirt holds of a virtual machine, running or not.
pub(crate) fn virtual_machine(namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
        "metadata": { "namespace": namespace, "name": name } })
}

/// What KubeVirt holds of one that runs.
pub(crate) fn machine(namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
        "metadata": { "namespace": namespace, "name": name } })
}

/// KubeVirt's kinds, as far as they matter here.
pub(crate) fn kubevirt() -> [Value; 2] {
    ["VirtualMachine", "VirtualMachineInstance"].map(|kind| {
        let singular = kind.to_lowercase();
        let plural = format!("{singular}s");
        let schema = json!({ "openAPIV3Schema": { "type": "object",
            "x-kubernetes-preserve-unknown-fields": true } });
        json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.kubevirt.io") },
            "spec": { "group": "kubevirt.io", "scope": "Namespaced",
                "names": { "kind": kind, "plural": plural, "singular": singular },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }] } })
    })
}

/// What a pod has on a network, by the key of its NAD; null as long as it has nothing.
pub(crate) fn entry(pod: &Value, key: &str) -> Value {
    let text = pod["metadata"]["annotations"][POD_NETWORKS].as_str().unwrap_or("{}");
    let entries: Value = serde_json::from_str(text).expect("the annotation is JSON");
    entries[key].clone()
}

/// A network for one family or both, and its addresses.
#[derive(Debug, Clone)]
pub(crate) struct Lan {
    /// The CUDN, its namespace, and so its NAD.
    pub(crate) name: String,
    subnets: Vec<Range>,
}

/// A subnet whose hosts are the numbers 0 to 255.
#[derive(Debug, Clone, Copy)]
struct Range {
    is_v6: bool,
    prefix: u8,
}

impl Lan {
    /// One of each sort: IPv4, IPv6, both.
    pub(crate) fn of_each_family(name: &str) -> [Self; 3] {
        Self::sized(name, 8)
    }

    /// The same with so many bits for hosts.
    pub(crate) fn sized(name: &str, bits: u8) -> [Self; 3] {
        let v4 = Range { is_v6: false, prefix: 32 - bits };
        let v6 = Range { is_v6: true, prefix: 128 - bits };
        let sorts = [("v4", vec![v4]), ("v6", vec![v6]), ("dual", vec![v4, v6])];
        sorts.map(|(sort, subnets)| Self { name: format!("{name}-{sort}"), subnets })
    }

    /// IPv4 alone.
    pub(crate) fn plain(name: &str, bits: u8) -> Self {
        let subnets = vec![Range { is_v6: false, prefix: 32 - bits }];
        Self { name: name.to_owned(), subnets }
    }

    pub(crate) fn subnets(&self) -> Vec<String> {
        self.cidrs(0)
    }

    /// The address of a host in each subnet.
    pub(crate) fn ips(&self, host: u8) -> Vec<String> {
        self.subnets.iter().map(|it| it.ip(host)).collect()
    }

    /// The same with prefix lengths.
    pub(crate) fn cidrs(&self, host: u8) -> Vec<String> {
        self.subnets.iter().map(|it| format!("{}/{}", it.ip(host), it.prefix)).collect()
    }

    /// The part of each subnet that begins at a host and has so many bits.
    pub(crate) fn parts(&self, host: u8, bits: u8) -> Vec<String> {
        let width = |it: &Range| if it.is_v6 { 128 } else { 32 };
        let parts = self.subnets.iter().map(|it| format!("{}/{}", it.ip(host), width(it) - bits));
        parts.collect()
    }

    pub(crate) fn is_v4(&self) -> bool {
        self.subnets.first().is_some_and(|it| !it.is_v6)
    }

    /// The key of its NAD.
    pub(crate) fn key(&self) -> String {
        format!("{0}/{0}", self.name)
    }

    /// The network's name on the wire.
    pub(crate) fn network(&self) -> String {
        format!("cluster_udn_{}", self.name)
    }

    /// A primary Layer2 network with more in its spec.
    pub(crate) fn primary(&self, more: Value) -> Value {
        let layer2 = json!({ "role": "Primary", "subnets": self.subnets() });
        json!({ "topology": "Layer2", "layer2": merged(layer2, more) })
    }
}

impl Range {
    fn ip(self, host: u8) -> String {
        match (self.is_v6, host) {
            (false, host) => format!("10.70.0.{host}"),
            (true, 0) => "fd70::".to_owned(),
            (true, host) => format!("fd70::{host:x}"),
        }
    }
}

/// Addresses outlive pods.
pub(crate) fn persistent() -> Value {
    json!({ "ipam": { "lifecycle": "Persistent" } })
}

fn merged(one: Value, other: Value) -> Value {
    let fields = |it: Value| match it {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    let mut fields_of_one = fields(one);
    fields_of_one.extend(fields(other));
    Value::Object(fields_of_one)
}
