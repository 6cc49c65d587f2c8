//! Networks and the namespaces that they are for.

use super::{check, localnet, namespace, silent, udn};

const OFF: &str = "physicalNetworkName: p, ipam: {mode: Disabled}";

#[test]
fn a_selector_that_matches_nothing_is_told() {
    let selecting = |selector: &str| {
        localnet("l", OFF)
            .replace("namespaceSelector: {}", &format!("namespaceSelector: {selector}"))
    };
    let idle = "ClusterUserDefinedNetwork l: NothingSelected: spec.namespaceSelector: \
                namespaceSelector matches no namespace, so that nobody gets the network; correct it \
                or label a namespace";
    let (a, b) = (namespace("a", true), namespace("b", false));
    check(&[&a, &b, &selecting("{matchLabels: {x: other}}")], &[idle]);
    check(&[&a, &b, &selecting("{matchExpressions: [{key: other, operator: Exists}]}")], &[idle]);
    silent(&[&a, &b, &selecting("{matchLabels: {x: z}}")]);
    silent(&[&a, &b, &selecting("{matchExpressions: [{key: x, operator: DoesNotExist}]}")]);
    // One that is being deleted has let go of its namespaces.
    let leaving = selecting("{matchLabels: {x: other}}")
        .replace("{name: l}", "{name: l, deletionTimestamp: '2026-01-01T00:00:00Z'}");
    silent(&[&a, &b, &leaving]);
    // A network that is not built yet has a selector all the same.
    let evpn =
        selecting("{matchLabels: {x: other}}").replace("{topology", "{transport: EVPN, topology");
    let refused = "ClusterUserDefinedNetwork l: InvalidSpec: spec.network.transport: transport EVPN is \
                   for primary Layer2 and Layer3 networks only; remove it";
    let missing = "ClusterUserDefinedNetwork l: InvalidSpec: spec.network.evpn: transport EVPN needs \
                   evpn; write vtep and a VRF";
    check(&[&a, &b, &evpn], &[missing, refused, idle]);
}

#[test]
fn a_namespace_has_one_primary_network() {
    let (one, two) = (
        udn("a/one", "role: Primary, subnets: [10.1.0.0/16]"),
        udn("a/two", "role: Primary, subnets: ['fd10::/64']"),
    );
    let conflict = "UserDefinedNetwork a/two: PrimaryConflict: metadata.namespace: namespace a has its \
                    primary network through NAD a/one; NAD a/two would be a second one, so delete one \
                    of the two";
    check(&[&namespace("a", true), &one, &two], &[conflict]);
    silent(&[&namespace("a", true), &one, &two.replace("Primary", "Secondary")]);
    let elsewhere = two.replace("namespace: a", "namespace: b");
    silent(&[&namespace("a", true), &namespace("b", true), &one, &elsewhere]);
}

#[test]
fn a_primary_network_needs_the_label() {
    let net = udn("a/net", "role: Primary, subnets: [10.1.0.0/16]");
    let bare = "UserDefinedNetwork a/net: NamespaceNotLabelled: metadata.namespace: a primary network \
                needs namespaces with the label k8s.ovn.org/primary-user-defined-network, which can be \
                given only when a namespace is made; without it: a";
    check(&[&namespace("a", false), &net], &[bare]);
    silent(&[&namespace("a", true), &net]);
    silent(&[&namespace("a", false), &net.replace("Primary", "Secondary")]);
}
