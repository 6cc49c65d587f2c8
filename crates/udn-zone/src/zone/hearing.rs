//! Takes in changes as a server tells them, perhaps twice, late, or in a list of the past.
//!
//! Reads a change; notes which pieces it makes old.
//! Invariant: the newest state that was told of an object is the one that counts, in whatever order
//! states were told; a change that says nothing new makes no piece old.

use std::collections::BTreeSet;

use udn_cluster::reconciler::Change;
use udn_model::{NodeName, ObjectName};
use udn_wire::keys::PRIMARY_LABEL;
use udn_wire::object::AnyObject;
use udn_wire::{Kind, Target};

use super::Zone;
use super::kept::is_kept;
use crate::dirty::Piece;

impl Zone {
    /// Takes in a change; notes which pieces are no longer up to date.
    pub fn hear(&mut self, change: Change) {
        match change {
            Change::Put(object) => {
                self.see(object.kind(), object.metadata().version());
                self.put(*object);
            }
            Change::Removed { target, version } => {
                self.see(target.kind, version);
                self.take(&target, version);
            }
            Change::Listed { kind, objects, version } => {
                self.see(kind, version);
                self.take_list(kind, objects, version);
                self.unlisted.remove(&kind);
            }
        }
    }

    /// Takes in what the server answered to a write; what others did before it may be unheard still.
    pub fn hear_answer(&mut self, object: AnyObject) {
        self.put(object);
    }

    fn see(&mut self, kind: Kind, version: u64) {
        let seen = self.seen.entry(kind).or_default();
        *seen = version.max(*seen);
    }

    fn put(&mut self, object: AnyObject) {
        if is_kept(&object, &self.node, &self.settings) {
            self.keep(object);
        } else {
            // For a zone it is as good as gone.
            self.take(&object.target(), object.metadata().version());
        }
    }

    fn keep(&mut self, object: AnyObject) {
        let (target, version) = (object.target(), object.metadata().version());
        let before = self.world.take(&target);
        let is_past = match &before {
            Some(standing) => standing.metadata().version() > version,
            None => self.versions.is_past(&target, version),
        };
        if is_past || before.as_ref() == Some(&object) {
            before.into_iter().for_each(|it| drop(self.world.put(it)));
            return;
        }
        self.world.put(object.clone());
        self.note(&target, before.as_ref(), Some(&object));
    }

    fn take(&mut self, target: &Target, version: u64) {
        self.versions.bury(target.clone(), version);
        self.drop_until(target, version);
    }

    /// Takes in a list of all objects of a kind; what is not in it was gone by then.
    fn take_list(&mut self, kind: Kind, objects: Vec<AnyObject>, version: u64) {
        if !self.versions.begin_list(kind, version) {
            return;
        }
        let mut kept = objects;
        kept.retain(|it| it.kind() == kind && is_kept(it, &self.node, &self.settings));
        let listed: BTreeSet<Target> = kept.iter().map(AnyObject::target).collect();
        let standing = self.world.of_kind(kind).into_iter().map(|it| it.target());
        let gone: Vec<Target> = standing.filter(|it| !listed.contains(it)).collect();
        kept.into_iter().for_each(|object| self.keep(object));
        gone.iter().for_each(|target| self.drop_until(target, version));
        self.versions.end_list(kind, version);
    }

    /// Takes an object out, unless its state is newer.
    fn drop_until(&mut self, target: &Target, version: u64) {
        match self.world.take(target) {
            Some(newer) if newer.metadata().version() > version => drop(self.world.put(newer)),
            Some(before) => self.note(target, Some(&before), None),
            None => {}
        }
    }

    /// Notes whom a change concerns, and keeps the indexes.
    fn note(&mut self, target: &Target, before: Option<&AnyObject>, after: Option<&AnyObject>) {
        match target.kind {
            Kind::Namespace => self.note_namespace(&target.name, before, after),
            Kind::Node => self.dirty.add(Piece::Node(NodeName::new(&target.name))),
            Kind::Nad => {
                let name = ObjectName::new(&target.namespace, &target.name);
                self.nads.index(&name, self.world.nads.get(&name));
                self.dirty.add(Piece::Networks(name));
            }
            Kind::Service => self.dirty.add(Piece::Services),
            Kind::Pod => {
                let name = ObjectName::new(&target.namespace, &target.name);
                self.pods.index(&name, self.world.pods.get(&name), &self.node);
                self.dirty.add(Piece::Pod(name));
            }
            Kind::UserDefinedNetwork
            | Kind::ClusterUserDefinedNetwork
            | Kind::Report
            | Kind::Claim
            | Kind::Machine => {}
        }
    }

    /// Of a namespace only the label counts, and whether it is there.
    fn note_namespace(
        &mut self,
        name: &str,
        before: Option<&AnyObject>,
        after: Option<&AnyObject>,
    ) {
        let label = |it: &AnyObject| it.metadata().labels.contains_key(PRIMARY_LABEL);
        if before.map(label) == after.map(label) {
            return;
        }
        for nad in self.nads.primaries_in(name) {
            self.dirty.add(Piece::Networks(nad.clone()));
        }
        let own = self.world.pods.within(name).map(|(pod, _)| pod);
        // A pod that names a NAD which is not there is told whether its namespace is.
        let callers = self.pods.callers_in(name).filter(|_| before.is_some() != after.is_some());
        own.chain(callers).for_each(|pod| self.dirty.add(Piece::Pod(pod.clone())));
    }
}
