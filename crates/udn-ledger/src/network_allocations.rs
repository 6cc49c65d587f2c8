//! The allocations of one network: who holds which addresses, MACs and port keys.
//!
//! An *allocation* is one address of each subnet with one MAC; it belongs to a claim, or to
//! attachments, or to both. Each attachment has a *slot* on it, with a port key of its own.
//! Invariant: an allocation lives as long as its claim or one of its slots; a number is in one
//! allocation.

use std::sync::Arc;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClaimGrant, ClusterSettings, InterfaceAddress,
    MacAddress, Network, ObjectName, PortKey, SmallMap, Topology,
};

use crate::address_pool::AddressPool;
use crate::addresses::Waiter;
use crate::by_name::IdsByName;
use crate::macs::Macs;
use crate::pool::Pool;
use crate::slab::{Slab, SlabId};
use crate::waiting::{Need, Waiting};

mod adopt;
mod attachments;
mod choose;
mod claims;
mod refused;
#[cfg(test)]
mod tests;

pub(crate) use attachments::ClaimState;
pub(crate) use refused::Refused;

/// Port keys below this are kept for the network's own ports.
// compat: pkg/ovn/transit_router.go, reserved-platform-port-1 to -9
const FIRST_PORT_KEY: u16 = 10;

/// Who holds what in one network.
#[derive(Debug, Clone)]
pub(crate) struct NetworkAllocations {
    network: Arc<Network>,
    last_port: u16,
    pools: Vec<AddressPool>,
    macs: Macs,
    /// The port keys of slots; only where ports have keys.
    ports: Option<Pool<SlabId>>,
    allocations: Slab<Allocation>,
    slots: Slab<Slot>,
    /// The slots of each pod.
    pods: IdsByName,
    claims: SmallMap<ObjectName, SlabId>,
    machines: SmallMap<MachinePlace, SlabId>,
    pub(crate) waiting: Waiting,
}

/// Numbers that are held together.
#[derive(Debug, Clone)]
struct Allocation {
    /// What its holders carry; after a change of the network some may lie outside its subnets.
    addresses: Vec<InterfaceAddress>,
    mac: MacAddress,
    /// Earlier MACs of the claim, which it carries until the present one is durable.
    former_macs: Vec<MacAddress>,
    claim: Option<ObjectName>,
    /// Most holders are no machines, and there are many.
    machine: Option<Box<MachinePlace>>,
    slots: Vec<SlabId>,
}

/// One attachment that uses an allocation.
#[derive(Debug, Clone)]
struct Slot {
    key: AttachmentKey,
    allocation: SlabId,
    port: Option<PortKey>,
}

/// Where all pods of a virtual machine are one holder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct MachinePlace {
    machine: ObjectName,
    nad: ObjectName,
    index: u16,
}

impl MachinePlace {
    fn of(attachment: &Attachment) -> Option<Self> {
        let AttachmentKey { nad, index, .. } = &attachment.key;
        let machine = attachment.machine.clone()?;
        Some(Self { machine, nad: nad.clone(), index: *index })
    }
}

impl NetworkAllocations {
    pub(crate) fn new(network: &Arc<Network>, settings: &ClusterSettings) -> Self {
        let last_port = settings.pools.last_port_key;
        Self {
            network: network.clone(),
            last_port,
            pools: network.subnets.iter().map(|it| AddressPool::new(network, it)).collect(),
            macs: Macs::new(network),
            ports: ports(network, last_port),
            allocations: Slab::default(),
            slots: Slab::default(),
            pods: IdsByName::default(),
            claims: SmallMap::default(),
            machines: SmallMap::default(),
            waiting: Waiting::default(),
        }
    }

    /// Goes on with the network as it is now; everybody keeps what it has.
    pub(crate) fn follow(&mut self, network: &Arc<Network>) {
        // Whoever else keeps the network keeps the first of many equal ones, too.
        if self.network == *network {
            return;
        }
        let is_same = self.network.topology == network.topology
            && self.network.subnets == network.subnets
            && self.network.excluded == network.excluded;
        self.network = network.clone();
        if is_same {
            return;
        }
        self.pools = network.subnets.iter().map(|it| AddressPool::new(network, it)).collect();
        self.macs = Macs::new(network);
        self.ports = ports(network, self.last_port);
        for id in self.allocations.all() {
            self.fill(id);
        }
        for slot in self.slots.all() {
            self.fill_port(slot);
        }
        self.waiting.wake_all();
    }

    /// Everybody who need no longer wait.
    pub(crate) fn woken(&mut self) -> Vec<Waiter> {
        let ports = self.ports.as_ref().map_or(u128::MAX, Pool::free);
        let addresses = self.pools.iter().map(AddressPool::free).fold(ports, u128::min);
        self.waiting.call(addresses, ports)
    }

    pub(crate) fn pods(&self) -> impl Iterator<Item = &ObjectName> {
        self.attachment_keys().map(|key| &key.pod)
    }

    pub(crate) fn claims(&self) -> impl Iterator<Item = &ObjectName> {
        self.claims.keys()
    }

    pub(crate) fn attachment_keys(&self) -> impl Iterator<Item = &AttachmentKey> {
        self.pods.all().map(|slot| &self.slots.of(slot).key)
    }

    pub(crate) fn tally(&self) -> Tally {
        Tally {
            addresses: self.pools.iter().map(AddressPool::held).sum(),
            macs: self.macs.held(),
            ports: self.ports.as_ref().map_or(0, Pool::held),
            allocations: self.allocations.len(),
            attachments: self.slots.len(),
        }
    }

    fn slot_of(&self, key: &AttachmentKey) -> Option<SlabId> {
        self.pods.near(&key.pod).find(|slot| self.slots.of(*slot).key == *key)
    }

    fn grant_of(&self, slot: SlabId) -> AttachmentGrant {
        let Slot { allocation, port, .. } = self.slots.of(slot);
        let Allocation { addresses, mac, .. } = self.allocations.of(*allocation);
        let port_key = port.filter(|_| self.ports.is_some());
        AttachmentGrant { addresses: addresses.clone(), mac: *mac, port_key }
    }

    fn claim_grant_of(&self, allocation: SlabId) -> ClaimGrant {
        let Allocation { addresses, mac, .. } = self.allocations.of(allocation);
        ClaimGrant { addresses: addresses.clone(), mac: *mac }
    }

    /// Takes one attachment off its allocation, which ends with its last holder.
    fn release_slot(&mut self, slot: SlabId) {
        let Some(Slot { key, allocation, port }) = self.slots.take_out(slot) else { return };
        self.pods.remove(&key.pod, slot);
        if let (Some(ports), Some(port)) = (&mut self.ports, port) {
            ports.give_back(port.get().into(), slot);
            self.waiting.met(&Need::ThatPort(port));
        }
        let held = self.allocations.of_mut(allocation);
        held.slots.retain(|it| *it != slot);
        if let Some(claim) = held.claim.clone() {
            self.waiting.changed(&Waiter::Claim(claim));
        }
        self.end_unless_used(allocation);
    }

    fn end_unless_used(&mut self, id: SlabId) {
        let Allocation { claim, slots, .. } = self.allocations.of(id);
        if claim.is_some() || !slots.is_empty() {
            return;
        }
        let Some(ended) = self.allocations.take_out(id) else { return };
        for ip in ended.addresses.iter().map(InterfaceAddress::addr) {
            if self.pools.iter_mut().any(|pool| pool.give_back(ip, id)) {
                self.waiting.met(&Need::Address(ip));
            }
        }
        for mac in ended.former_macs.into_iter().chain([ended.mac]) {
            self.give_back_mac(mac, id);
        }
        if let Some(place) = ended.machine
            && self.machines.get(&place) == Some(&id)
        {
            self.machines.remove(&place);
        }
    }

    fn give_back_mac(&mut self, mac: MacAddress, id: SlabId) {
        if self.macs.give_back(mac, id) {
            self.waiting.met(&Need::Mac(mac));
        }
    }

    /// Gives back what a pod holds, and forgets that it waits.
    pub(crate) fn release_pod(&mut self, pod: &ObjectName) {
        let own = self.pods.near(pod).filter(|slot| self.slots.of(*slot).key.pod == *pod);
        let own: Vec<SlabId> = own.collect();
        own.into_iter().for_each(|slot| self.release_slot(slot));
        self.waiting.withdraw(&Waiter::Pod(pod.clone()));
    }

    /// Gives back what a claim holds, and forgets that it waits.
    pub(crate) fn release_claim(&mut self, claim: &ObjectName) {
        self.waiting.withdraw(&Waiter::Claim(claim.clone()));
        if let Some(id) = self.claims.remove(claim) {
            self.allocations.of_mut(id).claim = None;
            self.end_unless_used(id);
        }
    }
}

/// How much of a network is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub addresses: usize,
    pub macs: usize,
    pub ports: usize,
    /// Holders of addresses: pods, virtual machines, claims.
    pub allocations: usize,
    pub attachments: usize,
}

fn ports(network: &Network, last: u16) -> Option<Pool<SlabId>> {
    match network.topology {
        Topology::Layer2(_) => {
            let platform = 1..=u128::from(FIRST_PORT_KEY - 1);
            Some(Pool::new(1..=u128::from(last.max(1)), &[platform]))
        }
        Topology::Layer3(_) | Topology::Localnet(_) => None,
    }
}
