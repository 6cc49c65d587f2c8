//! Writes down what pods and claims carry already.
//!
//! Invariant: who carries a number that another holds keeps all its other numbers, so that nobody
//! else gets one that is in use.

use udn_model::{Attachment, AttachmentGrant, Claim, InterfaceAddress, MacAddress, ObjectName};

use super::{Holding, MachinePlace, NetworkBook, Refused, Seat};
use crate::address_pool::Standing;
use crate::macs::MacStanding;
use crate::tickets::Ticket;
use crate::waiting::Need;

impl NetworkBook {
    /// Writes down what an attachment carries.
    pub(crate) fn adopt(&mut self, attachment: &Attachment, carried: &AttachmentGrant) {
        if let Some(seat) = self.seat_of(&attachment.key) {
            let known = self.grant_of(seat);
            if known.addresses == carried.addresses
                && known.mac == carried.mac
                && (carried.port_key.is_none() || known.port_key == carried.port_key)
            {
                return;
            }
            self.release_seat(seat);
        }
        let shared = self.shared_with(attachment, carried);
        let holding = shared.unwrap_or_else(|| {
            self.open_holding(Holding {
                addresses: carried.addresses.clone(),
                mac: carried.mac,
                former_macs: Vec::new(),
                claim: None,
                machine: MachinePlace::of(attachment).map(Box::new),
                seats: Vec::new(),
            })
        });
        let port = carried.port_key;
        self.sit_down(Seat { key: attachment.key.clone(), holding, port });
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
        if let Some(ticket) = self.lent_to(claim, addresses) {
            self.bind(&claim.name, ticket);
            return;
        }
        let name = &claim.name;
        let mac =
            mac.or_else(|| self.derived_or_hashed(addresses.first(), || claim_seed(name)).ok());
        let first = || addresses.first().map(|it| MacAddress::from_ip(it.addr()));
        let Some(mac) = mac.or_else(first) else { return };
        let ticket = self.open_holding(Holding {
            addresses: addresses.to_vec(),
            mac,
            former_macs: Vec::new(),
            claim: Some(claim.name.clone()),
            machine: None,
            seats: Vec::new(),
        });
        self.claims.insert(claim.name.clone(), ticket);
    }

    /// What a holding lacks of what its holders carry; takes what is free.
    pub(super) fn fill(&mut self, ticket: Ticket) -> Vec<Refused> {
        if self.is_whole(ticket) {
            return Vec::new();
        }
        let Holding { addresses, mac, .. } = self.holdings.of(ticket);
        let (addresses, mac) = (addresses.clone(), *mac);
        for former in self.holdings.of(ticket).former_macs.clone() {
            if self.macs.is_free(former) {
                self.macs.hold(former, ticket);
            }
        }
        let mut lacking = Vec::new();
        for ip in addresses.iter().map(InterfaceAddress::addr) {
            let Some(pool) = self.pools.iter_mut().find(|pool| pool.subnet().contains(ip)) else {
                lacking.push(self.carried_outside(ip, ticket));
                continue;
            };
            match pool.standing(ip) {
                Standing::Free | Standing::Excluded => pool.hold(ip, ticket),
                Standing::HeldBy(holder) if holder == ticket => {}
                Standing::HeldBy(holder) => {
                    let pair = [ticket, holder];
                    lacking.push(self.carried_twice(&ip.to_string(), Need::Address(ip), pair));
                }
                Standing::Kept => lacking.push(self.carried_own(&ip.to_string(), ticket)),
                Standing::Outside => lacking.push(self.carried_outside(ip, ticket)),
            }
        }
        match self.macs.standing(mac) {
            MacStanding::Free => self.macs.hold(mac, ticket),
            MacStanding::HeldBy(holder) if holder == ticket => {}
            MacStanding::HeldBy(holder) => {
                let what = format!("MAC {mac}");
                lacking.push(self.carried_twice(&what, Need::Mac(mac), [ticket, holder]));
            }
            MacStanding::Own => lacking.push(self.carried_own(&format!("MAC {mac}"), ticket)),
        }
        lacking
    }

    /// Whether a holding has all that its holders carry.
    fn is_whole(&self, ticket: Ticket) -> bool {
        let Holding { addresses, mac, .. } = self.holdings.of(ticket);
        let is_held = |ip| self.pools.iter().any(|it| it.standing(ip) == Standing::HeldBy(ticket));
        self.macs.standing(*mac) == MacStanding::HeldBy(ticket)
            && addresses.iter().map(InterfaceAddress::addr).all(is_held)
    }

    /// What a seat lacks of the port key that it carries; takes it if it is free.
    pub(super) fn fill_port(&mut self, seat: Ticket) -> Option<Refused> {
        let Seat { port, holding, .. } = self.seats.of(seat);
        let (port, own) = ((*port)?, *holding);
        let (ports, number) = (self.ports.as_mut()?, u128::from(port.get()));
        let what = || format!("port key {port}");
        match ports.holder_of(number) {
            Some(holder) if holder == seat => None,
            Some(holder) => {
                let keeper = self.seats.of(holder).holding;
                Some(self.carried_twice(&what(), Need::ThatPort(port), [own, keeper]))
            }
            None if !ports.contains(number) => Some(self.carried_own(&what(), own)),
            None => {
                ports.hold(number, seat);
                None
            }
        }
    }

    /// Binds a claim to a holding that has none.
    pub(super) fn bind(&mut self, claim: &ObjectName, ticket: Ticket) {
        self.holdings.of_mut(ticket).claim = Some(claim.clone());
        self.claims.insert(claim.clone(), ticket);
    }

    pub(super) fn open_holding(&mut self, holding: Holding) -> Ticket {
        let ticket = self.holdings.put(holding);
        self.fill(ticket);
        self.note_machine(ticket);
        ticket
    }

    pub(super) fn note_machine(&mut self, ticket: Ticket) {
        if let Some(place) = &self.holdings.of(ticket).machine {
            self.machines.or_insert_with((**place).clone(), || ticket);
            self.waiting.met(&Need::Machine(place.machine.clone()));
        }
    }

    pub(super) fn sit_down(&mut self, seat: Seat) -> Ticket {
        let (pod, holding) = (seat.key.pod.clone(), seat.holding);
        let ticket = self.seats.put(seat);
        self.pods.insert(&pod, ticket);
        self.holdings.of_mut(holding).seats.push(ticket);
        self.fill_port(ticket);
        ticket
    }

    /// The holding with these numbers that an attachment may use together with others.
    fn shared_with(&self, attachment: &Attachment, carried: &AttachmentGrant) -> Option<Ticket> {
        let place = MachinePlace::of(attachment);
        let of_claim = attachment.claim.as_ref().and_then(|claim| self.claims.get(claim));
        let of_machine = place.as_ref().and_then(|place| self.machines.get(place));
        let carries = |ticket: &Ticket| {
            let Holding { addresses, mac, .. } = self.holdings.of(*ticket);
            *addresses == carried.addresses && *mac == carried.mac
        };
        of_claim.into_iter().chain(of_machine).copied().find(carries)
    }

    /// The holding with these addresses that users of a claim have already.
    fn lent_to(&self, claim: &Claim, addresses: &[InterfaceAddress]) -> Option<Ticket> {
        let fits = |ticket: &Ticket| {
            let held = self.holdings.of(*ticket);
            held.claim.is_none() && held.addresses == addresses
        };
        let of_users = claim.users.iter().filter_map(|key| self.seat_of(key));
        of_users.map(|seat| self.seats.of(seat).holding).find(fits)
    }
}

/// What tells a claim's MAC from others', where it has no address.
pub(super) fn claim_seed(claim: &ObjectName) -> String {
    format!("claim {claim}")
}
