//! The addresses of one subnet of a network.
//!
//! Invariant: memory grows with the addresses in use, never with the size of the subnet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

use udn_model::{AttachmentKey, Family, InterfaceAddress, Network, PlatformAddresses, Subnet};

use crate::book::{Book, Refusal};

/// Who holds which address of a subnet.
#[derive(Debug, Clone)]
pub(crate) struct AddressPool {
    subnet: Subnet,
    book: Book<AttachmentKey>,
    /// Ranges that are held only on request; dynamic grants avoid them.
    reserved: Vec<RangeInclusive<u128>>,
}

impl AddressPool {
    /// The pool of one subnet, without the addresses that the network keeps for itself.
    pub(crate) fn new(network: &Network, subnet: Subnet) -> Self {
        let mut book = Book::new(range(subnet));
        let base = number(subnet.base());
        book.block(base..=base);
        if subnet.family() == Family::V4 {
            let broadcast = number(subnet.last());
            book.block(broadcast..=broadcast);
        }
        let own = network.platform_addresses();
        for PlatformAddresses { gateway, management, .. } in own {
            for ip in [gateway, management].into_iter().filter(|ip| subnet.contains(*ip)) {
                book.block(number(ip)..=number(ip));
            }
        }
        let infrastructure = network.primary().map_or(&[][..], |it| &it.infrastructure);
        for kept in network.excluded.iter().chain(infrastructure) {
            if subnet.overlaps(*kept) {
                book.block(range(*kept));
            }
        }
        let reserved = network.primary().map_or(&[][..], |it| &it.reserved).iter();
        let reserved = reserved.filter(|it| subnet.overlaps(**it)).map(|it| range(*it)).collect();
        Self { subnet, book, reserved }
    }

    pub(crate) fn subnet(&self) -> Subnet {
        self.subnet
    }

    /// Writes down an address that was published before.
    pub(crate) fn hold(
        &mut self,
        holder: &AttachmentKey,
        ip: IpAddr,
    ) -> Result<(), Refusal<AttachmentKey>> {
        self.book.hold(holder, number(ip))
    }

    /// The holder's address, or the next free one that is not reserved.
    pub(crate) fn grant(&mut self, holder: &AttachmentKey) -> Option<InterfaceAddress> {
        let avoid = &self.reserved;
        let number = self.book.grant_outside(holder, avoid)?;
        Some(self.subnet.on_interface(address(number, self.subnet.family())))
    }

    pub(crate) fn release(&mut self, holder: &AttachmentKey) {
        self.book.release(holder);
    }
}

fn range(subnet: Subnet) -> RangeInclusive<u128> {
    number(subnet.base())..=number(subnet.last())
}

fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u32::from(ip).into(),
        IpAddr::V6(ip) => ip.into(),
    }
}

fn address(number: u128, family: Family) -> IpAddr {
    match family {
        Family::V4 => {
            let number = u32::try_from(number).expect("an IPv4 pool holds 32-bit numbers");
            IpAddr::V4(Ipv4Addr::from(number))
        }
        Family::V6 => IpAddr::V6(Ipv6Addr::from(number)),
    }
}
