//! What holds for the whole cluster, parsed once and passed as a value.
//!
//! Invariant: a setting is used only for what is not settled yet; living networks keep theirs.

use std::collections::BTreeSet;
use std::fmt;

use serde::Serialize;

use crate::address::{ClusterSubnet, Family, PerFamily, Subnet};
use crate::names::ObjectName;
use crate::node::GatewayMode;
use crate::numbers::Mtu;

/// The cluster's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusterSettings {
    /// The address families that the cluster itself uses.
    pub families: BTreeSet<Family>,
    pub gateway_mode: GatewayMode,
    /// The size of packets on overlay networks.
    pub mtu: Mtu,
    /// Where the default network's pods live.
    pub cluster_subnets: Vec<ClusterSubnet>,
    /// Whether the default network is ours to build; otherwise another plugin does.
    pub builds_default_network: bool,
    pub service_subnets: Vec<Subnet>,
    /// Where the default network's gateway routers have their addresses.
    pub default_join: PerFamily<Subnet>,
    /// Where primary networks' gateway routers have theirs, unless a network says otherwise.
    pub join: PerFamily<Subnet>,
    /// Where the search for a network's transit subnet begins.
    pub transit: PerFamily<Subnet>,
    pub masquerade: PerFamily<Subnet>,
    /// The ports with which translated connections leave, so that those on which nodes listen stay
    /// theirs; any where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral_ports: Option<PortRange>,
    /// Services of the default network that primary networks may reach.
    pub allowed_services: BTreeSet<ObjectName>,
    /// The key of the external bridge in the nodes' bridge mappings.
    pub external_physical_network: String,
    pub pools: PoolSettings,
    pub features: Features,
    /// The NAD of the default network.
    pub default_nad: ObjectName,
    /// What becomes of pods that still name their claim by the deprecated annotation.
    pub claim_annotation: Deprecation,
}

/// Ports from the first to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PortRange {
    pub first: u16,
    pub last: u16,
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// How far a deprecation went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deprecation {
    /// It works, and a warning says that it will not for ever.
    Warn,
    /// Who uses it is refused.
    Refuse,
    /// It has no effect.
    Ignore,
}

/// What an administrator may switch off; a network that asks for it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Features {
    /// Networks may be the main one of pods, for which the default network has to leave them room.
    pub primary_networks: bool,
    /// Addresses may outlive pods, through claims.
    pub persistent_addresses: bool,
    /// Workloads may ask for addresses, and networks may set ranges and gateways for that.
    pub requested_addresses: bool,
    /// Networks may be carried by EVPN.
    pub evpn: bool,
    /// Nodes carry a label for each physical network that they have.
    pub node_labels: bool,
    /// Workloads are kept from being routers and DHCP servers on secondary networks and localnets
    /// too, as they always are on networks with a gateway of ours.
    pub secondary_router_guard: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            primary_networks: true,
            persistent_addresses: true,
            requested_addresses: true,
            evpn: false,
            node_labels: false,
            secondary_router_guard: true,
        }
    }
}

/// How far the pools of numbers reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PoolSettings {
    /// The highest network id.
    pub last_network: u16,
    /// The highest node id.
    pub last_node: u16,
    /// The highest tunnel key.
    pub last_tunnel_key: u32,
    /// The highest port key within a network.
    pub last_port_key: u16,
}

impl Default for PoolSettings {
    fn default() -> Self {
        let (last_network, last_node) = (4095, 4999);
        Self { last_network, last_node, last_tunnel_key: 0xff_ffff, last_port_key: 32767 }
    }
}

impl Default for ClusterSettings {
    fn default() -> Self {
        let subnet = |text| Subnet::parse(text).expect("defaults are well formed");
        let cut = |text, host_prefix_len| ClusterSubnet { subnet: subnet(text), host_prefix_len };
        let both = |v4, v6| PerFamily { v4: Some(subnet(v4)), v6: Some(subnet(v6)) };
        Self {
            families: BTreeSet::from(Family::BOTH),
            gateway_mode: GatewayMode::Shared,
            mtu: Mtu::new(1400).expect("1400 is within bounds"),
            cluster_subnets: vec![cut("10.128.0.0/14", 23), cut("fd01::/48", 64)],
            builds_default_network: false,
            service_subnets: vec![subnet("172.30.0.0/16"), subnet("fd02::/112")],
            default_join: both("100.64.0.0/16", "fd98::/64"),
            join: both("100.65.0.0/16", "fd99::/64"),
            transit: both("100.88.0.0/16", "fd97::/64"),
            // compat: the other project's defaults (169.254.169.0/29, fd69::/125) have no room for
            // even one network; these are what its deployments set.
            masquerade: both("169.254.0.0/17", "fd69::/112"),
            ephemeral_ports: None,
            allowed_services: BTreeSet::from([
                ObjectName::new("default", "kubernetes"),
                ObjectName::new("kube-system", "kube-dns"),
            ]),
            external_physical_network: "physnet".to_owned(),
            pools: PoolSettings::default(),
            features: Features::default(),
            default_nad: ObjectName::new("ovn-kubernetes", "default"),
            claim_annotation: Deprecation::Warn,
        }
    }
}
