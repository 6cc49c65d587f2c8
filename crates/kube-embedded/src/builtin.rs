//! The kinds that the server knows without a CRD.
//!
//! Read from generated schemas and tables kept by hand; judges their objects.
//! Invariant: a built-in kind is told from a custom one here and nowhere else.

mod admission;
mod checks;
mod cluster;
mod config;
mod decode;
mod definitions;
mod endpoints;
mod events;
mod fields;
mod leases;
mod pipeline;
mod pods;
mod rbac;
mod reviews;
mod schemas;
mod services;
mod subresources;
mod table;
mod time;
mod workloads;

use kube_schema::{FieldError, NameRule};
use serde_json::Value;

pub(crate) use cluster::check_finalized;
pub(crate) use decode::emptied;
pub(crate) use definitions::accept_names;
pub(crate) use events::convert;
pub(crate) use pipeline::{invalid, judge};
pub(crate) use pods::{note_gates, take_account};
pub(crate) use schemas::{LazySchema, documents};
pub(crate) use services::addresses::{Stack, cluster_ip, node_ports};
pub(crate) use subresources::{bind, evicted, finalized, with_ephemeral_containers};
pub(crate) use table::{decode_named, judge_named, kinds};
pub(crate) use workloads::identify_job;

/// What a built-in kind adds to the rules all kinds share.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    /// Verbs of the resource as discovery lists them.
    pub(crate) verbs: &'static [&'static str],
    pub(crate) subresources: &'static [Subresource],
    pub(crate) strategy: Strategy,
    /// The name of the schema: `io.k8s.api.core.v1.Pod`.
    pub(crate) schema: &'static str,
}

/// A path below an object: `pods/{name}/binding`.
#[derive(Debug)]
pub(crate) struct Subresource {
    pub(crate) name: &'static str,
    /// Group, version and kind of what it takes and gives.
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) verbs: &'static [&'static str],
}

/// The rules of one kind, as plain functions over objects.
#[derive(Debug, Clone)]
pub(crate) struct Strategy {
    /// Fills in what the server fills in; runs on every decoded object.
    pub(crate) default: fn(&mut Value),
    pub(crate) prepare_create: fn(&mut Value),
    /// Makes the new object keep what an update may not change; the second is the old one.
    pub(crate) prepare_update: fn(&mut Value, &Value),
    /// The same for an update through `status`.
    pub(crate) prepare_status: fn(&mut Value, &Value),
    /// New object, and the old one of an update.
    pub(crate) validate: fn(&Value, Option<&Value>) -> Vec<FieldError>,
    /// The same for an update through `status`.
    pub(crate) validate_status: fn(&Value, &Value) -> Vec<FieldError>,
    /// What to warn of in an object that is fine.
    pub(crate) warn: fn(&Value) -> Vec<String>,
    /// Whether `metadata.generation` counts changes of the spec.
    pub(crate) has_generation: bool,
    /// Seconds to wait before the object is gone, from the object and what was asked for;
    /// none for kinds that go at once.
    pub(crate) grace: fn(&Value, Option<i64>) -> Option<i64>,
    /// Fields that field selectors may name beside `metadata.name` and `metadata.namespace`.
    pub(crate) selectable: &'static [&'static str],
    /// How names are spelled.
    pub(crate) names: NameRule,
    /// Whether a create may not set the status.
    pub(crate) resets_status: bool,
    /// Whether an update must say which version of the object it changes.
    pub(crate) needs_version: bool,
    /// Whether an update of an object that is not there creates it.
    pub(crate) creates_on_update: bool,
    /// Whether the generation counts changes of labels too.
    pub(crate) counts_labels: bool,
}

impl Strategy {
    /// Of a kind that adds nothing.
    const PLAIN: Self = Self {
        default: |_| {},
        prepare_create: |_| {},
        prepare_update: |_, _| {},
        prepare_status: |_, _| {},
        validate: |_, _| Vec::new(),
        validate_status: |_, _| Vec::new(),
        warn: |_| Vec::new(),
        has_generation: false,
        grace: |_, _| None,
        selectable: &[],
        names: NameRule::Subdomain,
        resets_status: true,
        needs_version: false,
        creates_on_update: false,
        counts_labels: false,
    };
}

#[cfg(test)]
mod tests;
