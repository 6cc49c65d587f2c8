//! Keeps the zone's part of the node's NodeNetworkReport as the zone is.
//!
//! Reads what is to be told; writes the newest state only.
//! Invariant: nothing is told of a node that is not there, and a failure is tried again.

use std::time::Duration;

use kube::Client;
use tokio::sync::watch;
use udn_model::NodeName;
use udn_wire::api::ReportStatus;
use udn_zone::{Progress, Zone, not_programmed};

use crate::node_report;

/// Whose fields these are.
pub const FIELD_MANAGER: &str = "udn-zone-controller";

/// How long a failure is left alone.
const REST: Duration = Duration::from_secs(1);

/// What is to be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Told {
    /// The node's uid; nothing is told of a node that is not there.
    node: Option<String>,
    status: ReportStatus,
}

impl Told {
    pub(super) fn of(zone: &Zone, progress: &Progress) -> Self {
        let node = zone.world().nodes.get(zone.node()).map(|it| it.metadata.uid.clone());
        Self { node, status: not_programmed(zone, progress) }
    }
}

/// Writes whatever is news, until nobody is left who could have some.
pub(super) async fn report(
    client: Client,
    node: NodeName,
    mut told: watch::Receiver<Told>,
    written: watch::Sender<ReportStatus>,
) {
    while told.changed().await.is_ok() {
        loop {
            let Told { node: uid, status } = told.borrow_and_update().clone();
            let Some(uid) = uid else { break };
            match node_report::write(&client, FIELD_MANAGER, (&node, &uid), &status).await {
                Ok(()) => {
                    written.send_replace(status);
                    break;
                }
                Err(error) => {
                    tracing::warn!(%node, error = error.chain(), "could not report; trying again");
                }
            }
            // waits: until the server is better
            tokio::time::sleep(REST).await;
        }
    }
}
