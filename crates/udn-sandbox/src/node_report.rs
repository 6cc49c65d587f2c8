//! What a node tells the API of itself: annotations on its Node, and its NodeNetworkReport.
//!
//! Reads the lab's facts; writes to the API.
//! Invariant: a node writes nothing but its own objects, and the same facts change nothing.

use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::json;
use udn_cluster::NodeReport;
use udn_cluster::node::node_report as annotations_of;
use udn_control::node_report;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_wire::api::{PhysicalNetwork, ReportStatus};

#[cfg(test)]
mod tests;

/// Whose fields these are.
const FIELD_MANAGER: &str = "udn-node";

/// Something that a node could not tell.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("{node} could not tell the API of itself")]
    Node { node: NodeName, source: Box<kube::Error> },
    #[error("{node} could not tell the API of its networks")]
    Networks { node: NodeName, source: node_report::ReportError },
}

/// Writes the addresses and the gateway of a node on its Node.
pub(crate) async fn annotate(client: &Client, report: &NodeReport) -> Result<(), ReportError> {
    let annotations =
        Patch::Merge(json!({ "metadata": { "annotations": annotations_of(report) } }));
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..<_>::default() };
    let told = of(client, Kind::Node).patch(report.node.as_str(), &params, &annotations).await;
    let failed = |source| ReportError::Node { node: report.node.clone(), source: Box::new(source) };
    told.map(drop).map_err(failed)
}

/// Writes a node's report, which goes with its Node.
pub(crate) async fn publish(
    client: &Client,
    node: &NodeName,
    uid: &str,
    status: &ReportStatus,
) -> Result<(), ReportError> {
    let written = node_report::write(client, FIELD_MANAGER, (node, uid), status).await;
    written.map_err(|source| ReportError::Networks { node: node.clone(), source })
}

/// What the host's agent says; of networks the zone controller tells.
pub(crate) fn status(physical_networks: Vec<PhysicalNetwork>) -> ReportStatus {
    ReportStatus { physical_networks: Some(physical_networks), ..ReportStatus::default() }
}

fn of(client: &Client, kind: Kind) -> Api<DynamicObject> {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let kind_of = GroupVersionKind::gvk(group, version, kind.as_str());
    let resource = ApiResource::from_gvk_with_plural(&kind_of, kind.plural());
    Api::all_with(client.clone(), &resource)
}
