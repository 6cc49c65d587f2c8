//! Has the switch forget connections of some addresses, each in some conntrack zones.
//!
//! The switch does that by itself where it moves packets; it answers nothing but to the barrier.
//! Invariant: a message names one zone and one address, so no connection of anybody else is forgotten.

use std::net::{IpAddr, Ipv6Addr};

use udn_host::connections::Traces;

use super::connection::{Requests, message};
use super::{Openflow, OpenflowError};

#[cfg(test)]
mod tests;

// compat: OpenFlow Switch Specification 1.5.1, section 7.5.7, OFPT_EXPERIMENTER
const EXPERIMENTER: u8 = 4;
// compat: Open vSwitch, include/openflow/nicira-ext.h, NX_VENDOR_ID and NXT_CT_FLUSH
const NICIRA: u32 = 0x2320;
const FORGET: u32 = 32;
const ZONE: u16 = 2;
const SOURCE: u16 = 0;

/// Whose packets are meant: those of who began the connection, or those that answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Began = 0,
    Answers = 1,
}

impl Openflow {
    /// Lets a userspace datapath forget the connections of addresses in zones.
    pub(crate) async fn forget(
        &self,
        bridge: &str,
        Traces(traces): &Traces,
    ) -> Result<(), OpenflowError> {
        let mut messages = Vec::new();
        for (address, zones) in traces {
            for zone in zones {
                messages.extend(forget(*zone, *address, Side::Began));
                // Where a translation hides the address from who began, it answers still.
                messages.extend(forget(*zone, *address, Side::Answers));
            }
        }
        let done = self.ask(bridge, &Requests(messages)).await.map(drop);
        let bridge = || bridge.to_owned();
        done.map_err(|source| OpenflowError::Forget { bridge: bridge(), source })
    }
}

fn forget(zone: u16, address: IpAddr, side: Side) -> Vec<u8> {
    let address = match address {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    };
    let mut body = [NICIRA.to_be_bytes(), FORGET.to_be_bytes()].concat();
    // Of any protocol.
    body.extend([0; 8]);
    body.extend(tuple(side, address));
    body.extend(property(ZONE, &[zone.to_be_bytes(), [0; 2]].concat()));
    message(EXPERIMENTER, &body)
}

/// The half of a connection that comes from an address.
fn tuple(side: Side, address: Ipv6Addr) -> Vec<u8> {
    let source = property(SOURCE, &address.octets());
    property(side as u16, &[&[0; 4], source.as_slice()].concat())
}

fn property(kind: u16, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(4 + value.len()).expect("a property is short");
    let mut bytes = [&kind.to_be_bytes(), &length.to_be_bytes(), value].concat();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}
