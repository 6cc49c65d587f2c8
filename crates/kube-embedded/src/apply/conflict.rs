//! What stands between an applier and the fields of others.
//!
//! Reads which fields of which owners would change; returns the server's refusal.
//! Invariant: owners come sorted, and the fields of an owner as the server lists them.

use kube_schema::quoted;
use serde_json::{Value, json};

use super::fields::Fields;
use super::names;
use super::owners::{Operation, Owner};
use crate::refusal::Refusal;

/// Fields of one owner that would change.
#[derive(Debug)]
pub(super) struct Conflict<'a> {
    pub(super) owner: &'a Owner,
    pub(super) fields: Fields,
}

/// The refusal of an apply that conflicts.
pub(super) fn refuse(mut conflicts: Vec<Conflict<'_>>) -> Refusal {
    conflicts.sort_by_cached_key(|conflict| conflict.owner.identity());
    let listed: Vec<(String, Vec<String>)> =
        conflicts.iter().map(|conflict| (shown(conflict.owner), paths(&conflict.fields))).collect();
    let causes: Vec<Value> = listed
        .iter()
        .flat_map(|(owner, paths)| paths.iter().map(move |path| cause(owner, path)))
        .collect();
    Refusal::new(409, "Conflict", message(&listed, causes.len()))
        .with_details(json!({"causes": causes}))
}

fn message(listed: &[(String, Vec<String>)], count: usize) -> String {
    if let [(owner, paths)] = listed
        && let [path] = paths.as_slice()
    {
        return format!("Apply failed with 1 conflict: conflict with {owner}: {path}");
    }
    let mut lines = Vec::new();
    for (owner, paths) in listed {
        lines.push(format!("conflicts with {owner}:"));
        lines.extend(paths.iter().map(|path| format!("- {path}")));
    }
    format!("Apply failed with {count} conflicts: {}", lines.join("\n"))
}

fn cause(owner: &str, path: &str) -> Value {
    json!({
        "reason": "FieldManagerConflict",
        "message": format!("conflict with {owner}"),
        "field": path,
    })
}

fn shown(owner: &Owner) -> String {
    let mut text = quoted(&owner.manager);
    if !owner.subresource.is_empty() {
        text.push_str(&format!(" with subresource {}", quoted(&owner.subresource)));
    }
    match owner.operation {
        Operation::Apply => text,
        Operation::Update => format!("{text} using {}", owner.api_version),
    }
}

/// The members of a set: those of one level before what is below any of them.
fn paths(fields: &Fields) -> Vec<String> {
    let mut found = Vec::new();
    collect(&mut found, fields, "");
    found
}

fn collect(found: &mut Vec<String>, fields: &Fields, at: &str) {
    let mut sorted: Vec<_> = fields.below.iter().collect();
    sorted.sort_by(|(left, _), (right, _)| names::order(left, right));
    let path = |name: &str| format!("{at}{}", names::shown(name));
    found.extend(sorted.iter().filter(|(_, it)| it.is_member).map(|(name, _)| path(name)));
    for (name, below) in sorted {
        collect(found, below, &path(name));
    }
}
