//! What must hold for any bytes, any texts and any worlds.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::net::{IpAddr, Ipv6Addr};

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use udn_cluster::{World, review, translate};
use udn_model::{
    AddressRequest, ClusterSettings, Family, Gateway, GatewayMode, InterfaceAddress, MacAddress,
    NetworkId, NetworkName, NodeName, ObjectName, PerFamily, PortKey, RequestedAddress, TunnelKey,
    Vlan,
};
use udn_wire::network_selection::Requests;
use udn_wire::{
    GatewayConfig, Kind, NadAnnotations, NadConfig, NetConf, PodNetwork, PodNetworks, PodRole,
    PodRoute, Selection, network_selection, node_annotations,
};

use crate::dry::run;
use crate::worlds::{manifests, world};

const CORPUS: [&str; 3] = [
    include_str!("../../../../examples/first-light/10-tenants.yaml"),
    include_str!("../../../../examples/first-light/20-vlan.yaml"),
    include_str!("../../../../examples/first-light/30-pods.yaml"),
];

fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

/// Everything that reads a world, for panics.
fn read_all(bytes: &[u8]) {
    let settings = ClusterSettings::default();
    let world = World::read([("any", bytes)]).world;
    let _ = translate::cluster(&world, &settings);
    let _ = translate::zone(&world, &settings);
    let _ = run(&world, &settings);
    let _ = review(&world, &settings);
}

/// Everything that reads a text, for panics.
fn decode_all(text: &str) {
    let _ = NadConfig::decode(text);
    if let Ok(networks) = PodNetworks::decode(text) {
        let keys: Vec<String> = networks.keys().map(str::to_owned).collect();
        keys.iter().for_each(|key| drop(networks.entry(key)));
    }
    let _ = network_selection::decode(Some(text), "home");
    let _ = GatewayConfig::decode(text);
    let _ = node_annotations::decode_id(text);
    let _ = node_annotations::decode_host_cidrs(text);
    let _ = node_annotations::decode_encap_ips(text);
    let _ = node_annotations::decode_primary_address(text);
    let _ = node_annotations::decode_layer2_version(text);
    let marks = [udn_wire::keys::NETWORK_ID, udn_wire::keys::TUNNEL_KEYS];
    let annotations = marks.map(|key| (key.to_owned(), text.to_owned())).into();
    let _ = NadAnnotations::decode(&annotations);
}

fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u8..4, any::<u8>());
    (0..CORPUS.len(), prop::collection::vec(change, 1..8)).prop_map(|(number, changes)| {
        let mut bytes = CORPUS[number].as_bytes().to_vec();
        for (place, other, verb, byte) in changes {
            let (at, end) = (place.index(bytes.len()), other.index(bytes.len()));
            let sign = b"-:[]{}\n &*!|>'\"#%@`,?~\t"[usize::from(byte) % 23];
            match verb {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, sign),
                2 => drop(bytes.drain(at.min(end)..at.max(end))),
                _ => bytes[at] = sign,
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        bytes
    })
}

const ODD_TEXTS: [&str; 11] =
    ["", "é", "🦀", "%", "0.0.0.0/0", "::/0", "10.0.0.1/32", "a/b/c", "null", "[{", "-1"];

/// Values that manifests should not hold at most places.
fn odd_value() -> impl Strategy<Value = Value> {
    let texts = prop::sample::select(&ODD_TEXTS[..]).prop_map(Value::from);
    let others = prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(u64::MAX),
        json!(1.5),
        json!([]),
        json!([[]]),
        json!({}),
        json!({"a": {"b": null}}),
        json!(["10.0.0.0/0", "fd00::/128"]),
    ]);
    prop_oneof![texts, others]
}

/// The places in a value, as JSON pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    let below = |key: &str| format!("{here}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, it)| places(it, &below(key), found)),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, it)| places(it, &below(&at.to_string()), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found.push(here.to_owned());
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn odd_values_anywhere_can_be_read(
        manifests in manifests(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), odd_value()), 1..4),
    ) {
        let mut all = Value::Array(manifests);
        for (place, odd) in changes {
            let mut found = Vec::new();
            places(&all, "", &mut found);
            *all.pointer_mut(place.get(&found[..]).as_str()).unwrap() = odd;
        }
        let texts: Vec<String> = all.as_array().into_iter().flatten().map(Value::to_string).collect();
        read_all(texts.join("\n---\n").as_bytes());
    }

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn any_text_can_be_read(text in "(\\PC|\n){0,80}") {
        read_all(text.as_bytes());
        decode_all(&text);
    }

    #[test]
    fn mutated_manifests_can_be_read(bytes in mutated()) {
        read_all(&bytes);
    }
}

fn word() -> impl Strategy<Value = String> {
    "[a-z]{1,6}|\\PC{1,8}"
}

fn absent_or_word() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), word()]
}

fn net_conf() -> impl Strategy<Value = NetConf> {
    let texts = prop::collection::vec(absent_or_word(), 14);
    (any::<bool>(), any::<i64>(), any::<i64>(), texts, word()).prop_map(
        |(allow_persistent_ips, mtu, vlan_id, texts, topology)| {
            let mut texts = texts.into_iter();
            let mut text = || texts.next().unwrap();
            NetConf {
                allow_persistent_ips,
                cni_version: "1.1.0".to_owned(),
                default_gateway_ips: text(),
                evpn: None,
                exclude_subnets: text(),
                infrastructure_subnets: text(),
                join_subnet: text(),
                mtu,
                name: text(),
                net_attach_def_name: text(),
                outbound_snat: text(),
                physical_network_name: text(),
                reserved_subnets: text(),
                role: text(),
                subnets: text(),
                topology,
                transit_subnet: text(),
                transport: text(),
                cni_type: "ovn-k8s-cni-overlay".to_owned(),
                uplink: text(),
                vlan_id,
            }
        },
    )
}

fn ip() -> impl Strategy<Value = IpAddr> {
    prop_oneof![
        any::<u32>().prop_map(|it| IpAddr::V4(it.into())),
        // Mapped addresses are IPv4 to Go; the wire has none.
        any::<u128>()
            .prop_map(Ipv6Addr::from)
            .prop_filter("mapped", |it| it.to_ipv4_mapped().is_none())
            .prop_map(IpAddr::V6),
    ]
}

fn cidr() -> impl Strategy<Value = InterfaceAddress> {
    (ip(), 1u8..=32).prop_map(|(ip, length)| InterfaceAddress::new(ip, length).unwrap())
}

fn requests() -> impl Strategy<Value = Requests> {
    let address = (ip(), prop::option::of(0_u8..=32))
        .prop_map(|(ip, prefix_len)| RequestedAddress { ip, prefix_len });
    let addresses = prop::collection::vec(address, 0..3);
    let gateways = prop::collection::vec(ip(), 0..3);
    (addresses, prop::option::of(mac()), prop::option::of("[a-z.-]{1,5}"), gateways).prop_map(
        |(addresses, mac, claim, gateways)| Requests {
            addresses: AddressRequest { addresses, mac },
            claim,
            gateways,
        },
    )
}

fn mac() -> impl Strategy<Value = MacAddress> {
    any::<[u8; 6]>().prop_map(MacAddress::new)
}

fn route() -> impl Strategy<Value = PodRoute> {
    (cidr(), prop::option::of(ip())).prop_map(|(destination, next_hop)| {
        let family = Family::of(destination.addr());
        PodRoute { destination, next_hop: next_hop.filter(|ip| Family::of(*ip) == family) }
    })
}

fn pod_network() -> impl Strategy<Value = PodNetwork> {
    let role = prop::sample::select(
        &[
            None,
            Some(PodRole::Primary),
            Some(PodRole::Secondary),
            Some(PodRole::InfrastructureLocked),
        ][..],
    );
    let (some_cidrs, some_ips) =
        (prop::collection::vec(cidr(), 0..3), prop::collection::vec(ip(), 0..2));
    let routes = prop::collection::vec(route(), 0..3);
    let link_local = prop::option::of(mac());
    (some_cidrs, mac(), some_ips, routes, link_local, 0u16..32768, role).prop_map(
        |(addresses, mac, gateways, routes, router, key, role)| PodNetwork {
            addresses,
            mac,
            gateways,
            routes,
            link_local_gateway: router.map(MacAddress::link_local),
            tunnel_id: PortKey::new(key),
            role,
        },
    )
}

fn gateway() -> impl Strategy<Value = GatewayConfig> {
    let addresses = prop::collection::vec(cidr(), 0..3);
    let next_hops = prop::collection::vec(ip(), 0..3);
    (word(), mac(), addresses, next_hops, 0u16..4095, any::<[bool; 2]>()).prop_map(
        |(bridge, mac, addresses, next_hops, vlan, [serves_node_ports, is_local])| GatewayConfig {
            mode: if is_local { GatewayMode::Local } else { GatewayMode::Shared },
            gateway: Gateway {
                bridge,
                mac,
                addresses,
                next_hops,
                vlan: Vlan::new(vlan),
                serves_node_ports,
            },
        },
    )
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn nad_configurations_round_trip(config in net_conf()) {
        let text = config.encode();
        prop_assert_eq!(NadConfig::decode(&text), Ok(NadConfig::Network(Box::new(config))));
        let keys: Vec<String> = serde_json::from_str::<serde_json::Map<String, Value>>(&text)
            .unwrap().keys().cloned().collect();
        let places: Vec<usize> =
            keys.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
        prop_assert!(places.is_sorted(), "keys in lexical order: {}", text);
    }

    #[test]
    fn nad_annotations_round_trip(
        name in prop::option::of(word()),
        id in prop::option::of(1u16..4096),
        keys in prop::option::of(prop::collection::vec(1u32..0xff_ffff, 0..3)),
    ) {
        let annotations = NadAnnotations {
            name: name.map(|text| NetworkName::new(&text)),
            id: id.and_then(NetworkId::new),
            tunnel_keys: keys.map(|keys| keys.into_iter().filter_map(TunnelKey::new).collect()),
        };
        prop_assert_eq!(NadAnnotations::decode(&annotations.encode()), Ok(annotations));
    }

    #[test]
    fn pod_entries_round_trip(key in "[a-z]{1,5}/[a-z]{1,5}(/[1-9])?", entry in pod_network()) {
        let mut networks = PodNetworks::default();
        networks.put(&key, &entry);
        let again = PodNetworks::decode(&networks.encode()).unwrap();
        prop_assert_eq!(again.entry(&key), Ok(Some(entry)));
    }

    #[test]
    fn gateways_round_trip(config in gateway()) {
        let text = config.encode(&NodeName::new("node"));
        prop_assert_eq!(GatewayConfig::decode(&text), Ok(Some(config)));
    }

    #[test]
    fn addresses_of_nodes_round_trip(
        cidrs in prop::collection::btree_set(cidr(), 0..4),
        ips in prop::collection::vec(ip(), 0..4),
    ) {
        let mut first = PerFamily::default();
        for it in &cidrs {
            first.put(Family::of(it.addr()), *it);
        }
        let text = node_annotations::encode_primary_address(&first);
        prop_assert_eq!(node_annotations::decode_primary_address(&text), Ok(first));
        let cidrs: Vec<InterfaceAddress> = cidrs.into_iter().collect();
        let again = node_annotations::decode_host_cidrs(&node_annotations::encode_host_cidrs(&cidrs));
        let mut again = again.unwrap();
        again.sort();
        prop_assert_eq!(again, cidrs);
        let again = node_annotations::decode_encap_ips(&node_annotations::encode_encap_ips(&ips));
        prop_assert_eq!(again, Ok(ips));
    }

    #[test]
    fn selections_round_trip(
        names in prop::collection::vec(
            ("[a-c]", "[a-c]", prop::option::of("[a-z]{1,4}"), requests()),
            0..6,
        ),
    ) {
        let mut seen: Vec<ObjectName> = Vec::new();
        let selections: Vec<Selection> = names.into_iter().map(|(namespace, name, interface, requests)| {
            let nad = ObjectName::new(&namespace, &name);
            let times = seen.iter().filter(|it| **it == nad).count();
            seen.push(nad.clone());
            let index = u16::try_from(times).unwrap();
            Selection { interface, requests: Ok(requests), ..Selection::new(nad, index) }
        }).collect();
        let text = network_selection::encode(&selections);
        prop_assert_eq!(network_selection::decode(Some(&text), "home"), Ok(selections));
    }
}

proptest! {
    #![proptest_config(config(500))]

    /// What is written over a world leaves nothing to write, and is all that a zone needs.
    #[test]
    fn a_second_run_writes_nothing(manifests in manifests()) {
        let settings = ClusterSettings::default();
        let input = world(&manifests);
        let first = run(&input, &settings);
        let (published, grants) = (first.world, first.grants);
        let second = run(&published, &settings);
        prop_assert_eq!(&second.writes, &[]);
        prop_assert_eq!(&second.grants, &grants);
        let cluster = translate::cluster(&published, &settings).value;
        let zone = translate::zone(&published, &settings).value;
        for (name, network) in &cluster.networks {
            prop_assert_eq!(&zone.networks[name].nads, &network.nads);
            prop_assert_eq!(&zone.networks[name].topology, &network.topology);
            prop_assert_eq!(zone.published.networks[name].id, Some(grants.networks[name].id));
        }
        prop_assert_eq!(&zone.attachments, &cluster.attachments);
        for (network, attachments) in &grants.attachments {
            for (key, grant) in attachments {
                prop_assert_eq!(&zone.published.attachments[network][key], grant);
            }
        }
        // Names and numbers of others never change hands.
        for pod in published.pods.values() {
            let text = pod.metadata.annotation(udn_wire::keys::POD_NETWORKS).unwrap();
            prop_assert!(text.contains(r#""default":{"ip_addresses": ["10.244.0.9/24"]}"#), "{}", text);
        }
    }

    /// A network that cannot be costs no other network anything.
    #[test]
    fn a_bad_network_touches_no_other(
        manifests in manifests(),
        subnets in prop::sample::select(vec![
            json!(["nonsense"]), json!(["10.0.0.0/8", "11.0.0.0/8"]), json!([]), json!(7),
            json!(["10.128.0.0/16"]),
        ]),
    ) {
        let settings = ClusterSettings::default();
        let before = translate::cluster(&world(&manifests), &settings);
        let bad = json!({"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork",
            "metadata": {"name": "aaa-bad"}, "spec": {"namespaceSelector": {}, "network": {
                "topology": "Layer2", "layer2": {"role": "Primary", "subnets": subnets}}}});
        let mut manifests = manifests;
        manifests.push(bad);
        let after = translate::cluster(&world(&manifests), &settings);
        prop_assert_eq!(&after.value, &before.value);
        prop_assert!(after.findings.len() > before.findings.len());
    }

    /// Findings about who comes later leave alone who was there before.
    #[test]
    fn a_newcomer_changes_nothing_for_published_networks(manifests in manifests(), more in manifests()) {
        let settings = ClusterSettings::default();
        let input = world(&manifests);
        let settled = run(&input, &settings).world;
        let before = translate::cluster(&settled, &settings).value;
        let identity = |it: &Value| {
            let metadata = &it["metadata"];
            [&it["kind"], &metadata["namespace"], &metadata["name"]].map(Value::clone)
        };
        let known: Vec<_> = manifests.iter().map(identity).collect();
        let mut newcomers: Vec<Value> = more.into_iter().filter(|it| {
            let asks = ["UserDefinedNetwork", "ClusterUserDefinedNetwork",
                "NetworkAttachmentDefinition"];
            let [kind, namespace, name] = identity(it);
            let is_made = kind == "NetworkAttachmentDefinition"
                && settled.nads.keys().any(|it| {
                    namespace == *it.namespace && name == *it.name
                });
            asks.iter().any(|ask| kind == *ask) && !is_made && !known.contains(&identity(it))
        }).collect();
        for newcomer in &mut newcomers {
            // Who says that it is old came later all the same.
            newcomer["metadata"]["creationTimestamp"] = "2000-01-01T00:00:00Z".into();
        }
        let mut crowded = settled.clone();
        let more = world(&newcomers);
        for kind in Kind::ALL {
            more.of_kind(kind).into_iter().for_each(|it| drop(crowded.put(it)));
        }
        let after = translate::cluster(&crowded, &settings).value;
        for (name, network) in &before.networks {
            let now = after.networks.get(name);
            prop_assert!(now.is_some(), "{} is gone", name);
            let mut now = (**now.unwrap()).clone();
            // A network gets more NADs when somebody writes one for it.
            now.nads.retain(|it| network.nads.contains(it));
            prop_assert_eq!(&now, &**network);
        }
    }
}
