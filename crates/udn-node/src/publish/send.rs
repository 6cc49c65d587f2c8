//! Writes a node's own objects.
//!
//! Invariant: one request at a time, and each ends in time.

use std::time::Duration;

use kube::Client;
use kube::core::Request;
use kube::core::params::{Patch, PatchParams};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use udn_model::NodeName;
use udn_wire::Kind;

use super::FIELD_MANAGER;
use super::report_watch::Reported;

/// How long a request may take.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);

/// Why a node's object was not written.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    #[error("there is no Node {node}; is its kubelet running, and is --node right?")]
    NoNode { node: NodeName },
    #[error("could not write {what}; is its CRD installed? `udn crds` prints it")]
    NotServed { what: &'static str, source: Box<kube::Error> },
    #[error("could not write {what}")]
    Refused { what: &'static str, source: Box<kube::Error> },
    #[error("could not write {what}: the server did not answer in time")]
    TooSlow { what: &'static str },
}

impl SendError {
    /// The error with what caused it.
    pub(super) fn chain(&self) -> String {
        match self {
            Self::NoNode { .. } | Self::TooSlow { .. } => self.to_string(),
            Self::NotServed { source, .. } | Self::Refused { source, .. } => {
                let cause = match &**source {
                    kube::Error::Api(status) => status.message.clone(),
                    other => other.to_string(),
                };
                format!("{self}: {cause}")
            }
        }
    }
}

const ANNOTATIONS: &str = "the annotations of the node";
const REPORT: &str = "the node's report";

/// Where objects of a kind that is not in namespaces are.
pub(super) fn collection(kind: Kind) -> String {
    let version = kind.api_version();
    let root = if version.contains('/') { "apis" } else { "api" };
    format!("/{root}/{version}/{}", kind.plural())
}

/// Writes some annotations of a Node, and leaves the others as they are.
pub(super) async fn annotate(
    client: &Client,
    node: &NodeName,
    entries: &Map<String, Value>,
) -> Result<(), SendError> {
    let patch = Patch::Merge(json!({ "metadata": { "annotations": entries } }));
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..<_>::default() };
    let request = Request::new(collection(Kind::Node)).patch(node.as_str(), &params, &patch);
    send(client, ANNOTATIONS, request).await
}

/// Writes the part of a node's report that is the host's; the report goes with its Node.
pub(super) async fn report(
    client: &Client,
    node: &NodeName,
    Reported { uid, physical }: &Reported,
) -> Result<(), SendError> {
    let path = Request::new(collection(Kind::Report));
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let owner = json!({ "apiVersion": Kind::Node.api_version(), "kind": Kind::Node.as_str(),
        "name": node.as_str(), "uid": uid });
    let whole = object(node, json!({ "ownerReferences": [owner] }), json!({}));
    let request = path.patch(node.as_str(), &params, &Patch::Apply(&whole));
    send(client, REPORT, request).await?;
    let status = object(node, json!({}), json!({ "status": { "physicalNetworks": physical } }));
    let patch = Patch::Apply(&status);
    let request = path.patch_subresource("status", node.as_str(), &params, &patch);
    send(client, REPORT, request).await
}

/// A report with some fields of its metadata and of its own.
fn object(node: &NodeName, mut metadata: Value, mut fields: Value) -> Value {
    metadata["name"] = json!(node.as_str());
    fields["metadata"] = metadata;
    fields["apiVersion"] = json!(Kind::Report.api_version());
    fields["kind"] = json!(Kind::Report.as_str());
    fields
}

async fn send(
    client: &Client,
    what: &'static str,
    request: Result<hyper::Request<Vec<u8>>, kube::core::request::Error>,
) -> Result<(), SendError> {
    let request = request.expect("the parameters of a patch go together");
    let source = match timeout(LONGEST_REQUEST, client.request_text(request)).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(source)) => Box::new(source),
        Err(_) => return Err(SendError::TooSlow { what }),
    };
    match &*source {
        kube::Error::Api(status) if status.code == 404 && what == REPORT => {
            Err(SendError::NotServed { what, source })
        }
        _ => Err(SendError::Refused { what, source }),
    }
}
