//! Hears of changes in a network namespace, and reads what the kernel says of the node.
//!
//! Invariant: whatever of the host changes wakes; what only pods do wakes nobody but by the names of
//! links that went or fell; messages that the kernel could not deliver count as a change of everything.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt, TryStreamExt};
use rtnetlink::packet_core::{NetlinkMessage, NetlinkPayload};
use rtnetlink::packet_route::RouteNetlinkMessage;
use rtnetlink::{Handle, MulticastGroup, new_multicast_connection};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

mod concern;
mod parameters;
mod read;

use concern::{Concern, concern};
use udn_host::chassis::KernelSeen;

use super::inside::make_inside;

/// What is heard of.
const GROUPS: [MulticastGroup; 8] = [
    MulticastGroup::Link,
    MulticastGroup::Ipv4Ifaddr,
    MulticastGroup::Ipv6Ifaddr,
    MulticastGroup::Ipv4Route,
    MulticastGroup::Ipv6Route,
    MulticastGroup::Ipv4Rule,
    MulticastGroup::Ipv6Rule,
    MulticastGroup::Neigh,
];

type Heard = NetlinkMessage<RouteNetlinkMessage>;

/// A namespace that is listened to, until this is dropped.
#[derive(Debug)]
pub(crate) struct KernelWatch {
    handle: Handle,
    news: Arc<News>,
    tasks: [AbortHandle; 3],
}

/// What was heard and not taken yet.
#[derive(Debug, Default)]
struct News {
    host: Notify,
    pods: Notify,
    /// Links that went or fell; empty with `all` where some may be unheard.
    links: Mutex<FallenLinks>,
}

/// Links, by name, that went or fell.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct FallenLinks {
    pub(crate) names: BTreeSet<String>,
    /// Some may be missing in the list.
    pub(crate) may_be_more: bool,
}

impl KernelWatch {
    /// Begins to listen in a namespace, by its file; must be called inside a tokio runtime.
    pub(crate) fn open(namespace: &Path) -> io::Result<Self> {
        let make = || Ok((new_multicast_connection(&GROUPS)?, parameters::open()?));
        let ((connection, handle, mut messages), socket) = make_inside(namespace, make)?;
        let news = Arc::new(News::default());
        let (heard, changed) = (Arc::clone(&news), Arc::clone(&news));
        let connection = tokio::spawn(connection).abort_handle();
        let listener = tokio::spawn(async move {
            while let Some((message, _)) = messages.next().await {
                heard.take(&message);
            }
        });
        let asked = handle.clone();
        let parameters = tokio::spawn(async move {
            parameters::listen(socket, &asked, &changed.host).await;
        });
        let tasks = [connection, listener.abort_handle(), parameters.abort_handle()];
        Ok(Self { handle, news, tasks })
    }

    /// Waits until something of the host may have changed.
    pub(crate) async fn host_changed(&self) {
        self.news.host.notified().await;
    }

    /// Waits until links went or fell that may be pods'.
    pub(crate) async fn links_fell(&self) -> FallenLinks {
        self.news.pods.notified().await;
        std::mem::take(&mut *self.news.links.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the kernel says of the node.
    pub(crate) async fn seen(&self) -> Result<KernelSeen, rtnetlink::Error> {
        let messages: Vec<_> = self.handle.link().get().execute().try_collect().await?;
        let mut names = BTreeMap::new();
        let mut seen = KernelSeen::default();
        for message in &messages {
            if let Some((name, link)) = read::link(message) {
                names.insert(message.header.index, name.clone());
                seen.links.insert(name, link);
            }
        }
        let addresses: Vec<_> = self.handle.address().get().execute().try_collect().await?;
        for message in &addresses {
            let name = names.get(&message.header.index);
            let link = name.and_then(|name| seen.links.get_mut(name));
            link.into_iter().for_each(|link| link.addresses.extend(read::address(message)));
        }
        for query in read::queries() {
            let routes: Vec<_> = self.handle.route().get(query).execute().try_collect().await?;
            seen.default_routes
                .extend(routes.iter().flat_map(|it| read::default_routes(it, &names)));
        }
        seen.default_routes.sort();
        Ok(seen)
    }
}

impl Drop for KernelWatch {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl News {
    fn take(&self, message: &Heard) {
        let concern = match &message.payload {
            NetlinkPayload::InnerMessage(message) => concern(message),
            NetlinkPayload::Overrun(_) => Concern::Everything,
            NetlinkPayload::Done(_) | NetlinkPayload::Error(_) | NetlinkPayload::Noop | _ => {
                Concern::Nobody
            }
        };
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        match concern {
            Concern::Nobody => {}
            Concern::Host => self.host.notify_one(),
            Concern::Fallen(name) => {
                links.names.insert(name);
                self.pods.notify_one();
            }
            Concern::Everything => {
                links.may_be_more = true;
                self.host.notify_one();
                self.pods.notify_one();
            }
        }
    }
}
