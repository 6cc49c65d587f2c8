//! Random worlds, as manifests.

use proptest::prelude::*;
use serde_json::{Value, json};
use udn_cluster::World;
use udn_wire::keys;

const NAMESPACES: [&str; 4] = ["a", "b", "c-d", "e"];

/// A world made of manifests that a server would take, though not all of them make sense together.
pub(crate) fn manifests() -> impl Strategy<Value = Vec<Value>> {
    let namespaces = prop::collection::vec(any::<[bool; 2]>(), 4).prop_map(|marks| {
        let all = NAMESPACES.into_iter().zip(marks);
        all.map(|(name, [is_labelled, has_team])| namespace(name, is_labelled, has_team)).collect()
    });
    let lists: Vec<BoxedStrategy<Vec<Value>>> = vec![
        namespaces.boxed(),
        prop::collection::vec(cudn(), 0..4).boxed(),
        prop::collection::vec(udn(), 0..4).boxed(),
        prop::collection::vec(nad(), 0..4).boxed(),
        prop::collection::vec(pod(), 0..8).boxed(),
        Just((1..4).map(node).collect()).boxed(),
    ];
    lists.prop_map(|lists| {
        let mut seen = std::collections::BTreeSet::new();
        let mut all: Vec<Value> = lists.into_iter().flatten().collect();
        all.retain(|it| {
            let metadata = &it["metadata"];
            seen.insert(format!("{} {} {}", it["kind"], metadata["namespace"], metadata["name"]))
        });
        all
    })
}

pub(crate) fn world(manifests: &[Value]) -> World {
    let texts: Vec<String> = manifests.iter().map(ToString::to_string).collect();
    let reading = World::read(texts.iter().map(|text| ("world", text.as_bytes())));
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    reading.world
}

fn namespace(name: &str, is_labelled: bool, has_team: bool) -> Value {
    let mut labels = json!({});
    if is_labelled {
        labels[keys::PRIMARY_LABEL] = "".into();
    }
    if has_team {
        labels["team"] = "x".into();
    }
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

fn node(number: u8) -> Value {
    let addresses = format!(r#"["10.20.0.{number}/24","192.168.0.10{number}/24"]"#);
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": format!("node-{number}"),
        "annotations": {keys::NODE_HOST_CIDRS: addresses}}})
}

fn place() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMESPACES[..])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&["red", "blue", "x-y", "x.y"][..])
}

fn layer2() -> impl Strategy<Value = Value> {
    let subnets = prop::sample::select(vec![
        json!(["10.10.0.0/16"]),
        json!(["10.10.0.0/16", "fd10::/64"]),
        json!(["fd10:0::/64", "10.20.0.7/24"]),
        json!(["10.128.0.0/16"]),
        json!(["10.0.0.0/8", "11.0.0.0/8"]),
    ]);
    (subnets, any::<[bool; 4]>()).prop_map(
        |(subnets, [is_primary, persists, has_mtu, has_join])| {
            let role = if is_primary { "Primary" } else { "Secondary" };
            let mut spec = json!({"role": role, "subnets": subnets});
            if persists {
                spec["ipam"]["lifecycle"] = "Persistent".into();
            }
            if has_mtu {
                spec["mtu"] = 1400.into();
            }
            if has_join && is_primary {
                spec["joinSubnets"] = json!(["100.70.0.0/16"]);
            }
            spec
        },
    )
}

fn localnet() -> impl Strategy<Value = Value> {
    (prop::sample::select(&[1, 7, 4094][..]), any::<bool>()).prop_map(|(id, has_subnets)| {
        let vlan = json!({"mode": "Access", "access": {"id": id}});
        let mut spec = json!({"role": "Secondary", "physicalNetworkName": "p", "vlan": vlan});
        if has_subnets {
            spec["subnets"] = json!(["192.168.0.0/24"]);
            spec["excludeSubnets"] = json!(["192.168.0.0/28"]);
        } else {
            spec["ipam"]["mode"] = "Disabled".into();
        }
        spec
    })
}

fn cudn() -> impl Strategy<Value = Value> {
    let layer2 = layer2().prop_map(|spec| json!({"topology": "Layer2", "layer2": spec}));
    let localnet = localnet().prop_map(|spec| json!({"topology": "Localnet", "localnet": spec}));
    let network = prop_oneof![3 => layer2, 1 => localnet];
    let selector = prop::sample::select(vec![json!({}), json!({"matchLabels": {"team": "x"}})]);
    (name(), network, selector).prop_map(|(name, network, selector)| {
        json!({"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
            "metadata": {"name": name, "annotations": {"note": "on", "k8s.ovn.org/x": "y"}},
            "spec": {"namespaceSelector": selector, "network": network}})
    })
}

fn udn() -> impl Strategy<Value = Value> {
    (place(), name(), layer2()).prop_map(|(namespace, name, spec)| {
        json!({"apiVersion": "k8s.ovn.org/v1", "kind": "UserDefinedNetwork",
            "metadata": {"name": name, "namespace": namespace, "labels": {"l": "7"}},
            "spec": {"topology": "Layer2", "layer2": spec}})
    })
}

fn nad() -> impl Strategy<Value = Value> {
    let config = prop::sample::select(vec![
        json!({"name": "flat", "topology": "layer2", "subnets": "10.30.0.0/16"}),
        json!({"name": "flat", "topology": "layer2"}),
        json!({"name": "main", "topology": "layer2", "role": "primary", "subnets": "10.40.0.0/16"}),
        json!({"name": "cluster_udn_red", "topology": "localnet"}),
        json!({"name": "deep", "topology": "layer3", "subnets": "10.50.0.0/16"}),
    ]);
    (place(), name(), config).prop_map(|(namespace, name, mut config)| {
        config["type"] = "ovn-k8s-cni-overlay".into();
        config["netAttachDefName"] = format!("{namespace}/{name}").into();
        json!({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"config": config.to_string()}})
    })
}

fn pod() -> impl Strategy<Value = Value> {
    let selection = prop::collection::vec((place(), name()), 0..3);
    let node = prop::sample::select(&["", "node-1", "node-2", "node-9"][..]);
    let phase = prop::sample::select(&["", "Running", "Succeeded"][..]);
    (place(), 0u8..6, selection, node, phase).prop_map(
        |(namespace, number, selection, node, phase)| {
            let list: Vec<String> =
                selection.iter().map(|(ns, name)| format!("{ns}/{name}")).collect();
            let other = r#"{"default":{"ip_addresses": ["10.244.0.9/24"]}}"#;
            json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": format!("pod-{number}"), "namespace": namespace,
                "annotations": {keys::SELECTION: list.join(","), keys::POD_NETWORKS: other}},
            "spec": {"nodeName": node}, "status": {"phase": phase}})
        },
    )
}
