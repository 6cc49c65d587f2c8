//! Settles one claim: it keeps what it has, takes over what its pods carry, else gets addresses.
//!
//! Invariant: a claim never changes its addresses; its MAC changes only while no pod uses it.

use std::borrow::Cow;

use udn_model::{AddressRequest, Attachment, Claim, ClaimGrant, MacAddress, RequestedAddress};

use super::adopt::claim_seed;
use super::refused::Refused;
use super::seats::seed;
use super::{Holding, MachinePlace, NetworkBook};
use crate::tickets::Ticket;
use crate::waiting::Need;

impl NetworkBook {
    /// What a claim has, and what stands in the way of more. `user` is its holder's attachment,
    /// `durable` the MAC that survives a crash.
    pub(crate) fn settle_claim(
        &mut self,
        claim: &Claim,
        user: Option<&Attachment>,
        durable: Option<MacAddress>,
    ) -> (Option<ClaimGrant>, Vec<Refused>) {
        let bound = match self.claims.get(&claim.name) {
            Some(ticket) => Ok(Some(*ticket)),
            None => self.bind_new(claim, user),
        };
        let ticket = match bound {
            Ok(Some(ticket)) => ticket,
            Ok(None) => return (None, Vec::new()),
            Err(refused) => return (None, vec![refused]),
        };
        let mut lacking = self.fill(ticket);
        if !lacking.is_empty() {
            return (None, lacking);
        }
        if durable == Some(self.holdings.of(ticket).mac) {
            for former in std::mem::take(&mut self.holdings.of_mut(ticket).former_macs) {
                self.give_back_mac(former, ticket);
            }
        }
        lacking.extend(user.and_then(|user| self.change_mac(ticket, user).err()));
        (Some(self.claim_grant_of(ticket)), lacking)
    }

    /// Binds a claim to what its users hold, else to new numbers; to nothing without users.
    fn bind_new(
        &mut self,
        claim: &Claim,
        user: Option<&Attachment>,
    ) -> Result<Option<Ticket>, Refused> {
        let seated = claim.users.iter().find_map(|key| self.seat_of(key));
        let of_seat = seated.map(|seat| self.seats.of(seat).holding);
        let place = user.and_then(MachinePlace::of);
        let of_machine = place.as_ref().and_then(|place| self.machines.get(place).copied());
        let is_free = |ticket: &Ticket| self.holdings.of(*ticket).claim.is_none();
        let present = of_seat.into_iter().chain(of_machine).find(is_free);
        let ticket = match (present, user) {
            (Some(ticket), _) => {
                if !self.has_addresses(ticket, &claim.request) {
                    return Err(self.mismatch(&words(&claim.request), ticket));
                }
                ticket
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
        self.bind(&claim.name, ticket);
        Ok(Some(ticket))
    }

    /// Gives a claim the MAC that its next user asks for, while nobody uses the present one.
    fn change_mac(&mut self, ticket: Ticket, user: &Attachment) -> Result<(), Refused> {
        let Holding { mac: present, seats, .. } = self.holdings.of(ticket);
        let (present, is_used) = (*present, !seats.is_empty());
        let Some(mac) = user.request.mac.filter(|mac| *mac != present) else { return Ok(()) };
        let is_former = self.holdings.of(ticket).former_macs.contains(&mac);
        if !is_former {
            self.check_mac(mac)?;
        }
        if is_used {
            let mut refused = self.mismatch(&format!("MAC {mac}"), ticket);
            refused.need = Need::Change;
            return Err(refused);
        }
        self.macs.hold(mac, ticket);
        let holding = self.holdings.of_mut(ticket);
        holding.former_macs.retain(|it| *it != mac);
        holding.former_macs.push(present);
        holding.mac = mac;
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
        return Err(super::refused::two_wishes(claim, user));
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
