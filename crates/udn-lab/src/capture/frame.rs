//! Ethernet frames as bytes: a few builders, and just enough decoding to tell frames apart.
//!
//! Reads addresses and payloads; returns bytes, and back. Pure.
//! Invariant: a builder fills in every length and checksum, and takes every address as it is told:
//! lying is what it is for.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

const ARP: u16 = 0x0806;
const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;
const VLAN: u16 = 0x8100;
const ICMPV4: u8 = 1;
const UDP: u8 = 17;
const ICMPV6: u8 = 58;
const REDIRECT_V4: u8 = 5;
const ECHO_REQUEST_V4: u8 = 8;
const ECHO_REQUEST_V6: u8 = 128;
const ROUTER_SOLICITATION: u8 = 133;
const ROUTER_ADVERTISEMENT: u8 = 134;
const NEIGHBOUR_SOLICITATION: u8 = 135;
const NEIGHBOUR_ADVERTISEMENT: u8 = 136;
const REDIRECT_V6: u8 = 137;
/// Solicited, and overriding what was known before.
const ADVERTISEMENT_FLAGS: u32 = 0x6000_0000;
const SOURCE_LINK_ADDRESS: u8 = 1;
const TARGET_LINK_ADDRESS: u8 = 2;
/// Where the Ethernet header of an untagged frame ends.
const ETHERNET_END: usize = 14;
/// Where the IPv6 header of an untagged frame ends.
const IPV6_END: usize = 40;

/// A MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    pub const BROADCAST: Self = Self([0xff; 6]);

    /// The link-local address that is made from this MAC (EUI-64).
    pub fn link_local(self) -> Ipv6Addr {
        let [a, b, c, d, e, f] = self.0;
        Ipv6Addr::from([0xfe, 0x80, 0, 0, 0, 0, 0, 0, a ^ 2, b, c, 0xff, 0xfe, d, e, f])
    }

    /// Where frames for a group go.
    pub fn of_group(group: IpAddr) -> Self {
        match group {
            IpAddr::V4(group) => {
                let [_, b, c, d] = group.octets();
                Self([1, 0, 0x5e, b & 0x7f, c, d])
            }
            IpAddr::V6(group) => {
                let [.., c, d, e, f] = group.octets();
                Self([0x33, 0x33, c, d, e, f])
            }
        }
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl FromStr for Mac {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let octets = text.split(':').map(|octet| u8::from_str_radix(octet, 16).ok());
        let octets: Option<Vec<u8>> = octets.collect();
        let octets = octets.and_then(|octets| octets.try_into().ok());
        octets.map(Self).ok_or_else(|| format!("{text} is no MAC"))
    }
}

/// Who sends a frame, and who shall get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends<A> {
    pub from: A,
    pub to: A,
}

impl<A> Ends<A> {
    pub fn new(from: A, to: A) -> Self {
        Self { from, to }
    }
}

/// Which way a frame passed the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
}

/// A frame that was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub bytes: Vec<u8>,
    pub direction: Direction,
}

/// An ARP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arp {
    pub is_answer: bool,
    pub macs: Ends<Mac>,
    pub addresses: Ends<Ipv4Addr>,
}

impl Frame {
    pub fn destination(&self) -> Mac {
        self.mac_at(0)
    }

    pub fn source(&self) -> Mac {
        self.mac_at(6)
    }

    /// The 802.1Q tag, if it has one.
    pub fn tag(&self) -> Option<u16> {
        (self.number_at(12)? == VLAN).then(|| self.number_at(14))?.map(|tag| tag & 0xfff)
    }

    pub fn contains(&self, marker: &[u8]) -> bool {
        self.bytes.windows(marker.len()).any(|window| window == marker)
    }

    pub fn arp(&self) -> Option<Arp> {
        let body = self.body(ARP)?;
        let mac = |at: usize| Some(Mac(body.get(at..at + 6)?.try_into().ok()?));
        let ip = |at: usize| Some(Ipv4Addr::from(<[u8; 4]>::try_from(body.get(at..at + 4)?).ok()?));
        Some(Arp {
            is_answer: body.get(7)? == &2,
            macs: Ends::new(mac(8)?, mac(18)?),
            addresses: Ends::new(ip(14)?, ip(24)?),
        })
    }

    /// The addresses in the IP header, of either family.
    pub fn addresses(&self) -> Option<Ends<IpAddr>> {
        if let Some(body) = self.body(IPV4) {
            let ip = |at| Some(IpAddr::from(<[u8; 4]>::try_from(body.get(at..at + 4)?).ok()?));
            return Some(Ends::new(ip(12)?, ip(16)?));
        }
        let body = self.body(IPV6)?;
        let ip = |at| Some(IpAddr::from(<[u8; 16]>::try_from(body.get(at..at + 16)?).ok()?));
        Some(Ends::new(ip(8)?, ip(24)?))
    }

    pub fn is_router_advertisement(&self) -> bool {
        self.icmpv6().is_some_and(|message| message.first() == Some(&ROUTER_ADVERTISEMENT))
    }

    /// Of a neighbour advertisement: whose address it tells, and the MAC that it tells.
    pub fn advertised(&self) -> Option<(Ipv6Addr, Mac)> {
        let message = self.icmpv6().filter(|it| it.first() == Some(&NEIGHBOUR_ADVERTISEMENT))?;
        let target = <[u8; 16]>::try_from(message.get(8..24)?).ok()?;
        let is_told = message.get(24..26)? == [TARGET_LINK_ADDRESS, 1];
        let mac = <[u8; 6]>::try_from(message.get(26..32)?).ok()?;
        is_told.then(|| (Ipv6Addr::from(target), Mac(mac)))
    }

    fn icmpv6(&self) -> Option<&[u8]> {
        let body = self.body(IPV6)?;
        (body.get(6)? == &ICMPV6).then(|| body.get(IPV6_END..)).flatten()
    }

    fn body(&self, kind: u16) -> Option<&[u8]> {
        let at = if self.tag().is_some() { 16 } else { 12 };
        (self.number_at(at)? == kind).then(|| self.bytes.get(at + 2..)).flatten()
    }

    fn number_at(&self, at: usize) -> Option<u16> {
        Some(u16::from_be_bytes(self.bytes.get(at..at + 2)?.try_into().ok()?))
    }

    fn mac_at(&self, at: usize) -> Mac {
        let octets = self.bytes.get(at..at + 6).and_then(|octets| octets.try_into().ok());
        Mac(octets.unwrap_or_default())
    }
}

impl Arp {
    /// The usual question who has `wanted`.
    pub fn question(asker: (Mac, Ipv4Addr), wanted: Ipv4Addr) -> Self {
        let macs = Ends::new(asker.0, Mac::default());
        Self { is_answer: false, macs, addresses: Ends::new(asker.1, wanted) }
    }

    /// The packet in a frame; `marker` fills the room behind it, which nobody reads.
    pub fn frame(&self, ends: Ends<Mac>, marker: &[u8]) -> Vec<u8> {
        let mut body = vec![0, 1, 8, 0, 6, 4, 0, if self.is_answer { 2 } else { 1 }];
        body.extend(self.macs.from.0);
        body.extend(self.addresses.from.octets());
        body.extend(self.macs.to.0);
        body.extend(self.addresses.to.octets());
        body.extend(marker);
        ethernet(ends, ARP, &body)
    }
}

/// A UDP packet of either family, to a port where nobody listens.
pub fn udp(macs: Ends<Mac>, addresses: Ends<IpAddr>, payload: &[u8]) -> Vec<u8> {
    // The discard port.
    datagram(macs, addresses, Ends::new(4242, 9), payload)
}

/// A UDP packet of either family, from a port to a port.
pub fn datagram(
    macs: Ends<Mac>,
    addresses: Ends<IpAddr>,
    ports: Ends<u16>,
    payload: &[u8],
) -> Vec<u8> {
    let mut message = Vec::new();
    let length = u16::try_from(8 + payload.len()).expect("the payload is short");
    [ports.from, ports.to, length, 0].iter().for_each(|it| message.extend(it.to_be_bytes()));
    message.extend(payload);
    let sum = checksum(&[&pseudo_header(addresses, UDP, message.len()), &message]);
    message[6..8].copy_from_slice(&sum.to_be_bytes());
    ip(macs, addresses, UDP, &message)
}

/// A router solicitation to all routers.
pub fn router_solicitation(mac: Mac, from: Ipv6Addr) -> Vec<u8> {
    let all_routers = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 2);
    let macs = Ends::new(mac, Mac::of_group(all_routers.into()));
    router_solicitation_to(macs, Ends::new(from, all_routers))
}

/// A router solicitation to somebody.
pub fn router_solicitation_to(macs: Ends<Mac>, addresses: Ends<Ipv6Addr>) -> Vec<u8> {
    let mut message = vec![ROUTER_SOLICITATION, 0, 0, 0, 0, 0, 0, 0, SOURCE_LINK_ADDRESS, 1];
    message.extend(macs.from.0);
    icmpv6(macs, addresses, message)
}

/// A neighbour solicitation for `wanted`, to the group of those who might have it.
pub fn neighbour_solicitation(asker: (Mac, Ipv6Addr), wanted: Ipv6Addr) -> Vec<u8> {
    let [.., d, e, f] = wanted.octets();
    let group = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, d, e, f];
    let mut message = vec![NEIGHBOUR_SOLICITATION, 0, 0, 0, 0, 0, 0, 0];
    message.extend(wanted.octets());
    message.extend([SOURCE_LINK_ADDRESS, 1]);
    message.extend(asker.0.0);
    let group = Ipv6Addr::from(group);
    let macs = Ends::new(asker.0, Mac::of_group(group.into()));
    icmpv6(macs, Ends::new(asker.1, group), message)
}

/// A neighbour advertisement that tells the MAC of `told`.
pub fn neighbour_advertisement(
    macs: Ends<Mac>,
    addresses: Ends<Ipv6Addr>,
    told: (Mac, Ipv6Addr),
) -> Vec<u8> {
    let mut message = vec![NEIGHBOUR_ADVERTISEMENT, 0, 0, 0];
    message.extend(ADVERTISEMENT_FLAGS.to_be_bytes());
    message.extend(told.1.octets());
    message.extend([TARGET_LINK_ADDRESS, 1]);
    message.extend(told.0.0);
    icmpv6(macs, addresses, message)
}

/// A router advertisement that makes `from` everybody's gateway.
pub fn router_advertisement(macs: Ends<Mac>, addresses: Ends<Ipv6Addr>) -> Vec<u8> {
    let mut message = vec![ROUTER_ADVERTISEMENT, 0, 0, 0, 64, 0, 0x07, 0x08];
    message.extend([0; 8]);
    message.extend([SOURCE_LINK_ADDRESS, 1]);
    message.extend(macs.from.0);
    icmpv6(macs, addresses, message)
}

/// An echo request of either family.
pub fn echo_request(macs: Ends<Mac>, addresses: Ends<IpAddr>) -> Vec<u8> {
    match (addresses.from, addresses.to) {
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            icmpv6(macs, Ends::new(from, to), vec![ECHO_REQUEST_V6, 0, 0, 0, 0x42, 0x42, 0, 1])
        }
        _ => icmpv4(macs, addresses, vec![ECHO_REQUEST_V4, 0, 0, 0, 0x42, 0x42, 0, 1]),
    }
}

/// A redirect of either family, which tells the receiver to reach the sender's address through the
/// sender. In IPv4 it quotes a UDP packet that the receiver sent to the sender, by its ports.
pub fn redirect(macs: Ends<Mac>, addresses: Ends<IpAddr>, quoted: Ends<u16>) -> Vec<u8> {
    match (addresses.from, addresses.to) {
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let mut message = vec![REDIRECT_V6, 0, 0, 0, 0, 0, 0, 0];
            message.extend(from.octets());
            message.extend(from.octets());
            icmpv6(macs, Ends::new(from, to), message)
        }
        (from, to) => {
            let mut message = vec![REDIRECT_V4, 1, 0, 0];
            match from {
                IpAddr::V4(gateway) => message.extend(gateway.octets()),
                IpAddr::V6(_) => panic!("no packet goes from {from} to {to}"),
            }
            let packet = datagram(Ends::new(macs.to, macs.from), Ends::new(to, from), quoted, b"");
            message.extend(&packet[ETHERNET_END..]);
            icmpv4(macs, addresses, message)
        }
    }
}

/// The same frame with a marker behind its end, in the room that nobody reads.
pub fn with_trailer(mut frame: Vec<u8>, marker: &[u8]) -> Vec<u8> {
    frame.extend(marker);
    frame
}

fn icmpv6(macs: Ends<Mac>, addresses: Ends<Ipv6Addr>, mut message: Vec<u8>) -> Vec<u8> {
    let addresses = Ends::new(addresses.from.into(), addresses.to.into());
    let sum = checksum(&[&pseudo_header(addresses, ICMPV6, message.len()), &message]);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    ip(macs, addresses, ICMPV6, &message)
}

fn icmpv4(macs: Ends<Mac>, addresses: Ends<IpAddr>, mut message: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&[&message]);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    ip(macs, addresses, ICMPV4, &message)
}

fn ip(macs: Ends<Mac>, addresses: Ends<IpAddr>, protocol: u8, message: &[u8]) -> Vec<u8> {
    let length = u16::try_from(message.len()).expect("the message is short");
    match (addresses.from, addresses.to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let [high, low] = (length + 20).to_be_bytes();
            let mut header = vec![0x45, 0, high, low, 0, 0, 0, 0, 64, protocol, 0, 0];
            header.extend(from.octets());
            header.extend(to.octets());
            let sum = checksum(&[&header]);
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            header.extend(message);
            ethernet(macs, IPV4, &header)
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let [high, low] = length.to_be_bytes();
            // Discovery wants the highest hop limit.
            let mut header = vec![0x60, 0, 0, 0, high, low, protocol, 255];
            header.extend(from.octets());
            header.extend(to.octets());
            header.extend(message);
            ethernet(macs, IPV6, &header)
        }
        (from, to) => panic!("no packet goes from {from} to {to}"),
    }
}

fn ethernet(macs: Ends<Mac>, kind: u16, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(14 + body.len());
    frame.extend(macs.to.0);
    frame.extend(macs.from.0);
    frame.extend(kind.to_be_bytes());
    frame.extend(body);
    frame
}

fn pseudo_header(addresses: Ends<IpAddr>, protocol: u8, length: usize) -> Vec<u8> {
    let mut header = Vec::new();
    for ip in [addresses.from, addresses.to] {
        match ip {
            IpAddr::V4(ip) => header.extend(ip.octets()),
            IpAddr::V6(ip) => header.extend(ip.octets()),
        }
    }
    let length = u16::try_from(length).expect("the message is short");
    header.extend([0, protocol]);
    header.extend(length.to_be_bytes());
    header
}

/// The internet checksum; all parts but the last have an even length.
fn checksum(parts: &[&[u8]]) -> u16 {
    let words = parts.iter().flat_map(|part| part.chunks(2));
    let mut sum: u32 = words
        .map(|word| u32::from(u16::from_be_bytes([word[0], *word.get(1).unwrap_or(&0)])))
        .sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    match !u16::try_from(sum).expect("it was folded") {
        0 => 0xffff,
        sum => sum,
    }
}
