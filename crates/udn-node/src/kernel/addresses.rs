//! Addresses of a link.
//!
//! Invariant: a link that is ours has exactly the planned addresses, besides those that the kernel
//! gives by itself; each of them works at once, without the search for duplicates.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use rtnetlink::Handle;
use rtnetlink::packet_route::address::{
    AddressAttribute, AddressFlags, AddressMessage, AddressScope,
};
use udn_model::InterfaceAddress;

use super::links::Link;
use super::{KernelError, refused};

/// Whether an address brings a route to its subnet into the main table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrefixRoute {
    With,
    Without,
}

/// Adds what is missing and removes what is too much; returns how much that was.
pub(super) async fn apply(
    handle: &Handle,
    link: &Link,
    wanted: &[InterfaceAddress],
    kind: PrefixRoute,
) -> Result<usize, KernelError> {
    let mut missing: BTreeSet<InterfaceAddress> = wanted.iter().copied().collect();
    let mut changes = 0;
    for (address, message) in list(handle, link).await? {
        if !missing.remove(&address) {
            let deed = format!("take {address} from {}", link.name);
            handle.address().del(message).execute().await.map_err(refused(deed))?;
            changes += 1;
        }
    }
    for address in missing {
        add(handle, link, address, kind).await?;
        changes += 1;
    }
    Ok(changes)
}

/// The addresses that a link has, besides those that the kernel gives by itself.
pub(super) async fn of(
    handle: &Handle,
    link: &Link,
) -> Result<BTreeSet<InterfaceAddress>, KernelError> {
    Ok(list(handle, link).await?.into_iter().map(|(address, _)| address).collect())
}

/// The links that have any of these, by their numbers.
pub(super) async fn links(handle: &Handle) -> Result<BTreeSet<u32>, KernelError> {
    let all = handle.address().get().execute().try_collect::<Vec<_>>().await;
    let all = all.map_err(refused("list the addresses".to_owned()))?;
    let given = all.iter().filter(|it| it.header.scope == AddressScope::Universe);
    Ok(given.map(|it| it.header.index).collect())
}

async fn list(
    handle: &Handle,
    link: &Link,
) -> Result<Vec<(InterfaceAddress, AddressMessage)>, KernelError> {
    let found = handle.address().get().set_link_index_filter(link.index).execute();
    let messages: Vec<AddressMessage> = found
        .try_collect()
        .await
        .map_err(refused(format!("list the addresses of {}", link.name)))?;
    let ours = messages.into_iter().filter(|message| {
        message.header.index == link.index && message.header.scope == AddressScope::Universe
    });
    Ok(ours.filter_map(|message| Some((read(&message)?, message))).collect())
}

pub(super) fn read(message: &AddressMessage) -> Option<InterfaceAddress> {
    let ip = message.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Address(ip) => Some(*ip),
        _ => None,
    });
    InterfaceAddress::new(ip?, message.header.prefix_len).ok()
}

async fn add(
    handle: &Handle,
    link: &Link,
    address: InterfaceAddress,
    kind: PrefixRoute,
) -> Result<(), KernelError> {
    let mut flags = AddressFlags::empty();
    if address.addr().is_ipv6() {
        flags |= AddressFlags::Nodad;
    }
    if kind == PrefixRoute::Without {
        flags |= AddressFlags::Noprefixroute;
    }
    let mut request = handle.address().add(link.index, address.addr(), address.prefix_len());
    request.message_mut().attributes.push(AddressAttribute::Flags(flags));
    request.execute().await.map_err(refused(format!("give {} the address {address}", link.name)))
}
