//! Links, addresses, routes and rules, on the host and in pods.
//!
//! A host's links into several networks may carry the same addresses, so each network has a table
//! of routes of its own, and rules that choose it. Nothing relies on the kernel's virtual routing
//! domains, which not every kernel has.
//! Invariant: no two networks share a link, a table or a rule.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use udn_model::{
    AttachmentKey, Family, InterfaceAddress, MacAddress, Mtu, NetworkId, NetworkName,
    PlatformAddresses, Route, Subnet,
};

use crate::facts::{Datapath, NetworkFacts, NodeFacts, PodFacts};

/// The priority of all our rules.
// compat: pkg/node/gateway_udn.go, UDNMasqueradeIPRulePriority
pub const RULE_PRIORITY: u32 = 2000;
/// How much worse than any other a route is that only says that there is none.
// compat: pkg/node/gateway_udn.go, the metric of the unreachable default route
pub const LAST_RESORT: u32 = 4_278_198_272;

/// The host's own link into a primary network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLink {
    pub network: NetworkName,
    pub name: String,
    pub addresses: Vec<InterfaceAddress>,
    /// Set before the link comes up, so that its addresses work at once.
    pub parameters: Vec<Parameter>,
}

/// A parameter of the kernel, by its path below `/proc/sys/net`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parameter {
    pub path: String,
    pub value: &'static str,
}

/// All rules and routes of ours on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routing {
    pub rules: BTreeSet<Rule>,
    pub routes: BTreeSet<HostRoute>,
}

/// Which packets look into which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub family: Family,
    pub selector: Selector,
    pub table: u32,
}

/// Which packets a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// Those that carry this mark.
    Mark(u32),
    /// Those to this address.
    To(IpAddr),
}

/// A route of the host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostRoute {
    pub table: u32,
    pub destination: Subnet,
    pub way: Way,
}

/// Where a route leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// To neighbours on a link.
    Link { link: String },
    /// Through a next hop on a link.
    NextHop { next_hop: IpAddr, link: String },
    /// Nowhere, and the sender is told so.
    Unreachable,
}

/// A pod's cable: one end on the host, one in the pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodLink {
    pub attachment: AttachmentKey,
    pub link: String,
    pub namespace: PathBuf,
    pub interface: String,
    pub mac: MacAddress,
    pub mtu: Mtu,
    pub addresses: Vec<InterfaceAddress>,
    pub routes: Vec<Route>,
    /// Set on the host's end before it comes up.
    pub host_parameters: Vec<Parameter>,
    /// Set on the pod's end before it comes up.
    pub parameters: Vec<Parameter>,
    pub checksums: Checksums,
    /// The bridge that drops the pod's router advertisements; none where it may send them.
    pub guarding_bridge: Option<String>,
}

/// Who fills in the checksums of what a pod sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checksums {
    /// Whoever comes last, as usual.
    Deferred,
    /// The pod's kernel, before anything leaves.
    Immediate,
}

/// The name of the host's link into a network.
// compat: pkg/util/multi_network.go, GetNetworkScopedK8sMgmtHostIntfName
pub fn host_link_name(network: NetworkId) -> String {
    format!("ovn-k8s-mp{network}")
}

/// The table that holds a network's routes; it has the number of the network's packet mark.
pub fn table(network: NetworkId) -> u32 {
    network.packet_mark()
}

/// Whether a table can be one of ours.
pub fn is_our_table(table: u32) -> bool {
    (0x1001..=0x1fff).contains(&table)
}

pub(crate) fn host_link(network: &NetworkFacts) -> HostLink {
    let name = host_link_name(network.id);
    let parameter = |family: &str, parameter: &str, value| Parameter {
        path: format!("{family}/conf/{name}/{parameter}"),
        value,
    };
    let parameters = vec![
        // The way back to a masquerade address is in a table that the filter does not look into.
        parameter("ipv4", "rp_filter", "2"),
        parameter("ipv4", "forwarding", "1"),
        parameter("ipv6", "forwarding", "1"),
        parameter("ipv6", "accept_ra", "0"),
        // Without a search for duplicates; to send no probes alone would still wait for a second.
        parameter("ipv6", "accept_dad", "0"),
    ];
    let own = network.addresses.iter();
    let addresses = own.map(PlatformAddresses::management_on_interface).collect();
    HostLink { network: network.name.clone(), name, addresses, parameters }
}

pub(crate) fn routing(node: &NodeFacts, networks: &[NetworkFacts]) -> Routing {
    let mut routing = Routing::default();
    for network in networks {
        for subnet in network.addresses.iter().map(|it| it.subnet) {
            routing.add(node, network, subnet);
        }
    }
    routing
}

impl Routing {
    fn add(&mut self, node: &NodeFacts, network: &NetworkFacts, subnet: Subnet) {
        let (family, table, link) =
            (subnet.family(), table(network.id), host_link_name(network.id));
        let everything = everything(family);
        let mut rule = |selector| self.rules.insert(Rule { family, selector, table });
        let mut route = |destination, way| {
            self.routes.insert(HostRoute { table, destination, way });
        };
        rule(Selector::Mark(network.id.packet_mark()));
        if let Some(masquerade) = network.masquerade.of(family) {
            // Pods that speak to the node come from this address, and answers go back to it.
            rule(Selector::To(masquerade.management));
            let pods = Subnet::of(masquerade.management.into());
            route(pods, Way::Link { link: link.clone() });
        }
        route(subnet, Way::Link { link });
        let mut next_hops = node.gateway.next_hops.iter().copied();
        if let Some(next_hop) = next_hops.find(|next_hop| Family::of(*next_hop) == family) {
            route(everything, Way::NextHop { next_hop, link: node.gateway.bridge.clone() });
        }
        route(everything, Way::Unreachable);
    }
}

pub(crate) fn pod_link(node: &NodeFacts, pod: &PodFacts) -> PodLink {
    let parameter = |parameter: &str, value| Parameter {
        path: format!("ipv6/conf/{}/{parameter}", pod.interface),
        value,
    };
    let default = |gateway: &IpAddr| {
        let destination = everything(Family::of(*gateway)).net();
        Route { destination, next_hop: *gateway }
    };
    let routes = pod.gateways.iter().map(default).chain(pod.routes.iter().copied()).collect();
    PodLink {
        attachment: pod.key.clone(),
        link: pod.link.clone(),
        namespace: pod.namespace.clone(),
        interface: pod.interface.clone(),
        mac: pod.mac,
        mtu: pod.mtu,
        addresses: pod.addresses.clone(),
        routes,
        host_parameters: match node.datapath {
            Datapath::Kernel => Vec::new(),
            Datapath::Userspace => silence(&pod.link),
        },
        // compat: pkg/cni/helper_linux.go, setupInterface; it waits where `accept_dad` need not
        parameters: vec![
            parameter("accept_dad", "0"),
            parameter("dad_transmits", "0"),
            parameter("addr_gen_mode", "0"),
        ],
        checksums: match node.datapath {
            Datapath::Kernel => Checksums::Deferred,
            Datapath::Userspace => Checksums::Immediate,
        },
        guarding_bridge: pod.is_guarded.then(|| node.integration_bridge.clone()),
    }
}

/// Keeps the kernel from speaking on a link that is a port of a userspace switch.
///
/// It sees every frame that such a switch takes, and would answer a pod's questions for the host's
/// own addresses, past all virtual networks.
fn silence(link: &str) -> Vec<Parameter> {
    vec![
        Parameter { path: format!("ipv4/conf/{link}/arp_ignore"), value: "8" },
        Parameter { path: format!("ipv6/conf/{link}/disable_ipv6"), value: "1" },
    ]
}

/// The subnet of all addresses.
pub fn everything(family: Family) -> Subnet {
    let lowest: IpAddr = match family {
        Family::V4 => Ipv4Addr::UNSPECIFIED.into(),
        Family::V6 => Ipv6Addr::UNSPECIFIED.into(),
    };
    Subnet::of(InterfaceAddress::new(lowest, 0).expect("a prefix may be empty"))
}
