//! MAC addresses, and those derived from IP addresses.
//!
//! Invariant: the derivations are wire facts; every node computes the same MAC for the same IP.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A MAC address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress([u8; 6]);

/// A text that is no MAC address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a MAC address such as 0a:58:0a:00:00:01")]
pub struct NotAMac(String);

impl MacAddress {
    pub const fn new(octets: [u8; 6]) -> Self {
        Self(octets)
    }

    pub fn octets(self) -> [u8; 6] {
        self.0
    }

    /// The MAC that belongs to an address: `0a:58` and the IPv4 octets, or the first four bytes of
    /// the SHA-256 of the IPv6 text.
    // compat: pkg/util/net.go, IPAddrToHWAddr
    pub fn from_ip(ip: IpAddr) -> Self {
        let tail = match ip {
            IpAddr::V4(ip) => ip.octets(),
            IpAddr::V6(ip) => first_four(&Sha256::digest(ip.to_string())),
        };
        Self::in_our_range(tail)
    }

    /// A MAC for who has no IP, from any text that tells holders apart.
    pub fn from_text(text: &str) -> Self {
        Self::in_our_range(first_four(&Sha256::digest(text)))
    }

    /// The link-local address of an interface with this MAC (modified EUI-64).
    pub fn link_local(self) -> Ipv6Addr {
        let [a, b, c, d, e, f] = self.0;
        let pair = |high, low| u16::from_be_bytes([high, low]);
        Ipv6Addr::new(0xfe80, 0, 0, 0, pair(a ^ 2, b), pair(c, 0xff), pair(0xfe, d), pair(e, f))
    }

    /// Whether frames to it go to many.
    pub fn is_multicast(self) -> bool {
        self.0[0] & 1 == 1
    }

    fn in_our_range([a, b, c, d]: [u8; 4]) -> Self {
        Self([0x0a, 0x58, a, b, c, d])
    }
}

fn first_four(digest: &[u8]) -> [u8; 4] {
    [digest[0], digest[1], digest[2], digest[3]]
}

impl FromStr for MacAddress {
    type Err = NotAMac;

    fn from_str(text: &str) -> Result<Self, NotAMac> {
        let refused = || NotAMac(text.to_owned());
        let mut octets = [0; 6];
        let mut words = text.split([':', '-']);
        for octet in &mut octets {
            let word = words.next().filter(|word| word.len() == 2).ok_or_else(refused)?;
            let is_plain = word.bytes().all(|byte| byte.is_ascii_hexdigit());
            *octet = u8::from_str_radix(word, 16).ok().filter(|_| is_plain).ok_or_else(refused)?;
        }
        if words.next().is_some() { Err(refused()) } else { Ok(Self(octets)) }
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl fmt::Debug for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for MacAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
