//! Manifests and what they ask for.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use udn_model::{ClusterSettings, ObjectName};
use udn_wire::SpecText;
use udn_wire::object::Namespace;

use super::{NamespaceIndex, ReadSpec, read_cudn, read_udn};
use crate::world::Objects;

mod layer3;
mod transport;

fn udn(spec: &Value) -> Result<super::Asked, Vec<super::Refusal>> {
    read_udn(&ObjectName::new("ns", "net"), &spec.into(), &ClusterSettings::default())
}

fn cudn(spec: &Value) -> Result<super::Asked, Vec<super::Refusal>> {
    read_cudn("net", &spec.into(), &ClusterSettings::default())
}

fn layer2(layer2: &Value) -> Value {
    json!({"topology": "Layer2", "layer2": layer2})
}

fn localnet(localnet: &Value) -> Value {
    json!({"namespaceSelector": {}, "network": {"topology": "Localnet", "localnet": localnet}})
}

/// Compares refusals, each with its path below the topology's part.
fn check_below(part: &str, refusals: Vec<super::Refusal>, want: &[&str]) {
    let below = format!("{part}.");
    let told: Vec<String> = refusals
        .into_iter()
        .map(|it| {
            let path = it.path.expect("a refusal of a spec has a path");
            format!("{}: {}", path.strip_prefix(&below).unwrap_or(&path), it.message)
        })
        .collect();
    assert_eq!(told, want);
}

#[test]
fn a_udn_asks_for_a_network_of_its_namespace() {
    let asked = udn(&layer2(&json!({"role": "Primary", "subnets": ["10.0.0.5/16"]}))).unwrap();
    assert_eq!(asked.config.name, "ns_net");
    assert_eq!(asked.config.subnets, "10.0.0.5/16", "the user's own text");
    assert_eq!(asked.read.network.subnets.iter().next().unwrap().to_string(), "10.0.0.0/16");
    assert_eq!(asked.config.join_subnet, "100.65.0.0/16,fd99::/64");
    assert_eq!((&*asked.place.part, asked.place.lists_join), ("spec.layer2", false));
}

#[test]
fn every_breach_is_told_at_its_field() {
    let spec = layer2(&json!({
        "role": "Secondary", "mtu": 1000, "subnets": ["fd00::/64"], "joinSubnets": ["10.0.0.0/8"],
        "reservedSubnets": [], "defaultGatewayIPs": ["fd00::1", "fd00::2"],
        "ipam": {"mode": "Disabled", "lifecycle": "Persistent"},
    }));
    check_below(
        "spec.layer2",
        udn(&spec).unwrap_err(),
        &[
            "mtu: mtu is 1000; IPv6 needs at least 1280",
            "subnets: subnets and ipam.mode Disabled exclude each other; remove one",
            "ipam.lifecycle: ipam.lifecycle Persistent needs ipam.mode Enabled; remove one",
            "reservedSubnets: reservedSubnets is empty; list 1 to 25 items or remove it",
            "defaultGatewayIPs[1]: fd00::1 and fd00::2 are both IPv6; keep one of each family",
            "defaultGatewayIPs: defaultGatewayIPs needs one address for each of the subnets",
            "reservedSubnets: reservedSubnets is for primary networks only; remove it",
            "defaultGatewayIPs: defaultGatewayIPs is for primary networks only; remove it",
            "joinSubnets: joinSubnets is for primary networks only; remove it",
        ],
    );
}

#[test]
fn ranges_of_a_primary_network_are_kept_apart() {
    let spec = layer2(&json!({
        "role": "Primary", "subnets": ["10.0.0.0/16", "10.1.0.0/16"],
        "defaultGatewayIPs": ["10.0.9.1", "nine"],
        "infrastructureSubnets": ["10.0.0.0/28", "10.0.0.0/30"],
        "reservedSubnets": ["10.0.0.9/24", "192.168.0.0/24", "10.0.8.0/24", "10.0.8.0/24"],
        "joinSubnets": ["100.70.0.0/16", "100.71.0.0/16"], "ipam": {},
    }));
    check_below(
        "spec.layer2",
        udn(&spec).unwrap_err(),
        &[
            "subnets[1]: 10.0.0.0/16 and 10.1.0.0/16 are both IPv4; keep one of each family",
            "ipam: ipam says nothing; write mode or lifecycle, or remove it",
            "joinSubnets[1]: 100.70.0.0/16 and 100.71.0.0/16 are both IPv4; keep one of each family",
            "reservedSubnets[0]: 10.0.0.9/24 has host bits; write 10.0.0.0/24",
            "reservedSubnets[1]: 192.168.0.0/24 lies in none of the subnets (10.0.0.0/16, \
             10.1.0.0/16); choose one inside or remove it",
            "reservedSubnets[3]: 10.0.8.0/24 and 10.0.8.0/24 overlap; remove one of them",
            "infrastructureSubnets[1]: 10.0.0.0/28 and 10.0.0.0/30 overlap; remove one of them",
            "infrastructureSubnets[0]: 10.0.0.0/28 overlaps 10.0.0.9/24 of the reservedSubnets; take \
             them apart",
            "infrastructureSubnets[1]: 10.0.0.0/30 overlaps 10.0.0.9/24 of the reservedSubnets; take \
             them apart",
            "defaultGatewayIPs[1]: \"nine\" is not an IP address",
            "defaultGatewayIPs[0]: 10.0.9.1 is in none of the infrastructureSubnets (10.0.0.0/28, \
             10.0.0.0/30); choose one inside",
        ],
    );
}

#[test]
fn ranges_that_are_apart_are_taken() {
    let spec = layer2(&json!({
        "role": "Primary", "subnets": ["10.0.0.0/16", "fd00::/64"],
        "defaultGatewayIPs": ["10.0.0.2", "fd00::2"],
        "infrastructureSubnets": ["10.0.0.0/30", "fd00::/120"],
        "reservedSubnets": ["10.0.0.4/30", "10.0.8.0/24", "fd00::100/120"],
        "joinSubnets": ["100.70.0.0/16", "fd70::/64"], "mtu": 1280,
    }));
    let asked = udn(&spec).unwrap();
    assert_eq!(asked.config.default_gateway_ips, "10.0.0.2,fd00::2");
    assert!(asked.place.lists_join);
}

#[test]
fn topology_and_its_part_go_together() {
    let table = [
        (json!(null), "spec: spec is missing; say what you ask for"),
        (json!({}), "topology: topology is missing; write Layer2 or Layer3"),
        (
            json!({"topology": "Layer2"}),
            "layer2: topology Layer2 needs layer2; say what the network is like",
        ),
        (
            json!({"topology": "Localnet"}),
            "topology: topology is \"Localnet\"; write Layer2 or Layer3",
        ),
        (
            json!({"topology": "Layer3", "layer3": {"role": "Primary", "subnets": [
                {"cidr": "10.0.0.0/16"}]}, "layer2": {}}),
            "layer2: layer2 does not go with topology Layer3; remove it",
        ),
        (
            layer2(&json!({"role": "Secondary", "subnets": ["10.0.0.0/8", "nine"]})),
            "layer2.subnets[1]: \"nine\" is not a CIDR such as 10.0.0.0/16 or fd00::/64",
        ),
        (
            layer2(&json!({"role": "Secondary", "subnets": ["::ffff:10.0.0.0/112"]})),
            "layer2.subnets[0]: \"::ffff:10.0.0.0/112\" is an IPv4 address written as IPv6; write it as \
             10.0.0.0",
        ),
        (
            layer2(&json!({"role": "Guest", "subnets": ["10.0.0.0/8"]})),
            "layer2.role: role is \"Guest\"; write Primary or Secondary",
        ),
        (
            layer2(&json!({"role": "Primary", "subnets": ["10.0.0.0/8", "fd00::/64", "nine"]})),
            "layer2.subnets: subnets has 3 items; keep at most 2",
        ),
    ];
    for (spec, want) in table {
        check_below("spec", udn(&spec).unwrap_err(), &[want]);
    }
}

#[test]
fn every_field_of_a_wrong_shape_is_found() {
    let spec = json!({"topology": "Layer2", "network": {"a": [1]}, "layer2": {
        "role": 7, "mtu": "1500", "subnet": "x", "subnets": ["10.0.0.0/8", 8, {"cidr": "x"}],
        "reservedSubnets": "10.0.0.0/28", "ipam": {"mode": ["Enabled"], "x/y": {"z": 1}},
        "joinSubnets": null,
    }});
    let known = "`role`, `mtu`, `subnets`, `reservedSubnets`, `infrastructureSubnets`, \
                 `defaultGatewayIPs`, `joinSubnets`, `ipam`";
    let remedy = "correct or remove the field";
    let want = [
        "layer2.ipam.mode: invalid type: sequence, expected Enabled or Disabled".to_owned(),
        "layer2.ipam[x/y]: unknown field `x/y`, expected `mode` or `lifecycle`".to_owned(),
        "layer2.mtu: invalid type: string \"1500\", expected i32".to_owned(),
        "layer2.reservedSubnets: invalid type: string \"10.0.0.0/28\", expected a sequence"
            .to_owned(),
        "layer2.role: invalid type: integer `7`, expected Primary or Secondary".to_owned(),
        format!("layer2.subnet: unknown field `subnet`, expected one of {known}"),
        "layer2.subnets[1]: invalid type: integer `8`, expected a string".to_owned(),
        "layer2.subnets[2]: invalid type: map, expected a string".to_owned(),
        "network: unknown field `network`, expected one of `topology`, `layer2`, `layer3`"
            .to_owned(),
    ];
    let want: Vec<String> = want.iter().map(|text| format!("{text}; {remedy}")).collect();
    let want: Vec<&str> = want.iter().map(String::as_str).collect();
    check_below("spec", udn(&spec).unwrap_err(), &want);
    check_below(
        "spec",
        udn(&json!({"topology": "Layer2", "layer2": ["Primary"]})).unwrap_err(),
        &["layer2: invalid type: sequence, expected struct Layer2; correct or remove the field"],
    );
    let many = json!({"layer2": {"subnets": vec![7; 1000]}});
    assert_eq!(udn(&many).unwrap_err().len(), 10, "enough is enough");
    check_below(
        "spec",
        udn(&json!("Layer2")).unwrap_err(),
        &[
            "spec: invalid type: string \"Layer2\", expected struct UserDefinedNetworkSpec; correct or \
           remove the field",
        ],
    );
}

#[test]
fn a_localnet_is_judged() {
    let asked = cudn(&localnet(&json!({
        "role": "Secondary", "physicalNetworkName": "p", "ipam": {"mode": "Disabled"},
    })));
    assert_eq!(asked.unwrap().config.mtu, 1500);
    let spec = localnet(&json!({
        "role": "Primary", "physicalNetworkName": "a:b", "mtu": 0, "excludeSubnets": ["10.0.0.0/8"],
        "vlan": {"mode": "Trunk", "access": {"id": 0}},
    }));
    check_below(
        "spec.network.localnet",
        cudn(&spec).unwrap_err(),
        &[
            "role: role is \"Primary\"; write Secondary",
            "physicalNetworkName: physicalNetworkName has at most 253 characters and no ',' or ':'",
            "vlan.mode: vlan.mode is \"Trunk\"; write Access",
            "vlan.access: vlan.access goes with vlan.mode Access only; remove it",
            "vlan.access.id: vlan.access.id is 0; write 1 to 4094",
            "mtu: mtu is 0; write 576 to 65536",
            "subnets: subnets are needed unless ipam.mode is Disabled; list them",
            "excludeSubnets: excludeSubnets needs subnets; list those or remove it",
        ],
    );
    let spec = localnet(&json!({
        "role": "Secondary", "subnets": ["fd00::/64"], "mtu": 1279, "vlan": {"mode": "Access"},
    }));
    check_below(
        "spec.network.localnet",
        cudn(&spec).unwrap_err(),
        &[
            "physicalNetworkName: physicalNetworkName is missing; write a key of the nodes' bridge \
             mappings",
            "vlan.access.id: vlan.mode Access needs vlan.access.id; write 1 to 4094",
            "mtu: mtu is 1279; IPv6 needs at least 1280",
        ],
    );
}

#[test]
fn excluded_ranges_outside_the_subnets_are_found() {
    let excluding = |excluded: &[&str]| {
        localnet(&json!({
            "role": "Secondary", "physicalNetworkName": "p",
            "subnets": ["10.0.0.0/24", "fd00::/64"], "excludeSubnets": excluded,
        }))
    };
    let good = ["10.0.0.0/30", "10.0.0.1/24", "fd00::/64", "fd00::7/128"];
    assert!(cudn(&excluding(&good)).is_ok(), "host bits are allowed here, as at admission");
    check_below(
        "spec.network.localnet",
        cudn(&excluding(&["10.0.0.0/30", "10.0.0.0/23", "fd00:1::/80"])).unwrap_err(),
        &[
            "excludeSubnets[1]: 10.0.0.0/23 lies in none of the subnets (10.0.0.0/24, fd00::/64); \
             choose one inside or remove it",
            "excludeSubnets[2]: fd00:1::/80 lies in none of the subnets (10.0.0.0/24, fd00::/64); \
             choose one inside or remove it",
        ],
    );
}

#[test]
fn namespaces_are_selected_by_all_requirements() {
    let selects = |selector: Value, labels: &[(&str, &str)]| {
        let mut spec = localnet(&json!({
            "role": "Secondary", "physicalNetworkName": "p", "ipam": {"mode": "Disabled"},
        }));
        spec["namespaceSelector"] = selector;
        let labels = labels.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
        let read = cudn(&spec).map_err(|refusals| refusals[0].path.clone().unwrap());
        let selector = || ReadSpec::of_cudn(&SpecText::from(&spec)).selector.clone().unwrap();
        read.map(|_| selector().selects(&labels.collect()))
    };
    let expression = |operator: &str, values: Value| json!({"matchExpressions": [{"key": "a", "operator": operator, "values": values}]});
    assert_eq!(selects(json!({}), &[]), Ok(true));
    assert_eq!(selects(json!({"matchLabels": {"a": "1", "b": "2"}}), &[("a", "1")]), Ok(false));
    assert_eq!(selects(json!({"matchLabels": {"a": "1"}}), &[("a", "1"), ("c", "3")]), Ok(true));
    let table = [
        ("In", json!(["1", "2"]), [false, true, false]),
        ("NotIn", json!(["1", "2"]), [true, false, true]),
        ("Exists", json!([]), [false, true, true]),
        ("DoesNotExist", json!(null), [true, false, false]),
    ];
    for (operator, values, [absent, two, three]) in table {
        let selector = expression(operator, values);
        assert_eq!(selects(selector.clone(), &[]), Ok(absent), "{operator}");
        assert_eq!(selects(selector.clone(), &[("a", "2")]), Ok(two), "{operator}");
        assert_eq!(selects(selector, &[("a", "3")]), Ok(three), "{operator}");
    }
    let at = |field: &str| Err(format!("spec.namespaceSelector.matchExpressions[0].{field}"));
    assert_eq!(selects(expression("In", json!([])), &[]), at("values"));
    assert_eq!(selects(expression("Exists", json!(["1"])), &[]), at("values"));
    assert_eq!(selects(expression("Like", json!(["1"])), &[]), at("operator"));
    let label = json!({"matchLabels": {"a/b": 7}});
    assert_eq!(selects(label, &[]), Err("spec.namespaceSelector.matchLabels[a/b]".to_owned()));
    assert_eq!(selects(json!(null), &[]), Err("spec.namespaceSelector".to_owned()));
}

#[test]
fn the_index_finds_what_the_selector_selects() {
    let label = |text: &str| -> BTreeMap<String, String> {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('='));
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    };
    let namespaces: Objects<String, Namespace> =
        ["", "a=1", "a=2", "a=1 b=1", "a=2 b=2", "b=1", "a=3 b=1"]
            .iter()
            .enumerate()
            .map(|(number, labels)| {
                let mut namespace = Namespace::default();
                namespace.metadata.labels = label(labels).into_iter().collect();
                (format!("n{number}"), namespace)
            })
            .collect();
    let index = NamespaceIndex::of(&namespaces);
    for selector in [
        json!({}),
        json!({"matchLabels": {"a": "1"}}),
        json!({"matchLabels": {"a": "1", "b": "1"}}),
        json!({"matchLabels": {"a": "9"}}),
        json!({"matchExpressions": [{"key": "a", "operator": "In", "values": ["2", "1", "2"]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "Exists"},
            {"key": "b", "operator": "In", "values": ["1"]}]}),
        json!({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}),
        json!({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}),
    ] {
        let spec = json!({"namespaceSelector": selector});
        let selector = ReadSpec::of_cudn(&SpecText::from(&spec)).selector.clone().unwrap();
        let want = namespaces.iter().filter(|(_, it)| selector.selects(&it.metadata.labels));
        let want: Vec<&String> = want.map(|(name, _)| name).collect();
        let found: Vec<&String> = index.selected(&selector).iter().map(|(name, _)| *name).collect();
        assert_eq!(found, want, "{spec}");
    }
}
