//! Neighbours that the host need not look for.
//!
//! Invariant: nobody is forgotten: a neighbour that is no longer planned disturbs nobody, because
//! no route leads to it.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use rtnetlink::Handle;
use rtnetlink::packet_route::neighbour::{
    NeighbourAddress, NeighbourAttribute, NeighbourMessage, NeighbourState,
};
use udn_host::routing::HostNeighbour;

use super::links::Link;
use super::{KernelError, links, refused};

/// Adds what is missing; returns how much that was.
pub(super) async fn apply(
    handle: &Handle,
    wanted: &BTreeSet<HostNeighbour>,
) -> Result<usize, KernelError> {
    let mut changes = 0;
    for neighbour in wanted {
        let link = links::require(handle, &neighbour.link).await?;
        if !stands(handle, &link, neighbour).await? {
            let request = handle.neighbours().add(link.index, neighbour.ip);
            let request = request.link_layer_address(&neighbour.mac.octets()).replace();
            let deed = format!("tell {} of {}", neighbour.link, neighbour.ip);
            request.execute().await.map_err(refused(deed))?;
            changes += 1;
        }
    }
    Ok(changes)
}

async fn stands(handle: &Handle, link: &Link, wanted: &HostNeighbour) -> Result<bool, KernelError> {
    let known = handle.neighbours().get().execute().try_collect::<Vec<_>>().await;
    let known = known.map_err(refused(format!("list the neighbours of {}", link.name)))?;
    Ok(known.iter().any(|message| message.header.ifindex == link.index && is(message, wanted)))
}

fn is(message: &NeighbourMessage, wanted: &HostNeighbour) -> bool {
    let address = NeighbourAttribute::Destination(NeighbourAddress::from(wanted.ip));
    let mac = NeighbourAttribute::LinkLayerAddress(wanted.mac.octets().to_vec());
    let has = |attribute| message.attributes.contains(&attribute);
    message.header.state == NeighbourState::Permanent && has(address) && has(mac)
}
