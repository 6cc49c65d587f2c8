//! How each kind of object is put away, and how far a change of it goes.
//!
//! Reads an object before and after a change; tells an [`Impact`] whom it concerns, and keeps the
//! indexes right.
//! Invariant: a change that no work item looks at, such as a new version alone, goes no further than
//! the work item that writes the object.

use udn_model::ObjectName;
use udn_wire::Target;
use udn_wire::keys::PRIMARY_LABEL;
use udn_wire::kind::Kind;
use udn_wire::object::{Metadata, Nad, Namespace, Service};

use super::impact::Impact;
use super::index::Index;
use super::summaries::NadSummary;
use crate::work_item::WorkItem;
use crate::world::{Object, Objects, World};

mod claims;
mod manifests;
mod nodes;
mod pods;

/// A kind of object that the cache holds.
pub(super) trait Cached: Object {
    const KIND: Kind;

    fn objects(world: &World) -> &Objects<Self::Name, Self>;

    fn objects_mut(world: &mut World) -> &mut Objects<Self::Name, Self>;

    /// Tells whom a change concerns, with the indexes either of before or of after it.
    fn impact(name: &Self::Name, change: Change<'_, Self>, impact: &mut Impact<'_>);

    /// Puts the indexes right after a change of the world.
    fn reindex(name: &Self::Name, before: Option<&Self>, world: &World, index: &mut Index);

    fn target(&self) -> Target {
        let Metadata { namespace, name, .. } = self.metadata();
        Target { kind: Self::KIND, namespace: namespace.clone(), name: name.clone() }
    }
}

/// An object before and after a change; not there where `None`.
#[derive(Debug)]
pub(super) struct Change<'a, T> {
    pub(super) before: Option<&'a T>,
    pub(super) after: Option<&'a T>,
}

impl<T> Change<'_, T> {
    /// Whether the object is another now in what is compared; coming and going count.
    fn is_seen(&self, is_same: impl Fn(&T, &T) -> bool) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => !is_same(before, after),
            (None, None) => false,
            (Some(_), None) | (None, Some(_)) => true,
        }
    }
}

impl Cached for Namespace {
    const KIND: Kind = Kind::Namespace;

    fn objects(world: &World) -> &Objects<String, Self> {
        &world.namespaces
    }

    fn objects_mut(world: &mut World) -> &mut Objects<String, Self> {
        &mut world.namespaces
    }

    fn impact(name: &String, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        let is_same = |one: &Self, other: &Self| {
            let (one, other) = (&one.metadata, &other.metadata);
            one.labels == other.labels && one.is_leaving() == other.is_leaving()
        };
        if change.is_seen(is_same) {
            impact.namespace(name);
            let awaited = |it| impact.lookup.awaited_in(name, it);
            if awaited(change.before) != awaited(change.after) {
                impact.waiting_in(name);
            }
        }
        if change.is_seen(|_, _| true) {
            impact.callers_in(name);
        }
        let is_labelled = |it: &Self| it.metadata.labels.contains_key(PRIMARY_LABEL);
        if change.before.is_some_and(is_labelled) != change.after.is_some_and(is_labelled) {
            impact.pods_in(name);
        }
    }

    fn reindex(name: &String, before: Option<&Self>, world: &World, index: &mut Index) {
        before.into_iter().for_each(|it| index.drop_namespace(it));
        world.namespaces.get(name).into_iter().for_each(|it| index.add_namespace(it));
    }
}

impl Cached for Nad {
    const KIND: Kind = Kind::Nad;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.nads
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.nads
    }

    fn impact(name: &ObjectName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        if change
            .is_seen(|one, other| one.spec == other.spec && is_same(&one.metadata, &other.metadata))
        {
            impact.nad_state(name, &change);
            impact.subnets_of_nads(name, &change);
            if impact.lookup.written_promise(name).is_some() {
                impact.waiting_in(&name.namespace);
            }
            return impact.nad(name);
        }
        if name == impact.default_nad {
            impact.touch(&WorkItem::DefaultNad);
        }
        let summary = impact.lookup.index.nads.get(name);
        summary.and_then(|it| it.home.as_ref()).into_iter().for_each(|it| impact.touch(it));
    }

    fn reindex(name: &ObjectName, _: Option<&Self>, world: &World, index: &mut Index) {
        index.drop_nad(name);
        if let Some(nad) = world.nads.get(name) {
            index.add_nad(name, NadSummary::of(name, nad));
        }
    }
}

impl Cached for Service {
    const KIND: Kind = Kind::Service;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.services
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.services
    }

    fn impact(_: &ObjectName, _: Change<'_, Self>, _: &mut Impact<'_>) {}

    fn reindex(_: &ObjectName, _: Option<&Self>, _: &World, _: &mut Index) {}
}

/// Whether all but the versions is the same.
pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    let Metadata {
        name,
        namespace,
        uid,
        labels,
        annotations,
        finalizers,
        owner_references,
        deletion_timestamp,
        creation_timestamp,
        resource_version: _,
        generation,
    } = one;
    *generation == other.generation
        && (name, namespace, uid) == (&other.name, &other.namespace, &other.uid)
        && (labels, annotations) == (&other.labels, &other.annotations)
        && (finalizers, owner_references) == (&other.finalizers, &other.owner_references)
        && *deletion_timestamp == other.deletion_timestamp
        && *creation_timestamp == other.creation_timestamp
}
