//! What stands on nodes.

use udn_model::{NodeName, PerFamily, Subnet};

use super::{
    GatewayConfig, decode_encap_ips, decode_host_cidrs, decode_id, decode_layer2_version,
    decode_primary_address, encode_encap_ips, encode_host_cidrs, encode_id,
    encode_masquerade_subnets, encode_primary_address,
};

const GATEWAY: &str = concat!(
    r#"{"default":{"mode":"shared","bridge-id":"br-ex","interface-id":"br-ex_node1","#,
    r#""mac-address":"02:42:ac:12:00:03","ip-addresses":["172.18.0.3/16"],"#,
    r#""ip-address":"172.18.0.3/16","next-hops":["172.18.0.1"],"next-hop":"172.18.0.1","#,
    r#""node-port-enable":"true","vlan-id":"0"}}"#
);

#[test]
fn a_gateway_is_read_and_written_as_the_wire_has_it() {
    let config = GatewayConfig::decode(GATEWAY).unwrap().unwrap();
    assert_eq!(config.encode(&NodeName::new("node1")), GATEWAY);
    let tagged = GATEWAY.replace("\"vlan-id\":\"0\"", "\"vlan-id\":\"9\"");
    let config = GatewayConfig::decode(&tagged).unwrap().unwrap();
    assert_eq!(config.gateway.vlan.map(udn_model::Vlan::get), Some(9));
    assert_eq!(config.encode(&NodeName::new("node1")), tagged);
}

#[test]
fn two_families_have_no_single_form() {
    let both = GATEWAY
        .replace(
            "[\"172.18.0.3/16\"],\"ip-address\":\"172.18.0.3/16\"",
            "[\"1.0.0.1/8\",\"fd::1/64\"]",
        )
        .replace("[\"172.18.0.1\"],\"next-hop\":\"172.18.0.1\"", "[\"1.0.0.9\",\"fd::9\"]");
    let config = GatewayConfig::decode(&both).unwrap().unwrap();
    assert_eq!(config.gateway.addresses.len(), 2);
    assert_eq!(config.encode(&NodeName::new("node1")), both);
}

#[test]
fn a_gateway_may_be_switched_off() {
    assert_eq!(GatewayConfig::decode(r#"{"default":{"mode":""}}"#), Ok(None));
    assert_eq!(GatewayConfig::encode_none(), r#"{"default":{"mode":""}}"#);
    for text in ["", "{}", r#"{"default":{"mode":"both"}}"#, r#"{"default":{"mode":"local"}}"#] {
        assert!(GatewayConfig::decode(text).is_err(), "{text}");
    }
}

#[test]
fn single_texts_are_read_and_written() {
    assert_eq!(decode_id("2").map(encode_id), Ok("2".to_owned()));
    for text in ["0", "1", "5000", "x"] {
        assert!(decode_id(text).is_err(), "{text}");
    }
    let cidrs = r#"["10.0.0.1/8","fd00::1/64"]"#;
    let read = decode_host_cidrs(r#"["fd00::1/64","10.0.0.1/8"]"#).unwrap();
    assert_eq!(encode_host_cidrs(&read), cidrs);
    assert!(decode_host_cidrs("[\"10.0.0.1\"]").is_err());
    let ips = r#"["10.0.0.1","fd00::1"]"#;
    assert_eq!(decode_encap_ips(ips).map(|it| encode_encap_ips(&it)), Ok(ips.to_owned()));
    let primary = r#"{"ipv4":"10.0.0.1/8","ipv6":"fd00::1/64"}"#;
    let again = decode_primary_address(primary).map(|it| encode_primary_address(&it));
    assert_eq!(again, Ok(primary.to_owned()));
    assert!(decode_primary_address(r#"{"ipv4":"fd00::1/64"}"#).is_err());
    assert_eq!(decode_layer2_version("2.0"), Ok(true));
    assert!(decode_layer2_version("9").is_err());
}

#[test]
fn masquerade_subnets_are_written_as_on_the_wire() {
    let subnet = |text| Some(Subnet::parse(text).unwrap());
    let both = PerFamily { v4: subnet("169.254.0.0/17"), v6: subnet("fd69::/112") };
    let want = r#"{"ipv4":"169.254.0.0/17","ipv6":"fd69::/112"}"#;
    assert_eq!(encode_masquerade_subnets(&both), want);
    let four = PerFamily { v6: None, ..both };
    assert_eq!(encode_masquerade_subnets(&four), r#"{"ipv4":"169.254.0.0/17"}"#);
}
