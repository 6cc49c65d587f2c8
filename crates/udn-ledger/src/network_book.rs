//! The book of one network: who holds which addresses, MACs and port keys.
//!
//! A *holding* is one address of each subnet with one MAC; on it live possibly a claim, and any
//! number of attachments, each in a *seat* with a port key of its own.
//! Invariant: a holding lives as long as its claim or one of its seats; a number has one holding.

use std::sync::Arc;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClaimGrant, ClusterSettings, InterfaceAddress,
    MacAddress, Network, ObjectName, PortKey, SmallMap, Topology,
};

use crate::address_pool::AddressPool;
use crate::addresses::Waiter;
use crate::by_name::TicketsByName;
use crate::macs::Macs;
use crate::pool::Pool;
use crate::tickets::{Ticket, Tickets};
use crate::waiting::{Need, Waiting};

mod adopt;
mod choose;
mod claims;
mod refused;
mod seats;
#[cfg(test)]
mod tests;

pub(crate) use refused::Refused;
pub(crate) use seats::ClaimNews;

/// Port keys below this are kept for the network's own ports.
// compat: pkg/ovn/transit_router.go, reserved-platform-port-1 to -9
const FIRST_PORT_KEY: u16 = 10;

/// Who holds what in one network.
#[derive(Debug, Clone)]
pub(crate) struct NetworkBook {
    network: Arc<Network>,
    last_port: u16,
    pools: Vec<AddressPool>,
    macs: Macs,
    /// The port keys of seats; only where ports have keys.
    ports: Option<Pool<Ticket>>,
    holdings: Tickets<Holding>,
    seats: Tickets<Seat>,
    /// The seats of each pod.
    pods: TicketsByName,
    claims: SmallMap<ObjectName, Ticket>,
    machines: SmallMap<MachinePlace, Ticket>,
    pub(crate) waiting: Waiting,
}

/// Numbers that are held together.
#[derive(Debug, Clone)]
struct Holding {
    /// What its holders carry; after a change of the network some may lie outside its subnets.
    addresses: Vec<InterfaceAddress>,
    mac: MacAddress,
    /// Earlier MACs of the claim, which it carries until the present one is durable.
    former_macs: Vec<MacAddress>,
    claim: Option<ObjectName>,
    /// Most holders are no machines, and there are many.
    machine: Option<Box<MachinePlace>>,
    seats: Vec<Ticket>,
}

/// One attachment that uses a holding.
#[derive(Debug, Clone)]
struct Seat {
    key: AttachmentKey,
    holding: Ticket,
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

impl NetworkBook {
    pub(crate) fn new(network: &Arc<Network>, settings: &ClusterSettings) -> Self {
        let last_port = settings.pools.last_port_key;
        Self {
            network: network.clone(),
            last_port,
            pools: network.subnets.iter().map(|it| AddressPool::new(network, it)).collect(),
            macs: Macs::new(network),
            ports: ports(network, last_port),
            holdings: Tickets::default(),
            seats: Tickets::default(),
            pods: TicketsByName::default(),
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
        for ticket in self.holdings.all() {
            self.fill(ticket);
        }
        for seat in self.seats.all() {
            self.fill_port(seat);
        }
        self.waiting.wake_all();
    }

    /// Everybody who need no longer wait.
    pub(crate) fn woken(&mut self) -> Vec<Waiter> {
        let ports = self.ports.as_ref().map_or(u128::MAX, Pool::free);
        let room = self.pools.iter().map(AddressPool::free).fold(ports, u128::min);
        self.waiting.call(room, ports)
    }

    pub(crate) fn pods(&self) -> impl Iterator<Item = &ObjectName> {
        self.seat_keys().map(|key| &key.pod)
    }

    pub(crate) fn claims(&self) -> impl Iterator<Item = &ObjectName> {
        self.claims.keys()
    }

    pub(crate) fn seat_keys(&self) -> impl Iterator<Item = &AttachmentKey> {
        self.pods.all().map(|seat| &self.seats.of(seat).key)
    }

    pub(crate) fn tally(&self) -> Tally {
        Tally {
            addresses: self.pools.iter().map(AddressPool::held).sum(),
            macs: self.macs.held(),
            ports: self.ports.as_ref().map_or(0, Pool::held),
            holdings: self.holdings.len(),
            seats: self.seats.len(),
        }
    }

    fn seat_of(&self, key: &AttachmentKey) -> Option<Ticket> {
        self.pods.near(&key.pod).find(|seat| self.seats.of(*seat).key == *key)
    }

    fn grant_of(&self, seat: Ticket) -> AttachmentGrant {
        let Seat { holding, port, .. } = self.seats.of(seat);
        let Holding { addresses, mac, .. } = self.holdings.of(*holding);
        let port_key = port.filter(|_| self.ports.is_some());
        AttachmentGrant { addresses: addresses.clone(), mac: *mac, port_key }
    }

    fn claim_grant_of(&self, holding: Ticket) -> ClaimGrant {
        let Holding { addresses, mac, .. } = self.holdings.of(holding);
        ClaimGrant { addresses: addresses.clone(), mac: *mac }
    }

    /// Takes one attachment off its holding, which ends with its last holder.
    fn release_seat(&mut self, seat: Ticket) {
        let Some(Seat { key, holding, port }) = self.seats.take_out(seat) else { return };
        self.pods.remove(&key.pod, seat);
        if let (Some(ports), Some(port)) = (&mut self.ports, port) {
            ports.give_back(port.get().into(), seat);
            self.waiting.met(&Need::ThatPort(port));
        }
        let held = self.holdings.of_mut(holding);
        held.seats.retain(|it| *it != seat);
        if let Some(claim) = held.claim.clone() {
            self.waiting.changed(&Waiter::Claim(claim));
        }
        self.end_unless_used(holding);
    }

    fn end_unless_used(&mut self, ticket: Ticket) {
        let Holding { claim, seats, .. } = self.holdings.of(ticket);
        if claim.is_some() || !seats.is_empty() {
            return;
        }
        let Some(ended) = self.holdings.take_out(ticket) else { return };
        for ip in ended.addresses.iter().map(InterfaceAddress::addr) {
            if self.pools.iter_mut().any(|pool| pool.give_back(ip, ticket)) {
                self.waiting.met(&Need::Address(ip));
            }
        }
        for mac in ended.former_macs.into_iter().chain([ended.mac]) {
            self.give_back_mac(mac, ticket);
        }
        if let Some(place) = ended.machine
            && self.machines.get(&place) == Some(&ticket)
        {
            self.machines.remove(&place);
        }
    }

    fn give_back_mac(&mut self, mac: MacAddress, ticket: Ticket) {
        if self.macs.give_back(mac, ticket) {
            self.waiting.met(&Need::Mac(mac));
        }
    }

    pub(crate) fn release_attachment(&mut self, key: &AttachmentKey) {
        if let Some(seat) = self.seat_of(key) {
            self.release_seat(seat);
        }
    }

    /// Gives back what a pod holds, and forgets that it waits.
    pub(crate) fn release_pod(&mut self, pod: &ObjectName) {
        let own = self.pods.near(pod).filter(|seat| self.seats.of(*seat).key.pod == *pod);
        let own: Vec<Ticket> = own.collect();
        own.into_iter().for_each(|seat| self.release_seat(seat));
        self.waiting.withdraw(&Waiter::Pod(pod.clone()));
    }

    /// Gives back what a claim holds, and forgets that it waits.
    pub(crate) fn release_claim(&mut self, claim: &ObjectName) {
        self.waiting.withdraw(&Waiter::Claim(claim.clone()));
        if let Some(ticket) = self.claims.remove(claim) {
            self.holdings.of_mut(ticket).claim = None;
            self.end_unless_used(ticket);
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
    pub holdings: usize,
    /// Attachments.
    pub seats: usize,
}

fn ports(network: &Network, last: u16) -> Option<Pool<Ticket>> {
    match network.topology {
        Topology::Layer2(_) => {
            let platform = 1..=u128::from(FIRST_PORT_KEY - 1);
            Some(Pool::new(1..=u128::from(last.max(1)), &[platform]))
        }
        Topology::Localnet(_) => None,
    }
}
