//! Writes one part of a node's NodeNetworkReport, which several write to.
//!
//! Reads what one of them has to say; writes it by server-side apply under its own name.
//! Invariant: a report goes with its Node; fields that others write there are left alone.

use std::time::Duration;

use kube::Client;
use kube::core::Request;
use kube::core::params::{Patch, PatchParams};
use ovsdb::Retry;
use serde_json::{Value, json};
use tokio::time::timeout;
use udn_model::NodeName;
use udn_wire::Kind;
use udn_wire::api::ReportStatus;

use crate::pages::collection;

/// How long a request may take.
const LONGEST_REQUEST: Duration = Duration::from_secs(5);

/// Why a report was not written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("could not write the node's report; is its CRD installed? `udn crds` prints it")]
    NotServed { source: Box<kube::Error> },
    #[error("could not write the node's report")]
    Refused { source: Box<kube::Error> },
    #[error("could not write the node's report: the server did not answer in time")]
    TooSlow,
}

impl ReportError {
    /// What the caller should do next: a CRD may be installed at any time.
    pub fn retry(&self) -> Retry {
        match self {
            Self::NotServed { .. } | Self::Refused { .. } | Self::TooSlow => Retry::AfterBackoff,
        }
    }

    /// The error with what caused it, in the server's words where it has some.
    pub fn chain(&self) -> String {
        match self {
            Self::TooSlow => self.to_string(),
            Self::NotServed { source } | Self::Refused { source } => {
                let cause = match &**source {
                    kube::Error::Api(status) => status.message.clone(),
                    other => other.to_string(),
                };
                format!("{self}: {cause}")
            }
        }
    }
}

/// Writes what one of its writers has to say of a node, whose Node has this uid.
pub async fn write(
    client: &Client,
    field_manager: &str,
    (node, uid): (&NodeName, &str),
    status: &ReportStatus,
) -> Result<(), ReportError> {
    let path = Request::new(collection(Kind::Report, ""));
    let params = PatchParams::apply(field_manager).force();
    let owner = json!({ "apiVersion": Kind::Node.api_version(), "kind": Kind::Node.as_str(),
        "name": node.as_str(), "uid": uid });
    let whole = object(node, json!({ "ownerReferences": [owner] }), json!({}));
    send(client, path.patch(node.as_str(), &params, &Patch::Apply(&whole))).await?;
    let status = object(node, json!({}), json!({ "status": status }));
    let patch = Patch::Apply(&status);
    send(client, path.patch_subresource("status", node.as_str(), &params, &patch)).await
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
    request: Result<hyper::Request<Vec<u8>>, kube::core::request::Error>,
) -> Result<(), ReportError> {
    let request = request.expect("the parameters of an apply go together");
    let source = match timeout(LONGEST_REQUEST, client.request_text(request)).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(source)) => Box::new(source),
        Err(_) => return Err(ReportError::TooSlow),
    };
    match &*source {
        kube::Error::Api(status) if status.code == 404 => Err(ReportError::NotServed { source }),
        _ => Err(ReportError::Refused { source }),
    }
}
