//! Which networks a node may have subnets of, found without the cache.
//!
//! Invariant: only networks that were built and what stands on NADs and manifests counts.

use std::collections::{BTreeMap, BTreeSet};

use udn_cluster::{Layer3View, World};
use udn_model::{ClusterSubnet, Network, NetworkName};
use udn_wire::object::Node;
use udn_wire::{NadAnnotations, NadConfig, NodeSubnets, keys};

use super::home;
use super::sight::Built;

/// What a node sees of layer-3 networks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SubnetSight {
    pub(crate) networks: BTreeMap<NetworkName, Vec<ClusterSubnet>>,
    pub(crate) gone: BTreeSet<String>,
}

impl SubnetSight {
    pub(crate) fn of(view: &Layer3View) -> Self {
        let ranges = |it: &Network| it.layer3().unwrap().subnets.clone();
        let networks = view.networks.iter().map(|(name, it)| (name.clone(), ranges(it)));
        Self { networks: networks.collect(), gone: view.gone.clone() }
    }
}

pub(crate) fn subnet_sight(world: &World, built: &Built, node: &Node) -> SubnetSight {
    let routed = built.iter().filter_map(|(name, it)| Some((name, it.layer3()?)));
    let networks = routed.map(|(name, it)| (name.clone(), it.subnets.clone())).collect();
    let carried = node.metadata.annotation(keys::NODE_SUBNETS);
    let carried = carried.and_then(|it| NodeSubnets::decode(it).ok()).unwrap_or_default();
    let is_gone = |name: &&str| {
        let network = NetworkName::new(name);
        *name != Network::DEFAULT
            && match built.get(&network) {
                Some(built) => built.layer3().is_none(),
                None => !spoken_of(world).contains(&network),
            }
    };
    let gone = carried.networks().filter(is_gone).map(ToOwned::to_owned).collect();
    SubnetSight { networks, gone }
}

/// The networks that UDNs, CUDNs and NADs name.
fn spoken_of(world: &World) -> BTreeSet<NetworkName> {
    let udns = world.networks.keys().map(|it| keys::udn_network(&it.namespace, &it.name));
    let cudns = world.cluster_networks.keys().map(|it| keys::cudn_network(it));
    let mut all: BTreeSet<NetworkName> =
        udns.chain(cudns).map(|it| NetworkName::new(&it)).collect();
    for (name, nad) in &world.nads {
        all.extend(home(world, name).and_then(|it| it.network()));
        let told = match NadConfig::decode(&nad.spec.config) {
            Ok(NadConfig::Network(config)) => config.name,
            Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => continue,
            Err(_) => String::new(),
        };
        let marked = NadAnnotations::decode(&nad.metadata.annotations).unwrap_or_default().name;
        all.extend(if told.is_empty() { marked } else { Some(NetworkName::new(&told)) });
    }
    all
}
