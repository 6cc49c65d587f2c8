//! Volumes that wait to go until nobody uses them.
//!
//! Invariant: a claim that a pod still uses stays.

use std::sync::Arc;

use serde_json::Value;

use super::owners;
use crate::core::Core;
use crate::refusal::Refusal;
use crate::store::Key;

const CLAIMS: &str = "persistentvolumeclaims";
const VOLUMES: &str = "persistentvolumes";

/// Lets a claim or volume go that waits for it and is not used.
pub(super) async fn release(core: &Arc<Core>, key: &Key) -> Result<(), Refusal> {
    let Some(stored) = core.store.find(key).filter(|it| it.facts.is_terminating) else {
        return Ok(());
    };
    match &*key.resource {
        CLAIMS if !is_used(core, key) => {
            owners::drop_finalizer(core, key, "kubernetes.io/pvc-protection").await
        }
        VOLUMES if stored.object()["status"]["phase"] != "Bound" => {
            owners::drop_finalizer(core, key, "kubernetes.io/pv-protection").await
        }
        _ => Ok(()),
    }
}

fn is_used(core: &Core, claim: &Key) -> bool {
    let pods = core.store.list("pods", Some(&claim.place.namespace)).objects;
    pods.iter().map(|it| it.object()).any(|pod| {
        let is_over = ["Succeeded", "Failed"].map(Value::from).contains(&pod["status"]["phase"]);
        !is_over && claims_of(&pod).any(|name| *name == *claim.place.name)
    })
}

/// The claims that a pod uses.
pub(super) fn claims_of(pod: &Value) -> impl Iterator<Item = &str> {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|it| it["persistentVolumeClaim"]["claimName"].as_str())
}

/// The claims that may go now that a pod has.
pub(super) fn claims_left_by(pod: &Value, namespace: &str) -> Vec<Key> {
    claims_of(pod).map(|name| Key::new(CLAIMS, namespace, name)).collect()
}
