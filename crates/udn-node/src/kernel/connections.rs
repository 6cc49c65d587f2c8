//! Connections that the kernel follows, of whatever zone.
//!
//! Reads addresses with zones; returns how many connections were forgotten.
//! Invariant: a connection of another zone, or between other addresses, stays; one that ends by itself
//! meanwhile is no failure.

use std::collections::BTreeSet;
use std::io;
use std::net::IpAddr;

use nix::libc;
use rtnetlink::sys::protocols::NETLINK_NETFILTER;
use udn_host::connections::Traces;

use super::netlink::{Attributes, Message, ask, attribute, list};
use super::{Kernel, KernelError};

#[cfg(test)]
mod tests;

// compat: include/uapi/linux/netfilter/nfnetlink.h and nfnetlink_conntrack.h
const SUBSYSTEM: u16 = 1;
const GET: u16 = 1;
const DELETE: u16 = 2;
/// Who began, and who answers.
const TUPLES: [u16; 2] = [1, 2];
const ADDRESSES: u16 = 1;
/// Where the source stands among addresses, in each family.
const SOURCES: [u16; 2] = [1, 3];
const NUMBER: u16 = 12;
const ZONE: u16 = 18;
/// What stands before the attributes of each connection: family, version, and nothing.
const HEADER: usize = 4;

impl Kernel {
    /// Lets the kernel forget the connections of addresses in zones.
    pub(crate) async fn forget(&self, traces: Traces) -> Result<usize, KernelError> {
        let forget = move || {
            let found =
                list(NETLINK_NETFILTER, &message(GET, [0; 4], Attributes::default()), |it| {
                    deletion(it, &traces)
                })?;
            found.iter().map(delete).sum::<io::Result<usize>>()
        };
        // Beside the look at the host's links, which takes its time.
        let done = self.beside(move |_| forget()).await?;
        done.map_err(|source| KernelError::Connections { source })
    }
}

fn message(kind: u16, header: [u8; 4], attributes: Attributes) -> Message {
    let kind = (SUBSYSTEM << 8) | kind;
    Message { kind, flags: 0, is_acknowledged: kind & 0xff == DELETE, header, attributes }
}

/// What takes a connection away, if it is one of those that are to go.
fn deletion(body: &[u8], Traces(traces): &Traces) -> Option<Message> {
    let attributes = body.get(HEADER..)?;
    let zone = match attribute(attributes, ZONE) {
        Some(zone) => u16::from_be_bytes(*zone.first_chunk()?),
        // The kernel does not tell the zone of those that have none of their own.
        None => 0,
    };
    let sources: BTreeSet<IpAddr> =
        TUPLES.iter().filter_map(|it| source(attributes, *it)).collect();
    let is_gone = |ip| traces.get(ip).is_some_and(|zones| zones.contains(&zone));
    if !sources.iter().any(is_gone) {
        return None;
    }
    let mut named = Attributes::default()
        .nested_bytes(TUPLES[0], attribute(attributes, TUPLES[0])?)
        .bytes(ZONE, &zone.to_be_bytes());
    // So that a newer connection between the same ends is another one.
    if let Some(number) = attribute(attributes, NUMBER) {
        named = named.bytes(NUMBER, number);
    }
    Some(message(DELETE, [*body.first()?, 0, 0, 0], named))
}

/// Where the packets of one direction come from.
fn source(attributes: &[u8], tuple: u16) -> Option<IpAddr> {
    let addresses = attribute(attribute(attributes, tuple)?, ADDRESSES)?;
    let bytes = SOURCES.iter().find_map(|it| attribute(addresses, *it))?;
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

fn delete(deletion: &Message) -> io::Result<usize> {
    match ask(NETLINK_NETFILTER, std::slice::from_ref(deletion)) {
        Ok(_) => Ok(1),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(0),
        Err(error) => Err(error),
    }
}
