//! Transports and uplinks: judged and rendered, though not built yet.

use serde_json::{Value, json};
use udn_model::{ClusterSettings, Reason};

use super::{check_below, cudn, layer2};
use crate::spec::{config_of_cudn, read_cudn};

/// A CUDN whose network has more fields, with uplinks if given there.
fn spec(part: &Value, more: &Value) -> Value {
    let mut network = part.clone();
    let mut spec = json!({"namespaceSelector": {}});
    for (key, value) in more.as_object().unwrap() {
        match key.as_str() {
            "uplinks" => spec[key] = value.clone(),
            other => network[other] = value.clone(),
        }
    }
    spec["network"] = network;
    spec
}

fn main_layer2() -> Value {
    layer2(&json!({"role": "Primary", "subnets": ["10.0.0.0/16"]}))
}

fn main_layer3() -> Value {
    json!({"topology": "Layer3", "layer3": {"role": "Primary", "subnets": [{"cidr": "10.0.0.0/16"}]}})
}

fn rendered(part: &Value, more: &Value) -> Value {
    let settings = ClusterSettings::default();
    let config = config_of_cudn("net", &(&spec(part, more)).into(), &settings).unwrap();
    serde_json::from_str(&config.encode()).unwrap()
}

#[test]
fn keys_are_rendered_as_on_the_wire() {
    let evpn = json!({"transport": "EVPN", "evpn": {"vtep": "v", "macVRF": {"vni": 100,
        "routeTarget": "65000:100"}, "ipVRF": {"vni": 200}}});
    let config = rendered(&main_layer2(), &evpn);
    assert_eq!(config["transport"], "evpn");
    assert_eq!(
        config["evpn"],
        json!({"vtep": "v", "macVRF": {"vni": 100, "routeTarget": "65000:100"},
            "ipVRF": {"vni": 200}})
    );
    let bare = json!({"transport": "NoOverlay", "noOverlay": {"outboundSNAT": "Disabled",
        "routing": "Managed"}});
    let config = rendered(&main_layer3(), &bare);
    assert_eq!(
        (&config["transport"], &config["outboundSNAT"]),
        (&json!("no-overlay"), &json!("disabled"))
    );
    let config = rendered(&main_layer2(), &json!({"uplinks": ["up"]}));
    assert_eq!(config["uplink"], "up");
    assert_eq!(config.get("transport"), None);
}

#[test]
fn what_is_not_built_is_told_apart() {
    let reasons = |part: &Value, more: &Value| -> Vec<(Reason, String)> {
        let refusals = cudn(&spec(part, more)).unwrap_err();
        refusals.into_iter().map(|it| (it.reason, it.path.unwrap())).collect()
    };
    let unbuilt = |path: &str| (Reason::NotSupported, path.to_owned());
    let evpn = json!({"transport": "EVPN", "evpn": {"vtep": "v", "macVRF": {"vni": 1}}});
    let off = (Reason::FeatureOff, "spec.network.transport".to_owned());
    assert_eq!(reasons(&main_layer2(), &evpn), [off]);
    let mut settings = ClusterSettings::default();
    settings.features.evpn = true;
    let told = read_cudn("red", &(&spec(&main_layer2(), &evpn)).into(), &settings).unwrap_err();
    assert_eq!(told[0].reason, Reason::NotSupported, "once it is switched on");
    let bare = json!({"transport": "NoOverlay", "uplinks": ["up"], "noOverlay": {
        "outboundSNAT": "Enabled", "routing": "Managed"}});
    let all = ["spec.network.transport", "spec.uplinks"].map(unbuilt);
    assert_eq!(reasons(&main_layer3(), &bare), all);
    let bad = json!({"transport": "Pigeon", "uplinks": ["up"]});
    let told = reasons(&main_layer2(), &bad);
    assert_eq!(told, [(Reason::InvalidSpec, "spec.network.transport".to_owned())]);
}

#[test]
fn what_goes_with_a_transport_is_judged() {
    let table = [
        (
            main_layer2(),
            json!({"transport": "NoOverlay"}),
            vec![
                "network.transport: transport NoOverlay is for primary Layer3 networks only; remove it",
                "network.noOverlay: transport NoOverlay needs noOverlay; write outboundSNAT and routing",
            ],
        ),
        (
            main_layer3(),
            json!({"noOverlay": {"routing": "Some"}, "evpn": {}}),
            vec![
                "network.noOverlay: noOverlay goes with transport NoOverlay only; remove it",
                "network.noOverlay.outboundSNAT: noOverlay.outboundSNAT is missing; write Enabled or \
                 Disabled",
                "network.noOverlay.routing: noOverlay.routing is \"Some\"; write Managed or Unmanaged",
                "network.evpn: evpn goes with transport EVPN only; remove it",
                "network.evpn.vtep: evpn.vtep is missing; write the name of a VTEP",
                "network.evpn: evpn has neither macVRF nor ipVRF; write one of them",
            ],
        ),
        (
            main_layer3(),
            json!({"transport": "EVPN", "uplinks": ["Up", "b"],
                "evpn": {"vtep": "v", "macVRF": {"vni": 0}}}),
            vec![
                "uplinks: uplinks has 2 items; keep at most 1",
                "uplinks[0]: an uplink's name has 1 to 253 lower-case letters, digits and '-', with a \
                 letter or digit at both ends",
                "uplinks: uplinks do not go with transport EVPN; remove one of the two",
                "network.evpn.ipVRF: evpn.ipVRF is missing; a Layer3 network needs it",
                "network.evpn.macVRF: evpn.macVRF is not for Layer3 networks; remove it",
                "network.evpn.macVRF.vni: evpn.macVRF.vni is 0; write 1 to 16777215",
            ],
        ),
        (
            layer2(&json!({"role": "Secondary", "subnets": ["10.0.0.0/16"]})),
            json!({"transport": "EVPN", "uplinks": ["up"],
                "evpn": {"vtep": "v", "macVRF": {"vni": 7}, "ipVRF": {"vni": 7}}}),
            vec![
                "uplinks: uplinks are for primary Layer2 and Layer3 networks only; remove them",
                "uplinks: uplinks do not go with transport EVPN; remove one of the two",
                "network.transport: transport EVPN is for primary Layer2 and Layer3 networks only; \
                 remove it",
                "network.evpn.ipVRF.vni: evpn.macVRF and evpn.ipVRF have the same vni; change one of \
                 them",
            ],
        ),
    ];
    for (part, more, want) in table {
        check_below("spec", cudn(&spec(&part, &more)).unwrap_err(), &want);
    }
}

#[test]
fn route_targets_have_three_forms() {
    let is_taken = |text: &str| {
        let vrf = json!({"vni": 1, "routeTarget": text});
        let more = json!({"transport": "EVPN", "evpn": {"vtep": "v", "macVRF": vrf}});
        let refusals = cudn(&spec(&main_layer2(), &more)).unwrap_err();
        refusals.iter().all(|it| it.reason == Reason::FeatureOff)
    };
    for good in [
        "65535:4294967295",
        "65536:65535",
        "4294967295:1",
        "10.0.0.1:65535",
        "*:4294967295",
        "000000000065000:00001",
    ] {
        assert!(is_taken(good), "{good}");
    }
    let bad = "65000 1:2:3 65536:65536 65535:4294967296 10.0.0.1:65536 *:4294967296 x:1 1:x -1:1 1: \
               :1 10.0.0:1 99999999999999999999:1";
    for bad in bad.split(' ').chain([""]) {
        assert!(!is_taken(bad), "{bad}");
    }
    assert!(!is_taken("0000000000065000:00001"), "21 characters are the most");
}
