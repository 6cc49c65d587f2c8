//! The shared cases about single pods whose addresses their node's zone grants: same entries as
//! OVN-Kubernetes.
//!
//! `docs/compat/addresses.md` names them, under *Granted by a node's zone*. The stub of those tests
//! hands out the third address of a node's subnet, as a node does whose pod is the first.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "this test reads the shared cases, which are well formed, and says when they are absent"
)]

use serde_json::{Value, json};
use udn_cluster::reconciler::Change;
use udn_model::{ClusterSettings, ClusterSubnet, Family, NodeName, PerFamily, Subnet};
use udn_wire::{Kind, keys};
use udn_zone::KINDS;

use crate::driver::Driver;
use crate::objects::{Draft, namespace, node, pod};
use crate::patch::patched;
use crate::shared_cases::{Case, all};

const PLAYED: [&str; 2] =
    ["pod-annotation-expect-new-ip", "pod-annotation-expect-requested-mac-ipam"];
/// The node's subnet, and the range that the stub's network does not have.
const SUBNET: &str = "192.168.0.0/24";
const RANGE: &str = "192.168.0.0/16";

#[test]
fn a_pod_of_the_default_network_carries_the_same() {
    let Some(cases) = all("allocation") else {
        println!("skipped: the shared cases are absent; set UDN_CASES to their folder");
        return;
    };
    for id in PLAYED {
        let case = cases.iter().find(|it| it.id == id).unwrap();
        let got = entry(case);
        let want = case.at("/expected/pod_annotation");
        let routes = got["routes"].as_array().unwrap().iter().filter(|it| it["dest"] != RANGE);
        let routes: Vec<Value> =
            routes.map(|it| json!({"dest": it["dest"], "next_hop": it["nextHop"]})).collect();
        assert_eq!(Value::from(routes), want["routes"], "{id}");
        assert_eq!(got["ip_addresses"], want["ips"], "{id}");
        assert_eq!(got["mac_address"], want["mac"], "{id}");
        assert_eq!(got["gateway_ips"], want["gateways"], "{id}");
        assert_eq!(got["role"], want["role"], "{id}");
        assert_eq!(got["tunnel_id"], want["tunnel_id"], "{id}");
    }
}

/// What the zone writes on the pod of a case about the default network.
fn entry(case: &Case) -> Value {
    let subnets = json!({"default": [SUBNET]});
    let own_node = node(1).with_subnets(&subnets);
    let mut asking = pod("namespace/pod", "n1", "");
    if let Some(mac) = case.at("/input/network_selection_element/mac").as_str() {
        let asked = json!({"name": "default", "namespace": "ovn-kubernetes", "mac": mac});
        asking = asking.annotated(keys::DEFAULT_SELECTION, &asked.to_string());
    }
    let asking = asking.at_version(7);
    let mut driver = Driver::new(&NodeName::new("n1"), &settings());
    let objects = [namespace("namespace", false), own_node, asking.clone()];
    let listed = KINDS.map(|kind| Change::Listed {
        kind,
        objects: objects.iter().filter(|it| it.kind == kind).map(Draft::read).collect(),
        version: 7,
    });
    driver.hear(listed);
    let writes = driver.zone.writes();
    assert_eq!(writes.len(), 1, "{}: {:?}", case.id, driver.zone.findings());
    let written = patched(&asking.object, writes.values().next().unwrap()).unwrap();
    assert_eq!(asking.kind, Kind::Pod);
    let annotation = written["metadata"]["annotations"][keys::POD_NETWORKS].as_str().unwrap();
    serde_json::from_str::<Value>(annotation).unwrap()["default"].take()
}

/// What those tests are set to.
fn settings() -> ClusterSettings {
    let subnet = |text| Subnet::parse(text).unwrap();
    let mut masquerade = PerFamily::default();
    masquerade.put(Family::V4, subnet("169.254.169.0/29"));
    ClusterSettings {
        builds_default_network: true,
        families: [Family::V4].into(),
        cluster_subnets: vec![ClusterSubnet { subnet: subnet(RANGE), host_prefix_len: 24 }],
        service_subnets: Vec::new(),
        masquerade,
        ..ClusterSettings::default()
    }
}
