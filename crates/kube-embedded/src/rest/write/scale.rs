//! The `scale` subresource: two numbers of an object, shown as one of another kind.
//!
//! Invariant: only the number of wanted replicas changes through it.

use kube_schema::LabelSelector;
use serde_json::{Value, json};

use super::super::accept::View;
use super::super::answer::Answer;
use super::super::asked::Asked;
use super::super::{MODIFIED, intake, shown};
use super::update::{Rewrite, rewrite};
use crate::builtin;
use crate::kinds::{FieldValidation, Kind};
use crate::patch::{self, Patch};
use crate::refusal::Refusal;
use crate::selector::labels_text;
use crate::table;

const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// Answers a request for `scale`.
pub(crate) async fn scale(asked: &Asked, verb: &str) -> Result<Answer, Refusal> {
    let Some(stored) = asked.core.store.find(&asked.key()) else {
        return Err(Refusal::not_found(&asked.kind, &asked.target.name));
    };
    let object = shown::in_version(&asked.kind, stored.object());
    let current = of(asked, &object)?;
    let wanted = match verb {
        "get" => return show(asked, current),
        "update" => sent(asked)?,
        _ => {
            let content_type = intake::content_type(&asked.headers);
            let is_custom = asked.kind.built_in().is_none();
            match patch::read(&content_type, &asked.body, is_custom)? {
                patch @ (Patch::Json(_) | Patch::Merge(_) | Patch::Strategic(_)) => {
                    patch::change(&patch, &current, &kube_schema::Schema::default())?
                }
                Patch::Apply(wanted) => wanted,
            }
        }
    };
    let (given, current) = (&wanted["metadata"], &current["metadata"]);
    let is_stale = given["resourceVersion"] != current["resourceVersion"];
    if is_stale && given["resourceVersion"].as_str().is_some_and(|it| !it.is_empty()) {
        return Err(Refusal::conflict(&asked.kind, &asked.target.name, MODIFIED));
    }
    let judged = builtin::judge_named(&wanted, SCALE, FieldValidation::Ignore)?;
    let wanted = judged.object;
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or(0);
    let path = places(&asked.kind)?.wanted;
    let options = asked.write_options("UpdateOptions")?;
    let mut planned = Value::Null;
    let answer = rewrite(asked, &options, false, |old| {
        let mut new = old.clone();
        set(&mut new, path, replicas);
        if is_owned(old, path) {
            asked.track(Some(old), &mut new, &options.manager, &asked.core.now_text());
            forget_time(&mut new);
        }
        planned = new.clone();
        Ok(Rewrite::Tracked(new))
    });
    answer.await?;
    if options.is_dry_run {
        return show(asked, of(asked, &planned)?);
    }
    let stored = asked.core.store.find(&asked.key());
    let object = stored.map(|it| shown::in_version(&asked.kind, it.object())).unwrap_or_default();
    show(asked, of(asked, &object)?)
}

fn show(asked: &Asked, scale: Value) -> Result<Answer, Refusal> {
    let shown = asked.shown()?;
    Ok(Answer::value(
        200,
        match shown.view {
            View::Whole | View::Discovery => scale,
            View::Partial => shown.value(scale),
            View::Table => shown.dated(table::render_scale(&scale, shown.include, &shown.now)),
        },
    ))
}

/// Whether anyone owns the number of replicas: only then is it known who changes it.
fn is_owned(object: &Value, path: &str) -> bool {
    let pointer = path.replace('.', "/f:");
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.into_iter().any(|entry| entry["fieldsV1"].pointer(&pointer).is_some())
}

/// Entries of owners through `scale` do not say since when.
fn forget_time(object: &mut Value) {
    let entries = object["metadata"]["managedFields"].as_array_mut().into_iter().flatten();
    for entry in entries.filter(|entry| entry["subresource"] == "scale") {
        drop(entry.as_object_mut().map(|fields| fields.remove("time")));
    }
}

/// The scale in a body, which may leave out what it is.
fn sent(asked: &Asked) -> Result<Value, Refusal> {
    let wanted = intake::object(&asked.headers, &asked.body)?;
    let is = |name: &str, want: &str| ["", want].contains(&wanted[name].as_str().unwrap_or(""));
    if is("kind", "Scale") && is("apiVersion", "autoscaling/v1") {
        return Ok(wanted);
    }
    // compat: the server tries to make a scale of it and names a file of its own
    let message =
        r#"no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111""#;
    Err(Refusal::bad_request(message))
}

/// The scale of an object.
fn of(asked: &Asked, object: &Value) -> Result<Value, Refusal> {
    let places = places(&asked.kind)?;
    let number = |path: &str| at(object, path).and_then(Value::as_i64).unwrap_or(0);
    let metadata = &object["metadata"];
    let mut status = json!({"replicas": number(places.found)});
    let selector = places.selector.and_then(|path| selector(at(object, path)?));
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = Value::from(selector);
    }
    let mut shown = json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": {},
        "spec": {}, "status": status});
    // The server leaves out a wanted number of zero, but not a found one.
    match number(places.wanted) {
        0 => {}
        wanted => shown["spec"]["replicas"] = Value::from(wanted),
    }
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = metadata.get(name) {
            shown["metadata"][name] = value.clone();
        }
    }
    Ok(shown)
}

/// Where a kind keeps its numbers.
struct Places<'a> {
    wanted: &'a str,
    found: &'a str,
    selector: Option<&'a str>,
}

/// All built-in kinds that scale keep their numbers in the same places.
fn places(kind: &Kind) -> Result<Places<'_>, Refusal> {
    match (&kind.scale, kind.built_in()) {
        (Some(scale), _) => Ok(Places {
            wanted: &scale.spec_replicas,
            found: &scale.status_replicas,
            selector: scale.label_selector.as_deref(),
        }),
        (None, Some(_)) => Ok(Places {
            wanted: ".spec.replicas",
            found: ".status.replicas",
            selector: Some(".spec.selector"),
        }),
        (None, None) => Err(Refusal::no_such_resource()),
    }
}

/// A selector as text: custom kinds keep it so, controllers as labels, and the rest as a selector.
fn selector(value: &Value) -> Option<String> {
    let is_selector = |value: &Value| {
        value.get("matchLabels").is_some_and(Value::is_object)
            || value.get("matchExpressions").is_some_and(Value::is_array)
    };
    match value {
        Value::String(text) => Some(text.clone()),
        value if is_selector(value) => Some(LabelSelector::read(value).ok()?.to_string()),
        Value::Object(labels) if !labels.is_empty() => Some(labels_text(value)),
        _ => None,
    }
}

fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    object.pointer(&path.replace('.', "/"))
}

fn set(object: &mut Value, path: &str, number: i64) {
    let mut place = object;
    for part in path.trim_start_matches('.').split('.') {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[part];
    }
    *place = Value::from(number);
}
