//! Writes down what pods and claims carry already, and tells who holds it instead.
//!
//! Invariant: who carries a number that another holds keeps all its other numbers, so that nobody
//! else gets one that is in use.

use std::collections::BTreeSet;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, Claim, InterfaceAddress, MacAddress, ObjectName,
};

use super::{Allocation, MachinePlace, NetworkAllocations, Refused, Slot};
use crate::address_pool::AddressState;
use crate::macs::MacState;
use crate::slab::SlabId;
use crate::waiting::Need;

impl NetworkAllocations {
    /// Writes down what an attachment carries.
    pub(crate) fn adopt(&mut self, attachment: &Attachment, carried: &AttachmentGrant) {
        if let Some(slot) = self.slot_of(&attachment.key) {
            let known = self.grant_of(slot);
            if known.addresses == carried.addresses
                && known.mac == carried.mac
                && (carried.port_key.is_none() || known.port_key == carried.port_key)
            {
                // What another held when this was written down may be free by now.
                self.fill(self.slots.of(slot).allocation);
                return;
            }
            self.release_slot(slot);
        }
        let shared = self.shared_with(attachment, carried);
        let allocation = shared.unwrap_or_else(|| {
            self.add_allocation(Allocation {
                addresses: carried.addresses.clone(),
                mac: carried.mac,
                former_macs: Vec::new(),
                claim: None,
                machine: MachinePlace::of(attachment).map(Box::new),
                slots: Vec::new(),
            })
        });
        let port = carried.port_key;
        self.add_slot(Slot { key: attachment.key.clone(), allocation, port });
    }

    /// Writes down what a claim carries; `mac` is what its pods carry where it says nothing.
    pub(crate) fn adopt_claim(
        &mut self,
        claim: &Claim,
        addresses: &[InterfaceAddress],
        mac: Option<MacAddress>,
    ) {
        // The MAC is written before the addresses; alone it means something only where there are
        // none.
        let is_whole = !addresses.is_empty() || (self.pools.is_empty() && mac.is_some());
        if self.claims.contains_key(&claim.name) || !is_whole {
            return;
        }
        if let Some(id) = self.held_by_users(claim, addresses) {
            self.bind(&claim.name, id);
            return;
        }
        let name = &claim.name;
        let mac =
            mac.or_else(|| self.derived_or_hashed(addresses.first(), || claim_seed(name)).ok());
        let first = || addresses.first().map(|it| MacAddress::from_ip(it.addr()));
        let Some(mac) = mac.or_else(first) else { return };
        let id = self.add_allocation(Allocation {
            addresses: addresses.to_vec(),
            mac,
            former_macs: Vec::new(),
            claim: Some(claim.name.clone()),
            machine: None,
            slots: Vec::new(),
        });
        self.claims.insert(claim.name.clone(), id);
    }

    /// Who holds addresses or the MAC that somebody carries.
    pub(crate) fn holders_of(&self, carried: &AttachmentGrant) -> BTreeSet<AttachmentKey> {
        let of_address = |ip| {
            self.pools.iter().find_map(|pool| match pool.state(ip) {
                AddressState::HeldBy(id) => Some(id),
                _ => None,
            })
        };
        let of_mac = match self.macs.state(carried.mac) {
            MacState::HeldBy(id) => Some(id),
            MacState::Free | MacState::Own => None,
        };
        let of_addresses = carried.addresses.iter().filter_map(|it| of_address(it.addr()));
        let slots = of_addresses.chain(of_mac).flat_map(|id| &self.allocations.of(id).slots);
        slots.map(|slot| self.slots.of(*slot).key.clone()).collect()
    }

    /// What an allocation lacks of what its holders carry; takes what is free.
    pub(super) fn fill(&mut self, id: SlabId) -> Vec<Refused> {
        if self.is_whole(id) {
            return Vec::new();
        }
        let Allocation { addresses, mac, .. } = self.allocations.of(id);
        let (addresses, mac) = (addresses.clone(), *mac);
        for former in self.allocations.of(id).former_macs.clone() {
            if self.macs.is_free(former) {
                self.macs.hold(former, id);
            }
        }
        let mut missing = Vec::new();
        for ip in addresses.iter().map(InterfaceAddress::addr) {
            let Some(pool) = self.pools.iter_mut().find(|pool| pool.subnet().contains(ip)) else {
                missing.push(self.carried_outside(ip, id));
                continue;
            };
            match pool.state(ip) {
                AddressState::Free | AddressState::Excluded => pool.hold(ip, id),
                AddressState::HeldBy(holder) if holder == id => {}
                AddressState::HeldBy(holder) => {
                    let pair = [id, holder];
                    missing.push(self.carried_twice(&ip.to_string(), Need::Address(ip), pair));
                }
                AddressState::Kept => missing.push(self.carried_own(&ip.to_string(), id)),
                AddressState::Outside => missing.push(self.carried_outside(ip, id)),
            }
        }
        match self.macs.state(mac) {
            MacState::Free => self.macs.hold(mac, id),
            MacState::HeldBy(holder) if holder == id => {}
            MacState::HeldBy(holder) => {
                let what = format!("MAC {mac}");
                missing.push(self.carried_twice(&what, Need::Mac(mac), [id, holder]));
            }
            MacState::Own => missing.push(self.carried_own(&format!("MAC {mac}"), id)),
        }
        missing
    }

    /// Whether an allocation has all that its holders carry.
    fn is_whole(&self, id: SlabId) -> bool {
        let Allocation { addresses, mac, .. } = self.allocations.of(id);
        let is_held = |ip| self.pools.iter().any(|it| it.state(ip) == AddressState::HeldBy(id));
        self.macs.state(*mac) == MacState::HeldBy(id)
            && addresses.iter().map(InterfaceAddress::addr).all(is_held)
    }

    /// What a slot lacks of the port key that it carries; takes it if it is free.
    pub(super) fn fill_port(&mut self, slot: SlabId) -> Option<Refused> {
        let Slot { port, allocation, .. } = self.slots.of(slot);
        let (port, own) = ((*port)?, *allocation);
        let (ports, number) = (self.ports.as_mut()?, u128::from(port.get()));
        let what = || format!("port key {port}");
        match ports.holder_of(number) {
            Some(holder) if holder == slot => None,
            Some(holder) => {
                let keeper = self.slots.of(holder).allocation;
                Some(self.carried_twice(&what(), Need::ThatPort(port), [own, keeper]))
            }
            None if !ports.contains(number) => Some(self.carried_own(&what(), own)),
            None => {
                ports.hold(number, slot);
                None
            }
        }
    }

    /// Binds a claim to an allocation that has none.
    pub(super) fn bind(&mut self, claim: &ObjectName, id: SlabId) {
        self.allocations.of_mut(id).claim = Some(claim.clone());
        self.claims.insert(claim.clone(), id);
    }

    pub(super) fn add_allocation(&mut self, allocation: Allocation) -> SlabId {
        let id = self.allocations.put(allocation);
        self.fill(id);
        self.note_machine(id);
        id
    }

    pub(super) fn note_machine(&mut self, id: SlabId) {
        if let Some(place) = &self.allocations.of(id).machine {
            self.machines.or_insert_with((**place).clone(), || id);
            self.waiting.met(&Need::Machine(place.machine.clone()));
        }
    }

    pub(super) fn add_slot(&mut self, slot: Slot) -> SlabId {
        let (pod, allocation) = (slot.key.pod.clone(), slot.allocation);
        let id = self.slots.put(slot);
        self.pods.insert(&pod, id);
        self.allocations.of_mut(allocation).slots.push(id);
        self.fill_port(id);
        id
    }

    /// The allocation with these numbers that an attachment may use together with others.
    fn shared_with(&self, attachment: &Attachment, carried: &AttachmentGrant) -> Option<SlabId> {
        let place = MachinePlace::of(attachment);
        let of_claim = attachment.claim.as_ref().and_then(|claim| self.claims.get(claim));
        let of_machine = place.as_ref().and_then(|place| self.machines.get(place));
        let carries = |id: &SlabId| {
            let Allocation { addresses, mac, .. } = self.allocations.of(*id);
            *addresses == carried.addresses && *mac == carried.mac
        };
        of_claim.into_iter().chain(of_machine).copied().find(carries)
    }

    /// The allocation with these addresses that users of a claim have already.
    fn held_by_users(&self, claim: &Claim, addresses: &[InterfaceAddress]) -> Option<SlabId> {
        let fits = |id: &SlabId| {
            let held = self.allocations.of(*id);
            held.claim.is_none() && held.addresses == addresses
        };
        let of_users = claim.users.iter().filter_map(|key| self.slot_of(key));
        of_users.map(|slot| self.slots.of(slot).allocation).find(fits)
    }
}

/// What tells a claim's MAC from others', where it has no address.
pub(super) fn claim_seed(claim: &ObjectName) -> String {
    format!("claim {claim}")
}
