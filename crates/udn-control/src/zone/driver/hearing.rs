//! Takes in changes of objects and of rows.
//!
//! Invariant: a piece that cannot be read again, or stumbles, keeps its former state and no other from
//! being read; a row that somebody else changed is found by its owner.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ovsdb::cache::Change as RowChange;
use ovsdb_net::client::ChangesError;
use tokio::sync::mpsc;
use tokio::time::Instant;
use udn_blueprint::owners;
use udn_cluster::reconciler::Change;
use udn_model::Reason;
use udn_wire::Kind;
use udn_zone::{Piece, Touched, Trouble, WorkItem, disturbed};

use super::super::brain::ZoneBrain;
use super::{Driver, MOST_AT_ONCE};
use crate::watcher::Heard;

impl<B: ZoneBrain> Driver<B> {
    /// Takes in a change of an object, and all that wait behind it.
    pub(super) fn hear_all(&mut self, first: Heard, heard: &mut mpsc::Receiver<Heard>) {
        let (mut since, was_synced) = (u64::MAX, self.brain.zone().is_synced());
        let Heard { change, at } = first;
        self.hear(change, &mut since);
        for _ in 1..MOST_AT_ONCE {
            let Ok(Heard { change, .. }) = heard.try_recv() else { break };
            self.hear(change, &mut since);
        }
        self.renew_all(since, at);
        if !was_synced && self.brain.zone().is_synced() {
            self.sweep_all();
            // What is new to the brain is in the queue already.
            self.sweep.retain(|item| !self.todo.0.contains_key(item));
        }
    }

    /// Notes from which version of a NAD on something is not committed.
    fn hear(&mut self, change: Change, since: &mut u64) {
        match &change {
            Change::Put(object) if object.kind() == Kind::Nad => {
                *since = object.metadata().version().min(*since);
                self.progress.heard(object.metadata().version());
            }
            Change::Removed { target, version } if target.kind == Kind::Nad => {
                *since = (*version).min(*since);
                self.progress.heard(*version);
            }
            // A list tells of NADs of any age.
            Change::Listed { kind: Kind::Nad, version, .. } => {
                *since = 1;
                self.progress.heard(*version);
            }
            Change::Put(_) | Change::Removed { .. } | Change::Listed { .. } => {}
        }
        let was_synced = self.brain.zone().is_synced();
        self.brain.zone_mut().hear(change);
        if !was_synced && self.brain.zone().is_synced() {
            tracing::info!(node = %self.brain.zone().node(), "everything was listed");
        }
    }

    fn renew_all(&mut self, since: u64, at: Instant) {
        while let Some(piece) = self.brain.zone().next_dirty() {
            let renewed = catch_unwind(AssertUnwindSafe(|| self.brain.renew(&piece)));
            let touched = renewed.unwrap_or_else(|panic| {
                let finding = self.stumbled(&format!("{piece:?}"), &*panic, &WorkItem::Shared);
                self.brain.zone_mut().give_up(&piece, finding);
                Touched::default()
            });
            if matches!(piece, Piece::Networks(_)) {
                for item in touched.0.keys() {
                    if let WorkItem::Network(prefix) = item {
                        self.progress.touched(prefix, since);
                    }
                }
            }
            self.lags.begin(&touched, at);
            self.touch(touched);
        }
    }

    /// Takes in changes of rows; returns whether the client was closed.
    pub(super) fn hear_rows(
        &mut self,
        changes: Result<Arc<Vec<RowChange>>, ChangesError>,
        of: &WorkItem,
    ) -> bool {
        match changes {
            Ok(changes) => self.look_for_disturbance(&changes, of),
            Err(ChangesError::Lagged) => self.sweep_all(),
            Err(ChangesError::Closed) => return true,
        }
        if *of != WorkItem::Southbound {
            self.look_for_confirmation();
        }
        false
    }

    fn look_for_disturbance(&mut self, changes: &[RowChange], of: &WorkItem) {
        let database = self.databases.of(of).clone();
        let owners = database.client.with_cache(|rows| {
            let all = changes.iter().flat_map(|it| disturbed(it, rows, &database.rules));
            all.collect::<std::collections::BTreeSet<_>>()
        });
        for owner in owners {
            let item = match (owners::prefix(&owner), of) {
                (Some(prefix), _) => WorkItem::Network(prefix),
                (None, of) => of.clone(),
            };
            // What is under way is compared again when it ends.
            let is_ours = self.under_way.get(&item).is_some_and(|it| it.owners.contains(&owner));
            if is_ours || !self.brain.zone().is_synced() {
                continue;
            }
            tracing::debug!(%item, %owner, "rows were changed by somebody else");
            if let WorkItem::Network(prefix) = &item {
                let message = "rows in OVN were changed by somebody else and are being repaired";
                let trouble = Trouble { reason: Reason::Waiting, message: message.to_owned() };
                self.progress.trouble(prefix, trouble);
            }
            self.touch_whole(item);
        }
    }
}
