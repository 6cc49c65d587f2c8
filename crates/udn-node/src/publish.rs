//! Tells the API what a node knows of itself: annotations on its Node, and its NodeNetworkReport.
//!
//! Reads the newest state only; writes what differs.
//! Invariant: a node writes nothing but its own objects; the same facts write nothing, and a failure
//! is tried again and ends nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{debug, info, warn};
use udn_control::heartbeat::Watchdog;
use udn_host::chassis::OwnFacts;
use udn_model::{ClusterSettings, NodeName};
use udn_wire::api::{PhysicalNetwork, UnusablePhysicalNetwork};
use udn_wire::texts::Texts;
use udn_zone::OwnNode;

mod annotations;
mod events;
mod report_watch;
mod send;
#[cfg(test)]
mod tests;

pub use annotations::annotations;
pub(crate) use events::warn_of;
use report_watch::Reported;
use send::SendError;

/// Whose fields these are.
pub const FIELD_MANAGER: &str = "udn-node";

/// The first rest after a failure, and the longest.
const FIRST_REST: Duration = Duration::from_millis(500);
const LONGEST_REST: Duration = Duration::from_secs(30);

/// What is to be told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Telling {
    /// The Node as it stands; none if it is not there.
    pub(crate) node: Option<OwnNode>,
    pub(crate) facts: OwnFacts,
}

/// Who tells.
pub(crate) struct Publisher {
    client: Client,
    node: NodeName,
    cluster: Arc<ClusterSettings>,
    /// What the report says, as far as it is ours; unknown until it was read or written.
    reported: watch::Receiver<Option<Reported>>,
    /// What was written last and not heard of since, with what stood then.
    sent: Option<(Annotations, Texts)>,
    rest: Duration,
    last_failure: Option<String>,
}

type Annotations = BTreeMap<String, String>;

impl Publisher {
    /// Begins to follow the node's report; must be called inside a tokio runtime.
    pub(crate) fn new(client: Client, node: NodeName, cluster: Arc<ClusterSettings>) -> Self {
        let reported = report_watch::follow(client.clone(), node.clone());
        Self { client, node, cluster, reported, sent: None, rest: FIRST_REST, last_failure: None }
    }

    /// Tells whatever is news, until nobody is left who could have some.
    pub(crate) async fn work(
        mut self,
        mut tellings: watch::Receiver<Option<Telling>>,
        watchdog: Watchdog,
    ) {
        loop {
            let telling = tellings.borrow_and_update().clone();
            self.reported.mark_unchanged();
            let rest = match telling {
                Some(telling) => {
                    let _work = watchdog.begin("publisher");
                    self.tell(&telling).await
                }
                None => None,
            };
            tokio::select! {
                changed = tellings.changed() => if changed.is_err() { return },
                // A watch that ended tells nothing any more, and is no reason to spin.
                Ok(()) = self.reported.changed() => {}
                // waits: until the server is better
                () = sleep(rest.unwrap_or_default()), if rest.is_some() => {}
            }
        }
    }

    /// Writes what differs; returns how long to rest if that did not work.
    async fn tell(&mut self, telling: &Telling) -> Option<Duration> {
        match self.write(telling).await {
            Ok(()) => {
                self.rest = FIRST_REST;
                if self.last_failure.take().is_some() {
                    info!(node = %self.node, "the node can be told of again");
                }
                None
            }
            Err(error) => {
                let text = error.chain();
                if self.last_failure.as_ref() == Some(&text) {
                    debug!(error = text, "could not tell of the node, as before");
                } else {
                    warn!(error = text, "could not tell of the node; trying again");
                }
                self.last_failure = Some(text);
                let rest = self.rest;
                self.rest = (rest * 2).min(LONGEST_REST);
                Some(rest)
            }
        }
    }

    async fn write(&mut self, Telling { node, facts }: &Telling) -> Result<(), SendError> {
        let Some(node) = node else { return Err(SendError::NoNode { node: self.node.clone() }) };
        let wanted = annotations(&self.node, &self.cluster, facts);
        let differing = annotations::differing(&wanted, &node.annotations);
        let sent = (wanted, node.annotations.clone());
        if differing.is_empty() {
            self.sent = None;
        } else if self.sent.as_ref() != Some(&sent) {
            send::annotate(&self.client, &self.node, &differing).await?;
            info!(node = %self.node, entries = differing.len(), "told what the node is");
            self.sent = Some(sent);
        }
        let uid = node.uid.clone();
        let wanted = Reported { uid, physical: physical(facts), unusable: unusable(facts) };
        if self.reported.borrow().as_ref() != Some(&wanted) {
            send::report(&self.client, &self.node, &wanted).await?;
            info!(node = %self.node, networks = wanted.physical.len(), "told physical networks");
        }
        Ok(())
    }
}

/// The physical networks of a report, of which there is room for some only.
fn physical(facts: &OwnFacts) -> Vec<PhysicalNetwork> {
    facts.physical_networks.iter().take(MOST_NETWORKS).cloned().collect()
}

/// The same of those that cannot be used.
fn unusable(facts: &OwnFacts) -> Vec<UnusablePhysicalNetwork> {
    facts.unusable_networks.iter().take(MOST_UNUSABLE).cloned().collect()
}

/// How many physical networks a report has room for; the CRD allows no more.
const MOST_NETWORKS: usize = 256;
const MOST_UNUSABLE: usize = 64;
