//! Takes in changes of objects and of rows.
//!
//! Invariant: a piece that cannot be read again, or stumbles, keeps its former state and no other from
//! being read; a row that somebody else changed is found by its owner.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ovsdb::cache::Change as RowChange;
use ovsdb_net::client::ChangesError;
use tokio::sync::mpsc;
use tokio::time::Instant;
use udn_blueprint::names::Prefix;
use udn_blueprint::owners;
use udn_cluster::reconciler::Change;
use udn_model::{Reason, Subject};
use udn_wire::Kind;
use udn_zone::{Piece, Ports, Touched, Trouble, WorkItem, disturbed};

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

    /// Reads everything again that is not up to date.
    pub(super) fn renew_all(&mut self, since: u64, at: Instant) {
        while let Some(piece) = self.brain.zone().next_dirty() {
            let was_given_up = self.brain.zone().has_given_up(&piece);
            let renewed = catch_unwind(AssertUnwindSafe(|| self.brain.renew(&piece)));
            let mut touched = renewed.unwrap_or_else(|panic| {
                let finding = self.stumbled(&piece.to_string(), &*panic, self.subject_of(&piece));
                self.brain.zone_mut().give_up(&piece, finding);
                Touched::default()
            });
            if was_given_up && !self.brain.zone().has_given_up(&piece) {
                self.recover(&piece, &mut touched);
            }
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
        self.look_for_writes();
        self.answer_waiters();
    }

    /// What could not be read was told as not programmed; it stays so until OVN confirms it.
    fn recover(&mut self, piece: &Piece, touched: &mut Touched) {
        for network in self.brain.zone().networks_of(piece) {
            let prefix = Prefix::of(&network);
            let message = "can be read again, and is being compared".to_owned();
            self.progress.trouble(&prefix, Trouble { reason: Reason::Waiting, message });
            touched.whole(WorkItem::Network(prefix));
        }
    }

    /// Whom it concerns that a piece cannot be read.
    fn subject_of(&self, piece: &Piece) -> Subject {
        match piece {
            Piece::Node(name) => Subject::Node(name.clone()),
            Piece::Services => Subject::Node(self.brain.zone().node().clone()),
            Piece::Networks(nad) => Subject::Nad(nad.clone()),
            Piece::Pod(pod) | Piece::Addresses(pod) => Subject::Pod(pod.clone()),
        }
    }

    /// Takes in changes of rows; returns whether the client was closed.
    pub(super) fn hear_rows(
        &mut self,
        changes: Result<Arc<Vec<RowChange>>, ChangesError>,
        of: &WorkItem,
    ) -> bool {
        match changes {
            Ok(changes) => {
                self.look_for_ports(&changes, of);
                self.look_for_disturbance(&changes, of);
            }
            Err(ChangesError::Lagged) => {
                self.read_ports();
                self.sweep_all();
            }
            Err(ChangesError::Closed) => return true,
        }
        self.look_at_platform(of);
        if *of != WorkItem::Southbound {
            self.look_for_confirmation();
        }
        false
    }

    /// An OVN that cannot carry networks is left alone until it can.
    pub(super) fn look_at_platform(&mut self, of: &WorkItem) {
        if *of == WorkItem::Southbound {
            return;
        }
        let zone = self.brain.zone_mut();
        let rows = &self.databases.northbound.client;
        if !rows.with_cache(|rows| zone.judge_platform(rows)) {
            return;
        }
        match zone.refusal() {
            Some(refusal) => {
                tracing::error!(message = refusal.message, "the node's OVN is left alone");
            }
            None => {
                tracing::info!("the node's OVN can carry networks");
                self.sweep_all();
            }
        }
    }

    /// Counts which ports are up, all anew.
    pub(super) fn read_ports(&mut self) {
        self.ports = self.databases.northbound.client.with_cache(Ports::read);
        self.metrics.ports(&self.ports);
    }

    fn look_for_ports(&mut self, changes: &[RowChange], of: &WorkItem) {
        if *of == WorkItem::Southbound {
            return;
        }
        self.databases.northbound.client.with_cache(|rows| {
            changes.iter().for_each(|change| self.ports.hear(change, rows));
        });
        self.metrics.ports(&self.ports);
    }

    fn look_for_disturbance(&mut self, changes: &[RowChange], of: &WorkItem) {
        let database = self.databases.of(of).clone();
        let owners = database.client.with_cache(|rows| {
            let all = changes.iter().flat_map(|it| disturbed(it, rows, &database.rules));
            all.collect::<BTreeSet<_>>()
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
            tracing::debug!(%item, %owner, "rows are not as they were last seen");
            if let WorkItem::Network(prefix) = &item {
                let message =
                    "rows in OVN are not as they were last seen, and are being compared again";
                let trouble = Trouble { reason: Reason::Waiting, message: message.to_owned() };
                self.progress.trouble(prefix, trouble);
            }
            self.touch_whole(item);
        }
    }
}
