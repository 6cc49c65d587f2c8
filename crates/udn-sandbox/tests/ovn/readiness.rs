//! Whether a network is ready is OVN's own word, node by node.

use std::pin::pin;

use futures_util::TryStreamExt;
use kube::api::{Api, DynamicObject, PostParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use tokio::time::timeout;
use udn_lab::node::Node;
use udn_wire::Kind;

use crate::rig::manifests::{folder_of, nodes, tenant};
use crate::rig::site::Site;
use crate::rig::{LIMIT, Stand, told};

const SUBNETS: &str = "10.40.0.0/16, fd40::/64";

/// A node whose ovn-controller takes nothing in until this is dropped.
struct Paused<'n>(&'n Node);

impl<'n> Paused<'n> {
    fn new(node: &'n Node) -> Self {
        told(node.controller().appctl(), &["debug/pause"]);
        Self(node)
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        told(self.0.controller().appctl(), &["debug/resume"]);
    }
}

pub(crate) async fn a_network_is_ready_once_ovn_has_confirmed_on_every_node(site: &Site) {
    let manifests = folder_of(&(nodes(3) + &tenant("red", SUBNETS)));
    let stand = Stand::new(site, manifests.path()).await;
    let networks = networks(&stand);
    until(&networks, "red", is_ready).await;

    let paused = Paused::new(stand.node("node-2"));
    create_tenant(&stand, "blue").await;
    let waits = until(&networks, "blue", |it| {
        condition(it, "NetworkAllocationSucceeded") == Some(("True", "NetworkAllocationSucceeded"))
            && condition(it, "Ready") == Some(("False", "NodesNotReady"))
            && it["status"]["nodes"]["ready"] == 2
    });
    let nodes = waits.await["status"]["nodes"].clone();
    let message = "has not programmed the newest state yet";
    let late = json!({ "node": "node-2", "reason": "NotProgrammedYet", "message": message });
    assert_eq!(nodes, json!({ "total": 3, "ready": 2, "notReady": 1, "problems": [late] }));
    let red = networks.get("red").await.expect("red is there");
    assert!(
        is_ready(&serde_json::to_value(red).expect("it is JSON")),
        "red has nothing to wait for"
    );

    drop(paused);
    until(&networks, "blue", is_ready).await;
}

fn networks(stand: &Stand) -> Api<DynamicObject> {
    Api::all_with(stand.sandbox.client(), &resource(Kind::ClusterUserDefinedNetwork))
}

fn resource(kind: Kind) -> ApiResource {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let of = GroupVersionKind::gvk(group, version, kind.as_str());
    ApiResource::from_gvk_with_plural(&of, kind.plural())
}

/// Makes a tenant without telling the sandbox, which would wait until it is ready.
async fn create_tenant(stand: &Stand, name: &str) {
    let labels = json!({ "tenant": name, "k8s.ovn.org/primary-user-defined-network": "" });
    let namespace = json!({ "metadata": { "name": name, "labels": labels } });
    let layer2 = json!({ "role": "Primary", "subnets": ["10.40.0.0/16", "fd40::/64"] });
    let selector = json!({ "matchLabels": { "tenant": name } });
    let network = json!({ "metadata": { "name": name }, "spec": {
        "namespaceSelector": selector, "network": { "topology": "Layer2", "layer2": layer2 },
    } });
    let objects = [(Kind::Namespace, namespace), (Kind::ClusterUserDefinedNetwork, network)];
    for (kind, mut object) in objects {
        object["apiVersion"] = json!(kind.api_version());
        object["kind"] = json!(kind.as_str());
        let api: Api<DynamicObject> = Api::all_with(stand.sandbox.client(), &resource(kind));
        let object = serde_json::from_value(object).expect("it is an object");
        api.create(&PostParams::default(), &object).await.expect("the server takes it");
    }
}

/// Watches a network until it is as it must become.
async fn until(
    networks: &Api<DynamicObject>,
    name: &str,
    is_wanted: impl Fn(&Value) -> bool,
) -> Value {
    let params = WatchParams::default().fields(&format!("metadata.name={name}"));
    let mut last = Value::Null;
    let watch = async {
        // From no version: the server begins with what is there.
        let mut events = pin!(networks.watch(&params, "0").await.expect("the server tells"));
        while let Some(event) = events.try_next().await.expect("the server goes on telling") {
            if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event {
                last = serde_json::to_value(object).expect("it is JSON");
                if is_wanted(&last) {
                    return;
                }
            }
        }
        panic!("the server tells no more");
    };
    let is_over = timeout(LIMIT, watch).await.is_ok();
    assert!(is_over, "{name} did not become as it must: {last:#}");
    last
}

fn is_ready(network: &Value) -> bool {
    condition(network, "Ready") == Some(("True", "NodesReady"))
}

/// The status and the reason of a condition.
fn condition<'v>(network: &'v Value, r#type: &str) -> Option<(&'v str, &'v str)> {
    let conditions = network["status"]["conditions"].as_array()?;
    let found = conditions.iter().find(|it| it["type"] == r#type)?;
    Some((found["status"].as_str()?, found["reason"].as_str()?))
}
