//! Claims, and the machines that they are for.
//!
//! Invariant: a claim's change reaches the claim itself and the pods that name it.

use udn_model::ObjectName;
use udn_wire::kind::Kind;
use udn_wire::object::{IpamClaim, Machine};

use super::{Cached, Change, Impact, Index, is_same};
use crate::work_item::WorkItem;
use crate::world::{Objects, World};

impl Cached for IpamClaim {
    const KIND: Kind = Kind::Claim;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.claims
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.claims
    }

    fn impact(name: &ObjectName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        impact.touch(&WorkItem::Claim(name.clone()));
        if change.is_seen(|one, other| {
            (&one.spec, &one.status) == (&other.spec, &other.status)
                && is_same(&one.metadata, &other.metadata)
        }) {
            impact.claimants(name);
        }
    }

    fn reindex(name: &ObjectName, before: Option<&Self>, world: &World, index: &mut Index) {
        before.into_iter().for_each(|it| index.pods.drop_claim(name, it));
        world.claims.get(name).into_iter().for_each(|it| index.pods.add_claim(name, it));
    }
}

impl Cached for Machine {
    const KIND: Kind = Kind::Machine;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.machines
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.machines
    }

    fn impact(name: &ObjectName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        if change.is_seen(|one, other| {
            let (one, other) = (&one.metadata, &other.metadata);
            (&one.uid, &one.owner_references) == (&other.uid, &other.owner_references)
        }) {
            impact.pods_of_machine(name);
        }
    }

    fn reindex(_: &ObjectName, _: Option<&Self>, _: &World, _: &mut Index) {}
}
