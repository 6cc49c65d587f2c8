//! Hears of changes of a namespace's parameters, as far as the kernel tells of them: forwarding and the
//! filter of return paths.
//!
//! Invariant: links that go are no news here, others tell of them; nor are cables, of which each that is
//! laid comes with parameters of its own.

use std::io;

use bytes::BytesMut;
use futures_util::TryStreamExt;
use rtnetlink::packet_route::link::LinkMessage;
use rtnetlink::sys::protocols::NETLINK_ROUTE;
use rtnetlink::sys::{AsyncSocket, AsyncSocketExt, SocketAddr, TokioSocket};
use rtnetlink::{Handle, MulticastGroup};
use tokio::sync::Notify;

use super::concern::is_cable;

#[cfg(test)]
mod tests;

/// What is heard of.
const GROUPS: [MulticastGroup; 2] = [MulticastGroup::Ipv4Netconf, MulticastGroup::Ipv6Netconf];

/// A parameter has another value.
// compat: include/uapi/linux/rtnetlink.h, RTM_NEWNETCONF
const CHANGED: u16 = 80;

/// The attribute that says which link; negative for those that stand for all.
const LINK: u16 = 1;

/// Where the type stands in a message, behind its length.
const TYPE: std::ops::Range<usize> = 4..6;
/// Where the attributes begin, behind the header and the family.
const ATTRIBUTES: usize = 16 + 4;

/// Begins to listen in the namespace that the thread is in; must be called inside a tokio runtime.
pub(super) fn open() -> io::Result<TokioSocket> {
    let mut socket = TokioSocket::new(NETLINK_ROUTE)?;
    let groups = GROUPS.iter().fold(0, |all, group| all | 1 << (*group as u32 - 1));
    socket.socket_mut().bind(&SocketAddr::new(0, groups))?;
    Ok(socket)
}

/// Wakes whoever waits whenever a parameter has another value, but for those of cables; never ends.
pub(super) async fn listen(socket: TokioSocket, handle: &Handle, changed: &Notify) {
    let mut message = BytesMut::new();
    loop {
        message.clear();
        message.reserve(4096);
        let told = match socket.recv_from(&mut message).await {
            Ok(_) => told(&message),
            // The kernel had more to tell than it could.
            Err(_) => Told::OfAll,
        };
        let is_of_host = match told {
            Told::Nothing => false,
            Told::OfLink(link) => {
                let found = handle.link().get().match_index(link).execute().try_next().await;
                !is_of_cable(&found)
            }
            Told::OfAll => true,
        };
        if is_of_host {
            changed.notify_one();
        }
    }
}

/// What a message tells.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// A parameter of one link has another value.
    OfLink(u32),
    /// One that stands for many.
    OfAll,
}

fn told(message: &[u8]) -> Told {
    match (kind(message), link(message)) {
        (Some(CHANGED), Some(link)) => Told::OfLink(link),
        (Some(CHANGED), None) => Told::OfAll,
        (Some(_) | None, _) => Told::Nothing,
    }
}

fn kind(message: &[u8]) -> Option<u16> {
    let octets = message.get(TYPE)?.try_into().ok()?;
    Some(u16::from_ne_bytes(octets))
}

/// The link whose parameter it is; `None` where it stands for many.
fn link(message: &[u8]) -> Option<u32> {
    let mut rest = message.get(ATTRIBUTES..)?;
    loop {
        let length = usize::from(u16::from_ne_bytes(rest.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(rest.get(2..4)?.try_into().ok()?);
        let value = rest.get(4..length)?;
        if kind == LINK {
            return u32::try_from(i32::from_ne_bytes(value.try_into().ok()?)).ok();
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}

/// Whether the link that was looked for is a cable, or gone already.
fn is_of_cable(found: &Result<Option<LinkMessage>, rtnetlink::Error>) -> bool {
    match found {
        Ok(Some(link)) => is_cable(link),
        Ok(None) | Err(rtnetlink::Error::NetlinkError(_)) => true,
        Err(_) => false,
    }
}
