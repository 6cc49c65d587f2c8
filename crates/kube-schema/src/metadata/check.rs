//! Checks metadata as the server does on create and on update.
//!
//! Reads coerced metadata; returns errors in the server's words and order.
//! Invariant: nothing here depends on the kind of the object, only on where it lives.

use serde_json::Value;

use super::{Metadata, names};
use crate::definition::Scope;
use crate::field_error::{BadValue, ErrorKind, FieldError};
use crate::go_text;
use crate::path::Path;

const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// How a name is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// A DNS subdomain, as custom resources have it.
    Subdomain,
    /// A DNS label, as namespaces have it.
    Label,
    /// A DNS label that starts with a letter.
    OldLabel,
    /// Anything that can stand in a URL.
    PathSegment,
}

impl NameRule {
    fn wrong(self, name: &str, is_prefix: bool) -> Vec<String> {
        match self {
            Self::Subdomain if is_prefix => names::subdomain(&names::without_trailing_dash(name)),
            Self::Subdomain => names::subdomain(name),
            Self::Label if is_prefix => names::label(&names::without_trailing_dash(name)),
            Self::Label => names::label(name),
            Self::OldLabel if is_prefix => names::old_label(&names::without_trailing_dash(name)),
            Self::OldLabel => names::old_label(name),
            Self::PathSegment => names::path_segment(name, is_prefix),
        }
    }
}

/// Checks metadata as on create; `at` is where it stands.
pub(crate) fn object(
    metadata: Metadata<'_>,
    scope: Scope,
    rule: NameRule,
    at: &Path,
) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, prefix) = (metadata.text("name"), metadata.text("generateName"));
    if !prefix.is_empty() {
        errors.extend(all(&at.field("generateName"), prefix, rule.wrong(prefix, true)));
    }
    match name {
        "" => {
            let why = "name or generateName is required";
            errors.push(FieldError::required(at.field("name"), why));
        }
        _ => errors.extend(all(&at.field("name"), name, rule.wrong(name, false))),
    }
    errors.extend(namespace(metadata.text("namespace"), scope, &at.field("namespace")));
    if metadata.integer("generation") < 0 {
        let value = Value::from(metadata.integer("generation"));
        let why = "must be greater than or equal to 0";
        errors.push(FieldError::invalid(at.field("generation"), value, why));
    }
    errors.extend(labels(metadata, at));
    errors.extend(finalizers(metadata, &at.field("finalizers")));
    errors
}

/// Checks what an update may change of metadata.
pub(crate) fn update(new: Metadata<'_>, old: Metadata<'_>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.field("deletionTimestamp").is_some() {
        errors.extend(new_finalizers(new, old, &at.field("finalizers")));
    }
    if new.integer("generation") < old.integer("generation") {
        let value = Value::from(new.integer("generation"));
        let why = "must not be decremented";
        errors.push(FieldError::invalid(at.field("generation"), value, why));
    }
    let fixed = [
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ];
    for name in fixed {
        if new.field(name) != old.field(name) {
            let value = new.field(name).cloned().unwrap_or(match name {
                "name" | "namespace" | "uid" => Value::from(""),
                _ => Value::Null,
            });
            errors.push(FieldError::invalid(at.field(name), value, "field is immutable"));
        }
    }
    errors.extend(labels(new, at));
    errors
}

fn all(at: &Path, value: &str, wrong: Vec<String>) -> impl Iterator<Item = FieldError> {
    wrong.into_iter().map(move |why| FieldError::invalid(at.clone(), value, why))
}

fn namespace(namespace: &str, scope: Scope, at: &Path) -> Vec<FieldError> {
    match (scope, namespace) {
        (Scope::Namespaced, "") => vec![FieldError::required(at.clone(), "")],
        (Scope::Namespaced, _) => all(at, namespace, names::label(namespace)).collect(),
        (Scope::Cluster, "") => Vec::new(),
        (Scope::Cluster, _) => vec![FieldError::forbidden(at.clone(), "not allowed on this type")],
    }
}

fn labels(metadata: Metadata<'_>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let here = at.field("labels");
    errors.extend(metadata.texts("labels").flat_map(|(key, value)| label(key, value, &here)));
    let here = at.field("annotations");
    let mut size = 0;
    for (key, value) in metadata.texts("annotations") {
        size += key.len() + value.len();
        errors.extend(all(&here, key, names::qualified(&key.to_lowercase())));
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(FieldError::too_long(here, ANNOTATIONS_LIMIT as i64));
    }
    errors.extend(owners(metadata.list("ownerReferences"), &at.field("ownerReferences")));
    errors
}

/// What is wrong with one label of a map.
pub(crate) fn label(key: &str, value: &str, at: &Path) -> Vec<FieldError> {
    let wrong_value = all(at, value, names::label_value(value));
    label_key(key, at).chain(wrong_value).collect()
}

pub(crate) fn label_key(key: &str, at: &Path) -> impl Iterator<Item = FieldError> {
    all(at, key, names::qualified(key))
}

fn owners(references: &[Value], at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<String> = None;
    for reference in references {
        errors.extend(owner(reference, at));
        if reference.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let name = format!("{}/{}", text(reference, "kind"), text(reference, "name"));
        match &controller {
            Some(first) => {
                let why = format!(
                    "Only one reference can have Controller set to true. \
                     Found \"true\" in references for {first} and {name}"
                );
                let all: Vec<String> = references.iter().map(rendered_owner).collect();
                let value = BadValue::Rendered(format!("[{}]", all.join(",")));
                errors.push(FieldError::new(ErrorKind::Invalid, at.clone(), value, why));
            }
            None => controller = Some(name),
        }
    }
    errors
}

fn owner(reference: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let api_version = text(reference, "apiVersion");
    let version = match api_version.split('/').collect::<Vec<_>>()[..] {
        [version] | [_, version] => version,
        _ => "",
    };
    if version.is_empty() {
        let why = "version must not be empty";
        errors.push(FieldError::invalid(at.field("apiVersion"), api_version, why));
    }
    for name in ["kind", "name", "uid"] {
        if text(reference, name).is_empty() {
            errors.push(FieldError::invalid(at.field(name), "", "must not be empty"));
        }
    }
    if api_version == "v1" && text(reference, "kind") == "Event" {
        let value = BadValue::Rendered(rendered_owner(reference));
        let why = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(FieldError::new(ErrorKind::Invalid, at.clone(), value, why));
    }
    errors
}

/// An owner as Go's encoder writes the struct: fields in the order of their declaration.
fn rendered_owner(reference: &Value) -> String {
    let order = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let fields = order.iter().filter_map(|name| {
        let value = reference.get(name)?;
        Some(format!("\"{name}\":{}", go_text::json(value)))
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or("")
}

fn finalizers(metadata: Metadata<'_>, at: &Path) -> Vec<FieldError> {
    let list = metadata.list("finalizers");
    let names = || list.iter().filter_map(Value::as_str);
    let mut errors: Vec<FieldError> =
        names().flat_map(|name| all(at, name, names::qualified(name))).collect();
    if names().any(|name| name == "orphan") && names().any(|name| name == "foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(at.clone(), Value::from(list.to_vec()), why));
    }
    errors
}

fn new_finalizers(new: Metadata<'_>, old: Metadata<'_>, at: &Path) -> Option<FieldError> {
    let before = old.list("finalizers");
    let added = new.list("finalizers").iter().filter(|name| !before.contains(name));
    let mut added: Vec<&str> = added.filter_map(Value::as_str).collect();
    added.sort_unstable();
    added.dedup();
    let quoted: Vec<String> = added.iter().map(|name| go_text::quoted(name)).collect();
    let why = format!(
        "no new finalizers can be added if the object is being deleted, \
         found new finalizers []string{{{}}}",
        quoted.join(", ")
    );
    (!quoted.is_empty()).then(|| FieldError::forbidden(at.clone(), why))
}

#[cfg(test)]
mod tests;
