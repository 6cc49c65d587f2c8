//! Which object it is: kind, namespace and name.
//!
//! Invariant: two objects of one identity are versions of the same thing; a version of the API is
//! no part of it.

use std::fmt;

use serde_json::Value;

/// What tells an object from all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identity {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl Identity {
    pub(super) fn of(object: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let api_version = text(&object["apiVersion"]);
        let group = api_version.rsplit_once('/').map(|(group, _)| group.to_owned());
        let metadata = &object["metadata"];
        Self {
            group: group.unwrap_or_default(),
            kind: text(&object["kind"]),
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
        }
    }

    /// The identity of an object of ours.
    pub(super) fn new(kind: udn_wire::Kind, namespace: &str, name: &str) -> Self {
        let group = kind.api_version().rsplit_once('/').map_or("", |(group, _)| group);
        Self {
            group: group.to_owned(),
            kind: kind.as_str().to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name, .. } = self;
        let name = if name.is_empty() { "without a name" } else { name };
        match namespace.is_empty() {
            true => write!(f, "{kind} {name}"),
            false => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}
