//! Links: finding, laying, shaping, removing.
//!
//! Invariant: a cable's pod end is made straight inside the pod, so the host never sees its name.

use std::os::fd::{AsRawFd, BorrowedFd};

use futures_util::TryStreamExt;
use rtnetlink::packet_route::link::{
    InfoData, InfoKind, InfoVeth, LinkAttribute, LinkFlags, LinkInfo, LinkMessage,
};
use rtnetlink::{Error, Handle, LinkUnspec, LinkVeth};
use udn_host::PodLink;
use udn_model::{MacAddress, Mtu};

use super::{KernelError, refused};

/// A link that is there.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) index: u32,
    pub(super) is_up: bool,
    pub(super) mac: Option<MacAddress>,
    pub(super) mtu: Option<u32>,
    /// Whether it is an end of a cable.
    pub(super) is_cable: bool,
}

/// The link of this name, if there is one.
pub(super) async fn find(handle: &Handle, name: &str) -> Result<Option<Link>, KernelError> {
    let mut found = handle.link().get().match_name(name).execute();
    match found.try_next().await {
        Ok(message) => Ok(message.map(|message| read(name, &message))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(source) => Err(refused(format!("look for the link {name}"))(source)),
    }
}

/// The link of this name, which must be there.
pub(super) async fn require(handle: &Handle, name: &str) -> Result<Link, KernelError> {
    let found = find(handle, name).await?;
    found.ok_or_else(|| KernelError::NoLink { link: name.to_owned() })
}

/// Lays a pod's cable; both ends are down.
pub(super) async fn lay(
    handle: &Handle,
    pod: &PodLink,
    namespace: BorrowedFd<'_>,
) -> Result<(), KernelError> {
    let inside = LinkUnspec::new_with_name(&pod.interface)
        .mtu(pod.mtu.get())
        .address(pod.mac.octets().to_vec())
        .setns_by_fd(namespace.as_raw_fd())
        .build();
    let cable = LinkVeth::new(&pod.link, &pod.interface)
        .set_info_data(InfoData::Veth(InfoVeth::Peer(inside)))
        .mtu(pod.mtu.get())
        .build();
    let laid = handle.link().add(cable).execute().await;
    let deed = || format!("lay the cable {} to {} of the pod", pod.link, pod.interface);
    laid.map_err(|source| refused(deed())(source))
}

/// Gives a link its MAC address and the size of its packets.
pub(super) async fn shape(
    handle: &Handle,
    link: &Link,
    mac: MacAddress,
    mtu: Mtu,
) -> Result<usize, KernelError> {
    if link.mac == Some(mac) && link.mtu == Some(mtu.get()) {
        return Ok(0);
    }
    let message = LinkUnspec::new_with_index(link.index)
        .address(mac.octets().to_vec())
        .mtu(mtu.get())
        .build();
    let deed = format!("give {} the address {mac} and packets of {mtu} bytes", link.name);
    handle.link().set(message).execute().await.map_err(refused(deed))?;
    Ok(1)
}

/// Brings a link up.
pub(super) async fn bring_up(handle: &Handle, link: &Link) -> Result<usize, KernelError> {
    if link.is_up {
        return Ok(0);
    }
    let message = LinkUnspec::new_with_index(link.index).up().build();
    let deed = format!("bring {} up", link.name);
    handle.link().set(message).execute().await.map_err(refused(deed))?;
    Ok(1)
}

/// Removes a link, if it is there.
pub(super) async fn remove(handle: &Handle, name: &str) -> Result<usize, KernelError> {
    let Some(link) = find(handle, name).await? else { return Ok(0) };
    match handle.link().del(link.index).execute().await {
        Ok(()) => Ok(1),
        // It went by itself meanwhile, with its other end.
        Err(error) if is_missing(&error) => Ok(0),
        Err(source) => Err(refused(format!("remove the link {name}"))(source)),
    }
}

pub(super) fn read(name: &str, message: &LinkMessage) -> Link {
    let mut link = Link {
        name: name.to_owned(),
        index: message.header.index,
        is_up: message.header.flags.contains(LinkFlags::Up),
        mac: None,
        mtu: None,
        is_cable: false,
    };
    for attribute in &message.attributes {
        match attribute {
            LinkAttribute::Address(octets) => {
                link.mac = <[u8; 6]>::try_from(octets.as_slice()).ok().map(MacAddress::new);
            }
            LinkAttribute::Mtu(mtu) => link.mtu = Some(*mtu),
            LinkAttribute::LinkInfo(kinds) => {
                link.is_cable = kinds.contains(&LinkInfo::Kind(InfoKind::Veth));
            }
            _ => {}
        }
    }
    link
}

fn is_missing(error: &Error) -> bool {
    use nix::errno::Errno;

    let Error::NetlinkError(message) = error else { return false };
    matches!(Errno::from_raw(-message.raw_code()), Errno::ENODEV | Errno::ENOENT)
}
