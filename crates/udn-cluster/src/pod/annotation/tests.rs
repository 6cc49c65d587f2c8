//! Entries by example: the texts that the peer writes for the same pods.

use std::net::IpAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use udn_model::network::{Layer3, Origin, Primary};
use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClusterSettings, ClusterSubnet, Grants, Intent,
    InterfaceAddress, Lock, MacAddress, Network, NetworkName, NodeName, ObjectName, PerFamily,
    Role, Subnet, Subnets, Topology,
};
use udn_wire::Kind;
use udn_wire::object::{AnyObject, Pod};

use super::annotation_write;
use crate::write::Act;

fn subnet(text: &str) -> Subnet {
    Subnet::parse(text).unwrap()
}

fn settings() -> ClusterSettings {
    ClusterSettings { builds_default_network: true, ..ClusterSettings::default() }
}

fn blue(role: Role) -> Network {
    let range = |text, host_prefix_len| ClusterSubnet { subnet: subnet(text), host_prefix_len };
    let subnets =
        vec![range("10.77.0.0/16", 24), range("10.79.0.0/16", 24), range("fd10::/48", 64)];
    Network {
        name: NetworkName::new("blue"),
        origin: Origin::Nads,
        topology: Topology::Layer3(Layer3 { subnets, role }),
        subnets: Subnets::default(),
        excluded: Vec::new(),
        mtu: None,
        has_persistent_addresses: false,
        nads: vec![ObjectName::new("a", "blue")],
    }
}

fn primary() -> Role {
    Role::Primary(Primary { join: settings().join, ..Primary::default() })
}

/// What a pod `a/p` of node `n` is on and was granted.
#[derive(Default)]
struct Scene {
    intent: Intent,
    grants: Grants,
    annotations: Option<Value>,
}

impl Scene {
    /// On a network; the addresses are the third of the node's subnets.
    fn on(mut self, network: Network, subnets: &[&str], change: impl Fn(&mut Attachment)) -> Self {
        let (pod, node) = (ObjectName::new("a", "p"), NodeName::new("n"));
        let name = network.name.clone();
        let key = match network.is_default() {
            true => AttachmentKey::on_default_network(pod),
            false => AttachmentKey { pod, nad: ObjectName::new("a", name.as_str()), index: 0 },
        };
        let mut attachment = Attachment::new(key.clone(), name.clone(), node.clone(), "uid");
        change(&mut attachment);
        let mut of_node = PerFamily::default();
        for text in subnets {
            of_node.put(subnet(text).family(), subnet(text));
        }
        let addresses: Vec<InterfaceAddress> =
            of_node.iter().filter_map(|it| it.interface_address(3)).collect();
        let mac = MacAddress::from_ip(addresses[0].addr());
        let grant = AttachmentGrant { addresses, mac, port_key: None };
        let of_network = self.intent.attachments.entry(name.clone()).or_default();
        of_network.insert(key.clone(), attachment);
        self.grants.node_subnets.insert(name.clone(), [(node, of_node)].into());
        self.grants.attachments.entry(name.clone()).or_default().insert(key, grant);
        self.intent.networks.insert(name, Arc::new(network));
        self
    }

    fn pod(&self) -> Pod {
        let annotations = self.annotations.clone().unwrap_or(Value::Null);
        let metadata =
            json!({"namespace": "a", "name": "p", "uid": "uid", "annotations": annotations});
        let pod = json!({"metadata": metadata, "spec": {"nodeName": "n"}}).to_string();
        let AnyObject::Pod(pod) = AnyObject::decode(Kind::Pod, &pod).unwrap() else {
            panic!("a pod is a pod")
        };
        pod
    }

    fn text(&self) -> Option<String> {
        let (name, both) = (ObjectName::new("a", "p"), (&self.intent, &self.grants));
        let write = annotation_write(&name, &self.pod(), both, &settings())?;
        let Act::TestedPatch(patch) = write.act else { panic!("a patch has tests") };
        let value = &patch[2]["value"];
        let text = value.as_str().or_else(|| value["k8s.ovn.org/pod-networks"].as_str());
        Some(text.unwrap().to_owned())
    }

    #[track_caller]
    fn check(&self, want: &Value) {
        let text = self.text().unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *want);
    }
}

fn routes(all: &[(&str, &str)]) -> Value {
    all.iter().map(|(dest, next)| json!({"dest": dest, "nextHop": next})).collect()
}

const DUAL: [&str; 2] = ["10.77.1.0/24", "fd10:0:0:1::/64"];
const DEFAULT: [&str; 2] = ["10.128.0.0/23", "fd01:0:0:1::/64"];

fn default_network() -> Network {
    Network::of_settings(&settings()).unwrap()
}

fn nothing(_: &mut Attachment) {}

#[test]
fn a_primary_network_leads_to_its_ranges_to_services_and_to_the_join_subnet() {
    let (v4, v6) = ("10.77.1.1", "fd10:0:0:1::1");
    let want = json!({"a/blue": {
        "ip_addresses": ["10.77.1.3/24", "fd10:0:0:1::3/64"], "mac_address": "0a:58:0a:4d:01:03",
        "gateway_ips": [v4, v6],
        "routes": routes(&[
            ("10.77.0.0/16", v4), ("10.79.0.0/16", v4), ("172.30.0.0/16", v4),
            ("100.65.0.0/16", v4), ("fd10::/48", v6), ("fd02::/112", v6), ("fd99::/64", v6),
        ]),
        "role": "primary",
    }});
    Scene::default().on(blue(primary()), &DUAL, nothing).check(&want);
}

#[test]
fn a_secondary_network_leads_to_its_ranges_alone() {
    let (v4, v6) = ("10.77.1.1", "fd10:0:0:1::1");
    let mut want = json!({"a/blue": {
        "ip_addresses": ["10.77.1.3/24", "fd10:0:0:1::3/64"], "mac_address": "0a:58:0a:4d:01:03",
        "routes": routes(&[("10.77.0.0/16", v4), ("10.79.0.0/16", v4), ("fd10::/48", v6)]),
        "role": "secondary",
    }});
    Scene::default().on(blue(Role::Secondary), &DUAL, nothing).check(&want);
    want["a/blue"]["gateway_ips"] = json!([v4]);
    let asks = |it: &mut Attachment| it.gateways = vec![v4.parse().unwrap()];
    Scene::default().on(blue(Role::Secondary), &DUAL, asks).check(&want);
}

#[test]
fn one_family_is_written_in_both_forms() {
    let want = json!({"a/blue": {
        "ip_addresses": ["10.77.1.3/24"], "mac_address": "0a:58:0a:4d:01:03",
        "gateway_ips": ["10.77.1.1"], "ip_address": "10.77.1.3/24", "gateway_ip": "10.77.1.1",
        "routes": routes(&[
            ("10.77.0.0/16", "10.77.1.1"), ("10.79.0.0/16", "10.77.1.1"),
            ("172.30.0.0/16", "10.77.1.1"), ("100.65.0.0/16", "10.77.1.1"),
        ]),
        "role": "primary",
    }});
    Scene::default().on(blue(primary()), &DUAL[..1], nothing).check(&want);
}

fn on_default(gateways: &[&str]) -> Value {
    let (v4, v6) = ("10.128.0.1", "fd01:0:0:1::1");
    let mut entry = json!({
        "ip_addresses": ["10.128.0.3/23", "fd01:0:0:1::3/64"], "mac_address": "0a:58:0a:80:00:03",
        "gateway_ips": gateways,
        "routes": routes(&[
            ("10.128.0.0/14", v4), ("172.30.0.0/16", v4), ("169.254.0.5/32", v4),
            ("100.64.0.0/16", v4), ("fd01::/48", v6), ("fd02::/112", v6), ("fd69::5/128", v6),
            ("fd98::/64", v6),
        ]),
        "role": "primary",
    });
    if gateways.is_empty() {
        entry.as_object_mut().unwrap().remove("gateway_ips");
    }
    entry
}

#[test]
fn the_default_network_leads_to_services_of_the_pod_itself_too() {
    let want = json!({"default": on_default(&["10.128.0.1", "fd01:0:0:1::1"])});
    Scene::default().on(default_network(), &DEFAULT, nothing).check(&want);
}

#[test]
fn another_network_that_is_the_way_out_takes_the_default_networks_gateway() {
    let with = |gateways: &[&str]| {
        let ips: Vec<IpAddr> = gateways.iter().map(|it| it.parse().unwrap()).collect();
        let asks = move |it: &mut Attachment| it.gateways.clone_from(&ips);
        let scene = Scene::default().on(default_network(), &DEFAULT, nothing);
        let mut scene = scene.on(blue(Role::Secondary), &DUAL, asks);
        scene.grants.attachments.remove(&NetworkName::new("blue"));
        scene
    };
    with(&["10.77.1.1"]).check(&json!({"default": on_default(&["fd01:0:0:1::1"])}));
    with(&["10.77.1.1", "fd10::1"]).check(&json!({"default": on_default(&[])}));
}

#[test]
fn a_locked_port_leads_nowhere_but_to_the_default_network_itself() {
    let (v4, v6) = ("10.128.0.1", "fd01:0:0:1::1");
    let want = json!({"default": {
        "ip_addresses": ["10.128.0.3/23", "fd01:0:0:1::3/64"], "mac_address": "0a:58:0a:80:00:03",
        "routes": routes(&[
            ("10.128.0.0/14", v4), ("100.64.0.0/16", v4), ("fd01::/48", v6), ("fd98::/64", v6),
        ]),
        "role": "infrastructure-locked",
    }});
    let lock = |it: &mut Attachment| it.lock = Some(Lock::default());
    Scene::default().on(default_network(), &DEFAULT, lock).check(&want);
}

#[test]
fn entries_of_others_stay_byte_by_byte() {
    let other =
        r#"{ "a/flat": {"ip_addresses":  ["10.30.0.5/24"], "mac_address":"x", "odd": 1.50}}"#;
    let mut scene = Scene::default().on(blue(Role::Secondary), &DUAL[..1], nothing);
    scene.annotations = Some(json!({"k8s.ovn.org/pod-networks": other}));
    let text = scene.text().unwrap();
    let kept = r#""a/flat":{"ip_addresses":  ["10.30.0.5/24"], "mac_address":"x", "odd": 1.50}"#;
    assert!(text.contains(kept), "{text}");
    assert!(text.contains(r#""a/blue":{"ip_addresses":["10.77.1.3/24"]"#), "{text}");
    scene.annotations = Some(json!({"k8s.ovn.org/pod-networks": text}));
    assert_eq!(scene.text(), None, "what stands is not written again");
}
