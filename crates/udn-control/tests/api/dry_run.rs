//! A dry run says what the controller does: on a real kube-apiserver, and on the embedded one.
//!
//! Invariant: nothing here knows which server it runs on.

use std::collections::BTreeMap;

use crate::kit::objects::{cudn, layer2, nad, namespace, node, primary_namespace};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;
use crate::kit::workloads::pod;
use serde_json::{Value, json};
use udn_cluster::World;
use udn_control::cluster::{ControllerSettings, dry_run_at};
use udn_control::zone::Listing;
use udn_model::{ClusterSettings, Manifest};
use udn_wire::Kind;
use udn_wire::keys::{NODE_ID, NODE_TRANSIT_ADDRESS, POD_NETWORKS};

const WRITTEN: &str = r#"{"type":"ovn-k8s-cni-overlay","name":"flat","topology":"layer2","netAttachDefName":"b/flat"}"#;

/// What users have made: networks that come about and networks that cannot, NADs, a node, pods.
async fn make(site: &Site) {
    site.create(node("n1")).await;
    site.create(primary_namespace("a", "a")).await;
    site.create(namespace("b", &[("team", "b")])).await;
    site.create(cudn("red", "a", layer2("Secondary", &["10.10.0.0/16"]))).await;
    site.create(cudn("blue", "a", layer2("Primary", &["10.20.0.0/16"]))).await;
    site.create(cudn("taken", "b", layer2("Primary", &["172.30.0.0/16"]))).await;
    site.create(nad("b", "flat", WRITTEN)).await;
    site.create(nad("b", "torn", r#"{"type":"ovn-k8s-cni-overlay","name":"#)).await;
    for name in ["one", "two"] {
        site.create(pod("a", name)).await;
    }
}

/// What was written on objects, without the addresses that each of several pods got: who comes first
/// gets the first.
fn written(world: &World) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (name, nad) in &world.nads {
        let metadata = &nad.metadata;
        let owners: Vec<_> = metadata.owner_references.iter().map(|it| &it.uid).collect();
        let marks = json!([metadata.labels, metadata.annotations, metadata.finalizers, owners]);
        all.insert(format!("NAD {name}"), json!([nad.spec.config, marks]));
    }
    for (name, node) in &world.nodes {
        let texts = [NODE_ID, NODE_TRANSIT_ADDRESS].map(|key| node.metadata.annotation(key));
        all.insert(format!("node {name}"), json!(texts));
    }
    for (name, pod) in &world.pods {
        let text = pod.metadata.annotation(POD_NETWORKS).unwrap_or("{}");
        let mut networks: Value = serde_json::from_str(text).expect("it is JSON");
        for entry in networks.as_object_mut().into_iter().flatten() {
            let fields = entry.1.as_object_mut().expect("an entry is an object");
            fields.retain(|key, _| !["mac_address", "tunnel_id"].contains(&key.as_str()));
            fields.retain(|key, _| !key.starts_with("ip_address"));
        }
        all.insert(format!("pod {name}"), networks);
    }
    for name in world.cluster_networks.keys() {
        let object = world.manifest(&Manifest::Cudn(name.clone())).expect("it is of this world");
        let mut status = serde_json::to_value(object.status).expect("it is JSON");
        for condition in status["conditions"].as_array_mut().into_iter().flatten() {
            condition["lastTransitionTime"] = Value::Null;
        }
        all.insert(format!("CUDN {name}"), json!([object.metadata.finalizers, status]));
    }
    all
}

async fn check(site: &Site) {
    make(site).await;
    let settings = ControllerSettings::new(ClusterSettings::default());
    let told = written(&dry_run_at(site.client.clone(), settings.clone()).await.world);
    let controller = RunningController::start(&site.client, settings);
    let kinds =
        [Kind::Namespace, Kind::Node, Kind::ClusterUserDefinedNetwork, Kind::Nad, Kind::Pod];
    let mut last = BTreeMap::new();
    let done = site.comes_about(async || {
        let listing = Listing::read(&site.client, &kinds).await.expect("the server answers");
        last = written(&listing.world);
        last == told
    });
    assert!(done.await, "the controller made {last:#?}, and the dry run told {told:#?}");
    assert!(told["NAD a/blue"][1][1]["k8s.ovn.org/network-id"].is_string(), "{told:#?}");
    assert!(told["pod a/one"]["a/blue"]["role"] == "primary", "{told:#?}");
    controller.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_holds_what_the_dry_run_told() {
    check(&Site::real().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_embedded_server_holds_what_the_dry_run_told() {
    check(&Site::embedded().await).await;
}
