//! Pods, which use NADs and claims.
//!
//! Invariant: what a kubelet tells of a pod reaches nobody until the pod has ended.

use udn_model::ObjectName;
use udn_wire::kind::Kind;
use udn_wire::object::{Pod, is_read};

use super::super::references::PodReferences;
use super::{Cached, Change, Impact, Index};
use crate::work_item::WorkItem;
use crate::world::{Objects, World};

impl Cached for Pod {
    const KIND: Kind = Kind::Pod;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.pods
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.pods
    }

    fn impact(name: &ObjectName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        if !change.is_seen(reads_the_same) {
            return;
        }
        impact.touch(&WorkItem::Pod(name.clone()));
        let references =
            |it: Option<&Self>| it.map(|it| PodReferences::of(name, it)).unwrap_or_default();
        let (before, after) = (references(change.before), references(change.after));
        // Who carries addresses goes first among those who name a claim, so all of them hear of it.
        before.claims.union(&after.claims).for_each(|it| impact.claimants(it));
        // Who uses a NAD matters only where one must go.
        for nad in before.used.symmetric_difference(&after.used) {
            let summary = impact.lookup.index.nads.get(nad);
            let Some(home) = summary.and_then(|it| it.home.as_ref()) else { continue };
            if !impact.lookup.is_settled(nad) {
                impact.touch(home);
                impact.in_namespace(home, &nad.namespace);
            }
        }
    }

    fn reindex(name: &ObjectName, before: Option<&Self>, world: &World, index: &mut Index) {
        before.into_iter().for_each(|it| index.pods.drop_pod(name, it));
        world.pods.get(name).into_iter().for_each(|it| index.pods.add_pod(name, it));
    }
}

/// Whether all is the same that is looked at.
fn reads_the_same(one: &Pod, other: &Pod) -> bool {
    let texts = |pod: &Pod| {
        let read = |all: &mut dyn Iterator<Item = (&str, &String)>| {
            let read = all.filter(|(key, _)| is_read(key));
            read.map(|(key, text)| (key.to_owned(), text.clone())).collect::<Vec<_>>()
        };
        (read(&mut pod.metadata.annotations.iter()), read(&mut pod.metadata.labels.iter()))
    };
    let (one_metadata, other_metadata) = (&one.metadata, &other.metadata);
    one_metadata.uid == other_metadata.uid
        && one_metadata.is_leaving() == other_metadata.is_leaving()
        && one_metadata.creation_timestamp == other_metadata.creation_timestamp
        && one_metadata.owner_references == other_metadata.owner_references
        && one.spec == other.spec
        && one.is_completed() == other.is_completed()
        && texts(one) == texts(other)
}
