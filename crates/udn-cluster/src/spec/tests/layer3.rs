//! Layer-3 networks: judged and rendered.

use serde_json::{Value, json};
use udn_model::{ClusterSettings, ObjectName};

use super::{check_below, udn};
use crate::spec::config_of_udn;

fn spec(layer3: &Value) -> Value {
    json!({"topology": "Layer3", "layer3": layer3})
}

fn rendered(layer3: &Value) -> Value {
    let name = ObjectName::new("ns", "net");
    let config =
        config_of_udn(&name, &(&spec(layer3)).into(), &ClusterSettings::default()).unwrap();
    serde_json::from_str(&config.encode()).unwrap()
}

#[test]
fn it_is_rendered_and_read() {
    let layer3 = json!({"role": "Primary", "mtu": 1300, "subnets": [
        {"cidr": "10.0.0.0/16"}, {"cidr": "10.1.0.0/16"}, {"cidr": "fd00::/48", "hostSubnet": 64}]});
    assert_eq!(
        rendered(&layer3),
        json!({"cniVersion": "1.1.0", "joinSubnet": "100.65.0.0/16,fd99::/64", "mtu": 1300,
            "name": "ns_net", "role": "primary", "topology": "layer3", "type": "ovn-k8s-cni-overlay",
            "subnets": "10.0.0.0/16,10.1.0.0/16,fd00::/48/64"})
    );
    let network = udn(&spec(&layer3)).unwrap().read.network;
    let parts = network.layer3().unwrap().subnets.iter();
    let parts: Vec<String> =
        parts.map(|it| format!("{}/{}", it.subnet, it.host_prefix_len)).collect();
    assert_eq!(parts, ["10.0.0.0/16/24", "10.1.0.0/16/24", "fd00::/48/64"]);
    assert!(network.is_primary());
    let secondary = json!({"role": "Secondary", "subnets": [{"cidr": "10.0.0.0/16",
        "hostSubnet": 24}, {"cidr": "fd00::/48"}]});
    assert_eq!(rendered(&secondary)["subnets"], "10.0.0.0/16/24,fd00::/48");
    assert_eq!(rendered(&secondary).get("joinSubnet"), None);
}

#[test]
fn what_it_asks_for_is_judged() {
    let table = [
        (json!({"role": "Primary"}), vec!["subnets: subnets are missing; list at least one"]),
        (
            json!({"role": "Secondary", "joinSubnets": ["100.70.0.0/16"], "mtu": 1000, "subnets": [
                {"cidr": "fd00::/48"}, {"cidr": "fd01::/48"}, {"cidr": "fd02::/48"}]}),
            vec![
                "subnets: subnets has 3 items; keep at most 2",
                "subnets[1].cidr: fd00::/48 and fd01::/48 are both IPv6; keep one of each family",
                "mtu: mtu is 1000; IPv6 needs at least 1280",
                "joinSubnets: joinSubnets is for primary networks only; remove it",
            ],
        ),
        (
            json!({"role": "Primary", "subnets": [
                {"cidr": "10.0.0.0/16", "hostSubnet": 24}, {"cidr": "10.0.1.0/24", "hostSubnet": 24},
                {"cidr": "10.1.0.0/16"}, {"cidr": "nine"}, {"hostSubnet": 24}]}),
            vec![
                "subnets[3].cidr: \"nine\" is not a CIDR such as 10.0.0.0/16 or fd00::/64",
                "subnets[4].cidr: \"\" is not a CIDR such as 10.0.0.0/16 or fd00::/64",
                "subnets[1].cidr: 10.0.0.0/16 and 10.0.1.0/24 overlap; remove one of them",
                "subnets[1].hostSubnet: hostSubnet is 24; write more than 24, the subnet's own length",
                "subnets[2].hostSubnet: 10.1.0.0/16 gives nodes the default, but 10.0.0.0/16 gives \
                 them a /24; parts of IPv4 subnets are of one size",
            ],
        ),
        (
            json!({"role": "Primary", "subnets": [
                {"cidr": "10.0.0.0/16", "hostSubnet": 32}, {"cidr": "fd00::/48", "hostSubnet": 80}]}),
            vec![
                "subnets[0].hostSubnet: hostSubnet is 32; write less than 32 for IPv4",
                "subnets[1].hostSubnet: hostSubnet is 80; IPv6 allows 64 only",
            ],
        ),
        (
            json!({"role": "Primary", "subnets": [{"cidr": "10.0.0.0/28"}, {"cidr": "fd00::/64"}]}),
            vec![
                "subnets[0].cidr: 10.0.0.0/28 has no room for nodes, each of which gets a /24; choose \
                 a larger subnet, or set hostSubnet",
                "subnets[1].cidr: fd00::/64 has no room for nodes, each of which gets a /64; choose a \
                 larger subnet",
            ],
        ),
    ];
    for (layer3, want) in table {
        check_below("spec.layer3", udn(&spec(&layer3)).unwrap_err(), &want);
    }
}
