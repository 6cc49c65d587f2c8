//! The recorded requests, one after another.

use std::collections::BTreeMap;

use kube_schema::Schema;
use serde_json::{Value, json};

use super::schemas::schema;
use crate::apply::{Manager, Target, apply, track};
use crate::patch::{Patch, change, read};

/// What admission and the registry add after owners are recorded.
const FILLED_LATER: [&str; 6] =
    ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "preemptionPolicy", "priority"];

const NOW: &str = "2030-01-01T00:00:00Z";

#[test]
fn recorded_requests_get_the_recorded_answers() {
    let mut schemas: BTreeMap<String, Schema> = BTreeMap::new();
    let mut stored: BTreeMap<(String, String), Value> = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, line) in include_str!("recorded.jsonl").lines().enumerate() {
        let step = Step::read(line);
        let schema = schemas.entry(step.kind.clone()).or_insert_with(|| schema(&step.kind));
        let key = (step.kind.clone(), step.name.clone());
        let live = stored.get(&key);
        faults.extend(step.check(live, schema).into_iter().map(|it| format!("{place}: {it}")));
        if step.code < 300 {
            stored.insert(key, step.answer);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

struct Step {
    kind: String,
    name: String,
    operation: String,
    manager: String,
    subresource: String,
    is_forced: bool,
    body: Value,
    code: u64,
    answer: Value,
}

impl Step {
    fn read(line: &str) -> Self {
        let step: Value = serde_json::from_str(line).expect("a line is JSON");
        let text = |name: &str| step[name].as_str().unwrap_or_default().to_owned();
        Self {
            kind: text("kind"),
            name: text("name"),
            operation: text("op"),
            manager: text("manager"),
            subresource: text("subresource"),
            is_forced: step["isForced"] == true,
            body: step["body"].clone(),
            code: step["code"].as_u64().expect("a code is a number"),
            answer: step["answer"].clone(),
        }
    }

    fn check(&self, live: Option<&Value>, schema: &Schema) -> Vec<String> {
        let api_version = match self.kind.as_str() {
            "Deployment" => "apps/v1",
            "Thing" => "x.io/v1",
            _ => "v1",
        };
        let target = Target {
            kind: &self.kind,
            api_version,
            schema,
            is_custom: self.kind == "Thing",
            subresource: &self.subresource,
            ignored: self.ignored(),
            served: &[api_version],
        };
        match self.operation.as_str() {
            "apply" => self.check_apply(live, target),
            "create" | "update" => self.check_track(live, self.written(live, None), target),
            _ => self.check_patch(live, target),
        }
    }

    fn ignored(&self) -> &'static [&'static [&'static str]] {
        match (self.kind.as_str(), self.subresource.as_str()) {
            ("ConfigMap", _) => &[],
            ("Pod", "status") => {
                &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]]
            }
            (_, "status") => &[&["spec"]],
            _ => &[&["status"]],
        }
    }

    fn check_apply(&self, live: Option<&Value>, target: Target<'_>) -> Vec<String> {
        let manager = Manager { name: &self.manager, time: NOW };
        match apply(live, &self.body, target, manager, self.is_forced) {
            Err(refusal) => differ_refusals(&refusal.status(), &self.answer),
            // What an apply gives may still be refused for what it is.
            Ok(_) if self.is_invalid() => Vec::new(),
            Ok(_) if self.code >= 300 => vec![format!("not refused: {}", self.answer)],
            Ok(object) => {
                let mut faults = self.differ_entries(&object);
                faults.extend(self.differ_objects(live, &object));
                faults
            }
        }
    }

    /// Whether the object was refused for what it is, not the request for what it asks.
    fn is_invalid(&self) -> bool {
        self.code == 422 && self.answer["details"].get("causes").is_some()
    }

    fn check_patch(&self, live: Option<&Value>, target: Target<'_>) -> Vec<String> {
        let content_type = match self.operation.as_str() {
            "json" => "application/json-patch+json",
            "merge" => "application/merge-patch+json",
            _ => "application/strategic-merge-patch+json",
        };
        let body = serde_json::to_vec(&self.body).expect("it is JSON");
        let patch: Patch = match read(content_type, &body, target.is_custom) {
            Ok(patch) => patch,
            Err(refusal) => return differ("refusal", &refusal.status(), &self.answer),
        };
        let current = live.expect("what is patched is there");
        match change(&patch, current, target.schema) {
            Err(refusal) => differ("refusal", &refusal.status(), &self.answer),
            Ok(_) if self.is_invalid() => Vec::new(),
            Ok(_) if self.code >= 300 => vec![format!("not refused: {}", self.answer)],
            Ok(object) => {
                let mut faults = self.differ_objects(live, &object);
                faults.extend(self.check_track(live, self.written(live, Some(object)), target));
                faults
            }
        }
    }

    /// The object as it was when the server recorded its owners.
    fn written(&self, live: Option<&Value>, patched: Option<Value>) -> Value {
        // Of a pod, decoding adds to the status that a patch gives.
        if self.subresource == "status" && self.kind != "Pod" {
            return coerced(patched.unwrap_or_else(|| self.body.clone()));
        }
        let mut object = self.answer.clone();
        if self.operation == "create" {
            let spec = object.get_mut("spec").and_then(Value::as_object_mut);
            if let Some(spec) = spec {
                spec.retain(|name, _| !FILLED_LATER.contains(&name.as_str()));
            }
        }
        let sent = match self.operation.as_str() {
            "update" | "create" => self.body["metadata"].get("managedFields"),
            _ => live.and_then(|live| live["metadata"].get("managedFields")),
        };
        match sent {
            Some(sent) => object["metadata"]["managedFields"] = sent.clone(),
            None => {
                object["metadata"].as_object_mut().map(|it| it.remove("managedFields"));
            }
        }
        object
    }

    fn check_track(&self, live: Option<&Value>, new: Value, target: Target<'_>) -> Vec<String> {
        let mut object = new;
        track(live, &mut object, target, Manager { name: &self.manager, time: NOW });
        self.differ_entries(&object)
    }

    fn differ_entries(&self, object: &Value) -> Vec<String> {
        differ("managedFields", &entries(object), &entries(&self.answer))
    }

    /// Holds what we merged against what was stored, which also has new defaults.
    fn differ_objects(&self, live: Option<&Value>, object: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        let parts = match self.subresource.as_str() {
            "status" => vec!["status"],
            _ => vec!["data", "spec"],
        };
        for part in parts {
            let live = live.map(|live| &live[part]).unwrap_or(&Value::Null);
            hold(&mut faults, part, (live, &object[part], &self.answer[part]));
        }
        faults
    }
}

/// Metadata as decoding leaves it: what is empty is gone.
fn coerced(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        let is_empty = |value: &Value| *value == json!({}) || *value == json!([]);
        metadata.retain(|_, value| !is_empty(value));
    }
    object
}

/// Conflicts come in any order from the server.
fn differ_refusals(ours: &Value, theirs: &Value) -> Vec<String> {
    let sorted = |status: &Value| {
        let mut status = status.clone();
        let causes = status.pointer_mut("/details/causes").and_then(Value::as_array_mut);
        if let Some(causes) = causes {
            causes.sort_by_cached_key(Value::to_string);
        }
        status
    };
    differ("refusal", &sorted(ours), &sorted(theirs))
}

fn differ(what: &str, ours: &Value, theirs: &Value) -> Vec<String> {
    if ours == theirs {
        return Vec::new();
    }
    vec![format!("{what}\n  ours   {ours}\n  theirs {theirs}")]
}

/// The entries, each told only by whether it has a time.
fn entries(object: &Value) -> Value {
    let mut entries = object["metadata"]["managedFields"].clone();
    for entry in entries.as_array_mut().into_iter().flatten() {
        if entry.get("time").is_some() {
            entry["time"] = json!("some");
        }
    }
    if let Some(entries) = entries.as_array_mut() {
        entries.sort_by_cached_key(Value::to_string);
    }
    entries
}

fn hold(faults: &mut Vec<String>, at: &str, (live, ours, theirs): (&Value, &Value, &Value)) {
    match (ours, theirs) {
        (Value::Object(mine), Value::Object(stored)) => {
            for (name, ours) in mine.iter().filter(|(name, _)| !name.starts_with('$')) {
                let theirs = stored.get(name).unwrap_or(&Value::Null);
                hold(faults, &format!("{at}.{name}"), (&live[name], ours, theirs));
            }
            let unknown = stored.keys().filter(|name| !mine.contains_key(*name));
            for name in unknown.filter(|name| live.get(name) == stored.get(*name)) {
                faults.push(format!("{at}.{name} should have stayed"));
            }
        }
        (Value::Array(mine), Value::Array(stored)) if mine.len() == stored.len() => {
            for (place, (ours, theirs)) in mine.iter().zip(stored).enumerate() {
                hold(faults, &format!("{at}[{place}]"), (&Value::Null, ours, theirs));
            }
        }
        (Value::Null, Value::String(text)) if text.is_empty() => {}
        (Value::Number(number), Value::Null) if number.as_i64() == Some(0) => {}
        (Value::Object(mine), Value::Null) if mine.is_empty() => {}
        (Value::Array(mine), Value::Null) if mine.is_empty() => {}
        (Value::Null, theirs) if theirs != live => {}
        _ => faults.extend(differ(at, ours, theirs)),
    }
}
