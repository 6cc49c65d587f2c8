//! Events are kept for an hour.
//!
//! Invariant: what tells of the past does not pile up.

use jiff::{SignedDuration, Timestamp};

use crate::core::Core;
use crate::rest;
use crate::store::Key;

const KEPT: SignedDuration = SignedDuration::from_hours(1);

/// Throws away old events.
pub(super) async fn sweep(core: &Core) {
    let served = core.served();
    let Some(kind) = served.stored_as("events") else {
        return;
    };
    let Ok(oldest) = core.now().checked_sub(KEPT) else {
        return;
    };
    for stored in core.store.list("events", None).objects {
        let object = stored.object();
        let made = object["metadata"]["creationTimestamp"].as_str();
        let made: Option<Timestamp> = made.and_then(|it| it.parse().ok());
        if made.is_none_or(|made| made >= oldest) {
            continue;
        }
        let key = Key { resource: "events".into(), place: stored.place.clone() };
        // One that changed meanwhile is looked at again next time.
        drop(rest::remove(core, kind, key, stored.revision, object).await);
    }
}
