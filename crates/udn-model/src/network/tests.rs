//! Gateway and management addresses by example.

use super::{PlatformAddresses, Primary};
use crate::address::{Family, PerFamily, Subnet};

fn check(subnet: &str, gateway: Option<&str>, infrastructure: &[&str], want: (&str, &str)) {
    let subnet = Subnet::parse(subnet).unwrap();
    let mut chosen_gateways = PerFamily::default();
    if let Some(gateway) = gateway {
        let ip = gateway.parse().unwrap();
        chosen_gateways.put(Family::of(ip), ip);
    }
    let infrastructure = infrastructure.iter().map(|text| Subnet::parse(text).unwrap()).collect();
    let primary = Primary {
        join: PerFamily::default(),
        chosen_gateways,
        reserved: Vec::new(),
        infrastructure,
    };
    let got = PlatformAddresses::choose(subnet, &primary);
    let got = (got.gateway.to_string(), got.management.to_string());
    assert_eq!(
        got,
        (want.0.to_owned(), want.1.to_owned()),
        "{subnet} {infrastructure:?}",
        infrastructure = primary.infrastructure
    );
}

#[test]
fn the_first_two_addresses_are_the_usual_choice() {
    check("10.10.0.0/16", None, &[], ("10.10.0.1", "10.10.0.2"));
    check("fd10::/64", None, &[], ("fd10::1", "fd10::2"));
}

#[test]
fn infrastructure_ranges_come_first() {
    check("10.10.0.0/16", None, &["10.10.0.0/30"], ("10.10.0.1", "10.10.0.2"));
    check("10.10.0.0/16", None, &["10.10.5.0/30"], ("10.10.5.0", "10.10.5.1"));
    check(
        "10.10.0.0/16",
        None,
        &["fd10::/120", "10.10.255.252/30"],
        ("10.10.255.252", "10.10.255.253"),
    );
    check("10.10.0.0/16", None, &["10.10.7.7/32"], ("10.10.7.7", "10.10.0.2"));
}

#[test]
fn a_chosen_gateway_moves_management_aside() {
    check("10.10.0.0/16", Some("10.10.0.2"), &[], ("10.10.0.2", "10.10.0.1"));
    check("10.10.0.0/16", Some("10.10.5.1"), &["10.10.5.0/30"], ("10.10.5.1", "10.10.5.0"));
    check("10.10.0.0/16", Some("fd10::9"), &[], ("10.10.0.1", "10.10.0.2"));
}
