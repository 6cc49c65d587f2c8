//! Subnets of nodes by example.

use udn_model::{ClusterSubnet, Family, NetworkName, NodeName, PerFamily, Subnet};

use super::{Lack, NodeSubnets, Usage};

fn range(text: &str, host_prefix_len: u8) -> ClusterSubnet {
    ClusterSubnet { subnet: Subnet::parse(text).unwrap(), host_prefix_len }
}

fn open(ranges: &[ClusterSubnet]) -> NodeSubnets {
    NodeSubnets::new(&NetworkName::new("blue"), ranges)
}

fn carried(texts: &[&str]) -> PerFamily<Subnet> {
    let mut all = PerFamily::default();
    for text in texts {
        let subnet = Subnet::parse(text).unwrap();
        all.put(subnet.family(), subnet);
    }
    all
}

/// What a node gets that carries something, as one line.
fn settle(subnets: &mut NodeSubnets, node: &str, texts: &[&str]) -> String {
    let told = subnets.settle(&NodeName::new(node), &carried(texts));
    let granted: Vec<String> = told.value.iter().map(ToString::to_string).collect();
    let findings = told.findings.iter().map(|it| format!("{}: {}", it.reason, it.message));
    granted.into_iter().chain(findings).collect::<Vec<_>>().join(" ")
}

fn grant(subnets: &mut NodeSubnets, node: &str) -> String {
    settle(subnets, node, &[])
}

fn release(subnets: &mut NodeSubnets, node: &str) {
    subnets.release(&NodeName::new(node));
}

#[test]
fn parts_are_given_in_turn_from_the_first_range_with_room() {
    let mut subnets =
        open(&[range("10.0.0.0/23", 24), range("10.1.0.0/16", 24), range("fd00::/60", 64)]);
    assert_eq!(grant(&mut subnets, "a"), "10.0.0.0/24 fd00::/64");
    assert_eq!(grant(&mut subnets, "a"), "10.0.0.0/24 fd00::/64", "a node keeps what it has");
    release(&mut subnets, "a");
    assert_eq!(grant(&mut subnets, "b"), "10.0.1.0/24 fd00:0:0:1::/64", "not the one given back");
    assert_eq!(grant(&mut subnets, "c"), "10.0.0.0/24 fd00:0:0:2::/64", "after the last the first");
    assert_eq!(grant(&mut subnets, "d"), "10.1.0.0/24 fd00:0:0:3::/64");
}

#[test]
fn octets_differ_first_where_parts_cross_them() {
    let mut crossing = open(&[range("10.128.0.0/14", 23)]);
    let five = ["a", "b", "c", "d", "e"].map(|it| grant(&mut crossing, it));
    let want =
        ["10.128.0.0/23", "10.129.0.0/23", "10.130.0.0/23", "10.131.0.0/23", "10.128.2.0/23"];
    assert_eq!(five, want);
    assert_eq!(
        settle(&mut crossing, "f", &["10.131.254.0/23"]),
        "10.131.254.0/23",
        "the last part"
    );
    let mut within = open(&[range("10.1.0.0/24", 26)]);
    let four = ["a", "b", "c", "d"].map(|it| grant(&mut within, it));
    assert_eq!(four, ["10.1.0.0/26", "10.1.0.64/26", "10.1.0.128/26", "10.1.0.192/26"]);
}

#[test]
fn ipv6_leaves_the_first_part_of_many_for_last() {
    let mut large = open(&[range("fd00::/48", 64)]);
    assert_eq!(grant(&mut large, "a"), "fd00:0:0:1::/64");
    assert_eq!(settle(&mut large, "b", &["fd00::/64"]), "fd00::/64", "who has it keeps it");
    let mut full = open(&[range("fd00::/112", 128)]);
    for node in 1..=0xffff {
        assert_eq!(grant(&mut full, &node.to_string()), format!("fd00::{node:x}/128"));
    }
    assert_eq!(grant(&mut full, "last"), "fd00::/128");
    assert!(grant(&mut full, "more").contains("all 65536 IPv6 subnets"));
}

#[test]
fn what_is_carried_stays_and_conflicts_are_told() {
    let mut subnets = open(&[range("10.0.0.0/16", 24)]);
    assert_eq!(settle(&mut subnets, "a", &["10.0.0.0/24"]), "10.0.0.0/24");
    let message = "AlreadyTaken: 10.0.0.0/24 of network blue is held by a; remove it from the \
                   annotation of b so that a free one is granted";
    assert_eq!(settle(&mut subnets, "b", &["10.0.0.0/24"]), message);
    assert_eq!(
        subnets.lacking()[&NodeName::new("b")],
        Lack::Taken(carried(&["10.0.0.0/24"]).v4.unwrap())
    );
    assert_eq!(settle(&mut subnets, "b", &["10.0.9.0/24"]), "10.0.9.0/24");
    assert!(subnets.lacking().is_empty());
    assert_eq!(settle(&mut subnets, "b", &["10.0.8.0/24"]), "10.0.9.0/24", "what it has counts");
    assert_eq!(grant(&mut subnets, "c"), "10.0.1.0/24");
    release(&mut subnets, "a");
    assert_eq!(settle(&mut subnets, "d", &["10.0.0.0/24"]), "10.0.0.0/24", "free once a is gone");
}

#[test]
fn what_is_no_part_of_the_network_is_replaced() {
    let mut subnets = open(&[range("10.0.0.0/16", 24)]);
    assert!(settle(&mut subnets, "a", &["10.9.0.0/24"]).starts_with("10.0.0.0/24 OutOfRange: "));
    assert_eq!(
        settle(&mut subnets, "b", &["10.0.4.0/25"]),
        "10.0.1.0/24 OutOfRange: 10.0.4.0/25 in the annotation is no part that network blue has for \
         nodes, so b gets 10.0.1.0/24 instead"
    );
    assert_eq!(settle(&mut subnets, "c", &["10.0.2.0/24", "fd00::/64"]), "10.0.2.0/24");
}

#[test]
fn exhaustion_is_told_with_numbers_and_an_appended_range_helps() {
    let mut subnets = open(&[range("10.0.0.0/23", 24), range("fd00::/64", 64)]);
    grant(&mut subnets, "a");
    let message = "PoolExhausted: all 1 IPv6 subnets for nodes of network blue are in use (1 of 1); \
                   append a subnet to the network, or remove nodes that no longer exist";
    assert_eq!(grant(&mut subnets, "b"), message);
    assert_eq!(subnets.lacking()[&NodeName::new("b")], Lack::Exhausted(Family::V6));
    assert_eq!(subnets.usage(Family::V4), Usage { used: 1, total: 2 }, "nothing is half granted");
    let more = [range("fd01::/60", 64), range("10.0.0.0/23", 24), range("10.2.0.0/24", 23)];
    subnets.follow(&[&[range("10.0.0.0/23", 24), range("fd00::/64", 64)], &more[..]].concat());
    assert_eq!(grant(&mut subnets, "b"), "10.0.1.0/24 fd01::/64");
    assert!(grant(&mut subnets, "c").contains("all 2 IPv4 subnets"), "a bad range adds none");
    release(&mut subnets, "c");
    assert!(subnets.lacking().is_empty());
}

#[test]
fn other_ranges_leave_nodes_what_still_fits() {
    let mut subnets = open(&[range("10.0.0.0/16", 24), range("fd00::/60", 64)]);
    assert_eq!(grant(&mut subnets, "a"), "10.0.0.0/24 fd00::/64");
    subnets.follow(&[range("10.7.0.0/16", 24), range("fd00::/60", 64)]);
    assert_eq!(grant(&mut subnets, "a"), "10.7.0.0/24 fd00::/64");
    assert_eq!(subnets.usage(Family::V6), Usage { used: 1, total: 16 });
    subnets.follow(&[]);
    assert_eq!(grant(&mut subnets, "a"), "");
    assert_eq!(subnets.held().len(), 0);
}

#[test]
fn the_largest_ranges_are_cut_at_both_ends() {
    let mut subnets = open(&[range("fd00::/8", 128), range("0.0.0.0/0", 32)]);
    assert_eq!(grant(&mut subnets, "a"), "0.0.0.0/32 fd00::1/128");
    assert_eq!(
        settle(&mut subnets, "b", &["255.255.255.255/32"]),
        "255.255.255.255/32 fd00::2/128"
    );
    let mut odd = open(&[range("0.0.0.0/0", 31)]);
    assert_eq!(["a", "b"].map(|it| grant(&mut odd, it)), ["0.0.0.0/31", "0.0.1.0/31"]);
    let mut whole = open(&[range("fd00::/64", 64)]);
    assert_eq!(grant(&mut whole, "a"), "fd00::/64");
}
