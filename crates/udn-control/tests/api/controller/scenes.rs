//! What users see of the controller, scene by scene.
//!
//! Invariant: a scene leaves no network behind, so that the next one starts with free numbers.

use serde_json::Value;
use udn_cluster::WorkItem;
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;
use udn_wire::keys::POD_NETWORKS;

use super::watched_brain::{Decisions, WatchedBrain};
use crate::kit::objects::{cudn, primary_namespace};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;
use crate::kit::workloads::{Lan, entry};

pub(super) mod agents;
pub(super) mod claims;
pub(super) mod deletion;
pub(super) mod deprecated;
pub(super) mod isolation;
pub(super) mod machines;
pub(super) mod nads;
pub(super) mod numbers;
pub(super) mod pods;
pub(super) mod readiness;
pub(super) mod requests;
pub(super) mod secondary;
pub(super) mod wrong_requests;

pub(super) const CUDN: Kind = Kind::ClusterUserDefinedNetwork;
pub(super) const UDN: Kind = Kind::UserDefinedNetwork;
pub(super) const NAD: Kind = Kind::Nad;
pub(super) const POD: Kind = Kind::Pod;
pub(super) const CLAIM: Kind = Kind::Claim;

/// A controller with ordinary settings.
pub(super) fn start_controller(site: &Site) -> RunningController {
    start_controller_with(site, ClusterSettings::default())
}

pub(super) fn start_controller_with(site: &Site, settings: ClusterSettings) -> RunningController {
    RunningController::start(&site.client, ControllerSettings::new(settings))
}

/// A controller whose decisions are counted, and panic for some work items.
pub(super) fn start_watched_controller(
    site: &Site,
    is_cursed: fn(&WorkItem) -> bool,
) -> (RunningController, Decisions) {
    let settings = ControllerSettings::new(ClusterSettings::default());
    let (brain, decisions) = WatchedBrain::new(&settings.cluster, is_cursed);
    (RunningController::start_with(brain, &site.client, settings, u64::MAX), decisions)
}

/// The configuration of a NAD.
pub(super) fn config(nad: &Value) -> Value {
    let text = nad["spec"]["config"].as_str().expect("a NAD has a configuration");
    serde_json::from_str(text).expect("ours is JSON")
}

/// A condition of a network.
pub(super) fn condition<'a>(network: &'a Value, name: &str) -> &'a Value {
    let all = network["status"]["conditions"].as_array();
    let found = all.into_iter().flatten().find(|it| it["type"] == name);
    found.unwrap_or(&Value::Null)
}

pub(super) fn is(network: &Value, name: &str, status: &str) -> bool {
    condition(network, name)["status"] == status
}

/// Whether the condition says this, among other things.
pub(super) fn says(network: &Value, name: &str, words: &str) -> bool {
    condition(network, name)["message"].as_str().is_some_and(|it| it.contains(words))
}

/// Waits until a network was created and has its numbers.
pub(super) async fn created(site: &Site, kind: Kind, namespace: &str, name: &str) -> Value {
    site.until_it((kind, namespace, name), "created and allocated", |it| {
        is(it, "NetworkCreated", "True") && is(it, "NetworkAllocationSucceeded", "True")
    })
    .await
}

/// Deletes networks and namespaces, and waits until the networks are gone.
pub(super) async fn clear(site: &Site, networks: &[(Kind, &str, &str)], namespaces: &[&str]) {
    for (kind, namespace, name) in networks {
        site.delete(*kind, namespace, name).await;
    }
    for (kind, namespace, name) in networks {
        site.until_gone(*kind, namespace, name).await;
    }
    for name in namespaces {
        site.delete(Kind::Namespace, "", name).await;
    }
}

/// Makes a primary network and its namespace.
pub(super) async fn build(site: &Site, lan: &Lan, more: Value) {
    site.create(primary_namespace(&lan.name, &lan.name)).await;
    site.create(cudn(&lan.name, &lan.name, lan.primary(more))).await;
}

/// Takes it away, with everybody who is on it.
pub(super) async fn demolish(site: &Site, lans: &[Lan]) {
    for kind in [POD, CLAIM] {
        for object in site.all(kind).await {
            let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default();
            if lans.iter().any(|lan| lan.name == text("namespace")) {
                site.delete(kind, text("namespace"), text("name")).await;
            }
        }
    }
    let networks: Vec<_> = lans.iter().map(|lan| (CUDN, "", lan.name.as_str())).collect();
    let namespaces: Vec<_> = lans.iter().map(|lan| lan.name.as_str()).collect();
    clear(site, &networks, &namespaces).await;
}

/// Waits until a pod has something on a network; returns what.
pub(super) async fn addressed(site: &Site, (namespace, name): (&str, &str), key: &str) -> Value {
    let place = (POD, namespace, name);
    let pod = site.until_it(place, "annotated", |it| entry(it, key).is_object()).await;
    entry(&pod, key)
}

/// Waits until a pod is told why it has nothing on its network.
pub(super) async fn refused(
    site: &Site,
    (namespace, name): (&str, &str),
    words: &[&str],
) -> String {
    let told = site.until_told((POD, namespace, name), words).await;
    assert!(told.starts_with("ErrorAllocatingPod: "), "{told}");
    let pod = site.read(POD, namespace, name).await.expect("it is there");
    assert_eq!(pod["metadata"]["annotations"][POD_NETWORKS], Value::Null, "{told}");
    told
}
