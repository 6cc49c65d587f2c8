//! Pools of addresses by example.

use std::net::IpAddr;

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    ClusterSettings, Network, NetworkName, PerFamily, Role, Subnet, Subnets, Topology,
};

use super::{AddressPool, AddressState};
use crate::slab::Slab;

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn network(topology: Topology, of: &str) -> Network {
    Network {
        name: NetworkName::new("red"),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(vec![subnet(of)]).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

fn primary() -> Primary {
    Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    }
}

fn localnet() -> Topology {
    Topology::Localnet(Localnet { physical_network: "outside".into(), vlan: None })
}

fn pool(network: &Network) -> AddressPool {
    AddressPool::new(network, network.subnets.iter().next().unwrap())
}

/// Everything that comes in turn until nothing is left, and what is said then.
fn drained(mut pool: AddressPool) -> (Vec<String>, String) {
    let id = Slab::default().put(());
    let mut all = Vec::new();
    while let Some(ip) = pool.next() {
        pool.hold_in_turn(ip, id);
        all.push(ip.to_string());
    }
    assert_eq!((pool.free(), pool.held()), (0, all.len()));
    (all, pool.exhaustion())
}

// proves: A-05
#[test]
fn the_documents_example_comes_out_exactly() {
    let own = Primary {
        chosen_gateways: PerFamily { v4: Some(ip("192.168.100.2")), v6: Some(ip("fd00:100::2")) },
        reserved: vec![subnet("192.168.100.200/29"), subnet("fd00:100::c8/125")],
        infrastructure: vec![subnet("192.168.100.0/30"), subnet("fd00:100::/126")],
        ..primary()
    };
    let pool = |of| pool(&network(Topology::Layer2(Role::Primary(own.clone())), of));
    let v4 = pool("192.168.100.0/24");
    let (all, said) = drained(v4.clone());
    let want = (4..=199).chain(208..=254).map(|last| format!("192.168.100.{last}"));
    assert_eq!(all, want.collect::<Vec<_>>());
    assert_eq!(
        said,
        "all 243 addresses of 192.168.100.0/24 are in use (243 of 243; 8 more on request alone)"
    );
    assert_eq!(v4.state(ip("192.168.100.200")), AddressState::Free, "on request");
    for last in [0, 1, 2, 3, 255] {
        assert_eq!(v4.state(ip(&format!("192.168.100.{last}"))), AddressState::Kept, "{last}");
    }
    // The same in IPv6, which has no broadcast address.
    let v6 = pool("fd00:100::/120");
    let (all, said) = drained(v6.clone());
    let want = (4..=199).chain(208..=255).map(|last| format!("fd00:100::{last:x}"));
    assert_eq!(all, want.collect::<Vec<_>>());
    assert_eq!(
        said,
        "all 244 addresses of fd00:100::/120 are in use (244 of 244; 8 more on request alone)"
    );
    assert_eq!(v6.state(ip("fd00:100::c8")), AddressState::Free, "on request");
    for last in [0, 1, 2, 3] {
        assert_eq!(v6.state(ip(&format!("fd00:100::{last:x}"))), AddressState::Kept, "{last}");
    }
}

#[test]
fn an_excluded_range_is_neither_given_out_nor_to_be_asked_for() {
    let excluding = |of| {
        let mut network = network(Topology::Layer2(Role::Secondary), of);
        let excluded = ["10.0.0.200/30", "172.16.0.0/12", "fd00::c8/126", "fd01::/64"];
        network.excluded = excluded.map(subnet).to_vec();
        pool(&network)
    };
    let v4 = excluding("10.0.0.0/24");
    let want = (1..=199).chain(204..=254).map(|last| format!("10.0.0.{last}"));
    assert_eq!(drained(v4.clone()).0, want.collect::<Vec<_>>());
    assert_eq!(v4.state(ip("10.0.0.203")), AddressState::Excluded);
    let v6 = excluding("fd00::/120");
    let want = (1..=199).chain(204..=255).map(|last| format!("fd00::{last:x}"));
    assert_eq!(drained(v6.clone()).0, want.collect::<Vec<_>>());
    assert_eq!(v6.state(ip("fd00::cb")), AddressState::Excluded);
}

#[test]
fn the_gateway_of_a_physical_network_is_granted_on_request_alone() {
    let pool = pool(&network(localnet(), "10.0.0.0/29"));
    let want = (2..=6).map(|last| format!("10.0.0.{last}")).collect::<Vec<_>>();
    let (all, said) = drained(pool.clone());
    assert_eq!(all, want);
    assert_eq!(said, "all 5 addresses of 10.0.0.0/29 are in use (5 of 5; 1 more on request alone)");
    assert_eq!(pool.state(ip("10.0.0.1")), AddressState::Free);
}

#[test]
fn subnets_of_any_size_begin_and_end_where_they_should() {
    let check = |of: &str, first: &str, free: u128| {
        let pool = pool(&network(Topology::Layer2(Role::Primary(primary())), of));
        assert_eq!(pool.next(), Some(ip(first)), "{of}");
        assert_eq!(pool.free(), free, "{of}");
    };
    check("0.0.0.0/1", "0.0.0.3", (1 << 31) - 4);
    check("10.0.0.0/8", "10.0.0.3", (1 << 24) - 4);
    check("fd00::/8", "fd00::3", (1 << 120) - 3);
    check("fd00::/64", "fd00::3", (1 << 64) - 3);
    check("fd00::/126", "fd00::3", 1);
    let pool = pool(&network(Topology::Layer2(Role::Primary(primary())), "10.0.0.0/30"));
    assert_eq!(drained(pool), (Vec::new(), "10.0.0.0/30 has no address for workloads".to_owned()));
}
