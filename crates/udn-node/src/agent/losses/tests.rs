//! What a node goes on telling, by example.

use std::collections::BTreeSet;

use udn_model::{InterfaceAddress, NodeName};

use super::*;

fn gateway(mac: &str, addresses: &[&str], next_hops: &[&str]) -> Gateway {
    Gateway {
        bridge: "br-ex".to_owned(),
        mac: mac.parse().unwrap(),
        addresses: addresses.iter().map(|it| it.parse().unwrap()).collect(),
        next_hops: next_hops.iter().map(|it| it.parse().unwrap()).collect(),
        vlan: None,
        serves_node_ports: true,
    }
}

const MAC: &str = "02:42:ac:12:00:0b";
const OWN: [&str; 2] = ["172.18.0.3/16", "fd18::3/64"];
const OUT: [&str; 2] = ["172.18.0.1", "fd18::1"];

fn facts(gateway: Option<Gateway>) -> OwnFacts {
    let addresses = gateway.iter().flat_map(|it| it.addresses.clone()).collect();
    OwnFacts {
        chassis: None,
        gateway,
        addresses,
        tunnel_addresses: Vec::new(),
        physical_networks: Vec::new(),
        unusable_networks: Vec::new(),
        uplink: None,
        datapath: None,
        complaints: BTreeSet::new(),
    }
}

fn told(facts: &OwnFacts) -> Node {
    Node {
        name: NodeName::new("n1"),
        chassis: None,
        gateway: facts.gateway.clone(),
        addresses: facts.addresses.clone(),
        tunnel_addresses: Vec::new(),
        uses_transit_router: true,
    }
}

/// Which addresses and MAC are told right after a change, and after it has lasted.
#[track_caller]
fn check(now: Option<Gateway>, at_once: bool) {
    let before = facts(Some(gateway(MAC, &OWN, &OUT)));
    let (mut losses, begin) = (Losses::default(), Instant::now());
    let mut hold = |is_here, at| losses.hold(facts(now.clone()), &told(&before), is_here, at).facts;
    let want = if at_once { &now } else { &before.gateway };
    assert_eq!(hold(true, begin).gateway, *want, "at once");
    assert_eq!(hold(false, begin + LASTING * 2).gateway, *want, "while the switch is away");
    assert_eq!(hold(true, begin + LASTING * 2).gateway, now, "once it has lasted");
}

#[test]
fn a_loss_counts_once_it_has_lasted() {
    check(None, false);
    check(Some(gateway(MAC, &OWN[..1], &OUT)), false);
    check(Some(gateway(MAC, &OWN, &OUT[..1])), false);
    check(Some(gateway("02:00:00:00:00:01", &OWN, &OUT)), false);
}

#[test]
fn what_is_new_counts_at_once() {
    check(Some(gateway(MAC, &OWN, &["172.18.0.2", "fd18::1"])), true);
    let all: Vec<&str> = OUT.into_iter().chain(["172.18.0.9"]).collect();
    check(Some(gateway(MAC, &OWN, &all)), true);
}

#[test]
fn what_comes_back_was_never_lost() {
    let before = facts(Some(gateway(MAC, &OWN, &OUT)));
    let (mut losses, begin) = (Losses::default(), Instant::now());
    losses.hold(facts(None), &told(&before), true, begin);
    losses.hold(before.clone(), &told(&before), true, begin + LASTING / 2);
    let held = losses.hold(facts(None), &told(&before), true, begin + LASTING);
    assert_eq!(held.facts.gateway, before.gateway);
}

#[test]
fn an_address_of_the_host_is_told_until_its_loss_has_lasted() {
    let other: InterfaceAddress = "192.168.7.3/24".parse().unwrap();
    let before = facts(Some(gateway(MAC, &OWN, &OUT)));
    let mut node = told(&before);
    node.addresses.push(other);
    let (mut losses, begin) = (Losses::default(), Instant::now());
    let held = losses.hold(before.clone(), &node, true, begin);
    assert!(held.facts.addresses.contains(&other));
    assert_eq!(held.look_again, Some(LASTING));
    let held = losses.hold(before, &node, true, begin + LASTING);
    assert!(!held.facts.addresses.contains(&other));
}
