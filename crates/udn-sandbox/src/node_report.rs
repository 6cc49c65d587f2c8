//! What a node tells the API of itself: annotations on its Node, and its NodeNetworkReport.
//!
//! Reads the lab's facts; writes to the API.
//! Invariant: a node writes nothing but its own objects, and the same facts change nothing.

use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};
use udn_cluster::NodeReport;
use udn_cluster::node::node_report;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_wire::api::{PhysicalNetwork, ReportStatus};

#[cfg(test)]
mod tests;

/// Whose fields these are.
const FIELD_MANAGER: &str = "udn-node";

/// Something that a node could not tell.
#[derive(Debug, thiserror::Error)]
#[error("{node} could not tell the API of itself")]
pub struct ReportError {
    node: NodeName,
    source: Box<kube::Error>,
}

/// Writes the addresses and the gateway of a node on its Node.
pub(crate) async fn annotate(client: &Client, report: &NodeReport) -> Result<(), ReportError> {
    let annotations = Patch::Merge(json!({ "metadata": { "annotations": node_report(report) } }));
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..<_>::default() };
    let told = of(client, Kind::Node).patch(report.node.as_str(), &params, &annotations).await;
    told.map(drop).map_err(|source| failed(&report.node, source))
}

/// Writes a node's report, which goes with its Node.
pub(crate) async fn publish(
    client: &Client,
    node: &NodeName,
    uid: &str,
    status: &ReportStatus,
) -> Result<(), ReportError> {
    let (api, params) = (of(client, Kind::Report), PatchParams::apply(FIELD_MANAGER).force());
    let owner = json!({ "apiVersion": Kind::Node.api_version(), "kind": Kind::Node.as_str(),
        "name": node.as_str(), "uid": uid });
    let report = Patch::Apply(object(node, json!({ "ownerReferences": [owner] }), json!({})));
    let told = api.patch(node.as_str(), &params, &report).await;
    told.map_err(|source| failed(node, source))?;
    let report = Patch::Apply(object(node, json!({}), json!({ "status": status })));
    let told = api.patch_status(node.as_str(), &params, &report).await;
    told.map(drop).map_err(|source| failed(node, source))
}

/// A report with some fields of its metadata and of its own.
fn object(node: &NodeName, mut metadata: Value, mut fields: Value) -> Value {
    metadata["name"] = json!(node.as_str());
    fields["metadata"] = metadata;
    fields["apiVersion"] = json!(Kind::Report.api_version());
    fields["kind"] = json!(Kind::Report.as_str());
    fields
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

fn failed(node: &NodeName, source: kube::Error) -> ReportError {
    ReportError { node: node.clone(), source: Box::new(source) }
}
