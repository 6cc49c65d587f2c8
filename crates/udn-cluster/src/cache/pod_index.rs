//! Which pods name a NAD, a claim or a machine, and which claims are on a network.
//!
//! Reads pods and claims as they come and go.
//! Invariant: a list that is empty is not there, so that what is gone costs nothing.

use std::collections::BTreeMap;

use udn_model::{NetworkName, ObjectName, SmallSet};
use udn_wire::object::{IpamClaim, Pod};

use super::references::PodReferences;

type Names = SmallSet<ObjectName>;

/// Pods and claims by what they name.
#[derive(Debug, Default)]
pub(crate) struct PodIndex {
    /// The pods that have an entry for a NAD.
    users: BTreeMap<ObjectName, Names>,
    /// The pods that ask for a NAD.
    callers: BTreeMap<ObjectName, Names>,
    /// The pods that name a claim.
    claimants: BTreeMap<ObjectName, Names>,
    /// The pods of a machine.
    pods_of_machines: BTreeMap<ObjectName, Names>,
    claims: BTreeMap<NetworkName, Names>,
}

impl PodIndex {
    pub(crate) fn add_pod(&mut self, name: &ObjectName, pod: &Pod) {
        let PodReferences { nads, used, claims, machine } = PodReferences::of(name, pod);
        let put = |lists: &mut BTreeMap<ObjectName, Names>, key| {
            lists.entry(key).or_default().insert(name.clone());
        };
        used.into_iter().for_each(|it| put(&mut self.users, it));
        nads.into_iter().for_each(|it| put(&mut self.callers, it));
        claims.into_iter().for_each(|it| put(&mut self.claimants, it));
        machine.into_iter().for_each(|it| put(&mut self.pods_of_machines, it));
    }

    pub(crate) fn drop_pod(&mut self, name: &ObjectName, pod: &Pod) {
        let PodReferences { nads, used, claims, machine } = PodReferences::of(name, pod);
        used.iter().for_each(|it| take_from(&mut self.users, it, name));
        nads.iter().for_each(|it| take_from(&mut self.callers, it, name));
        claims.iter().for_each(|it| take_from(&mut self.claimants, it, name));
        machine.iter().for_each(|it| take_from(&mut self.pods_of_machines, it, name));
    }

    pub(crate) fn add_claim(&mut self, name: &ObjectName, claim: &IpamClaim) {
        let network = NetworkName::new(&claim.spec.network);
        self.claims.entry(network).or_default().insert(name.clone());
    }

    pub(crate) fn drop_claim(&mut self, name: &ObjectName, claim: &IpamClaim) {
        take_from(&mut self.claims, &NetworkName::new(&claim.spec.network), name);
    }

    pub(crate) fn users(&self, nad: &ObjectName) -> impl Iterator<Item = &ObjectName> {
        self.users.get(nad).into_iter().flat_map(SmallSet::iter)
    }

    pub(crate) fn is_user(&self, nad: &ObjectName, pod: &ObjectName) -> bool {
        self.users.get(nad).is_some_and(|it| it.contains(pod))
    }

    pub(crate) fn callers(&self, nad: &ObjectName) -> impl Iterator<Item = &ObjectName> {
        self.callers.get(nad).into_iter().flat_map(SmallSet::iter)
    }

    /// The NADs of a namespace that pods ask for, whether they are there or not.
    pub(crate) fn called_in(&self, namespace: &str) -> impl Iterator<Item = &ObjectName> {
        let first = ObjectName::new(namespace, "");
        let from = self.callers.range(first.clone()..).map(|(name, _)| name);
        from.take_while(move |it| it.namespace == first.namespace)
    }

    pub(crate) fn claimants(&self, claim: &ObjectName) -> impl Iterator<Item = &ObjectName> {
        self.claimants.get(claim).into_iter().flat_map(SmallSet::iter)
    }

    pub(crate) fn pods_of_machine(
        &self,
        machine: &ObjectName,
    ) -> impl Iterator<Item = &ObjectName> {
        self.pods_of_machines.get(machine).into_iter().flat_map(SmallSet::iter)
    }

    pub(crate) fn claims_on(&self, network: &NetworkName) -> impl Iterator<Item = &ObjectName> {
        self.claims.get(network).into_iter().flat_map(SmallSet::iter)
    }
}

pub(crate) fn take_from<Key: Ord, Item: Ord>(
    lists: &mut BTreeMap<Key, SmallSet<Item>>,
    key: &Key,
    item: &Item,
) {
    if let Some(list) = lists.get_mut(key) {
        list.remove(item);
        if list.is_empty() {
            lists.remove(key);
        }
    }
}
