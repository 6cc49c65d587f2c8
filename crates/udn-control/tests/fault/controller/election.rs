//! A new leader whose first lists are older than its election.
//!
//! Invariant: what the lists leave out is exactly what the controller before gave out.

use std::time::Duration;

use kube_embedded::{Fault, FaultPlan, PerMille, Planned};
use serde_json::json;
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use super::ending::audit;
use crate::kit::objects::{cudn, layer2, primary_namespace};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

/// Network zeta has its numbers from the controller before; alpha, whose reconcile comes first, has none
/// yet, and the lists show a moment at which neither had any.
pub(crate) async fn with_stale_lists() -> Result<(), String> {
    let site = Site::embedded().await;
    let start = site.version().await;
    for name in ["alpha", "zeta"] {
        site.create(primary_namespace(name, "none")).await;
        site.create(cudn(name, name, layer2("Primary", &["10.10.0.0/16"]))).await;
    }
    let before = site.version().await;
    work(&site, "zeta", 0).await;
    let fence = site.version().await;
    for kind in [Kind::ClusterUserDefinedNetwork, Kind::Nad] {
        let (verb, resource) = ("list".to_owned(), kind.plural().to_owned());
        let fault = Fault::Stale(fence - before);
        site.server().faults().plan(Planned { verb, resource, after: 0, fault });
    }
    // What the lists left out is heard, but after the first reconciles.
    let late = FaultPlan {
        event_delay: PerMille(1000),
        longest_delay: Duration::from_secs(1),
        ..FaultPlan::default()
    };
    site.server().faults().set(Some(late));
    work(&site, "alpha", fence).await;
    site.server().faults().set(None);
    assert_eq!(site.server().faults().pending(), 0, "both lists were asked for");
    assert!(site.read(Kind::Nad, "alpha", "alpha").await.is_some(), "alpha has its NAD");
    audit(&site, start).await
}

/// A controller works until all is done, for one more namespace.
async fn work(site: &Site, name: &str, fence: u64) {
    let labels = json!({ "metadata": { "labels": { "team": name } } });
    site.patch(Kind::Namespace, "", name, labels).await;
    let settings = ControllerSettings::new(ClusterSettings::default());
    let controller =
        RunningController::start(&site.client, ControllerSettings { fence, ..settings });
    // waits: the clock of the test is paused and goes on only when nobody has anything to do
    tokio::time::sleep(Duration::from_secs(90)).await;
    controller.stop().await;
}
