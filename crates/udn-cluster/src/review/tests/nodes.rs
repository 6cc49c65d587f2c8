//! Networks and the nodes' own addresses.

use super::{check, localnet, namespace, silent, udn};

const NODES: &str = "
{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {
  k8s.ovn.org/host-cidrs: '[\"172.18.0.3/24\",\"fd00:18::3/64\",\"192.168.9.9/32\"]'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, annotations: {
  k8s.ovn.org/host-cidrs: '[\"172.18.0.4/24\",\"fd00:18::4/64\"]'}}}
";

fn check_layer2(role: &str, subnets: &str, want: &[&str]) {
    let net = udn("a/net", &format!("role: {role}, subnets: [{subnets}]"));
    let want: Vec<String> = want
        .iter()
        .map(|text| {
            format!(
                "UserDefinedNetwork a/net: NodeOverlap: spec.layer2.{text}, so that pods on it cannot \
                 reach what is there; choose another"
            )
        })
        .collect();
    let want: Vec<&str> = want.iter().map(String::as_str).collect();
    check(&[NODES, &namespace("a", true), &net], &want);
}

#[test]
fn a_network_over_the_nodes_is_told() {
    for role in ["Primary", "Secondary"] {
        check_layer2(
            role,
            "172.18.0.0/16, 'fd00:18::/80'",
            &[
                "subnets[0]: subnet 172.18.0.0/16 overlaps 172.18.0.0/24, where node n1 has 172.18.0.3",
                "subnets[1]: subnet fd00:18::/80 overlaps fd00:18::/64, where node n1 has fd00:18::3",
            ],
        );
        let single = "subnets[0]: subnet 192.168.9.0/24 overlaps 192.168.9.9/32, where node n1 has \
                      192.168.9.9";
        check_layer2(role, "192.168.9.0/24", &[single]);
        check_layer2(role, "172.18.1.0/24, 'fd00:18:0:1::/64'", &[]);
    }
}

#[test]
fn a_localnet_gives_no_address_of_a_node() {
    let a = namespace("a", false);
    let net = |subnets: &str, more: &str| {
        localnet("l", &format!("physicalNetworkName: p, subnets: [{subnets}]{more}"))
    };
    let told = |text: &str| {
        format!("ClusterUserDefinedNetwork l: NodeOverlap: spec.network.localnet.{text}")
    };
    let both = "172.18.0.0/24, 'fd00:18::/64'";
    let want = [
        told(
            "subnets[0]: subnet 172.18.0.0/24 holds 172.18.0.3 of node n1, which may be given to a pod, \
             and so do 1 more addresses of nodes; add it to excludeSubnets",
        ),
        told(
            "subnets[1]: subnet fd00:18::/64 holds fd00:18::3 of node n1, which may be given to a pod, \
             and so do 1 more addresses of nodes; add it to excludeSubnets",
        ),
    ];
    check(&[NODES, &a, &net(both, "")], &want.each_ref().map(String::as_str));
    let excluding = ", excludeSubnets: [172.18.0.0/30, 'fd00:18::/112']";
    let want = told(
        "subnets[0]: subnet 172.18.0.0/24 holds 172.18.0.4 of node n2, which may be given to a pod; add \
         it to excludeSubnets",
    );
    check(&[NODES, &a, &net(both, excluding)], &[&want]);
    silent(&[NODES, &a, &net(both, &excluding.replace("/30", "/28"))]);
    silent(&[NODES, &a, &net("172.18.1.0/24, 'fd00:18:0:1::/64'", "")]);
    silent(&[NODES, &a, &localnet("l", "physicalNetworkName: p, ipam: {mode: Disabled}")]);
}

#[test]
fn a_layer3_network_with_too_few_parts_for_the_nodes_is_told() {
    let routed = "{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: net, \
                  namespace: a}, spec: {topology: Layer3, layer3: {role: Secondary, subnets: [{cidr: \
                  10.1.0.0/23}]}}}";
    let node = |name: &str| format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}");
    let nodes = ["n1", "n2", "n3"].map(node);
    let home = namespace("a", false);
    check(&[&home, routed, &nodes[0], &nodes[1]], &[]);
    let told = [
        "network a_net: PoolExhausted: all 2 IPv4 subnets for nodes are in use (2 of 2), so that these \
         have none: n3; append a subnet to the network, or remove nodes that no longer exist",
        "node n3: PoolExhausted: all 2 IPv4 subnets for nodes of network a_net are in use (2 of 2); \
         append a subnet to the network, or remove nodes that no longer exist",
    ];
    check(&[&home, routed, &nodes[0], &nodes[1], &nodes[2]], &told);
}

#[test]
fn nodes_within_the_ranges_of_a_layer3_network_are_told() {
    let routed = "{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {name: net, \
                  namespace: a}, spec: {topology: Layer3, layer3: {role: Secondary, subnets: [{cidr: \
                  192.0.2.0/24, hostSubnet: 28}]}}}";
    let host = "{apiVersion: v1, kind: Node, metadata: {name: n1, annotations: {k8s.ovn.org/host-cidrs: \
                '[\"192.0.2.7/26\"]'}}}";
    let told = "UserDefinedNetwork a/net: NodeOverlap: spec.layer3.subnets[0].cidr: subnet 192.0.2.0/24 \
                overlaps 192.0.2.0/26, where node n1 has 192.0.2.7, so that pods on it cannot reach what \
                is there; choose another";
    check(&[&namespace("a", false), routed, host], &[told]);
}
