//! Lets a link's own kernel fill in checksums, for switches that take no half-made ones.
//!
//! Invariant: it acts in the namespace that the thread is in, and doing it twice is as good as once.

use std::io;

use rtnetlink::sys::protocols::NETLINK_GENERIC;

use super::KernelError;
use super::netlink::{Attributes, Message, ask, attribute};
use crate::program::Program;

// compat: include/uapi/linux/genetlink.h
const CONTROLLER: u16 = 0x10;
const ASK_FAMILY: u8 = 3;
const FAMILY_ID: u16 = 1;
const FAMILY_NAME: u16 = 2;

// compat: include/uapi/linux/ethtool_netlink.h
const SET_FEATURES: u8 = 12;
const HEADER: u16 = 1;
const HEADER_NAME: u16 = 2;
const WANTED: u16 = 3;
const BITS: u16 = 3;
const BIT: u16 = 1;
const BIT_NAME: u16 = 2;

/// What a link would leave to whoever comes last; what else a link of another kind can, a pod's
/// link cannot.
const DEFERRED: [&str; 2] = ["tx-checksum-ip-generic", "tx-checksum-sctp"];

/// Makes a link of this namespace fill in checksums; `ethtool` is for kernels that know no better.
pub(super) fn complete(interface: &str, ethtool: &Program) -> Result<(), KernelError> {
    match switch_off(interface) {
        Ok(()) => Ok(()),
        Err(error) if error.raw_os_error() == Some(nix::libc::ENOENT) => {
            let outcome = ethtool.run_here(&["-K", interface, "tx", "off"]);
            let interface = interface.to_owned();
            outcome.map(drop).map_err(|source| KernelError::Checksums { interface, source })
        }
        Err(source) => Err(KernelError::Features { interface: interface.to_owned(), source }),
    }
}

fn switch_off(interface: &str) -> io::Result<()> {
    let bit = |name: &str| Attributes::default().text(BIT_NAME, name);
    // A bit that is named and has no value is switched off.
    let bits = DEFERRED.iter().fold(Attributes::default(), |all, it| all.nest(BIT, &bit(it)));
    let attributes = Attributes::default()
        .nest(HEADER, &Attributes::default().text(HEADER_NAME, interface))
        .nest(WANTED, &Attributes::default().nest(BITS, &bits));
    generic(family("ethtool")?, SET_FEATURES, attributes).map(drop)
}

/// The number of a family of generic netlink.
fn family(name: &str) -> io::Result<u16> {
    let body = generic(CONTROLLER, ASK_FAMILY, Attributes::default().text(FAMILY_NAME, name))?;
    let id = body.get(4..).and_then(|attributes| attribute(attributes, FAMILY_ID));
    let id = id.and_then(|it| it.first_chunk()).map(|it| u16::from_ne_bytes(*it));
    id.ok_or_else(|| io::Error::from_raw_os_error(nix::libc::ENOENT))
}

fn generic(kind: u16, command: u8, attributes: Attributes) -> io::Result<Vec<u8>> {
    let header = [command, 1, 0, 0];
    let message = Message { kind, flags: 0, is_acknowledged: true, header, attributes };
    ask(NETLINK_GENERIC, &[message])
}
