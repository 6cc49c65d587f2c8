//! What the server changes of a decoded object before it validates it.
//!
//! Reads the object, the old one and the definition; changes the object, or refuses the request.
//! Invariant: users set neither status nor generation, and never change what identifies an object.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{Operation, bad_request};
use crate::definition::{Definition, Scope, Version};
use crate::go_text;
use crate::intake;
use crate::metadata::{self, Metadata};
use crate::verdict::{Refusal, Subject, Verdict};

/// Stands for the letters the server makes up for a `generateName`.
const MADE_UP: &str = "xxxxx";

/// The longest prefix of a made-up name.
const PREFIX_LIMIT: usize = 58;

/// Prepares an object for create.
pub(super) fn create(object: &mut Value, definition: &Definition, version: &Version) {
    let Some(fields) = object.as_object_mut() else {
        return;
    };
    let metadata = metadata::of_mut(fields);
    for name in [
        "creationTimestamp",
        "uid",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "managedFields",
    ] {
        metadata.remove(name);
    }
    metadata.insert("generation".to_owned(), Value::from(1));
    drop_repeated_owners(metadata);
    let prefix = metadata.get("generateName").and_then(Value::as_str).unwrap_or("");
    if !prefix.is_empty() && !metadata.contains_key("name") {
        let end = (0..=PREFIX_LIMIT.min(prefix.len()))
            .rev()
            .find(|end| prefix.is_char_boundary(*end))
            .unwrap_or(0);
        let name = format!("{}{MADE_UP}", &prefix[..end]);
        metadata.insert("name".to_owned(), Value::from(name));
    }
    match definition.scope {
        Scope::Cluster => drop(metadata.remove("namespace")),
        Scope::Namespaced => {
            metadata.entry("namespace").or_insert_with(|| Value::from("default"));
        }
    }
    if version.has_status {
        fields.remove("status");
    }
}

/// Prepares an object for an update; returns the old one as the server would have stored it.
pub(super) fn update(
    object: &mut Value,
    mut old: Value,
    definition: &Definition,
    version: &Version,
    subject: &Subject,
) -> Result<Value, Refusal> {
    check_identity(object, &mut old, definition, subject)?;
    let (Some(fields), Some(old_fields)) = (object.as_object_mut(), old.as_object()) else {
        return Ok(old);
    };
    if version.has_status {
        match old_fields.get("status") {
            Some(status) => drop(fields.insert("status".to_owned(), status.clone())),
            None => drop(fields.remove("status")),
        }
    }
    let is_changed = without_metadata(fields).ne(without_metadata(old_fields));
    let metadata = metadata::of_mut(fields);
    drop_repeated_owners(metadata);
    let old_metadata = Metadata::of(&old);
    let generation = old_metadata.integer("generation") + i64::from(is_changed);
    metadata.insert("generation".to_owned(), Value::from(generation));
    for name in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(time) = old_metadata.field(name) {
            metadata.insert(name.to_owned(), time.clone());
        }
    }
    if let Some(seconds) = old_metadata.field("deletionGracePeriodSeconds") {
        metadata.entry("deletionGracePeriodSeconds").or_insert_with(|| seconds.clone());
    }
    Ok(old)
}

/// Prepares an object for an update of its status: all else stays as it was.
pub(super) fn update_status(
    object: &mut Value,
    mut old: Value,
    definition: &Definition,
    version: &Version,
    subject: &Subject,
) -> Result<Value, Refusal> {
    if !version.has_status {
        return Err(Refusal::NotFound);
    }
    check_identity(object, &mut old, definition, subject)?;
    let status = object.get("status").cloned();
    *object = old.clone();
    if let Some(fields) = object.as_object_mut() {
        match status {
            Some(status) => drop(fields.insert("status".to_owned(), status)),
            None => drop(fields.remove("status")),
        }
    }
    Ok(old)
}

/// Takes away what only stood for something the server makes up, and stores the rest.
pub(super) fn finish(verdict: &mut Verdict, operation: Operation<'_>) {
    intake::stored(&mut verdict.object);
    let Operation::Create = operation else {
        return;
    };
    let metadata = Metadata::of(&verdict.object);
    let is_kept = !metadata.text("resourceVersion").is_empty();
    if is_kept && verdict.is_accepted() && !verdict.subject.group.is_empty() {
        verdict.refusal = Some(Refusal::ResourceVersionOnCreate);
    }
    let is_made_up =
        metadata.text("name").ends_with(MADE_UP) && !metadata.text("generateName").is_empty();
    if let Some(fields) = verdict.object.as_object_mut().filter(|_| is_made_up) {
        metadata::of_mut(fields).remove("name");
    }
}

/// Checks that both are the same object, and fills in what either lacks.
fn check_identity(
    object: &mut Value,
    old: &mut Value,
    definition: &Definition,
    subject: &Subject,
) -> Result<(), Refusal> {
    let (name, old_name) = (Metadata::of(object).text("name"), Metadata::of(old).text("name"));
    if name != old_name {
        return Err(bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({old_name})"
        )));
    }
    let (Some(fields), Some(old_fields)) = (object.as_object_mut(), old.as_object_mut()) else {
        return Ok(());
    };
    match definition.scope {
        Scope::Cluster => {
            metadata::set(fields, "namespace", "");
            metadata::set(old_fields, "namespace", "");
        }
        Scope::Namespaced => same_namespace(fields, old_fields)?,
    }
    // An object that was never stored lacks what the server gives; it has what the new one has.
    for name in ["uid", "resourceVersion", "creationTimestamp"] {
        share(metadata::of_mut(fields), metadata::of_mut(old_fields), name);
    }
    metadata::of_mut(old_fields).entry("generation").or_insert_with(|| Value::from(1));
    let (metadata, old_metadata) = (metadata::of_mut(fields), metadata::of_mut(old_fields));
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("").to_owned();
    let (uid, old_uid) = (text(metadata.get("uid")), text(old_metadata.get("uid")));
    if uid != old_uid {
        let Subject { group, plural, name, .. } = subject;
        let namespace = match text(metadata.get("namespace")).as_str() {
            "" => String::new(),
            namespace => format!("{namespace}/"),
        };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /{group}/{plural}/{namespace}{name}, \
             ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
             UID in precondition: {uid}, UID in object meta: {old_uid}"
        );
        return Err(Refusal::conflict(subject, &why));
    }
    if metadata.get("resourceVersion") != old_metadata.get("resourceVersion") {
        let why = "the object has been modified; please apply your changes to the latest version \
                   and try again";
        return Err(Refusal::conflict(subject, why));
    }
    Ok(())
}

fn same_namespace(
    fields: &mut Map<String, Value>,
    old_fields: &mut Map<String, Value>,
) -> Result<(), Refusal> {
    let (metadata, old_metadata) = (metadata::of_mut(fields), metadata::of_mut(old_fields));
    share(metadata, old_metadata, "namespace");
    for metadata in [&mut *metadata, &mut *old_metadata] {
        metadata.entry("namespace").or_insert_with(|| Value::from("default"));
    }
    match metadata.get("namespace") == old_metadata.get("namespace") {
        true => Ok(()),
        false => Err(bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
                .to_owned(),
        )),
    }
}

fn share(one: &mut Map<String, Value>, other: &mut Map<String, Value>, name: &str) {
    match (one.get(name), other.get(name)) {
        (Some(value), None) => drop(other.insert(name.to_owned(), value.clone())),
        (None, Some(value)) => drop(one.insert(name.to_owned(), value.clone())),
        (None, None) | (Some(_), Some(_)) => {}
    }
}

fn without_metadata(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    let mut rest: Vec<_> = fields.iter().filter(|(name, _)| *name != "metadata").collect();
    rest.sort_by_key(|(name, _)| *name);
    rest.into_iter()
}

fn drop_repeated_owners(metadata: &mut Map<String, Value>) {
    if let Some(Value::Array(owners)) = metadata.get_mut("ownerReferences") {
        let mut seen = BTreeSet::new();
        owners.retain(|owner| seen.insert(go_text::json(owner)));
    }
}
