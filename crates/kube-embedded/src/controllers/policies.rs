//! Policies: says in their status that they were seen.
//!
//! Invariant: a status tells of the generation that is stored, or of an older one.

use std::sync::Arc;

use serde_json::{Value, json};

use super::owners;
use crate::core::{Core, POLICIES};
use crate::refusal::Refusal;
use crate::store::Key;

/// Notes which generation of a policy was looked at; policies whose expressions do not compile
/// were refused when they were written.
pub(super) async fn reconcile(core: &Arc<Core>, name: &str) -> Result<(), Refusal> {
    let key = Key::new(POLICIES, "", name);
    owners::change(core, &key, |policy: &mut Value| {
        let generation = policy["metadata"]["generation"].clone();
        if policy["status"]["observedGeneration"] != generation {
            policy["status"] = json!({"observedGeneration": generation, "typeChecking": {}});
        }
    })
    .await
}
