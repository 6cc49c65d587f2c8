//! Subnets and MAC addresses by example.

use std::net::{IpAddr, Ipv6Addr};

use super::{MacAddress, Subnet, Subnets};

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn macs_come_from_addresses() {
    let check = |address: &str, want: &str| {
        assert_eq!(MacAddress::from_ip(ip(address)).to_string(), want, "{address}");
    };
    check("10.10.0.1", "0a:58:0a:0a:00:01");
    check("192.168.126.202", "0a:58:c0:a8:7e:ca");
    // The first four bytes of `printf %s fd97::8 | sha256sum`.
    check("fd97::8", "0a:58:31:e2:6c:9b");
}

#[test]
fn link_local_addresses_come_from_macs() {
    let mac: MacAddress = "0a:58:0a:0a:00:01".parse().unwrap();
    assert_eq!(mac.link_local(), "fe80::858:aff:fe0a:1".parse::<Ipv6Addr>().unwrap());
}

#[test]
fn macs_are_read_strictly() {
    for text in
        ["", "0a:58:0a:0a:00", "0a:58:0a:0a:00:01:02", "0a:58:0a:0a:00:1", "+a:58:0a:0a:00:01"]
    {
        assert!(text.parse::<MacAddress>().is_err(), "{text}");
    }
}

#[test]
fn addresses_of_a_subnet_end_with_it() {
    let check = |subnet: &str, offset: u128, want: Option<&str>| {
        let subnet = Subnet::parse(subnet).unwrap();
        assert_eq!(subnet.address(offset), want.map(ip), "{subnet} + {offset}");
    };
    check("10.0.0.0/24", 0, Some("10.0.0.0"));
    check("10.0.0.77/24", 255, Some("10.0.0.255"));
    check("10.0.0.0/24", 256, None);
    check("255.255.255.0/24", 256, None);
    check("10.0.0.0/24", u128::MAX, None);
    check("fd00::/64", 0xffff, Some("fd00::ffff"));
    check("fd00::/126", 4, None);
}

#[test]
fn a_family_has_one_subnet() {
    let subnets = |texts: &[&str]| {
        Subnets::new(texts.iter().map(|text| Subnet::parse(text).unwrap()).collect())
    };
    assert!(subnets(&["fd00::/64", "10.0.0.0/16"]).is_ok());
    let problem = subnets(&["10.0.0.0/16", "fd00::/64", "10.9.0.0/16"]).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "10.0.0.0/16 and 10.9.0.0/16 are both IPv4; a network has at most one subnet of each family"
    );
}
