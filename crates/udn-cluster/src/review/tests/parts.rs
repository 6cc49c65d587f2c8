//! Worlds that are a part of what a cluster has.

use super::{check, localnet, namespace, silent, udn};

fn pod(name: &str, networks: &str) -> String {
    let (namespace, name) = name.split_once('/').unwrap();
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{namespace: {namespace}, name: {name}, annotations: \
         {{k8s.v1.cni.cncf.io/networks: {networks}}}}}, spec: {{nodeName: n1}}}}"
    )
}

const PRIMARY: &str = "role: Primary, subnets: [10.1.0.0/16]";

#[test]
fn one_manifest_alone_is_in_order() {
    silent(&[&udn("a/net", PRIMARY)]);
    let selecting = localnet("l", "physicalNetworkName: p, ipam: {mode: Disabled}")
        .replace("namespaceSelector: {}", "namespaceSelector: {matchLabels: {x: other}}");
    silent(&[&selecting]);
    silent(&[&pod("a/p", "b/vlan")]);
}

#[test]
fn with_namespaces_a_missing_one_is_told() {
    let told = "UserDefinedNetwork a/net: NamespaceNotFound: metadata.namespace: namespace a does not \
                exist; create it with the label k8s.ovn.org/primary-user-defined-network, which a \
                primary network needs";
    check(&[&namespace("b", true), &udn("a/net", PRIMARY)], &[told]);
    let at = "metadata.annotations[k8s.v1.cni.cncf.io/networks]";
    let told = format!(
        "pod a/p: NamespaceNotFound: {at}: NAD b/vlan does not exist, nor does namespace b; create them \
         or correct the name"
    );
    check(&[&namespace("a", false), &pod("a/p", "b/vlan")], &[&told]);
    let told = format!(
        "pod a/p: DefinitionNotFound: {at}: NAD a/vlan does not exist; create it or correct the name"
    );
    check(&[&namespace("a", false), &pod("a/p", "vlan")], &[&told]);
    let net = localnet("vlan", "physicalNetworkName: p, ipam: {mode: Disabled}");
    silent(&[&namespace("a", false), &pod("a/p", "vlan"), &net]);
}

#[test]
fn with_nodes_a_missing_one_is_told() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: n2}}";
    let net = localnet("vlan", "physicalNetworkName: p, ipam: {mode: Disabled}");
    let told = "pod a/p: NotScheduled: spec.nodeName: node n1 does not exist; add it or let the pod go \
                elsewhere";
    check(&[node, &namespace("a", false), &pod("a/p", "vlan"), &net], &[told]);
    let there = node.replace("n2", "n1");
    silent(&[&there, &namespace("a", false), &pod("a/p", "vlan"), &net]);
}
