//! Writes a node's own objects.
//!
//! Invariant: one request at a time, and each ends in time.

use std::time::Duration;

use kube::Client;
use kube::core::Request;
use kube::core::params::{Patch, PatchParams};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use udn_control::node_report::{self, ReportError};
use udn_model::NodeName;
use udn_wire::api::ReportStatus;

use super::FIELD_MANAGER;
use super::report_watch::Reported;

/// Where Nodes are.
const NODES: &str = "/api/v1/nodes";

/// How long a request may take.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);

/// Why a node's object was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("there is no Node {node}; is its kubelet running, and is --node right?")]
    NoNode { node: NodeName },
    #[error("could not write the annotations of the node")]
    Refused { source: Box<kube::Error> },
    #[error("could not write the annotations of the node: the server did not answer in time")]
    TooSlow,
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl SendError {
    /// The error with what caused it.
    pub(super) fn chain(&self) -> String {
        match self {
            Self::NoNode { .. } | Self::TooSlow => self.to_string(),
            Self::Report(error) => error.chain(),
            Self::Refused { source } => {
                let cause = match &**source {
                    kube::Error::Api(status) => status.message.clone(),
                    other => other.to_string(),
                };
                format!("{self}: {cause}")
            }
        }
    }
}

/// Writes some annotations of a Node, and leaves the others as they are.
pub(super) async fn annotate(
    client: &Client,
    node: &NodeName,
    entries: &Map<String, Value>,
) -> Result<(), SendError> {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": entries } }));
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..<_>::default() };
    let request = Request::new(NODES).patch(node.as_str(), &params, &patch);
    let request = request.expect("the parameters of a patch go together");
    match timeout(LONGEST_REQUEST, client.request_text(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(source)) => Err(SendError::Refused { source: Box::new(source) }),
        Err(_) => Err(SendError::TooSlow),
    }
}

/// Writes the part of a node's report that is the host's.
pub(super) async fn report(
    client: &Client,
    node: &NodeName,
    Reported { uid, physical, unusable }: &Reported,
) -> Result<(), SendError> {
    let status = ReportStatus {
        physical_networks: Some(physical.clone()),
        unusable_physical_networks: (!unusable.is_empty()).then(|| unusable.clone()),
        ..ReportStatus::default()
    };
    Ok(node_report::write(client, FIELD_MANAGER, (node, uid), &status).await?)
}
