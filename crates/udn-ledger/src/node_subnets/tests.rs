//! Subnets of nodes by example.

use udn_model::{NodeName, Subnet};

use super::{HostSubnets, NodeSubnets};

fn entry(text: &str, host_prefix_len: u8) -> HostSubnets {
    HostSubnets { subnet: Subnet::parse(text).unwrap(), host_prefix_len }
}

/// What a node gets, as one line.
fn grant(subnets: &mut NodeSubnets, node: &str) -> String {
    let told = subnets.grant(&NodeName::new(node));
    let granted: Vec<String> = told.value.iter().map(ToString::to_string).collect();
    let findings = told.findings.iter().map(|it| it.message.clone());
    granted.into_iter().chain(findings).collect::<Vec<_>>().join(" ")
}

fn adopt(subnets: &mut NodeSubnets, node: &str, carried: &[&str]) -> Vec<String> {
    let carried: Vec<Subnet> = carried.iter().map(|it| Subnet::parse(it).unwrap()).collect();
    let findings = subnets.adopt(&NodeName::new(node), &carried);
    findings.into_iter().map(|it| it.message).collect()
}

#[test]
fn the_lowest_free_parts_of_the_first_entry_with_room_are_granted() {
    let mut subnets = NodeSubnets::new(&[
        entry("10.0.0.0/23", 24),
        entry("10.1.0.0/16", 24),
        entry("fd00::/48", 64),
    ]);
    assert_eq!(grant(&mut subnets, "a"), "10.0.0.0/24 fd00::/64");
    assert_eq!(grant(&mut subnets, "a"), "10.0.0.0/24 fd00::/64", "a node keeps what it has");
    assert_eq!(grant(&mut subnets, "b"), "10.0.1.0/24 fd00:0:0:1::/64");
    assert_eq!(grant(&mut subnets, "c"), "10.1.0.0/24 fd00:0:0:2::/64");
    subnets.release(&NodeName::new("a"));
    assert_eq!(grant(&mut subnets, "d"), "10.0.0.0/24 fd00::/64", "released ones are used again");
}

#[test]
fn published_subnets_stay_and_conflicts_are_told() {
    let mut subnets = NodeSubnets::new(&[entry("10.0.0.0/16", 24)]);
    assert_eq!(adopt(&mut subnets, "a", &["10.0.0.0/24"]), [] as [&str; 0]);
    assert_eq!(
        adopt(&mut subnets, "b", &["10.0.0.0/24"]),
        ["10.0.0.0/24 in the annotation of b is held by a; remove it there so that a free one is \
          granted"]
    );
    assert_eq!(adopt(&mut subnets, "b", &["10.9.0.0/24"]).len(), 1, "outside");
    assert_eq!(adopt(&mut subnets, "b", &["10.0.4.0/25"]).len(), 1, "no part of the entry");
    assert_eq!(adopt(&mut subnets, "b", &["10.0.9.0/24"]), [] as [&str; 0]);
    assert_eq!(grant(&mut subnets, "b"), "10.0.9.0/24");
    assert_eq!(grant(&mut subnets, "c"), "10.0.1.0/24");
}

#[test]
fn exhaustion_is_told_with_numbers_and_an_appended_entry_helps() {
    let mut subnets = NodeSubnets::new(&[entry("10.0.0.0/23", 24), entry("fd00::/64", 64)]);
    grant(&mut subnets, "a");
    assert_eq!(
        grant(&mut subnets, "b"),
        "all 1 IPv6 subnets for nodes are in use (1 of 1); append a subnet to the network, or \
         remove nodes that no longer exist"
    );
    subnets.append(&[entry("fd01::/48", 64), entry("10.0.0.0/23", 24), entry("10.2.0.0/24", 23)]);
    assert_eq!(grant(&mut subnets, "b"), "10.0.1.0/24 fd01::/64", "nothing was half granted");
    assert!(grant(&mut subnets, "c").contains("all 2 IPv4 subnets"), "a bad entry adds none");
}

#[test]
fn the_largest_entries_are_cut_at_both_ends() {
    let mut subnets = NodeSubnets::new(&[entry("fd00::/8", 128), entry("0.0.0.0/0", 32)]);
    assert_eq!(grant(&mut subnets, "a"), "0.0.0.0/32 fd00::/128");
    assert_eq!(adopt(&mut subnets, "b", &["255.255.255.255/32"]), [] as [&str; 0]);
    let mut whole = NodeSubnets::new(&[entry("fd00::/64", 64)]);
    assert_eq!(grant(&mut whole, "a"), "fd00::/64");
}
