//! Addresses: families, subnets, interface addresses, MAC addresses.
//!
//! Invariant: a [`Subnet`] has no host bits, and [`Subnets`] has at most one of each family.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use serde::Serialize;
use strict_net::{IpNet, ParseProblem, parse_cidr};

mod cluster_subnet;
mod mac;
#[cfg(test)]
mod tests;

pub use cluster_subnet::ClusterSubnet;
pub use mac::MacAddress;

/// An address with the length of its subnet's prefix, as an interface carries it.
pub type InterfaceAddress = IpNet;

/// IPv4 or IPv6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    V4,
    V6,
}

impl Family {
    pub const BOTH: [Self; 2] = [Self::V4, Self::V6];

    /// The family of an address.
    pub fn of(ip: IpAddr) -> Self {
        match ip {
            IpAddr::V4(_) => Self::V4,
            IpAddr::V6(_) => Self::V6,
        }
    }

    /// The length of a prefix that covers one address.
    pub fn longest_prefix(self) -> u8 {
        match self {
            Self::V4 => 32,
            Self::V6 => 128,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V4 => "IPv4",
            Self::V6 => "IPv6",
        })
    }
}

/// At most one thing for each family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PerFamily<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v4: Option<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v6: Option<T>,
}

impl<T> Default for PerFamily<T> {
    fn default() -> Self {
        Self { v4: None, v6: None }
    }
}

impl<T> PerFamily<T> {
    /// What stands for this family.
    pub fn of(&self, family: Family) -> Option<&T> {
        match family {
            Family::V4 => self.v4.as_ref(),
            Family::V6 => self.v6.as_ref(),
        }
    }

    /// Puts a thing for this family; returns what stood there.
    pub fn put(&mut self, family: Family, thing: T) -> Option<T> {
        match family {
            Family::V4 => self.v4.replace(thing),
            Family::V6 => self.v6.replace(thing),
        }
    }

    /// What stands, IPv4 first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.v4.iter().chain(&self.v6)
    }

    pub fn is_empty(&self) -> bool {
        self.v4.is_none() && self.v6.is_none()
    }
}

/// A subnet: its address has no host bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Subnet(IpNet);

impl Subnet {
    /// The subnet that an address with a prefix length lies in.
    // compat: pkg/util/multi_network.go, host bits of a CIDR are masked away without a word
    pub fn of(net: IpNet) -> Self {
        Self(net.trunc())
    }

    /// Reads a subnet; host bits are masked away.
    pub fn parse(text: &str) -> Result<Self, ParseProblem> {
        parse_cidr(text).map(Self::of)
    }

    pub fn net(self) -> IpNet {
        self.0
    }

    pub fn family(self) -> Family {
        Family::of(self.0.network())
    }

    pub fn prefix_len(self) -> u8 {
        self.0.prefix_len()
    }

    /// The lowest address.
    pub fn base(self) -> IpAddr {
        self.0.network()
    }

    /// The highest address.
    pub fn last(self) -> IpAddr {
        self.0.broadcast()
    }

    /// The address `offset` above the lowest one, if the subnet has it.
    pub fn address(self, offset: u128) -> Option<IpAddr> {
        let ip = match self.base() {
            IpAddr::V4(base) => {
                let number = u32::from(base).checked_add(u32::try_from(offset).ok()?)?;
                IpAddr::V4(Ipv4Addr::from(number))
            }
            IpAddr::V6(base) => IpAddr::V6(Ipv6Addr::from(u128::from(base).checked_add(offset)?)),
        };
        self.contains(ip).then_some(ip)
    }

    /// The same, as an interface carries it.
    pub fn interface_address(self, offset: u128) -> Option<InterfaceAddress> {
        self.address(offset).map(|ip| self.on_interface(ip))
    }

    /// An address with this subnet's prefix length.
    pub fn on_interface(self, ip: IpAddr) -> InterfaceAddress {
        IpNet::new(ip, self.prefix_len().min(Family::of(ip).longest_prefix()))
            .expect("the length is within the family's bounds")
    }

    pub fn contains(self, ip: IpAddr) -> bool {
        self.0.contains(&ip)
    }

    /// Whether every address of `other` is in this subnet.
    pub fn contains_subnet(self, other: Self) -> bool {
        self.0.contains(&other.0)
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.contains_subnet(other) || other.contains_subnet(self)
    }
}

impl fmt::Display for Subnet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The subnets of a network in the order in which they were listed, at most one of each family.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Subnets(Vec<Subnet>);

/// Two subnets of one family where one is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {second} are both {family}; a network has at most one subnet of each family")]
pub struct SameFamily {
    pub first: Subnet,
    pub second: Subnet,
    pub family: Family,
}

impl Subnets {
    pub fn new(subnets: Vec<Subnet>) -> Result<Self, SameFamily> {
        for (position, second) in subnets.iter().enumerate() {
            let family = second.family();
            if let Some(first) = subnets[..position].iter().find(|it| it.family() == family) {
                return Err(SameFamily { first: *first, second: *second, family });
            }
        }
        Ok(Self(subnets))
    }

    /// In the listed order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Subnet> {
        self.0.iter().copied()
    }

    pub fn of(&self, family: Family) -> Option<Subnet> {
        self.iter().find(|subnet| subnet.family() == family)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The subnet that an address belongs to.
    pub fn around(&self, ip: IpAddr) -> Option<Subnet> {
        self.iter().find(|subnet| subnet.contains(ip))
    }
}
