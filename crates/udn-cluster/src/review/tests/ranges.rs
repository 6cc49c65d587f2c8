//! Subnets that the cluster needs for itself.

use super::{check, nad, namespace, silent, udn};

/// Compares what is told of a primary network in a labelled namespace.
fn check_layer2(layer2: &str, want: &[&str]) {
    let want: Vec<String> = want
        .iter()
        .map(|text| {
            format!("UserDefinedNetwork a/net: SubnetOverlap: spec.layer2.{text}; choose another")
        })
        .collect();
    let want: Vec<&str> = want.iter().map(String::as_str).collect();
    let udn = udn("a/net", &format!("role: Primary, {layer2}"));
    check(&[&namespace("a", true), &udn], &want);
}

#[test]
fn ranges_of_the_cluster_are_kept_clear_of() {
    let table = [
        ("10.128.0.0/16", "cluster subnet 10.128.0.0/14"),
        ("10.0.0.0/8", "cluster subnet 10.128.0.0/14"),
        ("172.30.9.0/24", "service subnet 172.30.0.0/16"),
        ("100.64.0.0/24", "default network's join subnet 100.64.0.0/16"),
        ("169.254.0.0/24", "masquerade subnet 169.254.0.0/17"),
        ("100.65.8.0/24", "network's own join subnet 100.65.0.0/16"),
        ("fd01::/64", "cluster subnet fd01::/48"),
        ("fd02::/64", "service subnet fd02::/112"),
        ("fd98::/64", "default network's join subnet fd98::/64"),
        ("fd69::/64", "masquerade subnet fd69::/112"),
        ("fd99::/60", "network's own join subnet fd99::/64"),
    ];
    for (subnet, other) in table {
        let want = format!("subnets[0]: subnet {subnet} overlaps the {other}");
        check_layer2(&format!("subnets: ['{subnet}']"), &[&want]);
    }
    check_layer2(
        "subnets: [10.1.0.0/16, 'fd02::/64'], joinSubnets: [172.30.0.0/24, 'fd98::/64']",
        &[
            "joinSubnets: join subnet 172.30.0.0/24 overlaps the service subnet 172.30.0.0/16",
            "joinSubnets: join subnet fd98::/64 overlaps the default network's join subnet fd98::/64",
            "subnets[1]: subnet fd02::/64 overlaps the service subnet fd02::/112",
        ],
    );
}

#[test]
fn neighbours_of_those_ranges_are_free() {
    for subnet in
        ["10.127.0.0/16", "10.132.0.0/16", "172.31.0.0/16", "100.66.0.0/16", "169.254.128.0/17"]
    {
        check_layer2(&format!("subnets: [{subnet}]"), &[]);
    }
    for subnet in ["fd00::/64", "fd01:1::/48", "fd02::1:0/112", "fd97::/64", "fd69:1::/64"] {
        check_layer2(&format!("subnets: ['{subnet}']"), &[]);
    }
    // The ledger finds a transit subnet elsewhere.
    check_layer2("subnets: [100.88.0.0/16]", &[]);
    // Another network's subnets do not matter: the two are apart.
    let both = udn("b/net", "role: Primary, subnets: [10.1.0.0/16, 'fd10::/64']");
    let same = both.replace("namespace: b", "namespace: a");
    silent(&[&namespace("a", true), &namespace("b", true), &both, &same]);
}

#[test]
fn a_transit_subnet_that_stands_in_a_nad_counts() {
    let config = |transit: &str| {
        let keys = r#""name":"main","topology":"layer2","role":"primary","subnets":"10.1.0.0/16""#;
        nad("a/n", &format!("{keys},\"transitSubnet\":\"{transit}\""))
    };
    let told = |what: &str| {
        format!(
            "NetworkAttachmentDefinition a/n: SubnetOverlap: spec.config: {what}; choose another"
        )
    };
    let a = namespace("a", true);
    silent(&[&a, &config("100.88.0.0/16")]);
    let want = told("transit subnet 172.30.8.0/24 overlaps the service subnet 172.30.0.0/16");
    check(&[&a, &config("172.30.8.0/24")], &[&want]);
    let want = told("subnet 10.1.0.0/16 overlaps the network's own transit subnet 10.1.8.0/24");
    check(&[&a, &config("10.1.8.0/24")], &[&want]);
}

#[test]
fn a_localnet_may_be_any_network() {
    let localnet = super::localnet("l", "physicalNetworkName: p, subnets: [10.128.0.0/16]");
    silent(&[&namespace("a", false), &localnet]);
}
