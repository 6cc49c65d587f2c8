//! Chooses the numbers of a new allocation.
//!
//! Reads the pools and a request; returns numbers that are free, or why there are none.
//! Invariant: nothing is written down here, so a refusal leaves nothing behind.

use std::net::IpAddr;

use udn_model::{AddressRequest, InterfaceAddress, MacAddress, Reason, RequestedAddress};

use super::NetworkAllocations;
use super::refused::{Refused, exhausted, kept, own_mac};
use crate::address_pool::{AddressPool, AddressState};
use crate::macs::MacState;
use crate::slab::SlabId;
use crate::waiting::Need;

/// How many MACs are tried for who gets none from an address.
const MAC_TRIES: u32 = 16;

/// How many addresses are passed over because of their MACs.
const ADDRESS_TRIES: usize = 64;

/// The numbers of a new allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) addresses: Vec<InterfaceAddress>,
    pub(super) mac: MacAddress,
    /// Whether the addresses are the next of their pools, not requested ones.
    in_turn: bool,
}

impl NetworkAllocations {
    /// Free numbers as requested; `seed` tells holders without an address apart.
    pub(super) fn choose(
        &self,
        request: &AddressRequest,
        seed: impl Fn() -> String,
    ) -> Result<Numbers, Refused> {
        if let Some(mac) = request.mac {
            self.check_mac(mac)?;
        }
        if !request.addresses.is_empty() {
            let addresses = self.requested(&request.addresses)?;
            let mac = match (request.mac, addresses.first()) {
                (Some(mac), _) => mac,
                (None, first) => self.derived_or_hashed(first, seed)?,
            };
            return Ok(Numbers { addresses, mac, in_turn: false });
        }
        let mut addresses = Vec::with_capacity(self.pools.len());
        for pool in &self.pools {
            let ip = pool.next().ok_or_else(|| exhausted(pool))?;
            addresses.push(pool.on_interface(ip));
        }
        let mac = match (request.mac, self.pools.first()) {
            (Some(mac), _) => mac,
            (None, None) => self.hashed_mac(seed)?,
            (None, Some(pool)) => match self.with_free_mac(pool) {
                Some((ip, mac)) => {
                    addresses[0] = pool.on_interface(ip);
                    mac
                }
                None => self.hashed_mac(seed)?,
            },
        };
        Ok(Numbers { addresses, mac, in_turn: true })
    }

    /// Writes chosen numbers down.
    pub(super) fn write_down(&mut self, numbers: &Numbers, holder: SlabId) {
        for (pool, address) in self.pools.iter_mut().zip(&numbers.addresses) {
            match numbers.in_turn {
                true => pool.hold_in_turn(address.addr(), holder),
                false => pool.hold(address.addr(), holder),
            }
        }
        self.macs.hold(numbers.mac, holder);
    }

    /// The requested addresses in the order of the subnets, if they are one of each and free.
    fn requested(&self, request: &[RequestedAddress]) -> Result<Vec<InterfaceAddress>, Refused> {
        let mut addresses = Vec::with_capacity(self.pools.len());
        let mut matched = 0;
        for pool in &self.pools {
            let family = pool.subnet().family();
            let mut of = request.iter().filter(|it| udn_model::Family::of(it.ip) == family);
            match (of.next(), of.next()) {
                (Some(one), None) => {
                    matched += 1;
                    addresses.push((pool, one));
                }
                (_, _) => return Err(self.family_mismatch()),
            }
        }
        if matched != request.len() {
            return Err(self.family_mismatch());
        }
        let granted = addresses.into_iter().map(|(pool, it)| self.check_address(pool, *it));
        granted.collect()
    }

    fn check_address(
        &self,
        pool: &AddressPool,
        request: RequestedAddress,
    ) -> Result<InterfaceAddress, Refused> {
        let RequestedAddress { ip, prefix_len } = request;
        let subnet = pool.subnet();
        let refused = |message| Err(Refused::new(Reason::OutOfRange, Need::Change, message));
        match pool.state(ip) {
            AddressState::Outside => refused(format!(
                "{ip} is not in {subnet}; ask for an address of that subnet of network {}",
                self.network.name
            )),
            AddressState::Kept => Err(kept(ip, pool)),
            AddressState::Excluded => refused(format!(
                "{ip} is in a range that network {} excludes; ask for another address of {subnet}",
                self.network.name
            )),
            AddressState::Free | AddressState::HeldBy(_)
                if prefix_len.is_some_and(|it| it != subnet.prefix_len()) =>
            {
                refused(format!(
                    "{ip}/{} has not the prefix length of the subnet; ask for {}",
                    prefix_len.unwrap_or_default(),
                    pool.on_interface(ip)
                ))
            }
            AddressState::HeldBy(holder) => Err(self.address_taken(ip, holder)),
            AddressState::Free => Ok(pool.on_interface(ip)),
        }
    }

    fn family_mismatch(&self) -> Refused {
        let subnets: Vec<String> = self.network.subnets.iter().map(|it| it.to_string()).collect();
        let message = match subnets.is_empty() {
            true => format!(
                "addresses are asked for, but network {} has no subnets; ask for none",
                self.network.name
            ),
            false => format!(
                "the addresses that are asked for do not match the families of network {}; ask for \
                 one address of each of {}, or for none",
                self.network.name,
                subnets.join(" and ")
            ),
        };
        Refused::new(Reason::FamilyMismatch, Need::Change, message)
    }

    pub(super) fn check_mac(&self, mac: MacAddress) -> Result<(), Refused> {
        match self.macs.state(mac) {
            MacState::Free => Ok(()),
            MacState::HeldBy(holder) => Err(self.mac_taken(mac, holder)),
            MacState::Own => Err(own_mac(mac)),
        }
    }

    /// The MAC that belongs to an address, unless somebody has it.
    pub(super) fn derived_or_hashed(
        &self,
        first: Option<&InterfaceAddress>,
        seed: impl Fn() -> String,
    ) -> Result<MacAddress, Refused> {
        let derived = first.map(|it| MacAddress::from_ip(it.addr()));
        match derived.filter(|mac| self.macs.is_free(*mac)) {
            Some(mac) => Ok(mac),
            None => self.hashed_mac(seed),
        }
    }

    /// The next address whose MAC is free.
    fn with_free_mac(&self, pool: &AddressPool) -> Option<(IpAddr, MacAddress)> {
        let mut next = pool.next();
        for _ in 0..ADDRESS_TRIES {
            let ip = next?;
            let mac = MacAddress::from_ip(ip);
            if self.macs.is_free(mac) {
                return Some((ip, mac));
            }
            next = pool.next_behind(ip);
        }
        None
    }

    /// A MAC from a text: the same after a crash.
    fn hashed_mac(&self, seed: impl Fn() -> String) -> Result<MacAddress, Refused> {
        let seed = seed();
        let mac = |counter| MacAddress::from_text(&format!("{seed}/{counter}"));
        (0..MAC_TRIES).map(mac).find(|mac| self.macs.is_free(*mac)).ok_or_else(|| {
            let message = "no free MAC was found; ask for one".to_owned();
            Refused::new(Reason::PoolExhausted, Need::Change, message)
        })
    }
}
