//! Sends writes to an API server.
//!
//! Invariant: one write is one request; what failed says whether it may be tried again.

use std::time::{Duration, Instant};

use hyper::Request as HttpRequest;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use kube::Client;
use kube::core::params::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::core::{Request, Status};
use serde::Deserialize;
use serde_json::Value;
use udn_cluster::reconciler::Answer;
use udn_cluster::{Act, Write};
use udn_wire::Target;
use udn_wire::object::AnyObject;

use crate::metrics::Metrics;
use crate::pages::collection;

#[cfg(test)]
mod tests;

/// Whose fields the statuses are.
pub const FIELD_MANAGER: &str = "udn-cluster-controller";

/// How long a request may take: less than it takes to lose the lease and see another lead.
pub(super) const LONGEST_REQUEST: Duration = Duration::from_secs(2);

/// Why a write did not come about.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    /// Somebody changed the object, or took it away; we hear of it.
    #[error("{target} was changed by somebody else")]
    Overtaken { target: String },
    /// What is in a namespace goes with it; we hear of that too.
    #[error("the namespace of {target} is being terminated")]
    NamespaceEnding { target: String },
    /// The server does not want it, and says why.
    #[error("{target} was refused by the server: {message}")]
    Refused { target: String, message: String },
    /// The server could not do it now.
    #[error("{target} could not be written: {message}")]
    Unavailable { target: String, message: String },
}

/// Sends a write; returns what stands afterwards.
pub(crate) async fn send(
    client: &Client,
    write: &Write,
    metrics: &Metrics,
) -> Result<Answer, SendError> {
    let Write { target, act } = write;
    let path = Request::new(collection(target.kind, &target.namespace));
    let (verb, request) = match act {
        Act::Create(object) => ("create", path.create(&PostParams::default(), bytes(object))),
        Act::Replace(object) => {
            ("update", path.replace(&target.name, &PostParams::default(), bytes(object)))
        }
        Act::Patch(patch) => {
            ("patch", path.patch(&target.name, &PatchParams::default(), &Patch::Merge(patch)))
        }
        Act::ApplyStatus(status) => {
            let params = PatchParams::apply(FIELD_MANAGER).force();
            let patch = Patch::Apply(status);
            ("apply", path.patch_subresource("status", &target.name, &params, &patch))
        }
        Act::PatchStatus(patch) => {
            let patch = Patch::Merge(patch);
            let params = PatchParams::default();
            ("status", path.patch_subresource("status", &target.name, &params, &patch))
        }
        Act::TestedPatch(steps) => {
            let params = PatchParams::default();
            let patch = Patch::Merge(steps);
            let request = path.patch_subresource("status", &target.name, &params, &patch);
            ("status", request.map(as_steps))
        }
        Act::Delete { uid } => {
            let guard = Preconditions { uid: Some(uid.clone()), ..<_>::default() };
            let params = DeleteParams { preconditions: Some(guard), ..<_>::default() };
            ("delete", path.delete(&target.name, &params))
        }
    };
    let request = request.expect("the parameters of a write go together");
    let begun = Instant::now();
    let sent = tokio::time::timeout(LONGEST_REQUEST, client.request_text(request)).await;
    let (code, outcome) = judge(target, sent);
    metrics.requested(verb, code, begun.elapsed());
    read(target, &outcome.map_err(|error| told_by_a_test(error, code, act))?)
}

/// The steps of a JSON patch; only the header tells them from a merge.
fn as_steps(mut request: HttpRequest<Vec<u8>>) -> HttpRequest<Vec<u8>> {
    let kind = HeaderValue::from_static("application/json-patch+json");
    request.headers_mut().insert(CONTENT_TYPE, kind);
    request
}

/// A step that does not fit tells that somebody changed the object since it was seen.
fn told_by_a_test(error: SendError, code: u16, act: &Act) -> SendError {
    match (error, act) {
        (SendError::Refused { target, message }, Act::TestedPatch(_))
            if is_unfit_step(code, &message) =>
        {
            SendError::Overtaken { target }
        }
        (error, _) => error,
    }
}

/// Whether a step of a JSON patch did not fit: only the server's words tell it from other refusals.
// compat: apiserver/pkg/endpoints/handlers/patch.go, applyJSPatch: 422 without a word about which
fn is_unfit_step(code: u16, message: &str) -> bool {
    code == 422 && message.contains("rejected our request")
}

/// Whether the object's namespace is going, or is gone already.
// compat: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go, NamespaceTerminatingCause
fn is_namespace_ending(status: &Status) -> bool {
    let Some(details) = &status.details else { return false };
    let is_gone = status.code == 404 && details.kind == "namespaces";
    is_gone || details.causes.iter().any(|it| it.reason == "NamespaceTerminating")
}

pub(super) fn bytes(object: &Value) -> Vec<u8> {
    object.to_string().into_bytes()
}

pub(super) type Sent = Result<Result<String, kube::Error>, tokio::time::error::Elapsed>;

/// The code of an answer, 0 if there is none, and what it means.
pub(super) fn judge(target: &Target, sent: Sent) -> (u16, Result<String, SendError>) {
    let name = || target.to_string();
    match sent {
        Ok(Ok(text)) => (200, Ok(text)),
        Ok(Err(kube::Error::Api(status))) => {
            let (code, message, target) = (status.code, status.message.clone(), name());
            let error = match code {
                403 | 404 if is_namespace_ending(&status) => SendError::NamespaceEnding { target },
                404 | 409 => SendError::Overtaken { target },
                429 | 500..=599 | 401 => SendError::Unavailable { target, message },
                _ => SendError::Refused { target, message },
            };
            (code, Err(error))
        }
        Ok(Err(error)) => {
            (0, Err(SendError::Unavailable { target: name(), message: error.to_string() }))
        }
        Err(_) => {
            let message = format!("no answer within {} s", LONGEST_REQUEST.as_secs());
            (0, Err(SendError::Unavailable { target: name(), message }))
        }
    }
}

/// Whether the answer is an object, or says that there is none any more.
fn read(target: &Target, text: &str) -> Result<Answer, SendError> {
    #[derive(Deserialize)]
    struct Peek<'a> {
        #[serde(borrow)]
        kind: std::borrow::Cow<'a, str>,
    }
    let unreadable = |error: serde_json::Error| SendError::Unavailable {
        target: target.to_string(),
        message: format!("the answer cannot be read: {error}"),
    };
    let Peek { kind } = serde_json::from_str(text).map_err(unreadable)?;
    if kind == "Status" {
        return Ok(Answer::Gone { target: target.clone(), version: 0 });
    }
    let object = AnyObject::decode(target.kind, text).map_err(unreadable)?;
    let metadata = object.metadata();
    if metadata.is_leaving() && metadata.finalizers.is_empty() && target.kind != udn_wire::Kind::Pod
    {
        return Ok(Answer::Gone { target: target.clone(), version: metadata.version() });
    }
    Ok(Answer::Stands(Box::new(object)))
}
