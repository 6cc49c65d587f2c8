//! Faults of which one is enough: a single conflict, and events that never arrive.
//!
//! Invariant: exactly what a test names goes wrong, and only to the controller.

use std::time::Duration;

use kube_embedded::{Fault, FaultPlan, PerMille, Planned};
use udn_control::cluster::ControllerSettings;
use udn_model::ClusterSettings;
use udn_wire::Kind;

use super::ending::Ending;
use crate::kit::objects::{cudn, layer2, node, primary_namespace, udn};
use crate::kit::running_controller::RunningController;
use crate::kit::server::Site;

fn start_controller(site: &Site) -> RunningController {
    RunningController::start(&site.client, ControllerSettings::new(ClusterSettings::default()))
}

async fn quiet(time: Duration) {
    // waits: the clock of the test is paused and goes on only when nobody has anything to do
    tokio::time::sleep(time).await;
}

async fn create(site: &Site, name: &str) {
    site.create(primary_namespace(name, name)).await;
    site.create(cudn(name, name, layer2("Primary", &["10.10.0.0/16"]))).await;
}

/// Networks come and one goes; the controller's n-th patch meets a conflict. `None` if it sent fewer.
pub(crate) async fn conflict_at(patch: usize) -> Option<Ending> {
    let site = Site::embedded().await;
    let start = site.version().await;
    let fault = Fault::Conflict;
    let (verb, resource) = ("patch".to_owned(), String::new());
    site.server().faults().plan(Planned { verb, resource, after: patch, fault });
    let controller = start_controller(&site);
    for name in ["blue", "red"] {
        create(&site, name).await;
    }
    site.create(primary_namespace("green", "none")).await;
    site.create(udn("green", "green", layer2("Primary", &["10.20.0.0/16"]))).await;
    site.create(node("node-1")).await;
    quiet(Duration::from_secs(90)).await;
    site.delete(Kind::ClusterUserDefinedNetwork, "", "red").await;
    quiet(Duration::from_secs(90)).await;
    controller.stop().await;
    let was_met = site.server().faults().pending() == 0;
    for kind in [Kind::ClusterUserDefinedNetwork, Kind::UserDefinedNetwork] {
        for (_, state) in site.history(kind, start).await {
            let told = state["status"].to_string();
            assert!(!told.contains("refused"), "a conflict is nothing to tell users: {told}");
        }
    }
    let ending = Ending::of(&site).await;
    was_met.then_some(ending)
}

/// A network of which no event tells, then one that is told of; whether both have their NADs after
/// some hours.
pub(crate) async fn events_lost() -> bool {
    let site = Site::embedded().await;
    let controller = start_controller(&site);
    quiet(Duration::from_secs(1)).await;
    let lost = FaultPlan { event_lost: PerMille(1000), ..FaultPlan::default() };
    site.server().faults().set(Some(lost));
    create(&site, "unheard").await;
    quiet(Duration::from_secs(1)).await;
    site.server().faults().set(None);
    create(&site, "heard").await;
    quiet(Duration::from_secs(90)).await;
    let has = async |name: &str| site.read(Kind::Nad, name, name).await.is_some();
    assert!(has("heard").await && !has("unheard").await, "the events were lost");
    quiet(Duration::from_secs(3 * 3600)).await;
    let has_both = has("heard").await && has("unheard").await;
    controller.stop().await;
    has_both
}
