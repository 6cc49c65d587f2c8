//! What a node says of itself on its Node, by example.

use std::collections::BTreeSet;

use serde_json::Value;
use udn_host::chassis::OwnFacts;
use udn_model::{ChassisName, ClusterSettings, Gateway, GatewayMode, NodeName};
use udn_wire::keys::{
    NODE_CHASSIS, NODE_GATEWAY, NODE_MASQUERADE, NODE_PRIMARY_ADDRESS, NODE_ZONE,
};
use udn_wire::texts::Texts;

use super::annotations::{annotations, differing};

fn facts() -> OwnFacts {
    let gateway = Gateway {
        bridge: "br-ex".to_owned(),
        mac: "02:42:ac:12:00:03".parse().unwrap(),
        addresses: vec!["172.18.0.3/16".parse().unwrap()],
        next_hops: vec!["172.18.0.1".parse().unwrap()],
        vlan: None,
        serves_node_ports: true,
    };
    OwnFacts {
        chassis: Some(ChassisName::new("c1")),
        addresses: gateway.addresses.clone(),
        tunnel_addresses: vec!["172.18.0.3".parse().unwrap()],
        gateway: Some(gateway),
        physical_networks: Vec::new(),
        unusable_networks: Vec::new(),
        uplink: None,
        datapath: None,
        complaints: BTreeSet::new(),
    }
}

fn told(facts: &OwnFacts) -> std::collections::BTreeMap<String, String> {
    annotations(&NodeName::new("n1"), &ClusterSettings::default(), facts)
}

#[test]
fn a_node_without_a_chassis_tells_nothing() {
    assert!(told(&OwnFacts { chassis: None, ..facts() }).is_empty());
}

#[test]
fn a_node_is_a_zone_of_its_own() {
    let told = told(&facts());
    assert_eq!(told[NODE_ZONE], "n1");
    assert_eq!(told[NODE_CHASSIS], "c1");
    assert_eq!(told[NODE_MASQUERADE], r#"{"ipv4":"169.254.0.0/17","ipv6":"fd69::/112"}"#);
}

#[test]
fn a_node_without_an_external_bridge_says_that_it_has_no_way_out() {
    let told = told(&OwnFacts { gateway: None, ..facts() });
    assert_eq!(told[NODE_GATEWAY], r#"{"default":{"mode":""}}"#);
    assert_eq!(told[NODE_PRIMARY_ADDRESS], "{}");
}

#[test]
fn the_mode_of_gateways_is_the_clusters() {
    let check = |gateway_mode, want: &str| {
        let cluster = ClusterSettings { gateway_mode, ..ClusterSettings::default() };
        let told = annotations(&NodeName::new("n1"), &cluster, &facts());
        let gateway: Value = serde_json::from_str(&told[NODE_GATEWAY]).unwrap();
        assert_eq!(gateway["default"]["mode"], want);
    };
    check(GatewayMode::Shared, "shared");
    check(GatewayMode::Local, "local");
}

#[test]
fn only_what_differs_is_written() {
    let wanted = told(&facts());
    let mut standing = Texts::default();
    for (key, text) in &wanted {
        standing.insert(key.clone(), text.clone());
    }
    standing.insert("somebody.else/s".to_owned(), "own".to_owned());
    assert!(differing(&wanted, &standing).is_empty());
    standing.insert(NODE_ZONE.to_owned(), "another".to_owned());
    let patch = differing(&wanted, &standing);
    assert_eq!(patch.keys().collect::<Vec<_>>(), [NODE_ZONE]);
    assert_eq!(patch[NODE_ZONE], "n1");
}
