//! One custom resource definition: names, scope, versions and their schemas.
//!
//! Read from a CRD manifest; gives the schema an object is judged by.
//! Invariant: every version has a structural schema whose rules are compiled.

mod defaults;
mod read;

use crate::rules::RuleTree;
use crate::schema::Schema;

pub(crate) use read::read;

/// A custom resource definition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Definition {
    pub group: String,
    pub kind: String,
    pub list_kind: String,
    pub plural: String,
    pub singular: String,
    pub short_names: Vec<String>,
    pub categories: Vec<String>,
    pub scope: Scope,
    pub versions: Vec<Version>,
}

/// Where objects of a kind live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// One version of a definition.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Version {
    pub name: String,
    pub served: bool,
    pub storage: bool,
    pub deprecated: bool,
    pub schema: Schema,
    /// Whether there is a `status` subresource.
    pub has_status: bool,
    pub scale: Option<Scale>,
    pub columns: Vec<Column>,
    pub(crate) rules: Option<RuleTree>,
}

/// The `scale` subresource: where its numbers stand in the object.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scale {
    pub spec_replicas: String,
    pub status_replicas: String,
    pub label_selector: Option<String>,
}

/// A column that `kubectl get` prints.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Column {
    pub name: String,
    pub kind: String,
    pub format: String,
    pub description: String,
    pub json_path: String,
    pub priority: i64,
}

impl Definition {
    /// The name of the manifest: `networks.example.org`.
    pub fn name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    /// The version of a name, if it is served.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.served && version.name == name)
    }

    /// The version that is stored.
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }
}
