//! Random pods, claims and machines, which name each other often.

use proptest::prelude::*;
use serde_json::{Value, json};
use udn_wire::{Kind, keys};

use super::{Draft, metadata, name, object, place};

/// What a pod says on which networks it wants to be.
fn selection() -> impl Strategy<Value = Option<String>> {
    let element = (place(), name(), prop::option::of(claim_name()), 0..4u8).prop_map(
        |(namespace, name, claim, number)| {
            let mut element = json!({"name": name, "namespace": namespace});
            if let Some(claim) = claim {
                element["ipam-claim-reference"] = claim.into();
            }
            match number {
                1 => element["mac"] = "0a:00:00:00:00:01".into(),
                2 => element["ips"] = json!(["10.10.0.7/16"]),
                3 => element["ips"] = json!(["nonsense"]),
                _ => {}
            }
            element
        },
    );
    let long = prop::collection::vec(element, 1..3).prop_map(|it| Value::from(it).to_string());
    let short =
        (place(), name()).prop_map(|(namespace, name)| format!("{name}, {namespace}/{name}"));
    prop_oneof![
        3 => Just(None),
        1 => short.prop_map(Some),
        4 => long.prop_map(Some),
        1 => Just(Some("[{".to_owned())),
    ]
}

/// What a pod says of its main network.
fn main_selection() -> impl Strategy<Value = Option<String>> {
    let element = |(claim, is_list): (&str, bool)| {
        let element = json!({"name": "default", "namespace": "ovn-kubernetes",
            "ipam-claim-reference": claim, "ips": ["10.10.0.8/16"]});
        if is_list { json!([element]).to_string() } else { element.to_string() }
    };
    prop_oneof![3 => Just(None), 1 => (claim_name(), any::<bool>()).prop_map(move |it| Some(element(it)))]
}

fn claim_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["c", "d"][..])
}

/// The owner of a pod, if it has one: a machine, or something else.
fn pod_owner() -> impl Strategy<Value = Option<Value>> {
    let owner = |version: &str, kind: &str, name: &str, uid: &str| {
        Some(json!({"apiVersion": version, "kind": kind, "name": name, "uid": uid,
            "controller": true}))
    };
    let machine = "VirtualMachineInstance";
    prop_oneof![
        2 => Just(None),
        2 => Just(owner("kubevirt.io/v1", machine, "vm", "u1")),
        1 => Just(owner("kubevirt.io/v1", machine, "vm", "u2")),
        1 => Just(owner("apps/v1", "ReplicaSet", "set", "s1")),
    ]
}

/// The annotations with which a pod asks for something.
fn asking() -> impl Strategy<Value = Value> {
    let deprecated = prop_oneof![3 => Just(None), 1 => claim_name().prop_map(Some)];
    let make = |(selection, main, deprecated): (Option<String>, Option<String>, Option<&str>)| {
        let mut annotations = json!({"other": "text"});
        for (key, text) in [
            (keys::SELECTION, selection),
            (keys::DEFAULT_SELECTION, main),
            (keys::PRIMARY_CLAIM, deprecated.map(ToOwned::to_owned)),
        ] {
            if let Some(text) = text {
                annotations[key] = text.into();
            }
        }
        annotations
    };
    (selection(), main_selection(), deprecated).prop_map(make)
}

/// What a pod carries.
fn entries() -> impl Strategy<Value = Option<String>> {
    let used = prop::collection::vec((place(), name(), any::<bool>()), 0..3);
    used.prop_map(|used| {
        let entries = used.iter().map(|(namespace, name, is_primary)| {
            let role = if *is_primary { "primary" } else { "secondary" };
            let entry = json!({"mac_address": "0a:58:0a:00:00:09", "role": role});
            (format!("{namespace}/{name}"), entry)
        });
        let entries: serde_json::Map<String, Value> = entries.collect();
        (!entries.is_empty()).then(|| Value::from(entries).to_string())
    })
}

pub(super) fn pod() -> BoxedStrategy<Draft> {
    let phase = prop_oneof![4 => Just("Running"), 1 => Just("Succeeded")];
    let node = prop_oneof![5 => Just("n1"), 1 => Just("")];
    let rest = (phase, node)
        .prop_map(|(phase, node)| json!({"spec": {"nodeName": node}, "status": {"phase": phase}}));
    let metadata = (metadata(), asking(), entries(), pod_owner()).prop_map(
        |(mut metadata, mut annotations, entries, owner)| {
            if let Some(entries) = entries {
                annotations[keys::POD_NETWORKS] = entries.into();
            }
            metadata["annotations"] = annotations;
            if let Some(owner) = owner {
                metadata["ownerReferences"] = json!([owner]);
            }
            metadata
        },
    );
    let make = |(namespace, number, metadata, rest): (&str, u8, Value, Value)| {
        let name = format!("pod-{number}");
        Draft { kind: Kind::Pod, object: object(metadata, (namespace, &name), rest) }
    };
    (place(), 0..3u8, metadata, rest).prop_map(make).boxed()
}

/// A claim on a network that may be there, with or without addresses.
pub(super) fn claim() -> BoxedStrategy<Draft> {
    let network =
        prop::sample::select(&["cluster_udn_red", "flat", "flat", "main", "main", "a_red"][..]);
    let ips = prop_oneof![2 => Just(None), 1 => Just(Some("10.10.0.7/16")), 1 => Just(Some("x"))];
    let owner = prop_oneof![1 => Just(false), 1 => Just(true)];
    let parts = (place(), claim_name(), metadata(), network, ips, owner);
    let make = |(namespace, name, mut metadata, network, ips, is_owned): (
        &str,
        &str,
        Value,
        &str,
        Option<&str>,
        bool,
    )| {
        if is_owned {
            metadata["ownerReferences"] = json!([{"apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine", "name": "vm", "uid": "v1"}]);
        }
        let mut rest = json!({"spec": {"network": network, "interface": ""}});
        if let Some(ip) = ips {
            rest["status"] = json!({"ips": [ip], "ownerPod": {"name": "pod-1"}});
        }
        Draft { kind: Kind::Claim, object: object(metadata, (namespace, name), rest) }
    };
    parts.prop_map(make).boxed()
}

pub(super) fn machine() -> BoxedStrategy<Draft> {
    let owner = prop::sample::select(&["v1", "v2"][..]);
    let make = |(namespace, mut metadata, owner): (&str, Value, &str)| {
        metadata["ownerReferences"] = json!([{"apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine", "name": "vm", "uid": owner, "controller": true}]);
        let kind = Kind::Machine;
        Draft { kind, object: object(metadata, (namespace, "vm"), json!({})) }
    };
    (place(), metadata(), owner).prop_map(make).boxed()
}
