//! Takes objects in and out, of whatever kind.
//!
//! Reads a state of an object, its deletion or a list; returns the work items that are touched.
//! Invariant: whom a change concerns is asked before and after it, so that those whom it no longer
//! concerns hear of it too.

use std::collections::BTreeSet;

use udn_wire::Target;
use udn_wire::object::Metadata;

use super::cached::{Cached, Change};
use super::impact::Impact;
use super::{Lookup, ObjectCache};
use crate::work_item::WorkItem;

impl ObjectCache {
    pub(super) fn take_in<T: Cached>(&mut self, object: T) -> BTreeSet<WorkItem> {
        let name = T::name_from(object.metadata());
        let version = object.metadata().version();
        // One name for all states of an object: indexes keep it, and there are many objects.
        let (name, is_past) = match T::objects(&self.world).get_key_value(&name) {
            Some((name, standing)) => (name.clone(), version <= standing.metadata().version()),
            None => (name, self.versions.is_past(&object.target(), version)),
        };
        if is_past { BTreeSet::new() } else { self.exchange(&name, Some(object)) }
    }

    pub(super) fn take_out<T: Cached>(
        &mut self,
        target: &Target,
        version: u64,
    ) -> BTreeSet<WorkItem> {
        let Target { namespace, name, .. } = target.clone();
        let name = T::name_from(&Metadata { name, namespace, ..Metadata::default() });
        let standing = T::objects(&self.world).get(&name).map(|it| it.metadata().version());
        if standing.is_some_and(|it| it > version) {
            return BTreeSet::new();
        }
        self.versions.bury(target.clone(), version);
        if standing.is_none() { BTreeSet::new() } else { self.exchange::<T>(&name, None) }
    }

    /// Takes out what a list does not have, unless it is newer than the list.
    pub(super) fn drop_unlisted<T: Cached>(
        &mut self,
        listed: &BTreeSet<Target>,
        version: u64,
    ) -> BTreeSet<WorkItem> {
        let all = T::objects(&self.world).iter();
        let is_gone = |it: &T| it.metadata().version() <= version && !listed.contains(&it.target());
        let gone = all.filter(|(_, it)| is_gone(it)).map(|(name, _)| name.clone());
        let gone: Vec<T::Name> = gone.collect();
        gone.iter().flat_map(|name| self.exchange::<T>(name, None)).collect()
    }

    fn exchange<T: Cached>(&mut self, name: &T::Name, after: Option<T>) -> BTreeSet<WorkItem> {
        let before = T::objects(&self.world).get(name);
        let mut touched = self.impact(name, Change { before, after: after.as_ref() });
        let objects = T::objects_mut(&mut self.world);
        let before = match after {
            Some(object) => objects.insert(name.clone(), object),
            None => objects.remove(name),
        };
        T::reindex(name, before.as_ref(), &self.world, &mut self.index);
        let after = T::objects(&self.world).get(name);
        touched.append(&mut self.impact(name, Change { before: before.as_ref(), after }));
        touched
    }

    /// Whom a change concerns, as things stand in the indexes now.
    fn impact<T: Cached>(&self, name: &T::Name, change: Change<'_, T>) -> BTreeSet<WorkItem> {
        let mut impact = Impact::new(self.lookup(), &self.default_nad);
        T::impact(name, change, &mut impact);
        impact.finish()
    }

    pub(crate) fn lookup(&self) -> Lookup<'_> {
        Lookup { world: &self.world, index: &self.index }
    }
}
