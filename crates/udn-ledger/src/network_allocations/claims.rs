//! Settles one claim: it keeps what it has, takes over what its pods carry, else gets addresses.
//!
//! Invariant: a claim never changes its addresses; its MAC changes only while no pod uses it.

use std::borrow::Cow;

use udn_model::{AddressRequest, Attachment, Claim, ClaimGrant, MacAddress, RequestedAddress};

use super::adopt::claim_seed;
use super::attachments::seed;
use super::refused::Refused;
use super::{Allocation, MachinePlace, NetworkAllocations};
use crate::slab::SlabId;
use crate::waiting::Need;

impl NetworkAllocations {
    /// What a claim has, and what stands in the way of more. `user` is its holder's attachment,
    /// `durable` the MAC that survives a crash.
    pub(crate) fn settle_claim(
        &mut self,
        claim: &Claim,
        user: Option<&Attachment>,
        durable: Option<MacAddress>,
    ) -> (Option<ClaimGrant>, Vec<Refused>) {
        let bound = match self.claims.get(&claim.name) {
            Some(id) => Ok(Some(*id)),
            None => self.bind_new(claim, user),
        };
        let id = match bound {
            Ok(Some(id)) => id,
            Ok(None) => return (None, Vec::new()),
            Err(refused) => return (None, vec![refused]),
        };
        let mut missing = self.fill(id);
        if !missing.is_empty() {
            return (None, missing);
        }
        if durable == Some(self.allocations.of(id).mac) {
            for former in std::mem::take(&mut self.allocations.of_mut(id).former_macs) {
                self.give_back_mac(former, id);
            }
        }
        missing.extend(user.and_then(|user| self.change_mac(id, user).err()));
        (Some(self.claim_grant_of(id)), missing)
    }

    /// Binds a claim to what its users hold, else to new numbers; to nothing without users.
    fn bind_new(
        &mut self,
        claim: &Claim,
        user: Option<&Attachment>,
    ) -> Result<Option<SlabId>, Refused> {
        let slot = claim.users.iter().find_map(|key| self.slot_of(key));
        let of_slot = slot.map(|slot| self.slots.of(slot).allocation);
        let place = user.and_then(MachinePlace::of);
        let of_machine = place.as_ref().and_then(|place| self.machines.get(place).copied());
        let is_free = |id: &SlabId| self.allocations.of(*id).claim.is_none();
        let present = of_slot.into_iter().chain(of_machine).find(is_free);
        let id = match (present, user) {
            (Some(id), _) => {
                if !self.has_addresses(id, &claim.request) {
                    return Err(self.mismatch(&words(&claim.request), id));
                }
                id
            }
            (None, Some(user)) => {
                let request = merged(claim, user)?;
                let numbers = self.choose(&request, || match user.pod_uid.is_empty() {
                    true => claim_seed(&claim.name),
                    false => seed(user),
                })?;
                self.open(numbers, place)
            }
            (None, None) => return Ok(None),
        };
        self.bind(&claim.name, id);
        Ok(Some(id))
    }

    /// Gives a claim the MAC that its next user asks for, while nobody uses the present one.
    fn change_mac(&mut self, id: SlabId, user: &Attachment) -> Result<(), Refused> {
        let Allocation { mac: present, slots, .. } = self.allocations.of(id);
        let (present, is_used) = (*present, !slots.is_empty());
        let Some(mac) = user.request.mac.filter(|mac| *mac != present) else { return Ok(()) };
        let is_former = self.allocations.of(id).former_macs.contains(&mac);
        if !is_former {
            self.check_mac(mac)?;
        }
        if is_used {
            let mut refused = self.mismatch(&format!("MAC {mac}"), id);
            refused.need = Need::Change;
            return Err(refused);
        }
        self.macs.hold(mac, id);
        let allocation = self.allocations.of_mut(id);
        allocation.former_macs.retain(|it| *it != mac);
        allocation.former_macs.push(present);
        allocation.mac = mac;
        Ok(())
    }
}

/// What a claim and its user ask for together.
fn merged<'a>(claim: &Claim, user: &'a Attachment) -> Result<Cow<'a, AddressRequest>, Refused> {
    if claim.request.is_empty() {
        return Ok(Cow::Borrowed(&user.request));
    }
    let (of_claim, of_user) = (ips(&claim.request), ips(&user.request.addresses));
    if !of_user.is_empty() && of_claim != of_user {
        return Err(super::refused::two_requests(claim, user));
    }
    let (addresses, mac) = (claim.request.clone(), user.request.mac);
    Ok(Cow::Owned(AddressRequest { addresses, mac }))
}

fn ips(request: &[RequestedAddress]) -> Vec<std::net::IpAddr> {
    let mut ips: Vec<_> = request.iter().map(|it| it.ip).collect();
    ips.sort();
    ips
}

pub(super) fn words(request: &[RequestedAddress]) -> String {
    let words: Vec<String> = request.iter().map(|it| it.ip.to_string()).collect();
    words.join(", ")
}
