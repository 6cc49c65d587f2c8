//! Claims, and the machines that they are for.
//!
//! Invariant: a claim's change reaches the claim itself and the pods that name it.

use udn_model::ObjectName;
use udn_wire::kind::Kind;
use udn_wire::object::{IpamClaim, Machine};

use super::{Change, Filed, Index, Reach, is_same};
use crate::affair::Affair;
use crate::world::{Objects, World};

impl Filed for IpamClaim {
    const KIND: Kind = Kind::Claim;

    fn shelf(world: &World) -> &Objects<ObjectName, Self> {
        &world.claims
    }

    fn shelf_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.claims
    }

    fn reach(name: &ObjectName, change: Change<'_, Self>, reach: &mut Reach<'_>) {
        reach.touch(&Affair::Claim(name.clone()));
        if change.is_seen(|one, other| {
            (&one.spec, &one.status) == (&other.spec, &other.status)
                && is_same(&one.metadata, &other.metadata)
        }) {
            reach.claimants(name);
        }
    }

    fn refile(name: &ObjectName, before: Option<&Self>, world: &World, index: &mut Index) {
        before.into_iter().for_each(|it| index.pods.drop_claim(name, it));
        world.claims.get(name).into_iter().for_each(|it| index.pods.add_claim(name, it));
    }
}

impl Filed for Machine {
    const KIND: Kind = Kind::Machine;

    fn shelf(world: &World) -> &Objects<ObjectName, Self> {
        &world.machines
    }

    fn shelf_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.machines
    }

    fn reach(name: &ObjectName, change: Change<'_, Self>, reach: &mut Reach<'_>) {
        if change.is_seen(|one, other| {
            let (one, other) = (&one.metadata, &other.metadata);
            (&one.uid, &one.owner_references) == (&other.uid, &other.owner_references)
        }) {
            reach.crew(name);
        }
    }

    fn refile(_: &ObjectName, _: Option<&Self>, _: &World, _: &mut Index) {}
}
