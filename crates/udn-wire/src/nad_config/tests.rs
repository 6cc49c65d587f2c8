//! Texts of NADs and the networks that they mean.

use udn_model::{ClusterSettings, ObjectName, Reason, Role, Topology};

use super::{NadConfig, NetConf};

fn read(keys: &str) -> Result<super::ReadNetwork, super::Refusal> {
    let text =
        format!(r#"{{"name":"n","type":"ovn-k8s-cni-overlay","netAttachDefName":"a/b"{keys}}}"#);
    match NadConfig::decode(&text)? {
        NadConfig::Network(config) => {
            config.read_nad(&ObjectName::new("a", "b"), &ClusterSettings::default())
        }
        other @ (NadConfig::Foreign | NadConfig::DefaultNetwork) => panic!("{other:?}"),
    }
}

fn check(keys: &str, want: (Reason, &str)) {
    let refusal = read(keys).expect_err(keys);
    assert_eq!((refusal.reason, refusal.message.as_str()), want, "{keys}");
}

#[test]
fn a_primary_network_is_read_with_its_defaults() {
    let read = read(
        r#","topology":"layer2","role":"primary","subnets":"10.0.0.0/16, fd00::/64",
        "joinSubnet":"100.66.0.0/16","transitSubnet":"100.90.0.0/16","mtu":1400"#,
    );
    let read = read.unwrap();
    let primary = read.network.primary().unwrap();
    assert_eq!(primary.join.v4.unwrap().to_string(), "100.66.0.0/16");
    assert_eq!(primary.join.v6.unwrap().to_string(), "fd99::/64");
    assert_eq!(read.transit.v4.unwrap().to_string(), "100.90.0.0/16");
    assert_eq!(read.network.nads, [ObjectName::new("a", "b")]);
}

#[test]
fn a_localnet_without_a_physical_network_takes_its_own_name() {
    let network = read(r#","topology":"localnet","vlanID":7"#).unwrap().network;
    let localnet = network.localnet().unwrap();
    assert_eq!(localnet.physical_network, "n");
    assert_eq!(localnet.vlan.map(udn_model::Vlan::get), Some(7));
    assert_eq!(network.mtu, None);
}

#[test]
fn ranges_of_a_secondary_network_are_never_given() {
    let network = read(
        r#","topology":"layer2","subnets":"10.0.0.0/24","excludeSubnets":"10.0.0.0/30",
        "reservedSubnets":"10.0.0.8/30","infrastructureSubnets":"10.0.0.16/30""#,
    );
    let network = network.unwrap().network;
    assert_eq!(network.topology, Topology::Layer2(Role::Secondary));
    assert_eq!(network.excluded.len(), 3);
}

#[test]
fn nulls_and_unknown_keys_are_ignored() {
    let network = read(r#","topology":"layer2","mtu":null,"subnets":null,"ipam":{},"x":[1]"#);
    assert!(!network.unwrap().network.has_ipam());
}

#[test]
fn what_is_wrong_is_told() {
    use Reason::{FeatureOff, InvalidConfig, NotSupported};
    let l2 = |keys: &str| format!(r#","topology":"layer2"{keys}"#);
    let localnet = |keys: &str| format!(r#","topology":"localnet"{keys}"#);
    let table = [
        (l2(r#","role":"Primary""#), "role is \"Primary\"; write primary or secondary"),
        (
            l2(r#","role":"primary""#),
            "a primary layer2 network needs subnets; list one for each family",
        ),
        (l2(r#","mtu":100"#), "mtu is 100; write 576 to 65536"),
        (l2(r#","mtu":-1"#), "mtu is -1; write 576 to 65536"),
        (
            l2(r#","subnets":"10.0.0.0/8,11.0.0.0/8""#),
            "subnets: 10.0.0.0/8 and 11.0.0.0/8 are both IPv4; a network has at most one subnet of \
             each family; remove one",
        ),
        (
            l2(r#","subnets":"10.0.0.0/8","excludeSubnets":"11.0.0.0/24""#),
            "excludeSubnets: 11.0.0.0/24 lies in none of the subnets; choose one inside or remove \
             it",
        ),
        (
            l2(r#","subnets":"10.0.0.0""#),
            "subnets: \"10.0.0.0\" has no prefix length; write 10.0.0.0/32",
        ),
        (
            l2(r#","role":"primary","subnets":"10.0.0.0/8","defaultGatewayIPs":"11.0.0.1""#),
            "defaultGatewayIPs: 11.0.0.1 is in none of the subnets; choose one inside",
        ),
        (
            l2(r#","outboundSNAT":"enabled""#),
            "outboundSNAT goes with transport no-overlay only; \
            remove the key",
        ),
        (l2(r#","transport":"pigeon""#), "transport \"pigeon\" is not known; remove the key"),
        (
            localnet(r#","role":"primary""#),
            "a localnet is never primary; write role secondary or \
            leave it out",
        ),
        (
            localnet(r#","joinSubnet":"1.0.0.0/8""#),
            "joinSubnet is not for localnets; remove the key",
        ),
        (localnet(r#","vlanID":4095"#), "vlanID is 4095; write 1 to 4094"),
        (
            r#","topology":"mesh""#.to_owned(),
            "topology is \"mesh\"; write layer2, layer3 or localnet",
        ),
        (
            l2(r#","ipam":{"type":"dhcp"}"#),
            "ipam is not used here; remove the key and list \
            `subnets` instead",
        ),
    ];
    for (keys, message) in table {
        check(&keys, (InvalidConfig, message));
    }
    check(
        r#","topology":"layer3""#,
        (InvalidConfig, "a layer3 network needs subnets; list at least one"),
    );
    let evpn = l2(r#","transport":"evpn""#);
    check(&evpn, (FeatureOff, "transport evpn is switched off in this cluster; remove the key"));
    let uplink = l2(r#","uplink":"u""#);
    check(&uplink, (NotSupported, "uplink is not built yet; remove the key"));
}

#[test]
fn a_layer3_network_has_ranges_that_are_cut_for_nodes() {
    let l3 = |keys: &str| format!(r#","topology":"layer3"{keys}"#);
    let cut = |keys: &str| {
        let network = read(&l3(keys)).unwrap().network;
        let layer3 = network.layer3().unwrap().clone();
        let each = layer3.subnets.iter();
        let parts = each.map(|it| format!("{} by {}", it.subnet, it.host_prefix_len));
        (parts.collect::<Vec<_>>().join(", "), network.is_primary())
    };
    assert_eq!(cut(r#","subnets":"10.0.0.0/16""#), ("10.0.0.0/16 by 24".to_owned(), false));
    let all = "10.0.0.0/16 by 24, 11.0.0.0/16 by 24, fd00::/48 by 64, fd01::/48 by 64";
    assert_eq!(
        cut(
            r#","subnets":"10.0.0.0/16/24, 11.0.0.0/16, fd00::/48/64, fd01::/48","role":"primary""#
        ),
        (all.to_owned(), true)
    );
}

#[test]
fn what_is_wrong_with_a_layer3_network_is_told() {
    let l3 = |keys: &str| format!(r#","topology":"layer3"{keys}"#);
    let table = [
        (r#","role":"Primary""#, "role is \"Primary\"; write primary or secondary"),
        (
            r#","allowPersistentIPs":true"#,
            "allowPersistentIPs is not for layer3 networks; remove the key",
        ),
        (
            r#","reservedSubnets":"10.0.0.0/24""#,
            "reservedSubnets is for layer2 networks only; remove the key",
        ),
        (
            r#","subnets":"10.0.0.0/16/16""#,
            "subnets: 10.0.0.0/16 gives nodes a /16; write more than /16, the subnet's own length",
        ),
        (
            r#","subnets":"10.0.0.0/16/32""#,
            "subnets: 10.0.0.0/16 gives nodes a /32; write less than /32",
        ),
        (
            r#","subnets":"fd00::/48/80""#,
            "subnets: fd00::/48 gives nodes a /80; IPv6 allows /64 only",
        ),
        (
            r#","subnets":"10.0.0.0/16/24,11.0.0.0/16/25""#,
            "subnets: 11.0.0.0/16/25 gives nodes a /25, but an earlier one another size; parts of \
             IPv4 subnets are of one size",
        ),
        (r#","subnets":"10.0.0.0/16/x""#, "subnets: 10.0.0.0/16/x: \"x\" is not a prefix length"),
    ];
    for (keys, message) in table {
        check(&l3(keys), (Reason::InvalidConfig, message));
    }
}

#[test]
fn nads_of_others_are_not_ours() {
    let decode = |text: &str| NadConfig::decode(text);
    assert_eq!(decode(r#"{"type":"bridge","topology":7}"#), Ok(NadConfig::Foreign));
    assert_eq!(decode(r#"{"type":"ovn-k8s-cni-overlay"}"#), Ok(NadConfig::DefaultNetwork));
    for text in ["", "{", "[]", "null", "7", r#"{"plugins":[]}"#] {
        assert!(!matches!(decode(text), Ok(NadConfig::Network(_))), "{text}");
    }
}

#[test]
fn signs_of_markup_are_escaped_as_go_does() {
    let physical_network_name = "a<b>&c".to_owned();
    let text = NetConf { physical_network_name, ..NetConf::default() }.encode();
    assert_eq!(
        text,
        "{\"cniVersion\":\"1.1.0\",\"physicalNetworkName\":\"a\\u003cb\\u003e\\u0026c\",\
         \"type\":\"ovn-k8s-cni-overlay\"}"
    );
}
