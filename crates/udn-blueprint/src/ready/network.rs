//! A network that has its numbers.
//!
//! Invariant: a primary layer-2 network has both tunnel keys, and a transit subnet for each of its
//! families.

use udn_model::{
    ClusterSettings, Family, MacAddress, Mtu, Network, NetworkGrant, PlatformAddresses, Primary,
    Role, Subnet, Topology, TunnelKey,
};

use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names::Prefix;

/// Any network.
#[derive(Debug)]
pub(crate) struct ReadyNetwork<'a> {
    pub(crate) network: &'a Network,
    pub(crate) numbers: &'a NetworkGrant,
    pub(crate) prefix: Prefix,
}

/// A primary layer-2 network.
#[derive(Debug)]
pub(crate) struct PrimaryLayer2<'a> {
    pub(crate) base: ReadyNetwork<'a>,
    pub(crate) primary: &'a Primary,
    /// One per subnet, in their order.
    pub(crate) platform: Vec<PlatformAddresses>,
    pub(crate) gateway_mac: MacAddress,
    pub(crate) management_mac: MacAddress,
    pub(crate) router_key: TunnelKey,
}

impl<'a> ReadyNetwork<'a> {
    pub(crate) fn of(input: &DrawingInput<'a>, network: &'a Network) -> Result<Self, Missing> {
        let numbers = input.grants.networks.get(&network.name).ok_or(Missing::Numbers)?;
        if !is_whole(network, numbers) {
            return Err(Missing::Numbers);
        }
        Ok(Self { network, numbers, prefix: Prefix::of(&network.name) })
    }

    /// The size of the largest packet.
    pub(crate) fn mtu(&self, settings: &ClusterSettings) -> Mtu {
        self.network.mtu.unwrap_or(settings.mtu)
    }

    /// A found thing, or what is missing; a family that only the cluster uses may go without.
    pub(crate) fn or_missing<T>(
        &self,
        found: Option<T>,
        missing: Missing,
        family: Family,
    ) -> Option<Result<T, Missing>> {
        let is_needed = || self.network.families().any(|it| it == family);
        found.map(Ok).or_else(|| is_needed().then_some(Err(missing)))
    }
}

impl<'a> PrimaryLayer2<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &'a Network,
        primary: &'a Primary,
    ) -> Result<Self, Missing> {
        let base = ReadyNetwork::of(input, network)?;
        let [_, router_key] = base.numbers.tunnel_keys[..] else { return Err(Missing::Numbers) };
        Ok(Self {
            primary,
            platform: network.platform_addresses(),
            gateway_mac: network.gateway_mac().ok_or(Missing::Subnet)?,
            management_mac: network.management_mac().ok_or(Missing::Subnet)?,
            router_key,
            base,
        })
    }

    pub(crate) fn prefix(&self) -> &Prefix {
        &self.base.prefix
    }

    pub(crate) fn network(&self) -> &'a Network {
        self.base.network
    }

    /// The subnets between the transit router and the gateway routers, for the network's families.
    pub(crate) fn transit(&self) -> impl Iterator<Item = Subnet> {
        let families = self.network().families();
        families.filter_map(|family| self.base.numbers.transit.of(family).copied())
    }
}

fn is_whole(network: &Network, numbers: &NetworkGrant) -> bool {
    let has_transit = |subnet: Subnet| numbers.transit.of(subnet.family()).is_some();
    match network.topology {
        Topology::Layer2(Role::Primary(_)) => {
            numbers.tunnel_keys.len() == 2 && network.subnets.iter().all(has_transit)
        }
        Topology::Layer2(Role::Secondary) | Topology::Layer3(_) | Topology::Localnet(_) => true,
    }
}
