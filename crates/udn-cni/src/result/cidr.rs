//! An address with the length of its prefix, as CNI writes it: `10.244.1.5/24`.
//!
//! Reads a text; returns a [`Cidr`]. Invariant: bits behind the prefix stay as they are.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::quote::quote;

/// An address and the length of its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cidr {
    address: IpAddr,
    prefix_len: u8,
}

impl Cidr {
    /// Nothing if the prefix is longer than the address.
    pub fn new(address: IpAddr, prefix_len: u8) -> Option<Self> {
        (prefix_len <= longest(address)).then_some(Self { address, prefix_len })
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (address, length) = text.split_once('/')?;
        let is_plain = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        let length = length.parse().ok().filter(|_| is_plain)?;
        Self::new(address.parse().ok()?, length)
    }

    pub fn address(self) -> IpAddr {
        self.address
    }

    pub fn prefix_len(self) -> u8 {
        self.prefix_len
    }
}

fn longest(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.prefix_len)
    }
}

impl From<Cidr> for String {
    fn from(cidr: Cidr) -> Self {
        cidr.to_string()
    }
}

impl TryFrom<String> for Cidr {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
            .ok_or_else(|| format!("{} is no address with a prefix length", quote(&text)))
    }
}

#[cfg(test)]
mod tests;
