//! A controller in which one network panics.
//!
//! Invariant: it differs from `udn controller` by that network alone.

use std::sync::Arc;

use kube::Client;
use tokio::sync::watch;
use udn_cluster::WorkItem;
use udn_control::cluster::server::{ControllerSettings, run};
use udn_control::metrics::Metrics;
use udn_model::ClusterSettings;

use crate::Outcome;

/// The word that makes this bench a controller with a network that panics.
pub(crate) const WORK: &str = "--work-with-a-mishap";

/// The network whose turns panic.
pub(crate) const CURSED: &str = "cursed";

fn mishap(item: &WorkItem) {
    assert_ne!(*item, WorkItem::ClusterUserDefinedNetwork(CURSED.to_owned()), "a rehearsed mishap");
}

/// Works until it is killed.
pub(crate) async fn work(words: &[String]) -> Outcome<()> {
    let config = kube::config::Kubeconfig::read_from(words.first().ok_or("no kubeconfig")?)?;
    let options = kube::config::KubeConfigOptions::default();
    let client = Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?;
    let cluster = ClusterSettings::default();
    let settings =
        ControllerSettings { rehearsed_mishap: Some(mishap), ..ControllerSettings::new(cluster) };
    let (ready, _) = watch::channel(false);
    let (_keep, stop) = watch::channel(false);
    run(client, settings, Arc::new(Metrics::default()), ready, stop).await;
    Ok(())
}
