//! Localnets on one wire.

use super::{check, localnet, nad, namespace, silent};

fn vlan(id: u16) -> String {
    format!("vlan: {{mode: Access, access: {{id: {id}}}}}")
}

const OFF: &str = "ipam: {mode: Disabled}";

#[test]
fn the_later_of_two_on_one_vlan_is_told() {
    let a = namespace("a", false);
    let told = |name: &str, field: &str, wire: &str| {
        format!(
            "{name}: VlanShared: {field}: carries {wire}, as ClusterUserDefinedNetwork one does, so \
             that their pods are on one network; change one of them unless that is meant"
        )
    };
    let net =
        |name: &str, more: &str| localnet(name, &format!("physicalNetworkName: p, {OFF}{more}"));
    let tagged = format!(", {}", vlan(7));
    let vlan_field = "spec.network.localnet.vlan.access.id";
    let two = told("ClusterUserDefinedNetwork two", vlan_field, "VLAN 7 of physical network p");
    let three = told("ClusterUserDefinedNetwork three", vlan_field, "VLAN 7 of physical network p");
    let texts = [a.clone(), net("two", &tagged), net("one", &tagged), net("three", &tagged)];
    check(&texts.each_ref().map(String::as_str), &[&three, &two]);
    let wire = "the untagged frames of physical network p";
    let field = "spec.network.localnet.physicalNetworkName";
    let two = told("ClusterUserDefinedNetwork two", field, wire);
    check(&[&a, &net("one", ""), &net("two", "")], &[&two]);
    let written =
        nad("a/n", r#""name":"n","topology":"localnet","physicalNetworkName":"p","vlanID":7"#);
    let wire = "VLAN 7 of physical network p";
    let by_hand = told("NetworkAttachmentDefinition a/n", "spec.config", wire);
    check(&[&a, &net("one", &tagged), &written], &[&by_hand]);
}

#[test]
fn a_number_of_its_own_makes_nobody_the_first() {
    let a = namespace("a", false);
    let net = |name: &str, created: &str, status: &str| {
        let spec = format!("physicalNetworkName: p, {OFF}, {}", vlan(7));
        let metadata = format!("metadata: {{name: {name}, creationTimestamp: '{created}'}}");
        let plain = format!("metadata: {{name: {name}}}");
        let text = localnet(name, &spec).replace(&plain, &metadata);
        text.replace("kind: C", &format!("{status}kind: C"))
    };
    let told = "ClusterUserDefinedNetwork x-y: VlanShared: spec.network.localnet.vlan.access.id: \
                carries VLAN 7 of physical network p, as ClusterUserDefinedNetwork red does, so that \
                their pods are on one network; change one of them unless that is meant";
    let first = net("red", "2026-01-01T00:00:00Z", "");
    for created in ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"] {
        check(&[&a, &first, &net("x-y", created, "")], &[told]);
        check(&[&a, &first, &net("x-y", created, "status: {networkID: 2}, ")], &[told]);
    }
}

#[test]
fn the_oldest_nad_tells_how_old_a_written_network_is() {
    let all = [namespace("a", false), namespace("b", false)];
    let keys = r#""name":"n","topology":"localnet","physicalNetworkName":"p","vlanID":7"#;
    let at = |name: &str, created: &str| {
        let short = name.split_once('/').unwrap().1;
        let plain = format!("name: '{short}'");
        nad(name, keys).replace(&plain, &format!("{plain}, creationTimestamp: '{created}'"))
    };
    let spec = format!("physicalNetworkName: p, {OFF}, {}", vlan(7));
    let made = localnet("one", &spec)
        .replace("name: one", "name: one, creationTimestamp: '2026-01-02T00:00:00Z'");
    let (late, early) = (at("a/n", "2026-01-03T00:00:00Z"), at("b/n", "2026-01-01T00:00:00Z"));
    let told = "ClusterUserDefinedNetwork one: VlanShared: spec.network.localnet.vlan.access.id: \
                carries VLAN 7 of physical network p, as NetworkAttachmentDefinition a/n does, so \
                that their pods are on one network; change one of them unless that is meant";
    check(&[&all[0], &all[1], &made, &late, &early], &[told]);
}

#[test]
fn others_are_apart() {
    let a = namespace("a", false);
    let on = |name: &str, physical: &str, more: &str| {
        localnet(name, &format!("physicalNetworkName: {physical}, {OFF}{more}"))
    };
    let (seven, eight) = (format!(", {}", vlan(7)), format!(", {}", vlan(8)));
    silent(&[&a, &on("one", "p", &seven), &on("two", "p", &eight), &on("three", "p", "")]);
    silent(&[&a, &on("one", "p", &seven), &on("two", "q", &seven)]);
    // Two NADs of one network are one network.
    let keys = r#""name":"n","topology":"localnet","physicalNetworkName":"p","vlanID":7"#;
    silent(&[&a, &namespace("b", false), &nad("a/n", keys), &nad("b/n", keys)]);
}

#[test]
fn addresses_that_two_would_give_are_told() {
    let a = namespace("a", false);
    let net = |name: &str, subnets: &str| {
        localnet(name, &format!("physicalNetworkName: p, {}, subnets: [{subnets}]", vlan(7)))
    };
    let clash = |field: &str, mine: &str, theirs: &str, ip: &str| {
        format!(
            "ClusterUserDefinedNetwork two: AddressOverlap: spec.network.localnet.{field}: subnet \
             {mine} overlaps subnet {theirs} of ClusterUserDefinedNetwork one, and both are on VLAN 7 \
             of physical network p, so that both may give {ip} to a pod; take them apart, or exclude \
             in one what the other gives"
        )
    };
    let want = clash("subnets[0]", "10.0.0.0/24", "10.0.0.0/25", "10.0.0.1");
    check(&[&a, &net("one", "10.0.0.0/25"), &net("two", "10.0.0.0/24")], &[&want]);
    let want = clash("subnets[1]", "fd07::/80", "fd07::/64", "fd07::1");
    let texts = [&net("one", "10.0.0.0/24, 'fd07::/64'"), &net("two", "10.0.1.0/24, 'fd07::/80'")];
    check(&[&a, texts[0], texts[1]], &[&want]);
}

#[test]
fn a_subnet_can_be_shared_by_excluding() {
    let a = namespace("a", false);
    let net = |name: &str, excluded: &str| {
        let keys = format!("physicalNetworkName: p, {}", vlan(7));
        let subnets = "subnets: [10.0.0.0/24, 'fd07::/64']";
        localnet(name, &format!("{keys}, {subnets}, excludeSubnets: [{excluded}]"))
    };
    let (low, high) = ("10.0.0.0/25, 'fd07::/65'", "10.0.0.128/25, 'fd07::8000:0:0:0/65'");
    let shared = "ClusterUserDefinedNetwork two: VlanShared: spec.network.localnet.vlan.access.id: \
                  carries VLAN 7 of physical network p, as ClusterUserDefinedNetwork one does, so that \
                  their pods are on one network; change one of them unless that is meant";
    check(&[&a, &net("one", low), &net("two", high)], &[shared]);
    let almost = high.replace("/65", "/66");
    let clash = "ClusterUserDefinedNetwork two: AddressOverlap: spec.network.localnet.subnets[1]: \
                 subnet fd07::/64 overlaps subnet fd07::/64 of ClusterUserDefinedNetwork one, and both \
                 are on VLAN 7 of physical network p, so that both may give fd07::c000:0:0:0 to a pod; \
                 take them apart, or exclude in one what the other gives";
    check(&[&a, &net("one", low), &net("two", &almost)], &[clash]);
}
