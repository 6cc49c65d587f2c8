//! The network's own MACs.

use udn_model::network::{Origin, Primary};
use udn_model::{ClusterSettings, MacAddress, Network, NetworkName, PerFamily, Subnet, Subnets};
use udn_model::{Role, Topology, network};

use super::{MacState, Macs};
use crate::slab::Slab;

fn primary() -> Network {
    let subnets = ["10.10.0.0/16", "fd10::/64"].map(|text| Subnet::parse(text).unwrap());
    Network {
        name: NetworkName::new("red"),
        origin: Origin::Nads,
        topology: Topology::Layer2(Role::Primary(Primary {
            join: ClusterSettings::default().join,
            chosen_gateways: PerFamily::default(),
            reserved: Vec::new(),
            infrastructure: Vec::new(),
        })),
        subnets: Subnets::new(subnets.to_vec()).unwrap(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: Vec::new(),
    }
}

fn mac(text: &str) -> MacAddress {
    text.parse().unwrap()
}

#[test]
fn ports_of_the_network_keep_their_macs() {
    let macs = Macs::new(&primary());
    let of = |ip: &str| MacAddress::from_ip(ip.parse().unwrap());
    for own in [
        mac("0a:58:0a:0a:00:01"),
        mac("0a:58:0a:0a:00:02"),
        of("fd10::1"),
        of("fd10::2"),
        mac("0a:58:64:41:00:00"),
        mac("0a:58:64:41:13:88"),
        mac("0a:58:64:41:ff:ff"),
        mac("0a:58:a9:fe:01:01"),
    ] {
        assert_eq!(macs.state(own), MacState::Own, "{own}");
    }
    for free in ["0a:58:0a:0a:00:03", "0a:58:64:42:00:00", "02:00:00:00:00:01"] {
        assert!(macs.is_free(mac(free)), "{free}");
    }
}

#[test]
fn a_localnet_has_no_gateway_of_its_own() {
    let localnet = network::Localnet { physical_network: "outside".into(), vlan: None };
    let macs = Macs::new(&Network { topology: Topology::Localnet(localnet), ..primary() });
    assert!(macs.is_free(mac("0a:58:0a:0a:00:01")) && macs.is_free(mac("0a:58:64:41:00:02")));
}

#[test]
fn only_the_holder_gives_a_mac_back() {
    let mut slab = Slab::default();
    let (one, other) = (slab.put(()), slab.put(()));
    let mut macs = Macs::new(&primary());
    macs.hold(mac("02:00:00:00:00:01"), one);
    assert!(!macs.give_back(mac("02:00:00:00:00:01"), other));
    assert_eq!(macs.state(mac("02:00:00:00:00:01")), MacState::HeldBy(one));
    assert!(macs.give_back(mac("02:00:00:00:00:01"), one));
    assert_eq!(macs.held(), 0);
}
