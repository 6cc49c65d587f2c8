//! Links and their addresses, on the host and in pods.
//!
//! Invariant: no two networks share a link.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use udn_model::{
    AttachmentKey, Family, GatewayMode, InterfaceAddress, MacAddress, Mtu, NetworkId, NetworkName,
    PlatformAddresses, Route, Subnet,
};

use crate::facts::{Datapath, Guest, NetworkFacts, NodeFacts, PodFacts};

/// The host's own link into a network.
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
    /// Whether the pod has more links into the same network, so that its answers have to find back by the
    /// address that they come from: the network takes no address from another port than its own.
    pub is_one_of_several: bool,
    /// Set on the host's end before it comes up.
    pub host_parameters: Vec<Parameter>,
    /// Set on the pod's end before it comes up.
    pub parameters: Vec<Parameter>,
    pub checksums: Checksums,
    /// The bridge that drops the pod's router advertisements; none where it may send them.
    pub guarding_bridge: Option<String>,
    /// The only one whose router advertisements reach the pod; anybody where it is absent.
    pub router: Option<Ipv6Addr>,
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

/// What the kernel must do besides, for the host as a whole.
pub(crate) fn host_parameters(node: &NodeFacts, networks: &[NetworkFacts]) -> Vec<Parameter> {
    let forwards = match node.gateway_mode {
        GatewayMode::Shared => false,
        GatewayMode::Local => !networks.is_empty(),
    };
    let paths = [
        format!("ipv4/conf/{}/forwarding", node.gateway.bridge),
        // Over IPv6 the kernel forwards between all links or none.
        "ipv6/conf/all/forwarding".to_owned(),
    ];
    let parameter = |path| Parameter { path, value: "1" };
    if forwards { paths.map(parameter).into() } else { Vec::new() }
}

pub(crate) fn pod_link(integration_bridge: &str, datapath: Datapath, pod: &PodFacts) -> PodLink {
    let default = |gateway: &IpAddr| {
        let destination = everything(Family::of(*gateway)).net();
        Route { destination, next_hop: *gateway }
    };
    let routes = pod.gateways.iter().map(default).chain(pod.routes.iter().copied());
    let is_bare = match pod.guest {
        Guest::None | Guest::Sharing => false,
        Guest::TakingOver => true,
    };
    PodLink {
        attachment: pod.key.clone(),
        link: pod.link.clone(),
        namespace: pod.namespace.clone(),
        interface: pod.interface.clone(),
        mac: pod.mac,
        mtu: pod.mtu,
        addresses: if is_bare { Vec::new() } else { pod.addresses.clone() },
        routes: routes.filter(|_| !is_bare).collect(),
        is_one_of_several: pod.is_one_of_several,
        host_parameters: match datapath {
            Datapath::Kernel => Vec::new(),
            Datapath::Userspace => silence(&pod.link),
        },
        parameters: pod_parameters(pod),
        checksums: match datapath {
            Datapath::Kernel => Checksums::Deferred,
            Datapath::Userspace => Checksums::Immediate,
        },
        guarding_bridge: pod.is_guarded.then(|| integration_bridge.to_owned()),
        router: pod.router,
    }
}

fn pod_parameters(pod: &PodFacts) -> Vec<Parameter> {
    let parameter = |parameter: &str, value| Parameter {
        path: format!("ipv6/conf/{}/{parameter}", pod.interface),
        value,
    };
    // compat: pkg/cni/helper_linux.go, setupInterface; it waits where `accept_dad` need not
    let mut parameters = vec![
        parameter("accept_dad", "0"),
        parameter("dad_transmits", "0"),
        parameter("addr_gen_mode", "0"),
    ];
    // A pod that was given its addresses and routes needs no others; a machine's may be made so.
    if pod.guest == Guest::None && !pod.addresses.is_empty() {
        parameters.push(parameter("accept_ra", "0"));
    }
    if pod.is_one_of_several {
        // Only the link from which answers would leave answers for an address.
        let path = format!("ipv4/conf/{}/arp_filter", pod.interface);
        parameters.push(Parameter { path, value: "1" });
    }
    parameters
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
