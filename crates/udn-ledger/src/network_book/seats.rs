//! Settles one attachment: it keeps what it carries or holds, else it gets what it asks for.
//!
//! Invariant: an attachment that gets no grant holds nothing that it did not carry before.

use udn_model::{Attachment, AttachmentGrant, PortKey, PublishedClaim, RequestedAddress};

use super::choose::Numbers;
use super::claims::words;
use super::refused::{Refused, list, no_port};
use super::{Holding, MachinePlace, NetworkBook, Seat};
use crate::tickets::Ticket;
use crate::waiting::Need;

/// What is known of the claim that an attachment names.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClaimNews<'a> {
    /// What is durable of it.
    pub(crate) durable: Option<&'a PublishedClaim>,
    /// Why it has no addresses.
    pub(crate) failure: Option<&'a str>,
}

impl NetworkBook {
    /// What an attachment has. Nothing at all is refused to who waits for its claim in silence.
    pub(crate) fn settle_attachment(
        &mut self,
        attachment: &Attachment,
        carried: Option<&AttachmentGrant>,
        claim: ClaimNews<'_>,
    ) -> Result<AttachmentGrant, Vec<Refused>> {
        if let Some(carried) = carried {
            self.adopt(attachment, carried);
        }
        if let Some(seat) = self.seat_of(&attachment.key) {
            return self.settle_seat(seat, attachment);
        }
        let seat = match &attachment.claim {
            Some(name) => match self.claims.get(name).copied() {
                Some(holding) if self.is_durable(holding, claim.durable) => {
                    self.join(attachment, holding)
                }
                // In silence, unless the claim failed.
                Some(_) | None => {
                    let failed = claim.failure.map(|words| Refused::by_claim(name, words));
                    return Err(failed.into_iter().collect());
                }
            },
            None => {
                let place = MachinePlace::of(attachment);
                match place.and_then(|place| self.machines.get(&place).copied()) {
                    Some(holding) => self.join(attachment, holding),
                    None => self.grant(attachment),
                }
            }
        };
        seat.map(|seat| self.grant_of(seat)).map_err(|refused| vec![refused])
    }

    /// What somebody has who has a seat already.
    fn settle_seat(
        &mut self,
        seat: Ticket,
        attachment: &Attachment,
    ) -> Result<AttachmentGrant, Vec<Refused>> {
        let holding = self.seats.of(seat).holding;
        let mut lacking = self.fill(holding);
        match self.seats.of(seat).port {
            Some(_) => lacking.extend(self.fill_port(seat)),
            None => match self.next_port(Need::Port) {
                Ok(port) => {
                    self.seats.of_mut(seat).port = port;
                    self.take_port(port, seat);
                }
                Err(refused) => lacking.push(refused),
            },
        }
        if let Some(claim) = attachment.claim.as_ref().and_then(|it| self.claims.get(it))
            && *claim != holding
        {
            let Holding { addresses, mac, .. } = self.holdings.of(holding);
            let carried = match addresses.is_empty() {
                true => mac.to_string(),
                false => list(addresses),
            };
            lacking.push(self.carries_other(&carried, *claim));
        }
        if lacking.is_empty() { Ok(self.grant_of(seat)) } else { Err(lacking) }
    }

    /// A seat on numbers of its own.
    pub(crate) fn grant(&mut self, attachment: &Attachment) -> Result<Ticket, Refused> {
        let numbers = self.choose(&attachment.request, || seed(attachment))?;
        let need = if attachment.request.addresses.is_empty() { Need::Room } else { Need::Port };
        let port = self.next_port(need)?;
        let holding = self.open(numbers, MachinePlace::of(attachment));
        Ok(self.seat(attachment, holding, port))
    }

    /// A holding with newly chosen numbers.
    pub(super) fn open(&mut self, numbers: Numbers, machine: Option<MachinePlace>) -> Ticket {
        let ticket = self.holdings.put(Holding {
            addresses: Vec::new(),
            mac: numbers.mac,
            former_macs: Vec::new(),
            claim: None,
            machine: machine.map(Box::new),
            seats: Vec::new(),
        });
        self.write_down(&numbers, ticket);
        self.holdings.of_mut(ticket).addresses = numbers.addresses;
        self.note_machine(ticket);
        ticket
    }

    /// A seat on numbers that others hold too.
    fn join(&mut self, attachment: &Attachment, holding: Ticket) -> Result<Ticket, Refused> {
        if let Some(lacking) = self.fill(holding).into_iter().next() {
            return Err(lacking);
        }
        let request = &attachment.request;
        if !self.has_addresses(holding, &request.addresses) {
            return Err(self.mismatch(&words(&request.addresses), holding));
        }
        if let Some(mac) = request.mac.filter(|mac| *mac != self.holdings.of(holding).mac) {
            self.check_mac(mac)?;
            return Err(self.mismatch(&format!("MAC {mac}"), holding));
        }
        let port = self.next_port(Need::Port)?;
        Ok(self.seat(attachment, holding, port))
    }

    fn seat(&mut self, attachment: &Attachment, holding: Ticket, port: Option<PortKey>) -> Ticket {
        let key = attachment.key.clone();
        let seat = self.sit_down(Seat { key, holding, port: None });
        self.seats.of_mut(seat).port = port;
        self.take_port(port, seat);
        seat
    }

    /// Whether a request is for the addresses that a holding has, or for none.
    pub(super) fn has_addresses(&self, holding: Ticket, request: &[RequestedAddress]) -> bool {
        let held = &self.holdings.of(holding).addresses;
        let has = |it: &RequestedAddress| {
            held.iter().any(|held| {
                held.addr() == it.ip && it.prefix_len.is_none_or(|len| len == held.prefix_len())
            })
        };
        request.is_empty() || (request.len() == held.len() && request.iter().all(has))
    }

    /// Whether a claim's addresses survive a crash.
    fn is_durable(&self, holding: Ticket, durable: Option<&PublishedClaim>) -> bool {
        let Holding { addresses, mac, .. } = self.holdings.of(holding);
        durable.is_some_and(|it| it.addresses == *addresses && it.mac.is_none_or(|it| it == *mac))
    }

    fn next_port(&self, need: Need) -> Result<Option<PortKey>, Refused> {
        let Some(ports) = &self.ports else { return Ok(None) };
        let number = ports.next().ok_or_else(|| no_port(ports.total(), need))?;
        Ok(u16::try_from(number).ok().and_then(PortKey::new))
    }

    fn take_port(&mut self, port: Option<PortKey>, seat: Ticket) {
        if let (Some(ports), Some(port)) = (&mut self.ports, port) {
            ports.hold_in_turn(port.get().into(), seat);
        }
    }
}

/// What tells an attachment's MAC from others', where it has no address.
pub(super) fn seed(attachment: &Attachment) -> String {
    format!("{}/{}", attachment.pod_uid, attachment.key.nad_key())
}
