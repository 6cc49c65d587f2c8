//! Writes the zone's part of the node's NodeNetworkReport.
//!
//! Reads what is to be told; writes it by server-side apply, the newest state only.
//! Invariant: a report goes with its Node; fields that others write there are left alone.

use std::time::Duration;

use kube::Client;
use kube::core::Request;
use kube::core::params::{Patch, PatchParams};
use serde_json::{Value, json};
use tokio::sync::watch;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_wire::api::ReportStatus;
use udn_zone::{Progress, Zone, not_programmed};

use crate::pages::collection;

/// Whose fields these are.
pub const FIELD_MANAGER: &str = "udn-zone-controller";

/// How long a request may take, and how long a failure is left alone.
const LONGEST_REQUEST: Duration = Duration::from_secs(5);
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
            match write(&client, &node, &uid, &status).await {
                Ok(()) => {
                    written.send_replace(status);
                    break;
                }
                Err(message) => tracing::warn!(%node, message, "could not report; trying again"),
            }
            // waits: until the server is better
            tokio::time::sleep(REST).await;
        }
    }
}

async fn write(
    client: &Client,
    node: &NodeName,
    uid: &str,
    status: &ReportStatus,
) -> Result<(), String> {
    let owner = json!({ "apiVersion": Kind::Node.api_version(), "kind": Kind::Node.as_str(),
        "name": node.as_str(), "uid": uid });
    let object = object(node, json!({ "ownerReferences": [owner] }), json!({}));
    apply(client, node, None, &object).await?;
    let object = self::object(node, json!({}), json!({ "status": status }));
    apply(client, node, Some("status"), &object).await
}

/// A report with some fields of its metadata and of its own.
fn object(node: &NodeName, mut metadata: Value, mut fields: Value) -> Value {
    metadata["name"] = json!(node.as_str());
    fields["metadata"] = metadata;
    fields["apiVersion"] = json!(Kind::Report.api_version());
    fields["kind"] = json!(Kind::Report.as_str());
    fields
}

async fn apply(
    client: &Client,
    node: &NodeName,
    subresource: Option<&str>,
    object: &Value,
) -> Result<(), String> {
    let path = Request::new(collection(Kind::Report, ""));
    let (params, patch) = (PatchParams::apply(FIELD_MANAGER).force(), Patch::Apply(object));
    let request = match subresource {
        Some(name) => path.patch_subresource(name, node.as_str(), &params, &patch),
        None => path.patch(node.as_str(), &params, &patch),
    };
    let request = request.expect("the parameters of an apply go together");
    match tokio::time::timeout(LONGEST_REQUEST, client.request_text(request)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("the server did not answer in time".to_owned()),
    }
}
