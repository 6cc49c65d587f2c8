//! Networks without a free address.

use super::{check, localnet, namespace, silent, udn};

fn check_layer2(layer2: &str, want: &[&str]) {
    let net = udn("a/net", &format!("role: Primary, {layer2}"));
    let want: Vec<String> =
        want.iter().map(|text| format!("UserDefinedNetwork a/net: {text}")).collect();
    let want: Vec<&str> = want.iter().map(String::as_str).collect();
    check(&[&namespace("a", true), &net], &want);
}

#[test]
fn a_subnet_full_of_its_own_addresses_is_told() {
    let remedy = "choose a larger subnet or smaller ranges";
    let full = format!(
        "NoAddressLeft: spec.layer2.subnets[0]: subnet 10.1.0.0/30 leaves no address for workloads: all \
         are taken by the subnet's first and last address and the network's own 10.1.0.1 and 10.1.0.2; \
         {remedy}"
    );
    check_layer2("subnets: [10.1.0.0/30]", &[&full]);
    check_layer2("subnets: [10.1.0.0/29]", &[]);
    let full = format!(
        "NoAddressLeft: spec.layer2.subnets[1]: subnet fd10::/127 leaves no address for workloads: all \
         are taken by the subnet's first address and the network's own fd10::1 and fd10::1; {remedy}"
    );
    check_layer2("subnets: [10.1.0.0/29, 'fd10::/127']", &[&full]);
    check_layer2("subnets: ['fd10::/126']", &[]);
    let full = format!(
        "NoAddressLeft: spec.layer2.subnets[0]: subnet 10.1.0.0/28 leaves no address for workloads: all \
         are taken by the subnet's first and last address, the network's own 10.1.0.1 and 10.1.0.2 and \
         infrastructureSubnets (10.1.0.0/29, 10.1.0.8/29); {remedy}"
    );
    let ranges = "infrastructureSubnets: [10.1.0.0/29, 10.1.0.8/29]";
    check_layer2(&format!("subnets: [10.1.0.0/28], {ranges}"), &[&full]);
    check_layer2(&format!("subnets: [10.1.0.0/28], {}", ranges.replace(".8/29", ".8/30")), &[]);
}

#[test]
fn addresses_only_on_request_are_told() {
    let told = "OnlyOnRequest: spec.layer2.subnets[0]: subnet 10.1.0.0/28 has no address for workloads \
                that ask for none: reservedSubnets (10.1.0.0/29, 10.1.0.8/29) leave nothing; make them \
                smaller unless that is meant";
    let ranges = "reservedSubnets: [10.1.0.0/29, 10.1.0.8/29]";
    check_layer2(&format!("subnets: [10.1.0.0/28], {ranges}"), &[told]);
    check_layer2(&format!("subnets: [10.1.0.0/28], {}", ranges.replace(".8/29", ".8/30")), &[]);
    let told = "OnlyOnRequest: spec.layer2.subnets[0]: subnet fd10::/124 has no address for workloads \
                that ask for none: reservedSubnets (fd10::4/126, fd10::8/125) leave nothing; make them \
                smaller unless that is meant";
    let ranges = "reservedSubnets: ['fd10::4/126', 'fd10::8/125']";
    let infrastructure = "infrastructureSubnets: ['fd10::/126']";
    check_layer2(&format!("subnets: ['fd10::/124'], {ranges}, {infrastructure}"), &[told]);
    check_layer2(&format!("subnets: ['fd10::/124'], {ranges}"), &[]);
}

#[test]
fn a_localnet_that_excludes_everything_is_told() {
    let a = namespace("a", false);
    let net = |excluded: &str| {
        let subnets = "subnets: [192.168.0.0/29, 'fd10::/64']";
        localnet("l", &format!("physicalNetworkName: p, {subnets}, excludeSubnets: [{excluded}]"))
    };
    let full = "ClusterUserDefinedNetwork l: NoAddressLeft: spec.network.localnet.subnets[0]: subnet \
                192.168.0.0/29 leaves no address for workloads: all are taken by the subnet's first and \
                last address and excludeSubnets (192.168.0.0/30, 192.168.0.4/31, 192.168.0.6/32); \
                choose a larger subnet or smaller ranges";
    check(&[&a, &net("192.168.0.0/30, 192.168.0.4/31, 192.168.0.6/32")], &[full]);
    silent(&[&a, &net("192.168.0.0/30, 192.168.0.4/31")]);
    let full = "ClusterUserDefinedNetwork l: NoAddressLeft: spec.network.localnet.subnets[1]: subnet \
                fd10::/64 leaves no address for workloads: all are taken by the subnet's first address \
                and excludeSubnets (fd10::/64); choose a larger subnet or smaller ranges";
    check(&[&a, &net("'fd10::/64'")], &[full]);
    silent(&[&a, &localnet("l", "physicalNetworkName: p, ipam: {mode: Disabled}")]);
}

#[test]
fn parts_for_nodes_without_an_address_for_pods_are_told() {
    let routed = |part: u8| {
        format!(
            "{{apiVersion: k8s.ovn.org/v1, kind: UserDefinedNetwork, metadata: {{name: net, namespace: \
             a}}, spec: {{topology: Layer3, layer3: {{role: Primary, subnets: [{{cidr: 10.1.0.0/16, \
             hostSubnet: {part}}}]}}}}}}"
        )
    };
    let told = "UserDefinedNetwork a/net: NoAddressLeft: spec.layer3.subnets[0].cidr: subnet \
                10.1.0.0/16 gives each node a /30, which leaves no address for pods; choose parts of \
                /29 at most";
    check(&[&namespace("a", true), &routed(30)], &[told]);
    check(&[&namespace("a", true), &routed(29)], &[]);
}
