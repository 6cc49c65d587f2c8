//! A controller in which one network panics.
//!
//! Invariant: it differs from `udn controller` by that network alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube::Client;
use tokio::sync::watch;
use udn_cluster::reconciler::{Attempt, Change, Conclusion};
use udn_cluster::{AgentNews, Reconciler, View, WorkItem, World};
use udn_control::cluster::{Brain, ControllerSettings, Signals, run_with};
use udn_control::metrics::Metrics;
use udn_model::{ClusterSettings, Manifest};

use crate::Outcome;

/// The word that makes this bench a controller with a network that panics.
pub(crate) const WORK: &str = "--work-with-a-mishap";

/// The network whose reconciles panic.
pub(crate) const CURSED: &str = "cursed";

/// A brain that panics over one network.
struct Cursed(Reconciler);

impl Brain for Cursed {
    fn observe(&mut self, change: Change) -> BTreeSet<WorkItem> {
        self.0.observe(change)
    }

    fn observe_agents(&mut self, news: AgentNews) -> BTreeSet<WorkItem> {
        self.0.observe_agents(news)
    }

    fn is_synced(&self) -> bool {
        self.0.is_synced()
    }

    fn view(&self, item: &WorkItem) -> View {
        self.0.view(item)
    }

    fn decide(&mut self, view: View) -> Attempt {
        let cursed = WorkItem::Network(Manifest::Cudn(CURSED.to_owned()));
        assert_ne!(view.item, cursed, "a rehearsed mishap");
        self.0.decide(view)
    }

    fn conclude(&mut self, attempt: Attempt) -> Conclusion {
        self.0.conclude(attempt)
    }

    fn take_woken(&mut self) -> BTreeSet<WorkItem> {
        self.0.take_woken()
    }

    fn world(&self) -> &World {
        self.0.world()
    }
}

/// Works until it is killed.
pub(crate) async fn work(words: &[String]) -> Outcome<()> {
    let config = kube::config::Kubeconfig::read_from(words.first().ok_or("no kubeconfig")?)?;
    let options = kube::config::KubeConfigOptions::default();
    let client = Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?;
    let cluster = ClusterSettings::default();
    let brain = Cursed(Reconciler::new(cluster.clone()));
    let settings = ControllerSettings::new(cluster);
    let (ready, _) = watch::channel(false);
    let (_keep, stop) = watch::channel(false);
    let signals = Signals::new(ready, stop);
    run_with(brain, client, settings, Arc::new(Metrics::default()), signals).await;
    Ok(())
}
