//! What anybody ever saw under a revision.
//!
//! Takes objects from answers, lists and events; complains where two disagree.
//! Invariant: a revision stands for one state of one object, before and after a crash.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use k8s_openapi::api::core::v1::ConfigMap;

use super::content::{self, Found};

/// What a revision stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) is_delete: bool,
    pub(crate) uid: Option<String>,
    pub(crate) content: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
pub(crate) struct Chronicle {
    seen: Mutex<BTreeMap<u64, Seen>>,
    /// The newest revision that a list named.
    reached: AtomicU64,
}

impl Chronicle {
    /// Takes the revision of a list, which may be that of a deletion.
    pub(crate) fn reach(&self, revision: u64) {
        self.reached.fetch_max(revision, Ordering::SeqCst);
    }

    /// Takes the answer to a write, which nobody can have had before a crash.
    pub(crate) fn take(&self, object: &ConfigMap, is_delete: bool) {
        let seen = Seen {
            name: content::name(object).to_owned(),
            is_delete,
            uid: object.metadata.uid.clone(),
            content: object.data.clone().unwrap_or_default(),
        };
        let revision = content::revision(object);
        let before = self.seen().insert(revision, seen.clone());
        if let Some(before) = before {
            assert_eq!(before, seen, "revision {revision} stands for two states");
        }
    }

    /// Takes a list; its revision is not behind anything that was seen.
    pub(crate) fn take_list(&self, found: &Found) {
        let newest = self.seen().last_key_value().map_or(0, |(revision, _)| *revision);
        let newest = newest.max(self.reached.load(Ordering::SeqCst));
        assert!(found.revision >= newest, "{} comes after {newest}", found.revision);
        for object in found.objects.values() {
            assert!(content::revision(object) <= found.revision, "{object:?} is from the future");
            self.take(object, false);
        }
    }

    /// The revisions that were seen after one and up to another.
    pub(crate) fn between(&self, after: u64, last: u64) -> Vec<u64> {
        let range = (Bound::Excluded(after), Bound::Included(last));
        self.seen().range(range).map(|(revision, _)| *revision).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.seen().len()
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<u64, Seen>> {
        self.seen.lock().expect("nobody fails while holding it")
    }
}
