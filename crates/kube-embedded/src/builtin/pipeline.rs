//! Takes an object of a built-in kind through the server's stations.
//!
//! Reads an attempt; returns the object as it may be stored, or the server's refusal.
//! Invariant: a step is reached only if the server would reach it.

use std::collections::BTreeSet;

use kube_schema::{FieldError, NameRule, Operation, Path, StrictError, quoted};
use serde_json::{Map, Value, json};

use super::{BuiltIn, decode, fields};
use crate::kinds::{Attempt, FieldValidation, Judged, Kind};
use crate::refusal::Refusal;

/// Groups that know the finalizers they have without a domain.
const OWN_FINALIZERS: [&str; 7] = [
    "",
    "apps",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
];

/// Decodes, defaults, prepares and validates an object.
pub(crate) fn judge(
    kind: &Kind,
    built_in: &BuiltIn,
    attempt: Attempt<'_>,
) -> Result<Judged, Refusal> {
    let Attempt { object, operation, field_validation, complaints, record } = attempt;
    let decoded = decode::decode(&object, built_in.schema)
        .map_err(|why| undecodable(&kind.kind, &kind.version, &why))?;
    let resets_owners = object.pointer("/metadata/managedFields") == Some(&json!([]));
    drop(object);
    // A field that is unknown is told once, however often it is given.
    let twice = |path: &Path| StrictError::duplicate_field(path.clone()).message;
    let is_unknown = |it: &&String| decoded.unknown.iter().any(|path| twice(path) == **it);
    let written = complaints.iter().filter(|it| !is_unknown(it)).cloned();
    let written = written.map(|message| StrictError { path: Path::root(), message });
    let unknown = decoded.unknown.iter().cloned().map(StrictError::unknown_field);
    let unknown: Vec<StrictError> = written.chain(unknown).collect();
    let mut warnings = strictness(&unknown, field_validation, &kind.kind, &kind.version)?;
    let mut object = decoded.object;
    (built_in.strategy.default)(&mut object);
    warnings.extend(repeated_owners(&object));
    // Owners are recorded before anything else is filled in: what the server adds has none.
    if resets_owners {
        object["metadata"]["managedFields"] = json!([]);
    }
    record(&mut object)?;
    if object.pointer("/metadata/managedFields") == Some(&json!([])) {
        fields::remove(&mut object["metadata"], "managedFields");
    }
    let errors = match operation {
        Operation::Create => create(kind, built_in, &mut object),
        Operation::Update { old } => update(kind, built_in, &mut object, old)?,
        Operation::UpdateStatus { old } => update_status(kind, built_in, &mut object, old)?,
    };
    if !errors.is_empty() {
        return Err(invalid(kind, fields::text(&object, "/metadata/name"), &errors));
    }
    let is_create = matches!(operation, Operation::Create);
    // compat: a version that is no number is none
    let version = fields::text(&object, "/metadata/resourceVersion").parse::<u64>().unwrap_or(0);
    if is_create && version != 0 {
        let why = "resourceVersion should not be set on objects to be created";
        return Err(Refusal::new(500, "", why));
    }
    warnings.extend((built_in.strategy.warn)(&object));
    Ok(Judged { object, warnings })
}

/// What the server says to an object it cannot decode.
pub(super) fn undecodable(kind: &str, version: &str, why: &str) -> Refusal {
    let version = quoted(version);
    Refusal::bad_request(format!(
        "{kind} in version {version} cannot be handled as a {kind}: {why}"
    ))
}

/// Warnings for unknown fields, or the refusal they bring.
pub(super) fn strictness(
    unknown: &[StrictError],
    field_validation: FieldValidation,
    kind: &str,
    version: &str,
) -> Result<Vec<String>, Refusal> {
    let messages = || unknown.iter().map(|it| it.message.clone()).collect::<Vec<_>>();
    match field_validation {
        FieldValidation::Ignore => Ok(Vec::new()),
        FieldValidation::Warn => Ok(messages()),
        FieldValidation::Strict if unknown.is_empty() => Ok(Vec::new()),
        FieldValidation::Strict => {
            let why = format!("strict decoding error: {}", messages().join(", "));
            Err(undecodable(kind, version, &why))
        }
    }
}

/// What the server says to wrong fields.
pub(crate) fn invalid(kind: &Kind, name: &str, errors: &[FieldError]) -> Refusal {
    // compat: both groups of events are validated as the core one
    let group = if kind.group == "events.k8s.io" { "" } else { kind.group.as_str() };
    // compat: refusals of reviews do not say what kind they are of
    let word = if group == "authorization.k8s.io" { "" } else { kind.kind.as_str() };
    let full = if group.is_empty() { word.to_owned() } else { format!("{word}.{group}") };
    let causes: Vec<Value> = errors.iter().map(FieldError::cause).collect();
    let mut details = json!({"causes": causes});
    for (field, value) in [("name", name), ("kind", word), ("group", group)] {
        if !value.is_empty() {
            details[field] = Value::from(value);
        }
    }
    let why = kube_schema::aggregate(errors);
    let message = format!("{full} {} is invalid: {why}", quoted(name));
    Refusal::new(422, "Invalid", message).with_details(details)
}

fn create(kind: &Kind, built_in: &BuiltIn, object: &mut Value) -> Vec<FieldError> {
    let strategy = &built_in.strategy;
    let Some(content) = object.as_object_mut() else { return Vec::new() };
    let metadata = metadata_of(content);
    for name in
        ["creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]
    {
        metadata.remove(name);
    }
    if strategy.has_generation {
        metadata.insert("generation".to_owned(), Value::from(1));
    }
    drop_repeated_owners(metadata);
    if !kind.is_namespaced() {
        metadata.remove("namespace");
    }
    if kind.has_status && strategy.resets_status {
        content.remove("status");
        refill(object, built_in);
    }
    (strategy.prepare_create)(object);
    let is_nameless = !built_in.verbs.contains(&"get");
    let mut errors = match is_nameless {
        true => Vec::new(),
        false => kube_schema::check_created(object, kind.scope, strategy.names),
    };
    if OWN_FINALIZERS.contains(&kind.group.as_str()) {
        errors.extend(finalizers(object));
    }
    errors.extend((strategy.validate)(object, None));
    errors
}

/// Finalizers must name a domain, apart from those of Kubernetes itself.
fn finalizers(object: &Value) -> Vec<FieldError> {
    let at = Path::of_fields(["metadata", "finalizers"]);
    let names = fields::items(&object["metadata"], "finalizers").iter().enumerate();
    names
        .filter_map(|(place, name)| {
            let name = name.as_str().unwrap_or("");
            let is_known = name.contains('/')
                || ["kubernetes", "orphan", "foregroundDeletion"].contains(&name);
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            (!is_known).then(|| FieldError::invalid(at.index(place), name, why))
        })
        .collect()
}

fn update(
    kind: &Kind,
    built_in: &BuiltIn,
    object: &mut Value,
    old: &Value,
) -> Result<Vec<FieldError>, Refusal> {
    let strategy = &built_in.strategy;
    check_identity(kind, built_in, object, old)?;
    if kind.has_status {
        keep(object, old, "status");
    }
    (strategy.prepare_update)(object, old);
    let is_changed = strategy.has_generation && is_changed(object, old);
    keep_metadata(kind, object, old, i64::from(is_changed));
    if strategy.counts_labels && !is_changed && has_other_labels(object, old) {
        keep_metadata(kind, object, old, 1);
    }
    let mut errors = metadata_errors(kind, object, old);
    if OWN_FINALIZERS.contains(&kind.group.as_str()) {
        errors.extend(finalizers(object));
    }
    errors.extend((strategy.validate)(object, Some(old)));
    Ok(errors)
}

fn update_status(
    kind: &Kind,
    built_in: &BuiltIn,
    object: &mut Value,
    old: &Value,
) -> Result<Vec<FieldError>, Refusal> {
    check_identity(kind, built_in, object, old)?;
    let old_fields = old.as_object().into_iter().flatten();
    let status = object["status"].take();
    let metadata = object["metadata"].take();
    *object = old_fields.map(|(name, value)| (name.clone(), value.clone())).collect();
    object["status"] = status;
    object["metadata"] = metadata;
    keep_metadata(kind, object, old, 0);
    (built_in.strategy.prepare_status)(object, old);
    let mut errors = metadata_errors(kind, object, old);
    errors.extend((built_in.strategy.validate_status)(object, old));
    Ok(errors)
}

fn metadata_errors(kind: &Kind, object: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = kube_schema::check_created(object, kind.scope, NameRule::PathSegment);
    // compat: the rules of a kind look at the metadata once more
    for _ in 0..2 {
        errors.extend(kube_schema::check_updated(object, old));
    }
    errors
}

/// Writes what a status that was just taken away still holds.
fn refill(object: &mut Value, built_in: &BuiltIn) {
    // The rest is decoded already; an object with nothing in it tells all there is to a status.
    let mut empty = decode::emptied(built_in, &json!({}));
    if let (Some(status), Some(content)) = (empty.get_mut("status"), object.as_object_mut()) {
        content.insert("status".to_owned(), status.take());
    }
    (built_in.strategy.default)(object);
}

fn check_identity(
    kind: &Kind,
    built_in: &BuiltIn,
    object: &Value,
    old: &Value,
) -> Result<(), Refusal> {
    let metadata = |value: &Value, name: &str| {
        value["metadata"].get(name).and_then(Value::as_str).unwrap_or("").to_owned()
    };
    let (name, old_name) = (metadata(object, "name"), metadata(old, "name"));
    if name != old_name {
        return Err(Refusal::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({old_name})"
        )));
    }
    let namespace = metadata(old, "namespace");
    if kind.is_namespaced() && !["", &namespace].contains(&metadata(object, "namespace").as_str()) {
        return Err(Refusal::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if built_in.strategy.needs_version && metadata(object, "resourceVersion").is_empty() {
        return Err(no_version(kind, &name));
    }
    let (uid, old_uid) = (metadata(object, "uid"), metadata(old, "uid"));
    if !uid.is_empty() && uid != old_uid {
        let place = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{}/{place}{name}, \
             ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: \
             {uid}, UID in object meta: {old_uid}",
            folder(kind)
        );
        return Err(Refusal::conflict(kind, &name, &why));
    }
    Ok(())
}

/// Where the server keeps objects of a kind.
fn folder(kind: &Kind) -> String {
    match (kind.group.as_str(), kind.plural.as_str()) {
        ("", "services") => "services/specs".to_owned(),
        ("", "endpoints") => "services/endpoints".to_owned(),
        ("", "nodes") => "minions".to_owned(),
        (group @ "apiextensions.k8s.io", plural) => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    }
}

/// What the server says to an update that does not say what it changes.
fn no_version(kind: &Kind, name: &str) -> Refusal {
    let at = Path::of_fields(["metadata", "resourceVersion"]);
    let error = FieldError::invalid(at, Value::from(0), "must be specified for an update");
    let message = format!("{} {} is invalid: {error}", kind.resource(), quoted(name));
    let details = json!({
        "name": name, "group": kind.group, "kind": kind.plural, "causes": [error.cause()],
    });
    Refusal::new(422, "Invalid", message).with_details(details)
}

/// Makes metadata keep what only the server sets.
fn keep_metadata(kind: &Kind, object: &mut Value, old: &Value, added: i64) {
    let Some(content) = object.as_object_mut() else { return };
    let metadata = metadata_of(content);
    drop_repeated_owners(metadata);
    let before = &old["metadata"];
    metadata.remove("selfLink");
    if let Some(time) = before.get("deletionTimestamp") {
        metadata.insert("deletionTimestamp".to_owned(), time.clone());
    }
    for name in ["uid", "creationTimestamp", "generation"] {
        match before.get(name) {
            Some(value) => drop(metadata.insert(name.to_owned(), value.clone())),
            None => drop(metadata.remove(name)),
        }
    }
    if added > 0 {
        let generation = before["generation"].as_i64().unwrap_or(0) + added;
        metadata.insert("generation".to_owned(), Value::from(generation));
    }
    if let Some(seconds) = before.get("deletionGracePeriodSeconds") {
        metadata.entry("deletionGracePeriodSeconds").or_insert_with(|| seconds.clone());
    }
    match (kind.is_namespaced(), before.get("namespace")) {
        (true, Some(namespace)) => {
            metadata.insert("namespace".to_owned(), namespace.clone());
        }
        (true, None) | (false, _) => drop(metadata.remove("namespace")),
    }
}

/// Whether anything but metadata and status differs.
fn is_changed(object: &Value, old: &Value) -> bool {
    let rest = |value: &Value| -> Vec<(String, Value)> {
        let fields = value.as_object().into_iter().flatten();
        let kept = fields.filter(|(name, _)| !["metadata", "status"].contains(&name.as_str()));
        let mut kept: Vec<_> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        kept.sort_by(|one, other| one.0.cmp(&other.0));
        kept
    };
    rest(object) != rest(old)
}

fn has_other_labels(object: &Value, old: &Value) -> bool {
    object["metadata"].get("labels") != old["metadata"].get("labels")
}

/// Makes a field what it was.
pub(super) fn keep(object: &mut Value, old: &Value, name: &str) {
    let Some(content) = object.as_object_mut() else { return };
    match old.get(name) {
        Some(value) => drop(content.insert(name.to_owned(), value.clone())),
        None => drop(content.remove(name)),
    }
}

fn metadata_of(content: &mut Map<String, Value>) -> &mut Map<String, Value> {
    let metadata = content.entry("metadata").or_insert(Value::Null);
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut().expect("it was just made an object")
}

/// What is said of owners that are named more than once.
fn repeated_owners(object: &Value) -> Option<String> {
    let mut seen = BTreeSet::new();
    let mut repeated = BTreeSet::new();
    for owner in fields::items(&object["metadata"], "ownerReferences") {
        if !seen.insert(owner.to_string()) {
            repeated.insert(fields::text(owner, "/uid").to_owned());
        }
    }
    let uids: Vec<String> = repeated.into_iter().collect();
    (!uids.is_empty()).then(|| {
        format!(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner \
             references in 1.20+, and may reject such requests as early as 1.24; please fix your \
             requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        )
    })
}

fn drop_repeated_owners(metadata: &mut Map<String, Value>) {
    let Some(Value::Array(owners)) = metadata.get_mut("ownerReferences") else { return };
    let mut seen = BTreeSet::new();
    owners.retain(|owner| seen.insert(owner.to_string()));
}
