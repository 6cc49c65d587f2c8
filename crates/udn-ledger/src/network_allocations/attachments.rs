//! Settles one attachment: it keeps what it carries or holds, else it gets what it asks for.
//!
//! Invariant: an attachment that gets no grant holds only what it carried before or what was kept for
//! it; what was kept may have been written without anybody knowing yet.

use udn_model::{Attachment, AttachmentGrant, PortKey, PublishedClaim, RequestedAddress};

use super::choose::Numbers;
use super::claims::words;
use super::refused::{Refused, list, no_port};
use super::{Allocation, MachinePlace, NetworkAllocations, Slot};
use crate::slab::SlabId;
use crate::waiting::Need;

/// What is known of the claim that an attachment names.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClaimState<'a> {
    pub(crate) is_there: bool,
    /// What is durable of it.
    pub(crate) durable: Option<&'a PublishedClaim>,
    /// Why it has no addresses.
    pub(crate) failure: Option<&'a str>,
}

impl NetworkAllocations {
    /// What an attachment has. Nothing at all is refused to who waits for its claim in silence.
    pub(crate) fn settle_attachment(
        &mut self,
        attachment: &Attachment,
        carried: Option<&AttachmentGrant>,
        claim: ClaimState<'_>,
    ) -> Result<AttachmentGrant, Vec<Refused>> {
        if let Some(carried) = carried {
            self.adopt(attachment, carried);
        }
        let durable = self.durable_claim(attachment, claim.durable);
        let kept = self.slot_of(&attachment.key);
        // A claim that goes leaves what it held to its pod; one that came anew must hold it first.
        let is_left_to_pod = kept.is_some() && !claim.is_there;
        if let (None, Some(name), None, false) =
            (carried, &attachment.claim, durable, is_left_to_pod)
        {
            // In silence, unless the claim failed.
            let failed = claim.failure.map(|words| Refused::by_claim(name, words));
            return Err(failed.into_iter().collect());
        }
        if let Some(slot) = kept {
            return self.settle_slot(slot, attachment);
        }
        let place = MachinePlace::of(attachment).filter(|_| attachment.claim.is_none());
        let shared = durable.or_else(|| place.and_then(|it| self.machines.get(&it).copied()));
        let slot = match shared {
            Some(allocation) => self.join(attachment, allocation),
            None => self.grant(attachment),
        };
        slot.map(|slot| self.grant_of(slot)).map_err(|refused| vec![refused])
    }

    /// What the claim that an attachment names holds, if that survives a crash.
    fn durable_claim(
        &self,
        attachment: &Attachment,
        durable: Option<&PublishedClaim>,
    ) -> Option<SlabId> {
        let allocation = self.claims.get(attachment.claim.as_ref()?).copied();
        allocation.filter(|it| self.is_durable(*it, durable))
    }

    /// What somebody has who has a slot already.
    fn settle_slot(
        &mut self,
        slot: SlabId,
        attachment: &Attachment,
    ) -> Result<AttachmentGrant, Vec<Refused>> {
        let allocation = self.slots.of(slot).allocation;
        let mut missing = self.fill(allocation);
        match self.slots.of(slot).port {
            Some(_) => missing.extend(self.fill_port(slot)),
            None => match self.next_port(Need::Port) {
                Ok(port) => {
                    self.slots.of_mut(slot).port = port;
                    self.take_port(port, slot);
                }
                Err(refused) => missing.push(refused),
            },
        }
        if let Some(claim) = attachment.claim.as_ref().and_then(|it| self.claims.get(it))
            && *claim != allocation
        {
            let Allocation { addresses, mac, .. } = self.allocations.of(allocation);
            let carried = match addresses.is_empty() {
                true => mac.to_string(),
                false => list(addresses),
            };
            missing.push(self.carries_other(&carried, *claim));
        }
        if missing.is_empty() { Ok(self.grant_of(slot)) } else { Err(missing) }
    }

    /// A slot on numbers of its own.
    pub(crate) fn grant(&mut self, attachment: &Attachment) -> Result<SlabId, Refused> {
        let numbers = self.choose(&attachment.request, || seed(attachment))?;
        let need =
            if attachment.request.addresses.is_empty() { Need::AnyAddress } else { Need::Port };
        let port = self.next_port(need)?;
        let allocation = self.open(numbers, MachinePlace::of(attachment));
        Ok(self.attach(attachment, allocation, port))
    }

    /// An allocation with newly chosen numbers.
    pub(super) fn open(&mut self, numbers: Numbers, machine: Option<MachinePlace>) -> SlabId {
        let id = self.allocations.put(Allocation {
            addresses: Vec::new(),
            mac: numbers.mac,
            former_macs: Vec::new(),
            claim: None,
            machine: machine.map(Box::new),
            slots: Vec::new(),
        });
        self.write_down(&numbers, id);
        self.allocations.of_mut(id).addresses = numbers.addresses;
        self.note_machine(id);
        id
    }

    /// A slot on numbers that others hold too.
    fn join(&mut self, attachment: &Attachment, allocation: SlabId) -> Result<SlabId, Refused> {
        if let Some(missing) = self.fill(allocation).into_iter().next() {
            return Err(missing);
        }
        let request = &attachment.request;
        if !self.has_addresses(allocation, &request.addresses) {
            return Err(self.mismatch(&words(&request.addresses), allocation));
        }
        if let Some(mac) = request.mac.filter(|mac| *mac != self.allocations.of(allocation).mac) {
            self.check_mac(mac)?;
            return Err(self.mismatch(&format!("MAC {mac}"), allocation));
        }
        let port = self.next_port(Need::Port)?;
        Ok(self.attach(attachment, allocation, port))
    }

    fn attach(
        &mut self,
        attachment: &Attachment,
        allocation: SlabId,
        port: Option<PortKey>,
    ) -> SlabId {
        let key = attachment.key.clone();
        let slot = self.add_slot(Slot { key, allocation, port: None });
        self.slots.of_mut(slot).port = port;
        self.take_port(port, slot);
        slot
    }

    /// Whether a request is for the addresses that an allocation has, or for none.
    pub(super) fn has_addresses(&self, allocation: SlabId, request: &[RequestedAddress]) -> bool {
        let held = &self.allocations.of(allocation).addresses;
        let has = |it: &RequestedAddress| {
            held.iter().any(|held| {
                held.addr() == it.ip && it.prefix_len.is_none_or(|len| len == held.prefix_len())
            })
        };
        request.is_empty() || (request.len() == held.len() && request.iter().all(has))
    }

    /// Whether a claim's addresses survive a crash.
    fn is_durable(&self, allocation: SlabId, durable: Option<&PublishedClaim>) -> bool {
        let Allocation { addresses, mac, .. } = self.allocations.of(allocation);
        durable.is_some_and(|it| it.addresses == *addresses && it.mac.is_none_or(|it| it == *mac))
    }

    fn next_port(&self, need: Need) -> Result<Option<PortKey>, Refused> {
        let Some(ports) = &self.ports else { return Ok(None) };
        let number = ports.next().ok_or_else(|| no_port(ports.total(), need))?;
        Ok(u16::try_from(number).ok().and_then(PortKey::new))
    }

    fn take_port(&mut self, port: Option<PortKey>, slot: SlabId) {
        if let (Some(ports), Some(port)) = (&mut self.ports, port) {
            ports.hold_in_turn(port.get().into(), slot);
        }
    }
}

/// What tells an attachment's MAC from others', where it has no address.
pub(super) fn seed(attachment: &Attachment) -> String {
    format!("{}/{}", attachment.pod_uid, attachment.key.nad_key())
}
