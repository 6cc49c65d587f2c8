//! Events, which two groups serve: the same objects under other names.
//!
//! Converts events between core and `events.k8s.io`, and checks them.
//! Invariant: converting there and back changes nothing.

use kube_schema::{FieldError, Path, names};
use serde_json::{Map, Value};

use super::checks::{all, immutable};
use super::fields::{has, text};
use super::{Strategy, decode};
use crate::kinds::{Judge, Kind};

pub(super) const CORE: Strategy = Strategy {
    validate: |event, _| check_core(event),
    selectable: SELECTABLE,
    creates_on_update: true,
    ..Strategy::PLAIN
};

pub(super) const EVENTS: Strategy = Strategy {
    validate: |event, old| match old {
        None => check_new(event, &NEW_NAMES),
        Some(old) => kept(event, old),
    },
    selectable: NEW_SELECTABLE,
    creates_on_update: true,
    ..Strategy::PLAIN
};

const SELECTABLE: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

const NEW_SELECTABLE: &[&str] = &[
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
];

/// Fields as core names them, and as `events.k8s.io` does.
const FIELDS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// Gives an object the form of another version of its kind; only events have two.
pub(crate) fn convert(object: Value, to: &Kind) -> Value {
    let is_event = to.kind == "Event" && ["", "events.k8s.io"].contains(&to.group.as_str());
    let version = to.api_version();
    if !is_event || object["apiVersion"] == version {
        return object;
    }
    let Value::Object(fields) = object else { return object };
    let mut converted = Map::new();
    for (name, value) in fields {
        let renamed = FIELDS.iter().find_map(|(core, new)| match to.group.as_str() {
            "" => (*new == name).then_some(*core),
            _ => (*core == name).then_some(*new),
        });
        converted.insert(renamed.map_or(name, str::to_owned), value);
    }
    converted.insert("apiVersion".to_owned(), Value::from(version));
    let converted = Value::Object(converted);
    let Judge::BuiltIn(built_in) = &to.judge else { return converted };
    match decode::decode(&converted, built_in.schema) {
        Ok(decoded) => decoded.object,
        Err(_) => converted,
    }
}

/// What the fields of an event are called in messages.
struct Names {
    regarding: &'static str,
    controller: &'static str,
    note: &'static str,
}

const CORE_NAMES: Names =
    Names { regarding: "involvedObject", controller: "reportingComponent", note: "message" };
const NEW_NAMES: Names =
    Names { regarding: "regarding", controller: "reportingController", note: "note" };

fn check_core(event: &Value) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = misplaced(event, &CORE_NAMES).into_iter().collect();
    if has(event, "eventTime") {
        errors.extend(reported(event, &CORE_NAMES));
    }
    errors
}

fn check_new(event: &Value, names: &Names) -> Vec<FieldError> {
    let mut errors: Vec<FieldError> = misplaced(event, names).into_iter().collect();
    match has(event, "eventTime") {
        true => errors.extend(reported(event, names)),
        false => errors.push(FieldError::required(Path::of_fields(["eventTime"]), "")),
    }
    let kind = text(event, "/type");
    if !["Normal", "Warning"].contains(&kind) {
        let why = format!("has invalid value: {kind}");
        errors.push(FieldError::invalid(Path::of_fields(["type"]), "", why));
    }
    errors
}

/// What may not change of an event, in the server's order; it looks at one field twice.
const KEPT: [(&str, &str); 14] = [
    ("regarding", "involvedObject"),
    ("reason", "reason"),
    ("note", "message"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
    ("reason", "reason"),
    ("type", "type"),
    ("eventTime", "eventTime"),
    ("action", "action"),
    ("related", "related"),
    ("reportingController", "reportingController"),
    ("reportingInstance", "reportingInstance"),
];

/// Through `events.k8s.io` only the series of an event may change.
fn kept(event: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = check_new(event, &NEW_NAMES);
    for (name, called) in KEPT {
        errors.extend(immutable(&event[name], &old[name], Path::of_fields([called])));
    }
    errors
}

/// An event lives where its object lives; one of the cluster lives in the default namespace.
fn misplaced(event: &Value, names: &Names) -> Option<FieldError> {
    let here = text(event, "/metadata/namespace");
    let there = event[names.regarding]["namespace"].as_str().unwrap_or("");
    let is_fine = match there {
        "" if here == "kube-system" => has(event, "eventTime"),
        "" => ["", "default"].contains(&here),
        _ => here == there,
    };
    // compat: the server names the core field in both groups
    let at = Path::of_fields(["involvedObject", "namespace"]);
    (!is_fine).then(|| FieldError::invalid(at, there, "does not match event.namespace"))
}

fn reported(event: &Value, names: &Names) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = |name: &str| Path::of_fields([name]);
    let controller = event[names.controller].as_str().unwrap_or("");
    if controller.is_empty() {
        errors.push(FieldError::required(at(names.controller), ""));
    }
    errors.extend(all(&at(names.controller), controller, names::qualified(controller)));
    for (name, limit) in
        [("reportingInstance", 128), ("action", 128), ("reason", 128), (names.note, 1024)]
    {
        let value = event[name].as_str().unwrap_or("");
        if value.is_empty() && name != names.note {
            errors.push(FieldError::required(at(name), ""));
        }
        if value.len() > limit {
            let why = format!("can have at most {limit} characters");
            errors.push(FieldError::invalid(at(name), "", why));
        }
    }
    errors
}
