//! A dry run grants what a zone would grant, and writes nothing.

use serde_json::{Value, json};
use udn_wire::{Kind, keys};

use super::*;

/// A node with a chassis, a layer-3 network, and a pod on it that has no addresses.
fn world() -> World {
    let config = json!({
        "name": "blue", "type": keys::CNI_TYPE, "netAttachDefName": "c/blue",
        "topology": "layer3", "role": "secondary", "subnets": "10.88.0.0/16/24",
    });
    let node = json!({ "metadata": { "name": "n1", "annotations": {
        keys::NODE_ID: "2", keys::NODE_CHASSIS: "chassis-1", keys::NODE_ENCAP_IPS: "[\"172.18.0.1\"]",
        keys::NODE_TRANSIT_ADDRESS: "{\"ipv4\":\"100.88.0.2/16\"}",
        keys::NODE_SUBNETS: "{\"blue\":[\"10.88.1.0/24\"]}",
    } } });
    let nad = json!({
        "metadata": { "namespace": "c", "name": "blue",
            "annotations": { keys::NETWORK_ID: "1", keys::NETWORK_NAME: "blue" } },
        "spec": { "config": config.to_string() },
    });
    let pod = json!({
        "metadata": { "namespace": "c", "name": "p", "uid": "1",
            "annotations": { keys::SELECTION: "blue" } },
        "spec": { "nodeName": "n1" },
    });
    let namespace = json!({ "metadata": { "name": "c" } });
    let all: [(Kind, Value); 4] =
        [(Kind::Namespace, namespace), (Kind::Node, node), (Kind::Nad, nad), (Kind::Pod, pod)];
    let mut world = World::default();
    for (kind, object) in all {
        world.put(AnyObject::decode(kind, &object.to_string()).expect("it is well formed"));
    }
    world
}

#[test]
fn what_a_zone_would_grant_is_drawn_as_if_it_were_published() {
    let world = world();
    let run = ZoneDryRun::new(&world, &NodeName::new("n1"), &ClusterSettings::default());
    let [write] = run.writes() else { panic!("one pod, one write: {:?}", run.writes()) };
    assert_eq!(write.target.to_string(), "Pod c/p");
    let grants = run.grants().attachments.values().flatten();
    let granted: Vec<String> =
        grants.map(|(key, grant)| format!("{key} {}", grant.addresses[0])).collect();
    assert_eq!(granted, ["c/p on c/blue 10.88.1.3/24"]);
    let sheets = run.sheets().iter().flat_map(|(_, sheets)| sheets);
    let text: String = sheets.map(|it| format!("{it:?}")).collect();
    assert!(text.contains("10.88.1.3"), "the pod's port is drawn");
    assert_eq!(world.of_kind(Kind::Pod).len(), 1);
    let pod = world.pods.values().next().expect("it is there");
    assert_eq!(pod.metadata.annotation(POD_NETWORKS), None, "nothing is written");
}
