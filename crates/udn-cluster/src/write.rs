//! One request to a server.
//!
//! Invariant: a write that rests on what was seen carries the version that was seen, so that it
//! fails where somebody was faster.

use serde::Serialize;
use serde_json::{Map, Value, json};
use udn_model::Finding;
use udn_wire::Target;
use udn_wire::keys::NODE_SUBNETS;
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

use crate::bounded::noted;

/// A change of one object.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Write {
    pub target: Target,
    pub act: Act,
}

/// What becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Act {
    /// The whole object, where there was none.
    Create(Value),
    /// The whole object, with the version that it replaces.
    Replace(Value),
    /// A merge patch, with the version or the uid that it changes.
    Patch(Value),
    /// Our part of the status, applied with our field manager.
    ApplyStatus(Value),
    /// Merges into the status, and fails where the object is no longer as it was seen.
    PatchStatus(Value),
    /// A JSON patch through the status, whose tests say what must still be so.
    TestedPatch(Value),
    /// Deletes the object of this uid; finalizers may keep it for a while.
    Delete { uid: String },
}

/// An event for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Event {
    pub about: Target,
    pub uid: String,
    pub kind: EventType,
    /// Machine-readable, such as `PrimaryConflict`.
    pub reason: String,
    pub message: String,
}

/// How loud it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum EventType {
    Normal,
    Warning,
}

impl EventType {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "Normal",
            Self::Warning => "Warning",
        }
    }
}

impl Event {
    /// What a finding is worth to whom it is about.
    pub(crate) fn warning(about: Target, metadata: &Metadata, finding: &Finding) -> Self {
        let (uid, reason) = (metadata.uid.clone(), finding.reason.as_str().to_owned());
        let (kind, message) = (EventType::Warning, noted(&finding.message));
        Self { about, uid, kind, reason, message }
    }
}

impl Write {
    /// A merge patch of an object's metadata, if it is still as it was seen.
    pub(crate) fn patch(target: Target, seen: &Metadata, mut metadata: Map<String, Value>) -> Self {
        metadata.insert("uid".to_owned(), seen.uid.clone().into());
        // Kubelets write nodes all the time; what we write there is ours alone, and but for a node's
        // subnets it does not rest on what stands there.
        let rests_on_nothing =
            target.kind == Kind::Node && metadata.get("annotations").is_none_or(has_no_subnets);
        if !rests_on_nothing {
            metadata.insert("resourceVersion".to_owned(), seen.resource_version.clone().into());
        }
        Self { target, act: Act::Patch(json!({ "metadata": metadata })) }
    }

    /// The same for the list of finalizers.
    pub(crate) fn finalizers(target: Target, seen: &Metadata, finalizers: Vec<&str>) -> Self {
        let metadata = Map::from_iter([("finalizers".to_owned(), json!(finalizers))]);
        Self::patch(target, seen, metadata)
    }

    /// Deletes an object as it was seen.
    pub(crate) fn delete(target: Target, seen: &Metadata) -> Self {
        Self { target, act: Act::Delete { uid: seen.uid.clone() } }
    }

    /// The write as people read it, without the versions that guard it.
    pub fn to_yaml(&self) -> String {
        let (verb, body) = match &self.act {
            Act::Create(body) => ("create", Some(body)),
            Act::Replace(body) => ("replace", Some(body)),
            Act::Patch(body) => ("patch", Some(body)),
            Act::ApplyStatus(body) => ("apply status of", Some(body)),
            Act::PatchStatus(body) => ("patch status of", Some(body)),
            Act::TestedPatch(body) => ("patch with tests", Some(body)),
            Act::Delete { .. } => ("delete", None),
        };
        let body = body.map(|body| yaml(&unguarded(body.clone()))).unwrap_or_default();
        format!("# {verb} {}\n{body}", self.target)
    }

    /// Whether more remains to be done once this is done: an object that goes takes several steps.
    pub fn is_step(&self) -> bool {
        match &self.act {
            Act::Delete { .. } => true,
            Act::Patch(patch) => patch["metadata"].get("finalizers").is_some(),
            Act::Create(_)
            | Act::Replace(_)
            | Act::ApplyStatus(_)
            | Act::PatchStatus(_)
            | Act::TestedPatch(_) => false,
        }
    }
}

fn has_no_subnets(annotations: &Value) -> bool {
    annotations.get(NODE_SUBNETS).is_none()
}

fn yaml(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    let text = serde_saphyr::to_string_with_options(value, options);
    text.expect("a JSON value can be written as YAML")
}

/// The body of a write without the version that it rests on, which means nothing to people.
fn unguarded(mut body: Value) -> Value {
    if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("resourceVersion");
    }
    body
}
