//! The few fields of an object that the server itself looks at all the time.
//!
//! Read from an object when it is written, or from its text when a file is opened.
//! Invariant: facts never say more than the object does.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::body::Body;

/// What the server knows of an object without reading it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) uid: Box<str>,
    pub(crate) labels: Box<[(Box<str>, Box<str>)]>,
    /// The uids of its owners.
    pub(crate) owners: Box<[Box<str>]>,
    /// Whether it waits to be deleted.
    pub(crate) is_terminating: bool,
}

#[derive(Deserialize)]
struct Slim {
    metadata: Metadata,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    uid: Box<str>,
    #[serde(default)]
    labels: BTreeMap<Box<str>, Box<str>>,
    #[serde(default)]
    owner_references: Vec<Owner>,
    #[serde(default)]
    deletion_timestamp: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Owner {
    #[serde(default)]
    uid: Box<str>,
}

impl Facts {
    pub(crate) fn of(object: &Value) -> Self {
        let metadata = &object["metadata"];
        let text = |value: &Value| value.as_str().unwrap_or("").into();
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let owners = metadata["ownerReferences"].as_array().into_iter().flatten();
        Self {
            uid: text(&metadata["uid"]),
            labels: labels.map(|(name, value)| (name.as_str().into(), text(value))).collect(),
            owners: owners.map(|owner| text(&owner["uid"])).collect(),
            is_terminating: metadata["deletionTimestamp"].is_string(),
        }
    }

    /// Reads the facts from a stored text; none if it is no object of ours.
    pub(super) fn of_body(body: &Body) -> Option<Self> {
        let mut text = Vec::new();
        body.write(0, &mut text);
        let Slim { metadata } = serde_json::from_slice(&text).ok()?;
        Some(Self {
            uid: metadata.uid,
            labels: metadata.labels.into_iter().collect(),
            owners: metadata.owner_references.into_iter().map(|owner| owner.uid).collect(),
            is_terminating: metadata.deletion_timestamp.is_some(),
        })
    }

    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        let place = self.labels.binary_search_by(|(label, _)| (**label).cmp(name)).ok()?;
        Some(&self.labels[place].1)
    }
}
