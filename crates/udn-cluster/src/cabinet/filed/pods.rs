//! Pods: guests of NADs, and users of claims.
//!
//! Invariant: what a kubelet tells of a pod reaches nobody until the pod has ended.

use udn_model::ObjectName;
use udn_wire::kind::Kind;
use udn_wire::object::{Pod, is_read};

use super::super::wishes::Wishes;
use super::{Change, Filed, Index, Reach};
use crate::affair::Affair;
use crate::world::{Objects, World};

impl Filed for Pod {
    const KIND: Kind = Kind::Pod;

    fn shelf(world: &World) -> &Objects<ObjectName, Self> {
        &world.pods
    }

    fn shelf_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.pods
    }

    fn reach(name: &ObjectName, change: Change<'_, Self>, reach: &mut Reach<'_>) {
        if !change.is_seen(reads_the_same) {
            return;
        }
        reach.touch(&Affair::Pod(name.clone()));
        let wishes = |it: Option<&Self>| it.map(|it| Wishes::of(name, it)).unwrap_or_default();
        let (before, after) = (wishes(change.before), wishes(change.after));
        // Who carries addresses goes first among those who name a claim, so all of them hear of it.
        before.claims.union(&after.claims).for_each(|it| reach.claimants(it));
        // Who uses a NAD matters only where one must go.
        for definition in before.used.symmetric_difference(&after.used) {
            let card = reach.view.index.definitions.get(definition);
            let Some(home) = card.and_then(|it| it.home.as_ref()) else { continue };
            if !reach.view.is_settled(definition) {
                reach.touch(home);
                reach.seat(home, &definition.namespace);
            }
        }
    }

    fn refile(name: &ObjectName, before: Option<&Self>, world: &World, index: &mut Index) {
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
