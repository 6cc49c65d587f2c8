//! Manifests and what they ask for.

use serde_json::{Value, json};
use udn_model::{ClusterSettings, ObjectName, Reason};

use super::{read_cudn, read_udn};

fn udn(spec: &Value) -> Result<super::Asked, Vec<super::Refusal>> {
    read_udn(&ObjectName::new("ns", "net"), spec, &ClusterSettings::default())
}

fn cudn(spec: &Value) -> Result<super::AskedWidely, Vec<super::Refusal>> {
    read_cudn("net", spec, &ClusterSettings::default())
}

fn layer2(layer2: &Value) -> Value {
    json!({"topology": "Layer2", "layer2": layer2})
}

fn localnet(localnet: &Value) -> Value {
    json!({"namespaceSelector": {}, "network": {"topology": "Localnet", "localnet": localnet}})
}

fn check(refusals: Vec<super::Refusal>, want: &[&str]) {
    let messages: Vec<String> = refusals.into_iter().map(|it| it.message).collect();
    assert_eq!(messages, want);
}

#[test]
fn a_udn_asks_for_a_network_of_its_namespace() {
    let asked = udn(&layer2(&json!({"role": "Primary", "subnets": ["10.0.0.5/16"]}))).unwrap();
    assert_eq!(asked.config.name, "ns_net");
    assert_eq!(asked.config.subnets, "10.0.0.5/16", "the user's own text");
    assert_eq!(asked.read.network.subnets.iter().next().unwrap().to_string(), "10.0.0.0/16");
    assert_eq!(asked.config.join_subnet, "100.65.0.0/16,fd99::/64");
}

#[test]
fn every_breach_is_told() {
    let spec = layer2(&json!({
        "role": "Secondary", "mtu": 1000, "subnets": ["fd00::/64"], "joinSubnets": ["10.0.0.0/8"],
        "reservedSubnets": [], "defaultGatewayIPs": ["fd00::1", "10.0.0.1"],
        "ipam": {"mode": "Disabled", "lifecycle": "Persistent"},
    }));
    check(
        udn(&spec).unwrap_err(),
        &[
            "spec.layer2: mtu is 1000; IPv6 needs at least 1280",
            "spec.layer2: subnets and ipam.mode Disabled exclude each other; remove one",
            "spec.layer2: ipam.lifecycle Persistent needs ipam.mode Enabled; remove one",
            "spec.layer2: reservedSubnets has 1 to 25 items; change or remove it",
            "spec.layer2: reservedSubnets is for primary networks only; remove it",
            "spec.layer2: defaultGatewayIPs is for primary networks only; remove it",
            "spec.layer2: joinSubnets is for primary networks only; remove it",
            "spec.layer2: defaultGatewayIPs needs one address for each of the subnets",
        ],
    );
}

#[test]
fn ranges_of_a_primary_network_are_kept_apart() {
    let spec = layer2(&json!({
        "role": "Primary", "subnets": ["10.0.0.0/16"], "defaultGatewayIPs": ["10.0.9.1"],
        "infrastructureSubnets": ["10.0.0.0/28"], "reservedSubnets": ["10.0.0.9/24"],
        "ipam": {"mode": "Disabled"},
    }));
    check(
        udn(&spec).unwrap_err(),
        &[
            "spec.layer2: subnets and ipam.mode Disabled exclude each other; remove one",
            "spec.layer2: reservedSubnets: 10.0.0.9/24 has host bits; write 10.0.0.0/24",
            "spec.layer2: ipam.mode Disabled is for secondary networks only; remove it",
            "spec.layer2: defaultGatewayIPs: 10.0.9.1 is in none of the infrastructureSubnets; \
             choose one inside",
            "spec.layer2: infrastructureSubnets 10.0.0.0/28 and reservedSubnets 10.0.0.9/24 \
             overlap; take them apart",
        ],
    );
}

#[test]
fn topology_and_its_part_go_together() {
    let table = [
        (json!(null), "spec is missing; say what you ask for"),
        (json!({}), "spec: topology is \"\"; write Layer2 or Layer3"),
        (
            json!({"topology": "Layer2"}),
            "spec: topology Layer2 needs layer2; say what the network is like",
        ),
        (json!({"topology": "Localnet"}), "spec: topology is \"Localnet\"; write Layer2 or Layer3"),
        (
            json!({"topology": "Layer2", "layer2": {"role": "Primary", "subnet": "x"}}),
            "spec.layer2: unknown field `subnet`, expected one of `role`, `mtu`, `subnets`, \
             `reservedSubnets`, `infrastructureSubnets`, `defaultGatewayIPs`, `joinSubnets`, \
             `ipam`; correct or remove the field",
        ),
        (
            json!({"topology": "Layer3", "layer3": {"role": "Primary"}}),
            "spec: topology Layer3 is not built yet; use Layer2",
        ),
        (
            layer2(&json!({"role": "Secondary", "subnets": ["10.0.0.0/8", "nine"]})),
            "spec.layer2: subnets: \"nine\" is not a CIDR such as 10.0.0.0/16 or fd00::/64",
        ),
    ];
    for (spec, want) in table {
        check(udn(&spec).unwrap_err(), &[want]);
    }
}

#[test]
fn a_localnet_is_judged() {
    let asked = cudn(&localnet(&json!({
        "role": "Secondary", "physicalNetworkName": "p", "ipam": {"mode": "Disabled"},
    })));
    assert_eq!(asked.unwrap().asked.config.mtu, 1500);
    let spec = localnet(&json!({
        "role": "Primary", "physicalNetworkName": "a:b", "mtu": 0, "excludeSubnets": ["10.0.0.0/8"],
        "vlan": {"mode": "Trunk", "access": {"id": 0}},
    }));
    check(
        cudn(&spec).unwrap_err(),
        &[
            "spec.network.localnet: role is \"Primary\"; write Secondary",
            "spec.network.localnet: physicalNetworkName has at most 253 characters and no ',' or \
             ':'",
            "spec.network.localnet: vlan.mode is \"Trunk\"; write Access",
            "spec.network.localnet: vlan.access goes with vlan.mode Access only; remove it",
            "spec.network.localnet: vlan.access.id is not within 1 to 4094",
            "spec.network.localnet: mtu is 0; write 576 to 65536",
            "spec.network.localnet: subnets are needed unless ipam.mode is Disabled; list them",
            "spec.network.localnet: excludeSubnets needs subnets; list those or remove it",
        ],
    );
}

#[test]
fn what_is_not_built_is_told_apart() {
    let network = |more: &Value| {
        let mut spec = json!({"namespaceSelector": {}, "network": {"topology": "Layer2",
            "layer2": {"role": "Primary", "subnets": ["10.0.0.0/8"]}}});
        for (key, value) in more.as_object().unwrap() {
            match key.as_str() {
                "uplinks" => spec[key] = value.clone(),
                other => spec["network"][other] = value.clone(),
            }
        }
        cudn(&spec).unwrap_err().remove(0).reason
    };
    assert_eq!(network(&json!({"transport": "EVPN", "evpn": {}})), Reason::NotSupported);
    assert_eq!(network(&json!({"transport": "NoOverlay"})), Reason::NotSupported);
    assert_eq!(network(&json!({"uplinks": ["u"]})), Reason::NotSupported);
    assert_eq!(network(&json!({"transport": "Pigeon"})), Reason::InvalidSpec);
    assert_eq!(network(&json!({"evpn": {}})), Reason::InvalidSpec);
}

#[test]
fn namespaces_are_selected_by_all_requirements() {
    let selects = |selector: Value, labels: &[(&str, &str)]| {
        let mut spec = localnet(&json!({
            "role": "Secondary", "physicalNetworkName": "p", "ipam": {"mode": "Disabled"},
        }));
        spec["namespaceSelector"] = selector;
        let labels = labels.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
        let read = cudn(&spec).map_err(|refusals| refusals[0].message.clone());
        read.map(|it| it.selector.selects(&labels.collect()))
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
    for (operator, values) in [("In", json!([])), ("Exists", json!(["1"])), ("Like", json!(["1"]))]
    {
        assert!(selects(expression(operator, values), &[]).is_err(), "{operator}");
    }
    assert!(selects(json!(null), &[]).is_err());
}
