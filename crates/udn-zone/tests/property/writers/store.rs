//! Objects as a server keeps them, and everything that became of them.
//!
//! Invariant: an entry of a pod that has addresses never changes, and never goes before its pod.

use std::collections::BTreeMap;

use serde_json::Value;
use udn_cluster::{Act, Write};
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target, keys};

use crate::objects::Draft;
use crate::patch::patched;

/// Why a write did not come about: the object is not as it was seen.
#[derive(Debug)]
pub(super) struct Conflict;

/// The objects, and the changes in order.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) present: BTreeMap<Target, Value>,
    pub(super) log: Vec<(Target, Option<Value>)>,
}

impl Store {
    pub(super) fn put(&mut self, target: Target, mut object: Value) -> AnyObject {
        let before = self.present.get(&target);
        keeps_entries(before, &object);
        object["metadata"]["resourceVersion"] = (self.log.len() + 1).to_string().into();
        self.log.push((target.clone(), Some(object.clone())));
        let read = decode(target.kind, &object);
        self.present.insert(target, object);
        read
    }

    pub(super) fn create(&mut self, draft: &Draft) {
        let Draft { kind, object } = draft;
        self.put(decode(*kind, object).target(), object.clone());
    }

    pub(super) fn delete(&mut self, target: &Target) {
        if self.present.remove(target).is_some() {
            self.log.push((target.clone(), None));
        }
    }

    pub(super) fn list(&self, kind: Kind) -> (Vec<AnyObject>, u64) {
        let of_kind = self.present.iter().filter(|(target, _)| target.kind == kind);
        (of_kind.map(|(_, object)| decode(kind, object)).collect(), self.log.len() as u64)
    }

    /// Does what is written; returns what stands afterwards, if anything does.
    pub(super) fn apply(&mut self, write: &Write) -> Result<Option<AnyObject>, Conflict> {
        let Write { target, act } = write;
        let standing = self.present.get(target);
        let after = match act {
            Act::Create(_) if standing.is_some() => return Err(Conflict),
            Act::Create(object) => object.clone(),
            Act::Delete { .. } => {
                self.delete(target);
                return Ok(None);
            }
            Act::TestedPatch(_) => patched(standing.ok_or(Conflict)?, write).ok_or(Conflict)?,
            Act::Replace(body) | Act::Patch(body) => {
                let standing = standing.ok_or(Conflict)?;
                for guard in ["uid", "resourceVersion"] {
                    let asked = &body["metadata"][guard];
                    if !asked.is_null() && *asked != standing["metadata"][guard] {
                        return Err(Conflict);
                    }
                }
                merged(standing.clone(), body)
            }
            Act::ApplyStatus(body) | Act::PatchStatus(body) => {
                merged(standing.ok_or(Conflict)?.clone(), body)
            }
        };
        Ok(Some(self.put(target.clone(), after)))
    }
}

pub(super) fn decode(kind: Kind, object: &Value) -> AnyObject {
    AnyObject::decode(kind, &object.to_string()).expect("the object is well formed")
}

/// The entries of a pod, by key.
pub(super) fn entries(pod: &Value) -> BTreeMap<String, Value> {
    let text = pod["metadata"]["annotations"][keys::POD_NETWORKS].as_str().unwrap_or("{}");
    serde_json::from_str(text).expect("the annotation is JSON")
}

/// A merge patch.
fn merged(mut object: Value, patch: &Value) -> Value {
    let Some(fields) = patch.as_object() else { return patch.clone() };
    if !object.is_object() {
        object = Value::Object(serde_json::Map::new());
    }
    for (key, value) in fields {
        match value {
            Value::Null => drop(object.as_object_mut().and_then(|it| it.remove(key))),
            value => object[key] = merged(object[key].take(), value),
        }
    }
    object
}

#[track_caller]
fn keeps_entries(before: Option<&Value>, after: &Value) {
    let before = before.filter(|it| it["metadata"]["uid"] == after["metadata"]["uid"]);
    let after = entries(after);
    for (key, entry) in before.map(entries).unwrap_or_default() {
        assert_eq!(Some(&entry), after.get(&key), "what was published of {key} stays");
    }
}
