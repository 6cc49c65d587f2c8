//! Makes the answers of two servers comparable.
//!
//! Takes JSON or text; returns it with everything that differs from run to run renamed: uids and
//! resource versions are numbered in the order they appear, times and tokens lose their value.
//! Invariant: what was equal within one transcript stays equal, what differed stays different.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::script::Marks;

/// What stands before resource versions within text.
const NUMBERED: &[&str] = &[
    "current: ",
    "in record (",
    "ResourceVersion in object meta: ",
    "resourceVersion\\\":\\\"",
    "resourceVersion\":\"",
];

/// A column without its description, which each server words for itself.
fn untold(column: &Value) -> Value {
    let mut column = column.clone();
    if let Some(fields) = column.as_object_mut() {
        fields.remove("description");
    }
    column
}

/// What the server makes names of.
const LETTERS: &str = "bcdfghjklmnpqrstvwxz2456789";

/// Renames within one behaviour.
#[derive(Debug)]
pub(crate) struct Normaliser {
    namespace: String,
    group: String,
    marks: Marks,
    uids: BTreeMap<String, usize>,
    versions: BTreeMap<String, usize>,
    prefixes: BTreeSet<String>,
}

impl Normaliser {
    pub(crate) fn new(namespace: String, group: String, marks: Marks) -> Self {
        let (uids, versions, prefixes) = Default::default();
        Self { namespace, group, marks, uids, versions, prefixes }
    }

    pub(crate) fn value(&mut self, value: &Value) -> Value {
        let mut shown = self.rename("", value);
        if self.marks.is_unordered {
            sort_causes(&mut shown);
        }
        shown
    }

    /// Text as it stands in a header, a message or an answer that is not JSON.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut text = text.replace(&self.namespace, "NS").replace(&self.group, "GROUP");
        // Messages show the start of a body, which may end within the group.
        if let Some(cut) = self.group.get(..self.group.len() - 1) {
            text = text.replace(&format!("{cut} ..."), "GROUP ...");
        }
        for prefix in &self.prefixes {
            text = suffix_in(&text, prefix);
        }
        let text = self.uids_in(&text);
        let text = times_in(&text);
        let text = suffix_in(&text, "kube-api-access-");
        let text = address_in(&text);
        numbers_after(&text, NUMBERED)
    }

    /// Remembers the start of a name that the server is to make up.
    pub(crate) fn expect_name(&mut self, prefix: &str) {
        // The server cuts what is too long.
        let prefix = prefix.get(..58).unwrap_or(prefix);
        self.prefixes.insert(prefix.replace(&self.namespace, "NS"));
    }

    fn rename(&mut self, key: &str, value: &Value) -> Value {
        match value {
            Value::Object(map) => self.object(map),
            Value::Array(items) if key == "cells" => self.cells(items),
            Value::Array(items) if key == "columnDefinitions" => {
                items.iter().map(|item| self.rename(key, &untold(item))).collect()
            }
            Value::Array(items) => {
                let kept = items.iter().filter(|item| !is_noise(item));
                Value::Array(kept.map(|item| self.rename(key, item)).collect())
            }
            Value::String(text) => Value::String(self.string(key, text)),
            Value::Number(_) if key == "nodePort" || key == "healthCheckNodePort" => {
                Value::from("#port")
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
        }
    }

    fn object(&mut self, map: &Map<String, Value>) -> Value {
        let is_list = map.contains_key("items") || map.get("kind") == Some(&Value::from("Table"));
        let sorted: BTreeMap<&String, &Value> = map.iter().collect();
        let mut out = Map::new();
        for (key, value) in sorted {
            match key.as_str() {
                "managedFields" if !self.marks.is_managed => continue,
                "managedFields" => {}
                "storageVersionHash" | "node.alpha.kubernetes.io/ttl" => continue,
                "metadata" if is_list => {
                    let metadata = self.list_metadata(value);
                    out.insert(key.clone(), metadata);
                    continue;
                }
                _ => {}
            }
            let renamed = self.rename(key, value);
            let key = self.text(key);
            out.insert(key, renamed);
        }
        if out.get("annotations").is_some_and(|it| it.as_object().is_some_and(Map::is_empty)) {
            out.remove("annotations");
        }
        if out.get("taints").is_some_and(|it| it.as_array().is_some_and(Vec::is_empty)) {
            out.remove("taints");
        }
        Value::Object(out)
    }

    /// The version of a list is that of the store, which others move too.
    fn list_metadata(&mut self, metadata: &Value) -> Value {
        let mut metadata = metadata.clone();
        if let Some(version) = metadata.get_mut("resourceVersion") {
            *version = Value::from(if *version == "" { "" } else { "#list" });
        }
        self.rename("", &metadata)
    }

    fn cells(&mut self, cells: &[Value]) -> Value {
        let shown = cells.iter().map(|cell| match cell.as_str() {
            Some(text) if is_age(text) => Value::from("#age"),
            _ => self.rename("cell", cell),
        });
        Value::Array(shown.collect())
    }

    fn string(&mut self, key: &str, text: &str) -> String {
        match key {
            "resourceVersion" => self.version(text),
            "continue" if !text.is_empty() => "#continue".to_owned(),
            "serverAddress" => "#address".to_owned(),
            "token" if text.len() > 100 => "#token".to_owned(),
            _ => self.text(text),
        }
    }

    fn version(&mut self, text: &str) -> String {
        if text.is_empty() || text.starts_with('0') || text.parse::<u64>().is_err() {
            return self.text(text);
        }
        let next = self.versions.len() + 1;
        let number = *self.versions.entry(text.to_owned()).or_insert(next);
        format!("#rv{number}")
    }

    fn uids_in(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = (0..rest.len()).find(|at| is_uid(rest.as_bytes(), *at)) {
            let (head, tail) = rest.split_at(at);
            let (uid, after) = tail.split_at(36);
            let next = self.uids.len() + 1;
            let number = *self.uids.entry(uid.to_owned()).or_insert(next);
            out.push_str(&format!("{head}#uid{number}"));
            rest = after;
        }
        out + rest
    }
}

/// What controllers of the real server leave behind at times of their own.
fn is_noise(item: &Value) -> bool {
    let is_foreign = item["manager"] == "kube-controller-manager";
    let is_taint = item["key"] == "node.kubernetes.io/not-ready" && item["effect"] == "NoSchedule";
    is_foreign || is_taint || item["metadata"]["name"] == "kube-root-ca.crt"
}

/// Sorts the causes of a refusal, and its message, which lists them.
fn sort_causes(status: &mut Value) {
    let Some(causes) = status.pointer_mut("/details/causes").and_then(Value::as_array_mut) else {
        return;
    };
    causes.sort_by_key(ToString::to_string);
    let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or("").to_owned();
    let pieces: Vec<String> = causes
        .iter()
        .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")))
        .collect();
    let message = status["message"].as_str().unwrap_or("").to_owned();
    if pieces.len() > 1 && pieces.iter().all(|piece| message.contains(piece)) {
        let head = message.split('[').next().unwrap_or("");
        status["message"] = Value::from(format!("{head}[{}]", pieces.join(", ")));
    }
}

fn is_age(text: &str) -> bool {
    let number = text.strip_suffix('s').map(|text| text.replace('m', ""));
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a uid stands here: 8, 4, 4, 4 and 12 lower-case hexadecimal digits. Uids that scripts
/// make up start with eight zeros and stay.
fn is_uid(bytes: &[u8], at: usize) -> bool {
    let Some(window) = bytes.get(at..at + 36) else {
        return false;
    };
    let fits = window.iter().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(byte),
    });
    fits && !window.starts_with(b"00000000")
}

/// Renames times of this decade and the next; scripts use older ones.
fn times_in(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = (0..rest.len()).find(|at| is_time(rest.as_bytes(), *at)) {
        let (head, tail) = rest.split_at(at);
        let end = tail.find('Z').map_or(19, |end| end + 1);
        let (time, after) = tail.split_at(end);
        out.push_str(head);
        out.push_str(if time.contains('.') { "#time6" } else { "#time" });
        rest = after;
    }
    out + rest
}

fn is_time(bytes: &[u8], at: usize) -> bool {
    let Some(window) = bytes.get(at..at + 19) else {
        return false;
    };
    let fits = window.iter().enumerate().all(|(index, byte)| match index {
        4 | 7 => *byte == b'-',
        10 => *byte == b'T',
        13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    });
    fits && window >= b"2024".as_slice() && window < b"2050".as_slice()
}

/// Renames the five letters the server puts after a prefix.
fn suffix_in(text: &str, prefix: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once(prefix) {
        out.push_str(head);
        out.push_str(prefix);
        rest = match tail.get(..5) {
            Some(suffix) if suffix.chars().all(|it| LETTERS.contains(it)) => {
                out.push_str("#gen");
                &tail[5..]
            }
            _ => tail,
        };
    }
    out + rest
}

/// Renames addresses of services.
fn address_in(text: &str) -> String {
    // The range of services is 10.96.0.0/12 or a part of it.
    let starts = (96..112).map(|part| format!("10.{part}."));
    let Some((head, tail)) = starts.into_iter().find_map(|start| text.split_once(start.as_str()))
    else {
        return text.to_owned();
    };
    let end = tail.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(tail.len());
    format!("{head}#ip{}", &tail[end..])
}

fn numbers_after(text: &str, prefixes: &[&str]) -> String {
    let mut text = text.to_owned();
    for prefix in prefixes {
        if let Some((head, tail)) = text.split_once(prefix) {
            let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
            if end > 0 {
                text = format!("{head}{prefix}#{}", &tail[end..]);
            }
        }
    }
    text
}
