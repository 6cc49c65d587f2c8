//! The controller judges manifests as the CRDs do: an object may have come past the server.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use kube_schema::Catalog;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Value, json};
use udn_cluster::{World, translate};
use udn_model::{ClusterSettings, ClusterSubnet, Finding, Reason, Subnet};
use udn_wire::deploy::CRDS;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    let manifests = CRDS.iter().map(|it| serde_saphyr::from_str(it.text).expect("it is YAML"));
    Catalog::read(manifests).expect("the server takes them")
});

fn layer2(layer2: Value) -> Value {
    json!({"topology": "Layer2", "layer2": layer2})
}

fn wide(network: Value) -> Value {
    json!({"namespaceSelector": {"matchLabels": {"a": "b"}}, "network": network})
}

/// Specs that the CRDs take, with every field in one of them.
fn good() -> Vec<(&'static str, Value)> {
    let main = json!({"role": "Primary", "mtu": 1400, "subnets": ["10.0.0.0/16", "fd10::/64"],
        "reservedSubnets": ["10.0.8.0/24", "fd10::100/120"],
        "infrastructureSubnets": ["10.0.0.0/29", "fd10::/120"],
        "defaultGatewayIPs": ["10.0.0.2", "fd10::2"], "joinSubnets": ["100.70.0.0/16", "fd70::/64"],
        "ipam": {"mode": "Enabled", "lifecycle": "Persistent"}});
    let beside = json!({"role": "Secondary", "ipam": {"mode": "Disabled"}});
    let routed = json!({"topology": "Layer3", "layer3": {"role": "Primary", "mtu": 1300,
        "subnets": [{"cidr": "10.0.0.0/16", "hostSubnet": 24}, {"cidr": "10.1.0.0/16",
            "hostSubnet": 24}, {"cidr": "fd10::/48", "hostSubnet": 64}],
        "joinSubnets": ["100.70.0.0/16"]}});
    let two = json!({"topology": "Layer3", "layer3": {"role": "Secondary",
        "subnets": [{"cidr": "10.0.0.0/16"}, {"cidr": "fd10::/48"}]}});
    let localnet = json!({"topology": "Localnet", "localnet": {"role": "Secondary", "mtu": 9000,
        "physicalNetworkName": "tenant-blue", "vlan": {"mode": "Access", "access": {"id": 7}},
        "subnets": ["192.168.0.0/24", "fd11::/64"],
        "excludeSubnets": ["192.168.0.0/28", "fd11::7/128"], "ipam": {"lifecycle": "Persistent"}}});
    let mut evpn = layer2(json!({"role": "Primary", "subnets": ["10.0.0.0/16"]}));
    evpn["transport"] = "EVPN".into();
    evpn["evpn"] = json!({"vtep": "v", "macVRF": {"vni": 100, "routeTarget": "65000:100"},
        "ipVRF": {"vni": 200, "routeTarget": "*:7"}});
    let mut bare = routed.clone();
    bare["transport"] = "NoOverlay".into();
    bare["noOverlay"] = json!({"outboundSNAT": "Enabled", "routing": "Managed"});
    let mut uplinked = wide(routed.clone());
    uplinked["uplinks"] = json!(["up-1"]);
    let (narrow, cluster) = ("UserDefinedNetwork", "ClusterUserDefinedNetwork");
    vec![
        (narrow, layer2(main.clone())),
        (narrow, layer2(beside)),
        (narrow, routed),
        (narrow, two),
        (cluster, wide(layer2(main))),
        (cluster, wide(localnet)),
        (cluster, wide(evpn)),
        (cluster, wide(bare)),
        (cluster, uplinked),
    ]
}

const WORDS: &str = "\
    Primary Secondary Layer2 Layer3 Localnet Enabled Disabled Persistent Access EVPN NoOverlay \
    Managed Unmanaged 10.0.0.0/16 10.0.0.0/08 010.0.0.0/8 10.0.0.7/16 10.0.0.0/28 10.0.8.0/24 \
    10.0.0.2 10.0.0.2/32 10.9.0.0/16 fd10::/64 fd10::/48 fd10::2 fd10::2/128 fd10::/120 ::/0 \
    0.0.0.0/0 192.168.0.0/25 192.168.1.0/24 100.70.0.0/16 10.0.0.0 65536:65536 65535:4294967295 \
    1.2.3.4:7 *:1 a:b 1:2:3 x a,b a:b up-1 Up 10.0.0.0/33 fd10::/129 fe80::1%eth0/64 \
    ::ffff:10.0.0.0/112 ::ffff:10.0.0.2 10.0.0.0/+8 10.0.0.0/ 1.2.3.4.5/8 FD10::/64 \
    fd10:0:0:0:0:0:0:0/64 0000:0000:0000:0000:0000:ffff:010.000.000.000/128 \
    fd10:0000:0000:0000:0000:0000:0000:0000/64";

/// Values that some field takes.
fn value() -> impl Strategy<Value = Value> {
    let words: Vec<&str> = WORDS.split_whitespace().chain([""]).collect();
    let numbers =
        vec![-1, 0, 1, 7, 16, 17, 24, 31, 32, 64, 65, 127, 128, 575, 576, 1279, 1280, 4094, 4095];
    let large = vec![65536, 65537, 16_777_215, 16_777_216, i64::from(i32::MAX) + 1];
    let others = vec![
        json!([]),
        json!({}),
        json!(true),
        json!(["10.0.0.0/16"]),
        json!([7]),
        json!(["10.0.0.0/16", "10.1.0.0/16"]),
        json!(["10.0.0.0/16", "fd10::/64", "fd11::/64"]),
        json!({"vni": 7}),
        json!({"mode": "Access"}),
        json!({"cidr": "10.7.0.0/16"}),
        json!({"id": 4094}),
        json!({"role": "Primary", "subnets": ["10.0.0.0/16"]}),
    ];
    prop_oneof![
        4 => prop::sample::select(words).prop_map(Value::from),
        2 => prop::sample::select([numbers, large].concat()).prop_map(Value::from),
        2 => prop::sample::select(others),
    ]
}

/// One change: at a place, or of a list or an object there.
#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Remove,
    Repeat,
    Add(&'static str, Value),
}

fn change() -> impl Strategy<Value = Change> {
    let fields: Vec<&'static str> = "role mtu subnets reservedSubnets infrastructureSubnets joinSubnets \
        defaultGatewayIPs ipam mode lifecycle layer2 layer3 localnet topology vlan access id hostSubnet \
        transport evpn noOverlay macVRF ipVRF uplinks excludeSubnets subnet"
        .split_whitespace()
        .collect();
    prop_oneof![
        4 => value().prop_map(Change::Put),
        2 => Just(Change::Remove),
        1 => Just(Change::Repeat),
        2 => (prop::sample::select(fields), value()).prop_map(|(field, it)| Change::Add(field, it)),
    ]
}

/// The places in a value, as JSON pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, it)| places(it, &format!("{here}/{key}"), found));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, it)| places(it, &format!("{here}/{at}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if !here.is_empty() && !here.starts_with("/namespaceSelector/") {
        found.push(here.to_owned());
    }
}

fn apply(spec: &mut Value, place: &prop::sample::Index, change: Change) {
    let mut found = Vec::new();
    places(spec, "", &mut found);
    if found.is_empty() {
        return;
    }
    let at = place.get(&found);
    let (parent, key) = at.rsplit_once('/').unwrap();
    match change {
        Change::Put(value) => *spec.pointer_mut(at).unwrap() = value,
        Change::Remove => match spec.pointer_mut(parent).unwrap() {
            Value::Object(fields) => drop(fields.remove(key)),
            Value::Array(items) => drop(items.remove(key.parse().unwrap())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        },
        Change::Repeat => {
            if let Value::Array(items) = spec.pointer_mut(at).unwrap() {
                items.extend(items.clone());
            }
        }
        Change::Add(field, value) => {
            if let Value::Object(fields) = spec.pointer_mut(at).unwrap() {
                fields.insert(field.to_owned(), value);
            }
        }
    }
}

fn spec() -> impl Strategy<Value = (&'static str, Value)> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), change()), 0..4);
    (prop::sample::select(good()), changes).prop_map(|((kind, mut spec), changes)| {
        changes.into_iter().for_each(|(place, change)| apply(&mut spec, &place, change));
        (kind, spec)
    })
}

/// What the controller has against the spec itself.
fn objections(object: &Value) -> Vec<Finding> {
    let reading = World::read([("object", object.to_string().as_bytes())]);
    assert_eq!(reading.problems, []);
    let findings = translate::cluster(&reading.world, &ClusterSettings::default()).findings;
    findings.into_iter().filter(|it| it.reason == Reason::InvalidSpec).collect()
}

fn config(cases: u32) -> ProptestConfig {
    let persistence = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(persistence)),
        ..ProptestConfig::default()
    }
}

fn object(kind: &str, spec: &Value) -> Value {
    let mut metadata = json!({"name": "net"});
    if kind == "UserDefinedNetwork" {
        metadata["namespace"] = "a".into();
    }
    json!({"apiVersion": "k8s.ovn.org/v1", "kind": kind, "metadata": metadata, "spec": spec})
}

/// Whether a layer-3 subnet leaves no room for the parts that nodes get where nobody says how large
/// these are: the CRDs take that, and the controller cannot.
fn has_narrow_subnets(spec: &Value) -> bool {
    let places = ["/layer3/subnets", "/network/layer3/subnets"];
    let listed = places.iter().filter_map(|it| spec.pointer(it)?.as_array()).flatten();
    let mut bare = listed.filter(|it| it["hostSubnet"].is_null());
    bare.any(|it| {
        let text = it["cidr"].as_str().unwrap_or_default();
        let subnet = Subnet::parse(text).ok();
        subnet
            .is_some_and(|it| it.prefix_len() >= ClusterSubnet::usual_host_prefix_len(it.family()))
    })
}

#[test]
fn good_specs_are_taken_by_both() {
    for (kind, spec) in good() {
        let object = object(kind, &spec);
        let verdict = CATALOG.create(object.clone());
        assert!(verdict.is_accepted(), "{:?}", verdict.status());
        assert_eq!(objections(&object), []);
    }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn the_controller_refuses_what_the_crds_refuse((kind, spec) in spec()) {
        let object = object(kind, &spec);
        let verdict = CATALOG.create(object.clone());
        let told = objections(&object);
        if has_narrow_subnets(&spec) {
            prop_assert!(!told.is_empty(), "no node finds room");
            return Ok(());
        }
        prop_assert_eq!(verdict.is_accepted(), told.is_empty(), "{:?}\n{:?}", verdict.status(), told);
    }
}
