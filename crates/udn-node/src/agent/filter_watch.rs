//! Hears of changes of the packet filter, as far as they may concern the isolation of pods.
//!
//! Invariant: what the kernel could not deliver counts as a change.

use std::io;
use std::path::Path;

use bytes::BytesMut;
use rtnetlink::sys::protocols::NETLINK_NETFILTER;
use rtnetlink::sys::{AsyncSocket, AsyncSocketExt, SocketAddr, TokioSocket};

use super::inside::make_inside;
use crate::kernel::concerns;

/// The group that hears of nf_tables.
// compat: include/uapi/linux/netfilter/nfnetlink.h, NFNLGRP_NFTABLES
const GROUP: u32 = 7;

/// How much is told at once; the kernel gathers what one transaction changed.
const MOST: usize = 64 * 1024;

/// A namespace whose packet filter is listened to.
pub(super) struct FilterWatch {
    socket: TokioSocket,
    told: BytesMut,
}

impl FilterWatch {
    /// Begins to listen in a namespace, by its file; must be called inside a tokio runtime.
    pub(super) fn open(namespace: &Path) -> io::Result<Self> {
        let socket = make_inside(namespace, || {
            let mut socket = TokioSocket::new(NETLINK_NETFILTER)?;
            socket.socket_mut().bind(&SocketAddr::new(0, 1 << (GROUP - 1)))?;
            Ok(socket)
        })?;
        Ok(Self { socket, told: BytesMut::new() })
    }

    /// Waits until something may have changed; may be dropped at any time.
    pub(super) async fn changed(&mut self) {
        loop {
            self.told.clear();
            self.told.reserve(MOST);
            let is_news = match self.socket.recv_from(&mut self.told).await {
                Ok(_) => concerns(&self.told),
                // The kernel had more to tell than it could.
                Err(_) => true,
            };
            if is_news {
                return;
            }
        }
    }
}
