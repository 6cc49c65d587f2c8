//! Random objects of a small universe, in which names, places and VLANs meet often.

use proptest::prelude::*;
use serde_json::{Value, json};
use udn_wire::{Kind, keys};

use pods::{claim, machine, pod};

#[path = "drafts/pods.rs"]
mod pods;

const NAMESPACES: [&str; 3] = ["a", "b", "c"];
const NAMES: [&str; 3] = ["red", "x-y", "x.y"];

/// An object that somebody writes, without its version.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) kind: Kind,
    pub(crate) object: Value,
}

pub(crate) fn draft() -> impl Strategy<Value = Draft> {
    prop_oneof![
        2 => namespace(place()),
        5 => cudn(),
        4 => udn(),
        4 => written(),
        5 => made(),
        1 => odd(),
        6 => pod(),
        3 => claim(),
        1 => machine(),
        2 => node(),
        1 => report(),
    ]
}

/// What happens where networks are settled, and pods come and go.
pub(crate) fn pod_draft() -> impl Strategy<Value = Draft> {
    prop_oneof![
        1 => namespace(place()),
        1 => written(),
        1 => settled(),
        1 => odd(),
        8 => pod(),
        5 => claim(),
        2 => machine(),
    ]
}

/// Namespaces with NADs of three networks, one of them the main one.
pub(crate) fn opening() -> impl Strategy<Value = Vec<Draft>> {
    let places = NAMESPACES.into_iter();
    let nads = places.flat_map(|place| NAMES.map(|name| standing(place, name)));
    let nads: Vec<Draft> = nads.collect();
    namespaces().prop_map(move |namespaces| [namespaces, nads.clone()].concat())
}

/// One of these NADs, as it was at the beginning.
fn settled() -> impl Strategy<Value = Draft> {
    (place(), name()).prop_map(|(place, name)| standing(place, name))
}

fn standing(namespace: &str, name: &str) -> Draft {
    let config = match name {
        "red" => json!({"name": "flat", "topology": "layer2", "subnets": "10.30.0.0/16",
            "allowPersistentIPs": true}),
        "x-y" => json!({"name": "main", "topology": "layer2", "role": "primary",
            "subnets": "10.10.0.0/16", "allowPersistentIPs": true}),
        _ => json!({"name": "wire", "topology": "localnet", "physicalNetworkName": "p"}),
    };
    let metadata = json!({"uid": "u1", "creationTimestamp": "2026-01-01T00:00:00Z"});
    nad(marks(metadata, Some(u16::from(name == "red") + 1)), (namespace, name), config)
}

fn place() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMESPACES[..])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn uid() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just("u1"), 1 => Just("u2")]
}

/// A number on a NAD or in a status; most often there is none.
fn number() -> impl Strategy<Value = Option<u16>> {
    prop_oneof![3 => Just(None), 2 => (1u16..5).prop_map(Some)]
}

/// What changes about any object.
fn metadata() -> impl Strategy<Value = Value> {
    let leaving = prop_oneof![9 => Just(false), 1 => Just(true)];
    (uid(), leaving, 0..3u8).prop_map(|(uid, is_leaving, minute)| {
        let mut metadata =
            json!({"uid": uid, "creationTimestamp": format!("2026-01-01T00:0{minute}:00Z")});
        if is_leaving {
            metadata["deletionTimestamp"] = "2026-01-02T00:00:00Z".into();
        }
        metadata
    })
}

fn object(mut metadata: Value, (namespace, name): (&str, &str), rest: Value) -> Value {
    metadata["name"] = name.into();
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    let mut object = rest;
    object["metadata"] = metadata;
    object
}

/// A state of each namespace, to begin with.
pub(crate) fn namespaces() -> impl Strategy<Value = Vec<Draft>> {
    NAMESPACES.map(|name| namespace(Just(name))).to_vec()
}

fn namespace(name: impl Strategy<Value = &'static str> + 'static) -> BoxedStrategy<Draft> {
    let team = prop::sample::select(&["", "x", "y"][..]);
    let labelled = prop_oneof![5 => Just(true), 1 => Just(false)];
    let parts = (name, metadata(), team, labelled);
    let make = |(name, mut metadata, team, is_labelled): (&str, Value, &str, bool)| {
        let mut labels = json!({"kubernetes.io/metadata.name": name});
        if !team.is_empty() {
            labels["team"] = team.into();
        }
        if is_labelled {
            labels[keys::PRIMARY_LABEL] = "".into();
        }
        metadata["labels"] = labels;
        Draft { kind: Kind::Namespace, object: object(metadata, ("", name), json!({})) }
    };
    parts.prop_map(make).boxed()
}

fn layer2() -> impl Strategy<Value = Value> {
    let subnets = prop_oneof![
        6 => Just(json!(["10.10.0.0/16"])),
        6 => Just(json!(["10.20.0.0/16"])),
        // Hides the join subnet of a network that was built with it.
        1 => Just(json!(["100.70.0.0/16"])),
        1 => Just(json!(["10.128.0.0/16"])),
        1 => Just(json!(["nonsense"])),
    ];
    let role = prop_oneof![3 => Just("Primary"), 1 => Just("Secondary")];
    let parts = (subnets, role, any::<bool>());
    parts.prop_map(|(subnets, role, is_persistent)| {
        let mut spec = json!({"role": role, "subnets": subnets});
        if is_persistent {
            spec["ipam"] = json!({"lifecycle": "Persistent"});
        }
        spec
    })
}

fn layer3() -> impl Strategy<Value = Value> {
    let subnets = prop_oneof![
        3 => Just(json!([{"cidr": "10.50.0.0/16"}])),
        1 => Just(json!([{"cidr": "10.50.0.0/16", "hostSubnet": 25}])),
        1 => Just(json!([{"cidr": "100.88.0.0/17"}])),
    ];
    let role = prop_oneof![1 => Just("Primary"), 2 => Just("Secondary")];
    (subnets, role).prop_map(|(subnets, role)| json!({"role": role, "subnets": subnets}))
}

fn localnet() -> impl Strategy<Value = Value> {
    // Only two that both have subnets can overlap.
    (0..2u8, prop::bool::weighted(0.8)).prop_map(|(vlan, has_subnets)| {
        let mut spec = json!({"role": "Secondary", "physicalNetworkName": "p"});
        if vlan > 0 {
            spec["vlan"] = json!({"mode": "Access", "access": {"id": vlan}});
        }
        if has_subnets {
            spec["subnets"] = json!(["192.168.0.0/24"]);
        } else {
            spec["ipam"]["mode"] = "Disabled".into();
        }
        spec
    })
}

fn selector() -> impl Strategy<Value = Value> {
    let expression = |key: &str, operator: &str, values: &[&str]| {
        let mut it = json!({"key": key, "operator": operator});
        if !values.is_empty() {
            it["values"] = json!(values);
        }
        json!({"matchExpressions": [it]})
    };
    prop::sample::select(vec![
        json!({}),
        json!({"matchLabels": {"team": "x"}}),
        json!({"matchLabels": {"kubernetes.io/metadata.name": "a"}}),
        json!({"matchLabels": {"kubernetes.io/metadata.name": "b"}}),
        expression("team", "In", &["x", "y"]),
        expression("team", "NotIn", &["x"]),
        expression("team", "Exists", &[]),
        expression("team", "DoesNotExist", &[]),
        expression("team", "Like", &["x"]),
    ])
}

fn status(number: Option<u16>) -> Value {
    number.map_or(json!({}), |id| json!({"networkID": id}))
}

fn cudn() -> BoxedStrategy<Draft> {
    let layer2 = layer2().prop_map(|it| json!({"topology": "Layer2", "layer2": it}));
    let localnet = localnet().prop_map(|it| json!({"topology": "Localnet", "localnet": it}));
    let layer3 = layer3().prop_map(|it| json!({"topology": "Layer3", "layer3": it}));
    let network = prop_oneof![3 => layer2, 2 => localnet, 1 => layer3];
    let parts = (name(), metadata(), network, selector(), number());
    let make = |(name, metadata, network, selector, number): (&str, _, Value, Value, _)| {
        let spec = json!({"namespaceSelector": selector, "network": network});
        let rest = json!({"spec": spec, "status": status(number)});
        let kind = Kind::ClusterUserDefinedNetwork;
        Draft { kind, object: object(metadata, ("", name), rest) }
    };
    parts.prop_map(make).boxed()
}

fn udn() -> BoxedStrategy<Draft> {
    let layer2 = layer2().prop_map(|it| json!({"topology": "Layer2", "layer2": it}));
    let layer3 = layer3().prop_map(|it| json!({"topology": "Layer3", "layer3": it}));
    let spec = prop_oneof![3 => layer2, 1 => layer3];
    let parts = (place(), name(), metadata(), spec, number());
    let make = |(namespace, name, metadata, spec, number): (&str, &str, _, Value, _)| {
        let rest = json!({"spec": spec, "status": status(number)});
        let kind = Kind::UserDefinedNetwork;
        Draft { kind, object: object(metadata, (namespace, name), rest) }
    };
    parts.prop_map(make).boxed()
}

fn marks(mut metadata: Value, number: Option<u16>) -> Value {
    metadata["annotations"] = match number {
        None => json!({}),
        // The annotation cannot be read.
        Some(4) => json!({keys::NETWORK_ID: "four"}),
        Some(id) => json!({keys::NETWORK_ID: id.to_string(), keys::NETWORK_NAME: "flat"}),
    };
    metadata
}

fn nad(metadata: Value, at: (&str, &str), mut config: Value) -> Draft {
    config["type"] = keys::CNI_TYPE.into();
    config["netAttachDefName"] = format!("{}/{}", at.0, at.1).into();
    let rest = json!({"spec": {"config": config.to_string()}});
    Draft { kind: Kind::Nad, object: object(metadata, at, rest) }
}

/// A NAD that somebody wrote.
fn written() -> BoxedStrategy<Draft> {
    let config = prop::sample::select(vec![
        json!({"name": "flat", "topology": "layer2"}),
        json!({"name": "flat", "topology": "layer2", "subnets": "10.30.0.0/16",
            "allowPersistentIPs": true}),
        json!({"name": "main", "topology": "layer2", "role": "primary", "subnets": "10.40.0.0/16",
            "allowPersistentIPs": true}),
        json!({"name": "main", "topology": "layer2", "role": "primary", "subnets": "10.40.0.0/16",
            "transitSubnet": "10.40.0.0/24"}),
        json!({"name": "cluster_udn_red", "topology": "layer2"}),
        json!({"name": "cluster.udn.red", "topology": "layer2"}),
        json!({"name": "cluster_udn_x/y", "topology": "layer2", "role": "primary", "subnets": "10.9.0.0/16"}),
        json!({"name": "a_red", "topology": "layer2", "role": "primary", "subnets": "10.8.0.0/16"}),
        json!({"name": "wire", "topology": "localnet", "physicalNetworkName": "p", "vlanID": 1}),
        json!({"name": "p", "topology": "localnet", "subnets": "192.168.0.0/24"}),
        json!({"topology": "layer2"}),
        json!({"name": "deep", "topology": "layer3", "subnets": "10.50.0.0/16"}),
        json!({"name": "deep", "topology": "layer3", "subnets": "10.50.0.0/16,10.51.0.0/16"}),
    ]);
    let parts = (place(), name(), metadata(), number(), config);
    let make = |(namespace, name, metadata, number, config): (&str, &str, _, _, Value)| {
        nad(marks(metadata, number), (namespace, name), config)
    };
    parts.prop_map(make).boxed()
}

/// A NAD that was made for a UDN or a CUDN, which need not be there.
fn made() -> BoxedStrategy<Draft> {
    let drift = prop_oneof![5 => Just(false), 1 => Just(true)];
    let more = prop::sample::select(vec![
        json!({"role": "primary", "subnets": "10.10.0.0/16"}),
        json!({"role": "primary", "subnets": "10.10.0.0/16", "joinSubnet": "100.70.0.0/16"}),
        json!({"role": "secondary", "subnets": "10.10.0.0/16", "transitSubnet": "10.10.0.0/24"}),
    ]);
    let makers = (uid(), any::<bool>(), prop_oneof![6 => Just(None), 1 => name().prop_map(Some)]);
    let parts = (place(), name(), metadata(), number(), more, drift, makers);
    let make =
        |(namespace, name, metadata, number, mut config, drifts, (uid, is_wide, other)): (
            &str,
            &str,
            _,
            _,
            Value,
            bool,
            (&str, bool, Option<&str>),
        )| {
            let mut metadata = marks(metadata, number);
            let maker = other.unwrap_or(name);
            let kind = if is_wide { "ClusterUserDefinedNetwork" } else { "UserDefinedNetwork" };
            metadata["ownerReferences"] = json!([{"apiVersion": "k8s.ovn.org/v1", "kind": kind,
            "name": maker, "uid": uid, "controller": true}]);
            let network = if is_wide {
                keys::cudn_network(maker)
            } else {
                keys::udn_network(namespace, maker)
            };
            config["topology"] = "layer2".into();
            config["name"] = if drifts { "flat".to_owned() } else { network }.into();
            nad(metadata, (namespace, name), config)
        };
    parts.prop_map(make).boxed()
}

/// A NAD that is another plugin's, the default network's, or no JSON.
fn odd() -> BoxedStrategy<Draft> {
    let texts = prop::sample::select(vec![
        r#"{"type":"bridge"}"#,
        r#"{"type":"ovn-k8s-cni-overlay","name":"ovn-kubernetes"}"#,
        "{",
    ]);
    let places = prop_oneof![
        4 => (place(), name()),
        1 => Just(("ovn-kubernetes", "default")),
    ];
    let parts = (places, metadata(), number(), texts);
    let make = |(at, metadata, number, text): ((&str, &str), _, _, &str)| {
        let rest = json!({"spec": {"config": text}});
        Draft { kind: Kind::Nad, object: object(marks(metadata, number), at, rest) }
    };
    parts.prop_map(make).boxed()
}

fn node() -> BoxedStrategy<Draft> {
    let subnets = prop::sample::select(vec![
        None,
        Some("{"),
        Some(r#"{"deep":["10.50.0.0/24"],"default":["10.128.0.0/23"],"flat":7}"#),
        Some(r#"{"a_red":["10.50.0.0/24"],"cluster_udn_red":["10.50.0.0/24"]}"#),
        Some(r#"{"cluster_udn_x-y":[],"deep":["10.50.1.0/24"],"main":["10.50.1.0/24"]}"#),
    ]);
    let make = |(number, mut metadata, address, subnets): (u8, Value, u8, Option<&str>)| {
        let addresses = format!("[\"10.10.0.{address}/24\"]");
        metadata["annotations"] = json!({keys::NODE_HOST_CIDRS: addresses});
        if let Some(text) = subnets {
            metadata["annotations"][keys::NODE_SUBNETS] = text.into();
        }
        let name = format!("n{number}");
        Draft { kind: Kind::Node, object: object(metadata, ("", &name), json!({})) }
    };
    (0..2u8, metadata(), 1..3u8, subnets).prop_map(make).boxed()
}

fn report() -> BoxedStrategy<Draft> {
    let make = |(number, metadata, version): (u8, Value, u8)| {
        let rest = json!({"status": {"programmedUpTo": version.to_string()}});
        let name = format!("n{number}");
        Draft { kind: Kind::Report, object: object(metadata, ("", &name), rest) }
    };
    (0..2u8, metadata(), 1..9u8).prop_map(make).boxed()
}
