//! Objects as a server keeps them, as far as the controller's own writes go.
//!
//! Reads writes; returns what stands afterwards.
//! Invariant: every change has a version of its own, and an object with a finalizer is not gone.

use serde_json::Value;
use udn_wire::api::{ClaimStatus, NetworkStatus};
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::{AnyObject, Metadata};
use udn_wire::texts::Texts;
use udn_wire::{Kind, Target};

use crate::reconciler::Answer;
use crate::world::World;
use crate::write::{Act, Write};

/// The objects, and the version of the last change.
pub(super) struct ApiObjects {
    world: World,
    version: u64,
}

impl ApiObjects {
    pub(super) fn new(world: World) -> Self {
        Self { world, version: 1 }
    }

    pub(super) fn into_world(self) -> World {
        self.world
    }

    /// All objects of a kind, and the version of the list.
    pub(super) fn list(&self, kind: Kind) -> (Vec<AnyObject>, u64) {
        let mut objects = self.world.of_kind(kind);
        for object in &mut objects {
            let metadata = object.metadata_mut();
            if metadata.resource_version.is_empty() {
                metadata.resource_version = "1".to_owned();
            }
        }
        (objects, self.version)
    }

    pub(super) fn apply(&mut self, Write { target, act }: &Write, now: &str) -> Answer {
        self.version += 1;
        let standing = self.world.take(target);
        let object = match (act, standing) {
            (Act::Create(object) | Act::Replace(object), standing) => {
                self.whole(target, object, standing)
            }
            (Act::Delete { .. }, Some(mut object)) => {
                object.metadata_mut().deletion_timestamp = Some(now.to_owned());
                Some(object)
            }
            (Act::Patch(patch), Some(object)) => Some(patched(object, patch)),
            (Act::ApplyStatus(object), Some(standing)) => Some(with_status(standing, object)),
            (Act::PatchStatus(patch), Some(object)) => Some(with_status(object, patch)),
            (Act::TestedPatch(steps), Some(object)) => Some(annotated(object, steps)),
            (_, None) => None,
        };
        let gone = Answer::Gone { target: target.clone(), version: self.version };
        let Some(mut object) = object else { return gone };
        let metadata = object.metadata_mut();
        if metadata.is_leaving() && metadata.finalizers.is_empty() {
            return gone;
        }
        metadata.resource_version = self.version.to_string();
        self.world.put(object.clone());
        Answer::Stands(Box::new(object))
    }

    /// A whole object; it keeps its uid, or gets one.
    fn whole(
        &self,
        target: &Target,
        object: &Value,
        standing: Option<AnyObject>,
    ) -> Option<AnyObject> {
        let mut object = AnyObject::decode(target.kind, &object.to_string()).ok()?;
        let uid = standing.map(|it| it.metadata().uid.clone());
        let new = || format!("uid-{}", self.version);
        object.metadata_mut().uid = uid.unwrap_or_else(new);
        Some(object)
    }
}

/// A merge patch of metadata, and of a NAD's configuration.
fn patched(mut object: AnyObject, patch: &Value) -> AnyObject {
    let Metadata { annotations, labels, finalizers, .. } = object.metadata_mut();
    let metadata = &patch["metadata"];
    merge(annotations, &metadata["annotations"]);
    merge(labels, &metadata["labels"]);
    if let Some(list) = metadata["finalizers"].as_array() {
        let texts = list.iter().filter_map(Value::as_str);
        *finalizers = texts.map(ToOwned::to_owned).collect();
    }
    if let (AnyObject::Nad(nad), Some(config)) = (&mut object, patch["spec"]["config"].as_str()) {
        nad.spec.config = config.to_owned();
    }
    object
}

/// Merges entries; `null` takes one away.
fn merge(texts: &mut Texts, patch: &Value) {
    for (key, value) in patch.as_object().into_iter().flatten() {
        match value.as_str() {
            Some(text) => drop(texts.insert(key.clone(), text.to_owned())),
            None => drop(texts.remove(key)),
        }
    }
}

/// The status that is told; conditions of others stay.
fn with_status(mut object: AnyObject, told: &Value) -> AnyObject {
    match &mut object {
        AnyObject::UserDefinedNetwork(it) => apply_network_status(&mut it.status, &told["status"]),
        AnyObject::ClusterUserDefinedNetwork(it) => {
            apply_network_status(&mut it.status, &told["status"]);
        }
        AnyObject::Claim(it) => merge_claim_status(&mut it.status, &told["status"]),
        AnyObject::Namespace(_)
        | AnyObject::Node(_)
        | AnyObject::Nad(_)
        | AnyObject::Service(_)
        | AnyObject::Pod(_)
        | AnyObject::Report(_)
        | AnyObject::Machine(_) => {}
    }
    object
}

fn apply_network_status(status: &mut NetworkStatus, told: &Value) {
    let Ok(mut new) = serde_json::from_value::<NetworkStatus>(told.clone()) else { return };
    let conditions = new.conditions.get_or_insert_default();
    let others = status.conditions.take().into_iter().flatten();
    let is_other = |type_: &String| conditions.iter().all(|it| it.condition_type != *type_);
    let others: Vec<_> = others.filter(|it| is_other(&it.condition_type)).collect();
    conditions.extend(others);
    *status = new;
}

fn merge_claim_status(status: &mut ClaimStatus, told: &Value) {
    let field = |name: &str| told.get(name).cloned();
    if let Some(ips) = field("ips") {
        status.ips = serde_json::from_value(ips).unwrap_or_default();
    }
    if let Some(owner) = field("ownerPod") {
        status.owner_pod = serde_json::from_value(owner).unwrap_or_default();
    }
    if let Some(conditions) = field("conditions") {
        status.conditions = serde_json::from_value(conditions).unwrap_or_default();
    }
}

/// The last step of a patch that tests what it changes: a pod's annotation, or its first one.
fn annotated(mut object: AnyObject, steps: &Value) -> AnyObject {
    let last = steps.as_array().and_then(|it| it.last()).unwrap_or(&Value::Null);
    let value = &last["value"];
    let text = value.as_str().or_else(|| value[POD_NETWORKS].as_str());
    if let Some(text) = text {
        let annotations = &mut object.metadata_mut().annotations;
        annotations.insert(POD_NETWORKS.to_owned(), text.to_owned());
    }
    object
}
