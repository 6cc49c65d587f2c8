//! What a pod's or a claim's reconcile needs to see, and who carries addresses of a network.
//!
//! Invariant: all who name a claim are seen together; whoever else is on the network is not seen.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{Network, NetworkName, ObjectName, SmallSet};

use crate::cache::{Lookup, PodReferences};
use crate::nad_states::{NadState, NadStates};
use crate::world::World;

/// The small world of a pod, and the states of the NADs that it and its fellows name.
pub(crate) fn view_of_pod(lookup: Lookup<'_>, name: &ObjectName) -> (World, NadStates) {
    let mut group = PodGroup::new(lookup);
    let Some(pod) = lookup.world.pods.get(name) else { return group.finish() };
    group.pod_with(name);
    for claim in PodReferences::of(name, pod).claims {
        group.claim(&claim);
    }
    group.finish()
}

/// The same of a claim; its network is seen even if no pod names the claim.
pub(crate) fn view_of_claim(lookup: Lookup<'_>, name: &ObjectName) -> (World, NadStates) {
    let mut group = PodGroup::new(lookup);
    group.claim(name);
    if let Some(claim) = lookup.world.claims.get(name) {
        group.namespace(&name.namespace);
        let ready = lookup.first_ready_nad(&NetworkName::new(&claim.spec.network));
        ready.into_iter().for_each(|it| lookup.show_nad(it, &mut group.nad_states));
    }
    group.finish()
}

/// All pods and claims that carry something of a network, which counts as ready whatever its NADs
/// say: what was given out is not forgotten.
pub(crate) fn carriers(lookup: Lookup<'_>, network: &Arc<Network>) -> (World, NadStates) {
    let mut group = PodGroup::new(lookup);
    let marked = lookup.index.by_network.get(&network.name).into_iter().flat_map(SmallSet::iter);
    let all: BTreeSet<&ObjectName> = marked.chain(&network.nads).collect();
    for nad in all.iter().copied().chain(&network.nads) {
        group.nad_states.at.insert(nad.clone(), NadState::Ready(network.clone()));
        if network.is_primary() {
            group.nad_states.primary.insert(nad.namespace.clone(), nad.clone());
        }
    }
    for nad in all {
        lookup.index.pods.users(nad).for_each(|it| group.carrier(it));
    }
    for claim in lookup.index.pods.claims_on(&network.name) {
        group.world.claims.share(&lookup.world.claims, claim);
        lookup.index.pods.claimants(claim).for_each(|it| group.carrier(it));
    }
    group.finish()
}

/// Pods that are looked at together.
struct PodGroup<'a> {
    lookup: Lookup<'a>,
    world: World,
    nad_states: NadStates,
}

impl<'a> PodGroup<'a> {
    fn new(lookup: Lookup<'a>) -> Self {
        Self { lookup, world: World::default(), nad_states: NadStates::default() }
    }

    fn finish(self) -> (World, NadStates) {
        (self.world, self.nad_states)
    }

    fn namespace(&mut self, name: &str) {
        self.world.namespaces.share(&self.lookup.world.namespaces, name);
    }

    fn claim(&mut self, claim: &ObjectName) {
        let lookup = self.lookup;
        self.world.claims.share(&lookup.world.claims, claim);
        lookup.index.pods.claimants(claim).for_each(|it| self.pod_with(it));
    }

    /// A pod with the states of the NADs that it may use.
    fn pod_with(&mut self, name: &ObjectName) {
        let Some(PodReferences { nads, used, .. }) = self.member(name) else { return };
        let lookup = self.lookup;
        for nad in nads.union(&used) {
            self.namespace(&nad.namespace);
            lookup.show_nad(nad, &mut self.nad_states);
        }
        match lookup.primary_nad(&name.namespace) {
            Some(main) => lookup.show_nad(main, &mut self.nad_states),
            None if lookup.is_deserted(&name.namespace) => {
                let awaited = lookup.awaited(&name.namespace);
                self.nad_states.awaited.extend(awaited.map(|it| (name.namespace.clone(), it)));
            }
            None => {}
        }
    }

    /// A pod that carries something, and what it takes to read it.
    fn carrier(&mut self, name: &ObjectName) {
        let Some(PodReferences { claims, .. }) = self.member(name) else { return };
        let all = &self.lookup.world.claims;
        claims.iter().for_each(|it| self.world.claims.share(all, it));
    }

    /// A pod, its namespace and its machine; what it names, unless it was here before.
    fn member(&mut self, name: &ObjectName) -> Option<PodReferences> {
        let all = self.lookup.world;
        let pod = all.pods.get(name)?;
        if self.world.pods.contains_key(name) {
            return None;
        }
        self.world.pods.share(&all.pods, name);
        self.namespace(&name.namespace);
        let references = PodReferences::of(name, pod);
        let machine = references.machine.iter();
        machine.for_each(|it| self.world.machines.share(&all.machines, it));
        Some(references)
    }
}
