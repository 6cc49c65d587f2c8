//! Reads a CRD manifest.
//!
//! Reads the JSON of an `apiextensions.k8s.io/v1` CustomResourceDefinition; returns the
//! definition, or everything that is wrong with it.
//! Invariant: a manifest that the server refuses is refused here.

use serde_json::Value;

use super::{Column, Definition, Scale, Scope, Version, defaults};
use crate::field_error::FieldError;
use crate::manifest::{Complaints, Node};
use crate::rules::RuleTree;
use crate::schema::{self, Schema};

/// The types that a printer column may have.
const COLUMN_TYPES: [(&str, &str); 5] = [
    ("boolean", "boolean"),
    ("date", "date"),
    ("integer", "integer"),
    ("number", "number"),
    ("string", "string"),
];

/// Reads a CRD, compiling its rules.
pub(crate) fn read(manifest: &Value) -> Result<Definition, Vec<FieldError>> {
    let complaints = Complaints::default();
    let definition = definition(&Node::root(manifest, &complaints), &complaints);
    let errors = complaints.into_errors();
    if errors.is_empty() { Ok(definition) } else { Err(errors) }
}

fn definition(root: &Node<'_>, complaints: &Complaints) -> Definition {
    let spec = root.field("spec");
    let names = spec.field("names");
    let kind = names.field("kind").needed();
    let scopes = [("Cluster", Scope::Cluster), ("Namespaced", Scope::Namespaced)];
    let definition = Definition {
        group: spec.field("group").needed(),
        list_kind: or_else(names.field("listKind").text(), || format!("{kind}List")),
        plural: names.field("plural").needed(),
        singular: or_else(names.field("singular").text(), || kind.to_lowercase()),
        short_names: names.field("shortNames").texts(),
        categories: names.field("categories").texts(),
        scope: spec.field("scope").choice(&scopes, None).unwrap_or(Scope::Cluster),
        versions: versions(&spec.field("versions"), complaints),
        kind,
    };
    let want = definition.name();
    let name = root.field("metadata").field("name");
    if name.text() != want {
        name.complain("must be spec.names.plural+\".\"+spec.group");
    }
    if spec.field("preserveUnknownFields").flag() {
        let why = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                   spec.versions[*].schema instead";
        spec.field("preserveUnknownFields").complain(why);
    }
    definition
}

fn or_else(text: String, default: impl FnOnce() -> String) -> String {
    if text.is_empty() { default() } else { text }
}

fn versions(node: &Node<'_>, complaints: &Complaints) -> Vec<Version> {
    let versions: Vec<Version> =
        node.items().iter().map(|item| version(item, complaints)).collect();
    if versions.iter().filter(|version| version.storage).count() != 1 {
        node.complain("must have exactly one version marked as storage version");
    }
    let is_repeated =
        |place: usize| versions[..place].iter().any(|earlier| earlier.name == versions[place].name);
    if (0..versions.len()).any(is_repeated) {
        node.complain("must contain unique version names");
    }
    versions
}

fn version(node: &Node<'_>, complaints: &Complaints) -> Version {
    let subresources = node.field("subresources");
    let (schema, rules) =
        compiled_schema(&node.field("schema").field("openAPIV3Schema"), complaints);
    Version {
        name: node.field("name").needed(),
        served: node.field("served").flag(),
        storage: node.field("storage").flag(),
        deprecated: node.field("deprecated").flag(),
        has_status: subresources.field("status").is_given(),
        scale: scale(&subresources.field("scale")),
        columns: node.field("additionalPrinterColumns").items().iter().map(column).collect(),
        schema,
        rules,
    }
}

fn compiled_schema(node: &Node<'_>, complaints: &Complaints) -> (Schema, Option<RuleTree>) {
    if !node.is_given() {
        complaints.push(FieldError::required(node.path().clone(), ""));
        return (Schema::default(), None);
    }
    let read = schema::read(node.value(), node.path()).and_then(|schema| {
        let rules = RuleTree::compile(&schema, node.path())?;
        let wrong = defaults::check(&schema, rules.as_ref(), node.path());
        if wrong.is_empty() { Ok((schema, rules)) } else { Err(wrong) }
    });
    read.unwrap_or_else(|errors| {
        errors.into_iter().for_each(|error| complaints.push(error));
        (Schema::default(), None)
    })
}

fn scale(node: &Node<'_>) -> Option<Scale> {
    let label_selector = node.field("labelSelectorPath");
    node.is_given().then(|| Scale {
        spec_replicas: node.field("specReplicasPath").needed(),
        status_replicas: node.field("statusReplicasPath").needed(),
        label_selector: label_selector.is_given().then(|| label_selector.text()),
    })
}

fn column(node: &Node<'_>) -> Column {
    Column {
        name: node.field("name").needed(),
        kind: node.field("type").choice(&COLUMN_TYPES, None).unwrap_or("").to_owned(),
        format: node.field("format").text(),
        description: node.field("description").text(),
        json_path: node.field("jsonPath").needed(),
        priority: node.field("priority").integer(),
    }
}
