//! Hears of changes of a namespace's parameters, as far as the kernel tells of them: forwarding and the
//! filter of return paths.
//!
//! Invariant: links that go are no news here; others tell of them.

use std::io;

use bytes::BytesMut;
use rtnetlink::MulticastGroup;
use rtnetlink::sys::protocols::NETLINK_ROUTE;
use rtnetlink::sys::{AsyncSocket, AsyncSocketExt, SocketAddr, TokioSocket};
use tokio::sync::Notify;

/// What is heard of.
const GROUPS: [MulticastGroup; 2] = [MulticastGroup::Ipv4Netconf, MulticastGroup::Ipv6Netconf];

/// A parameter has another value.
// compat: include/uapi/linux/rtnetlink.h, RTM_NEWNETCONF
const CHANGED: u16 = 80;

/// Where the type stands in a message, behind its length.
const TYPE: std::ops::Range<usize> = 4..6;

/// Begins to listen in the namespace that the thread is in; must be called inside a tokio runtime.
pub(super) fn open() -> io::Result<TokioSocket> {
    let mut socket = TokioSocket::new(NETLINK_ROUTE)?;
    let groups = GROUPS.iter().fold(0, |all, group| all | 1 << (*group as u32 - 1));
    socket.socket_mut().bind(&SocketAddr::new(0, groups))?;
    Ok(socket)
}

/// Wakes whoever waits whenever a parameter has another value; never ends.
pub(super) async fn listen(socket: TokioSocket, changed: &Notify) {
    let mut message = BytesMut::new();
    loop {
        message.clear();
        message.reserve(4096);
        match socket.recv_from(&mut message).await {
            Ok(_) if kind(&message) == Some(CHANGED) => changed.notify_one(),
            Ok(_) => {}
            // The kernel had more to tell than it could.
            Err(_) => changed.notify_one(),
        }
    }
}

fn kind(message: &[u8]) -> Option<u16> {
    let octets = message.get(TYPE)?.try_into().ok()?;
    Some(u16::from_ne_bytes(octets))
}
