//! Networks for tests.
#![allow(dead_code, reason = "not every test uses everything")]

use udn_model::network::{Localnet, Origin, Primary};
use udn_model::{
    ClusterSettings, Network, NetworkName, PerFamily, Role, Subnet, Subnets, Topology,
};

pub(crate) fn primary() -> Topology {
    Topology::Layer2(Role::Primary(Primary {
        join: ClusterSettings::default().join,
        chosen_gateways: PerFamily::default(),
        reserved: Vec::new(),
        infrastructure: Vec::new(),
    }))
}

pub(crate) fn localnet() -> Topology {
    Topology::Localnet(Localnet { physical_network: "outside".into(), vlan: None })
}

pub(crate) fn network(name: &str, topology: Topology, subnets: &[&str]) -> Network {
    let subnets = subnets.iter().map(|text| Subnet::parse(text).expect("well formed")).collect();
    Network {
        name: NetworkName::new(name),
        origin: Origin::Nads,
        topology,
        subnets: Subnets::new(subnets).expect("one of each family"),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: true,
        nads: Vec::new(),
    }
}
