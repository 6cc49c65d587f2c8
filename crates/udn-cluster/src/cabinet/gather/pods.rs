//! What a pod's or a claim's turn needs to see, and who carries addresses of a network.
//!
//! Invariant: all who name a claim are seen together; whoever else is on the network is not seen.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{FewSet, Network, NetworkName, ObjectName};

use super::super::view::View;
use super::super::wishes::Wishes;
use super::Gathering;
use crate::doors::{Door, Doors};
use crate::world::World;

/// The small world of a pod, and the doors that it and its fellows name.
pub(in super::super) fn pod(view: View<'_>, name: &ObjectName) -> (World, Doors) {
    let mut party = Party::new(view);
    let Some(pod) = view.world.pods.get(name) else { return party.finish() };
    party.guest(name);
    for claim in Wishes::of(name, pod).claims {
        party.claim(&claim);
    }
    party.finish()
}

/// The same of a claim; its network is seen even if no pod names the claim.
pub(in super::super) fn claim(view: View<'_>, name: &ObjectName) -> (World, Doors) {
    let mut party = Party::new(view);
    party.claim(name);
    if let Some(claim) = view.world.claims.get(name) {
        party.gathering.namespace(&name.namespace);
        let entrance = view.entrance(&NetworkName::new(&claim.spec.network));
        entrance.into_iter().for_each(|it| view.show_door(it, &mut party.doors));
    }
    party.finish()
}

/// All pods and claims that carry something of a network, which counts as open whatever its NADs
/// say: what was given out is not forgotten.
pub(in super::super) fn carriers(view: View<'_>, network: &Arc<Network>) -> (World, Doors) {
    let mut party = Party::new(view);
    let marked = view.index.by_network.get(&network.name).into_iter().flat_map(FewSet::iter);
    let all: BTreeSet<&ObjectName> = marked.chain(&network.definitions).collect();
    for definition in all.iter().copied().chain(&network.definitions) {
        party.doors.at.insert(definition.clone(), Door::Open(network.clone()));
        if network.is_primary() {
            party.doors.primary.insert(definition.namespace.clone(), definition.clone());
        }
    }
    for definition in all {
        view.index.pods.guests(definition).for_each(|it| party.carrier(it));
    }
    for claim in view.index.pods.claims_on(&network.name) {
        party.gathering.world.claims.share(&view.world.claims, claim);
        view.index.pods.claimants(claim).for_each(|it| party.carrier(it));
    }
    party.finish()
}

/// Pods that are looked at together.
struct Party<'a> {
    gathering: Gathering<'a>,
    doors: Doors,
}

impl<'a> Party<'a> {
    fn new(view: View<'a>) -> Self {
        Self { gathering: Gathering::new(view), doors: Doors::default() }
    }

    fn finish(self) -> (World, Doors) {
        (self.gathering.world, self.doors)
    }

    fn claim(&mut self, claim: &ObjectName) {
        let view = self.gathering.view;
        self.gathering.world.claims.share(&view.world.claims, claim);
        view.index.pods.claimants(claim).for_each(|it| self.guest(it));
    }

    /// A pod with the doors that it may go through.
    fn guest(&mut self, name: &ObjectName) {
        let Some(Wishes { definitions, used, .. }) = self.member(name) else { return };
        let view = self.gathering.view;
        for definition in definitions.union(&used) {
            self.gathering.namespace(&definition.namespace);
            view.show_door(definition, &mut self.doors);
        }
        match view.primary_door(&name.namespace) {
            Some(main) => view.show_door(main, &mut self.doors),
            None if view.is_deserted(&name.namespace) => {
                let awaited = view.awaited(&name.namespace);
                self.doors.awaited.extend(awaited.map(|it| (name.namespace.clone(), it)));
            }
            None => {}
        }
    }

    /// A pod that carries something, and what it takes to read it.
    fn carrier(&mut self, name: &ObjectName) {
        let Some(Wishes { claims, .. }) = self.member(name) else { return };
        let all = &self.gathering.view.world.claims;
        claims.iter().for_each(|it| self.gathering.world.claims.share(all, it));
    }

    /// A pod, its namespace and its machine; what it names, unless it was here before.
    fn member(&mut self, name: &ObjectName) -> Option<Wishes> {
        let all = self.gathering.view.world;
        let pod = all.pods.get(name)?;
        if self.gathering.world.pods.contains_key(name) {
            return None;
        }
        self.gathering.world.pods.share(&all.pods, name);
        self.gathering.namespace(&name.namespace);
        let wishes = Wishes::of(name, pod);
        let machine = wishes.machine.iter();
        machine.for_each(|it| self.gathering.world.machines.share(&all.machines, it));
        Some(wishes)
    }
}
