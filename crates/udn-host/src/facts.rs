//! What the host plan is made from: plain facts about the node, its networks and its pods.
//!
//! Invariant: a fact is known or absent, never guessed; names that OVN uses come ready-made.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::path::PathBuf;

use udn_model::derived::{FixedMasquerade, NetworkMasquerade};
use udn_model::{
    AttachmentKey, Gateway, GatewayMode, InterfaceAddress, Lock, MacAddress, Mtu, NetworkId,
    NetworkName, PerFamily, PlatformAddresses, Route, Subnet,
};

/// All facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFacts {
    pub node: NodeFacts,
    /// The default network, if it is ours, and the primary networks that are on this node.
    pub networks: Vec<NetworkFacts>,
    /// The attachments of this node's pods, of whatever network.
    pub pods: Vec<PodFacts>,
}

/// What is known of the node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeFacts {
    /// OVN's own bridge, usually `br-int`.
    pub integration_bridge: String,
    /// The way out: the external bridge and the node's addresses on it.
    pub gateway: Gateway,
    /// Whether pods leave past the host or through it.
    pub gateway_mode: GatewayMode,
    /// The port of the external bridge that is the wire.
    pub uplink: PortNumber,
    /// Where services live; such packets never leave the node.
    pub service_subnets: Vec<Subnet>,
    /// The masquerade addresses that are the same for all networks.
    pub masquerade: PerFamily<FixedMasquerade>,
    pub datapath: Datapath,
}

/// Who moves the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datapath {
    Kernel,
    /// Open vSwitch itself, which takes no half-made checksums from links.
    Userspace,
}

/// What is known of a network in which the host has a link: a primary one, or the default one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkFacts {
    pub name: NetworkName,
    pub id: NetworkId,
    /// The host's own port in the network, by OVN's name.
    pub management_port: String,
    pub management_mac: MacAddress,
    /// The network's own addresses, one entry for each of the subnets in which this node's pods are.
    pub addresses: Vec<PlatformAddresses>,
    /// Where the pods of all nodes are: the same subnets, or ranges of which each node has a part.
    pub ranges: Vec<Subnet>,
    /// None on the default network, whose gateway routers have the node's own address.
    pub masquerade: PerFamily<NetworkMasquerade>,
    pub mtu: Mtu,
    /// The port of the external bridge that leads to the network's gateway router; absent until
    /// ovn-controller has made it.
    pub patch: Option<PortNumber>,
}

impl NetworkFacts {
    pub fn is_default(&self) -> bool {
        self.id == NetworkId::DEFAULT
    }

    /// The ranges behind the gateway: those that this node has but a part of.
    pub(crate) fn ranges_elsewhere(&self) -> impl Iterator<Item = (Subnet, &PlatformAddresses)> {
        let of_family = |range: &Subnet| {
            self.addresses.iter().find(|own| own.subnet.family() == range.family())
        };
        let ranges = self.ranges.iter().filter_map(move |range| Some((*range, of_family(range)?)));
        ranges.filter(|(range, own)| *range != own.subnet)
    }
}

/// What is known of one attachment of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodFacts {
    pub key: AttachmentKey,
    pub network: NetworkName,
    pub pod_uid: String,
    /// The container runtime's name for this life of the pod.
    pub sandbox: String,
    /// The attachment's port, by OVN's name.
    pub logical_port: String,
    /// The end of the pod's cable that is on the host.
    pub link: String,
    /// The end that is in the pod.
    pub interface: String,
    /// The pod's network namespace.
    pub namespace: PathBuf,
    pub mac: MacAddress,
    pub addresses: Vec<InterfaceAddress>,
    /// Where the default routes lead; none if another attachment has them.
    pub gateways: Vec<IpAddr>,
    pub routes: Vec<Route>,
    pub mtu: Mtu,
    /// Whether the pod has more links into the same network.
    pub is_one_of_several: bool,
    /// Whether the pod is kept from being a router of its network.
    pub is_guarded: bool,
    /// Where the gateway's router advertisements come from, if the pod may hear no others.
    pub router: Option<Ipv6Addr>,
    pub guest: Guest,
    pub bandwidth: Bandwidth,
    /// What the pod's port on the default network is closed by, if its main network is another.
    pub lock: Option<Lock>,
}

/// Whether a virtual machine runs in a pod, and what it takes from the pod's link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Guest {
    /// None: the pod itself has the addresses.
    #[default]
    None,
    /// One that shares the link with the pod, and may hear router advertisements.
    Sharing,
    /// One that takes the addresses over, so that the pod's own kernel must not have them.
    TakingOver,
}

/// How many bits a second may come and go; any number where it is absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bandwidth {
    /// To the pod.
    pub ingress: Option<u64>,
    /// From the pod.
    pub egress: Option<u64>,
}

/// The number of a port on a bridge, as OpenFlow knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortNumber(u16);

impl PortNumber {
    /// Ports of one's own have numbers below those that OpenFlow reserves.
    pub fn new(number: u16) -> Option<Self> {
        (1..0xff00).contains(&number).then_some(Self(number))
    }

    /// The number as the switch's database has it, which knows -1 for a port that failed.
    pub fn from_column(number: i64) -> Option<Self> {
        u16::try_from(number).ok().and_then(Self::new)
    }

    pub fn get(self) -> u16 {
        self.0
    }
}

impl fmt::Display for PortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl HostFacts {
    /// The same facts in the order in which everything is drawn.
    pub(crate) fn sorted(&self) -> Self {
        let mut facts = self.clone();
        facts.networks.sort_by_key(|network| network.id);
        facts.pods.sort_by(|one, other| one.key.cmp(&other.key));
        facts
    }
}

/// The port of the external bridge behind which a network's gateway router is, by name.
///
/// `bridge_port` is the localnet port that stands for the bridge in the northbound database.
// compat: ovn-controller names patch ports so, controller/patch.c
pub fn patch_port(bridge_port: &str, integration_bridge: &str) -> String {
    format!("patch-{bridge_port}-to-{integration_bridge}")
}
