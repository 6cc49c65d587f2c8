//! The numbers that stand in the statuses of UDNs and CUDNs.
//!
//! Invariant: a status that tells something impossible counts as one that does not tell it.

use udn_model::{NetworkId, NetworkName, PublishedNetwork, Subnet, TunnelKey};
use udn_wire::addresses::{one_per_family, parse_subnets};
use udn_wire::api::NetworkStatus;
use udn_wire::keys::{cudn_network, udn_network};

use super::nads::PublishedNetworks;
use crate::world::World;

/// All of them, by network.
pub(super) fn published(world: &World) -> PublishedNetworks {
    let narrow = world.networks.iter();
    let narrow = narrow.map(|(name, it)| (udn_network(&name.namespace, &name.name), &it.status));
    let wide = world.cluster_networks.iter();
    let wide = wide.map(|(name, it)| (cudn_network(name), &it.status));
    narrow.chain(wide).map(|(name, it)| (NetworkName::new(&name), numbers(it))).collect()
}

/// The id of one network, as its status tells it.
pub(super) fn id(status: &NetworkStatus) -> Option<NetworkId> {
    status.network_id.and_then(|number| u16::try_from(number).ok()).and_then(NetworkId::new)
}

fn numbers(status: &NetworkStatus) -> PublishedNetwork {
    let key = |number: &i32| u32::try_from(*number).ok().and_then(TunnelKey::new);
    let keys = status.tunnel_keys.as_ref();
    let list = status.transit_subnets.as_deref().unwrap_or_default().join(",");
    let subnets = parse_subnets("transitSubnets", &list).unwrap_or_default();
    let transit = one_per_family("transitSubnets", &subnets, Subnet::family);
    PublishedNetwork {
        id: id(status),
        tunnel_keys: keys.and_then(|keys| keys.iter().map(key).collect()),
        transit: transit.unwrap_or_default(),
    }
}
