//! One request to a server.
//!
//! Invariant: a write that rests on what was seen carries the version that was seen, so that it
//! fails where somebody was faster.

use serde::Serialize;
use serde_json::{Map, Value, json};
use udn_wire::Target;
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

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

impl Write {
    /// A merge patch of an object's metadata, if it is still as it was seen.
    pub(super) fn patch(target: Target, seen: &Metadata, mut metadata: Map<String, Value>) -> Self {
        metadata.insert("uid".to_owned(), seen.uid.clone().into());
        // Kubelets write nodes all the time; what we write there is ours alone.
        if target.kind != Kind::Node {
            metadata.insert("resourceVersion".to_owned(), seen.resource_version.clone().into());
        }
        Self { target, act: Act::Patch(json!({ "metadata": metadata })) }
    }

    /// The same for the list of finalizers.
    pub(super) fn finalizers(target: Target, seen: &Metadata, finalizers: Vec<&str>) -> Self {
        let metadata = Map::from_iter([("finalizers".to_owned(), json!(finalizers))]);
        Self::patch(target, seen, metadata)
    }

    /// Deletes an object as it was seen.
    pub(super) fn delete(target: Target, seen: &Metadata) -> Self {
        Self { target, act: Act::Delete { uid: seen.uid.clone() } }
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
