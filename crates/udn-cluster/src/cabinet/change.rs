//! Takes objects in and out, of whatever kind.
//!
//! Reads a state of an object, its deletion or a list; returns the affairs that are touched.
//! Invariant: whom a change concerns is asked before and after it, so that those whom it no longer
//! concerns hear of it too.

use std::collections::BTreeSet;

use udn_wire::Target;
use udn_wire::object::Metadata;

use super::filed::{Change, Filed};
use super::reach::Reach;
use super::{Cabinet, View};
use crate::affair::Affair;

impl Cabinet {
    pub(super) fn take_in<T: Filed>(&mut self, object: T) -> BTreeSet<Affair> {
        let name = T::name_from(object.metadata());
        let version = object.metadata().version();
        // One name for all states of an object: indexes keep it, and there are many objects.
        let (name, is_past) = match T::shelf(&self.world).get_key_value(&name) {
            Some((name, standing)) => (name.clone(), version <= standing.metadata().version()),
            None => (name, self.versions.is_past(&object.target(), version)),
        };
        if is_past { BTreeSet::new() } else { self.exchange(&name, Some(object)) }
    }

    pub(super) fn take_out<T: Filed>(&mut self, target: &Target, version: u64) -> BTreeSet<Affair> {
        let Target { namespace, name, .. } = target.clone();
        let name = T::name_from(&Metadata { name, namespace, ..Metadata::default() });
        let standing = T::shelf(&self.world).get(&name).map(|it| it.metadata().version());
        if standing.is_some_and(|it| it > version) {
            return BTreeSet::new();
        }
        self.versions.bury(target.clone(), version);
        if standing.is_none() { BTreeSet::new() } else { self.exchange::<T>(&name, None) }
    }

    /// Takes out what a list does not have, unless it is newer than the list.
    pub(super) fn drop_unlisted<T: Filed>(
        &mut self,
        listed: &BTreeSet<Target>,
        version: u64,
    ) -> BTreeSet<Affair> {
        let all = T::shelf(&self.world).iter();
        let is_gone = |it: &T| it.metadata().version() <= version && !listed.contains(&it.target());
        let gone = all.filter(|(_, it)| is_gone(it)).map(|(name, _)| name.clone());
        let gone: Vec<T::Name> = gone.collect();
        gone.iter().flat_map(|name| self.exchange::<T>(name, None)).collect()
    }

    fn exchange<T: Filed>(&mut self, name: &T::Name, after: Option<T>) -> BTreeSet<Affair> {
        let before = T::shelf(&self.world).get(name);
        let mut touched = self.reach(name, Change { before, after: after.as_ref() });
        let shelf = T::shelf_mut(&mut self.world);
        let before = match after {
            Some(object) => shelf.insert(name.clone(), object),
            None => shelf.remove(name),
        };
        T::refile(name, before.as_ref(), &self.world, &mut self.index);
        let after = T::shelf(&self.world).get(name);
        touched.append(&mut self.reach(name, Change { before: before.as_ref(), after }));
        touched
    }

    /// Whom a change concerns, as things stand in the indexes now.
    fn reach<T: Filed>(&self, name: &T::Name, change: Change<'_, T>) -> BTreeSet<Affair> {
        let mut reach = Reach::new(self.view(), &self.default_definition);
        T::reach(name, change, &mut reach);
        reach.finish()
    }

    pub(super) fn view(&self) -> View<'_> {
        View { world: &self.world, index: &self.index }
    }
}
