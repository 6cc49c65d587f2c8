//! Free TCP ports on the loopback address, never the same one twice at a time.
//!
//! Returns a [`Port`] that stays ours while the value lives, also between a server's end and its
//! restart.
//! Invariant: a port is leased by binding an abstract unix socket named after it. Such a name is
//! scoped by network namespace, exactly as ports are, and the kernel frees it when we die.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net;
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicU16, Ordering};

#[cfg(test)]
mod tests;

/// Below the range from which the kernel takes ports for outgoing connections.
const FIRST: u16 = 20000;
const COUNT: u16 = 12000;

/// No free port was found.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("no free port among {FIRST} to {}", FIRST + COUNT - 1)]
pub struct NoFreePort;

/// A TCP port on 127.0.0.1 that no other rig will take.
#[derive(Debug)]
pub struct Port {
    number: u16,
    _lease: UnixDatagram,
}

impl Port {
    /// Leases a free port.
    pub fn lease() -> Result<Self, NoFreePort> {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        // Programs start at different places so that they seldom meet.
        let start = (std::process::id().wrapping_mul(61) % u32::from(COUNT)) as u16;
        (0..COUNT)
            .map(|_| FIRST + (start + NEXT.fetch_add(1, Ordering::Relaxed) % COUNT) % COUNT)
            .find_map(|number| Self::try_lease(number).ok())
            .ok_or(NoFreePort)
    }

    /// The port's number.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The port on the loopback address.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, self.number))
    }

    fn try_lease(number: u16) -> io::Result<Self> {
        let name = net::SocketAddr::from_abstract_name(format!("udn-port-{number}"))?;
        let lease = UnixDatagram::bind_addr(&name)?;
        // Somebody who knows nothing of leases may listen there.
        TcpListener::bind((Ipv4Addr::LOCALHOST, number))?;
        Ok(Self { number, _lease: lease })
    }
}
