//! The last step of a write: into the store, and to those who must know.
//!
//! Invariant: objects are stored in their storage version, whatever version wrote them.

use std::sync::Arc;

use serde_json::Value;

use crate::builtin;
use crate::core::Core;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::{Body, Expect, Facts, Key, Stale, Stored, Write, types};

/// How a guarded write ended.
#[derive(Debug)]
pub(crate) enum Kept {
    Stored(Arc<Stored>),
    /// Something else was stored in the meantime.
    Overtaken,
}

/// Stores a new object.
pub(crate) async fn insert(
    core: &Core,
    kind: &Kind,
    key: Key,
    object: Value,
) -> Result<Kept, Refusal> {
    commit(core, kind, key, Expect::Absent, object, false).await
}

/// Stores an object in place of the one of a revision.
pub(crate) async fn replace(
    core: &Core,
    kind: &Kind,
    key: Key,
    revision: u64,
    object: Value,
) -> Result<Kept, Refusal> {
    commit(core, kind, key, Expect::Revision(revision), object, false).await
}

/// Removes the object of a revision; `object` is its last state.
pub(crate) async fn remove(
    core: &Core,
    kind: &Kind,
    key: Key,
    revision: u64,
    object: Value,
) -> Result<Kept, Refusal> {
    commit(core, kind, key, Expect::Revision(revision), object, true).await
}

async fn commit(
    core: &Core,
    kind: &Kind,
    key: Key,
    expect: Expect,
    object: Value,
    is_delete: bool,
) -> Result<Kept, Refusal> {
    let object = in_storage_version(core, kind, object);
    let types = stored_types(core, kind, &object);
    let body = Body::new(&object, &types)
        .ok_or_else(|| Refusal::bad_request("name or generateName is required"))?;
    let facts = Facts::of(&object);
    let resource = key.resource.clone();
    let noted = core.queue.before(&key, &object, is_delete);
    let write = Write { key, expect, body, facts, is_delete };
    match core.store.commit(write).await {
        Ok(stored) => {
            core.follow(&resource);
            core.queue.after(noted);
            Ok(Kept::Stored(stored))
        }
        Err(Stale::Changed) => Ok(Kept::Overtaken),
        Err(Stale::Failed(why)) => {
            Err(Refusal::new(500, "InternalError", format!("Internal error occurred: {why}")))
        }
    }
}

/// The type objects are stored under; one text for all of a kind.
fn stored_types(core: &Core, kind: &Kind, object: &Value) -> Arc<str> {
    let served = core.served();
    match served.stored_as(&kind.storage()) {
        Some(stored) => stored.types.clone(),
        None => {
            let text = |name: &str| object[name].as_str().unwrap_or("");
            types(text("apiVersion"), text("kind"))
        }
    }
}

fn in_storage_version(core: &Core, kind: &Kind, mut object: Value) -> Value {
    if kind.is_storage_version() {
        return object;
    }
    let served = core.served();
    match (kind.built_in(), served.stored_as(&kind.storage())) {
        (Some(_), Some(stored)) => builtin::convert(object, stored),
        _ => {
            let version = format!("{}/{}", kind.group, kind.storage_version);
            object["apiVersion"] = Value::from(version);
            match served.stored_as(&kind.storage()) {
                Some(stored) => stored.as_stored(object),
                None => object,
            }
        }
    }
}
