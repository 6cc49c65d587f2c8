//! What a node can tell of itself.
//!
//! Reads settings and what is seen; returns [`OwnFacts`], which become annotations of its Node, its
//! report, and a part of what its host is made from.
//! Invariant: of each family one address counts, and it stays the same while the node has it.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_model::{ChassisName, Family, Gateway, InterfaceAddress};
use udn_wire::api::{PhysicalNetwork, UnusablePhysicalNetwork};

use super::identity::{ENCAP_IP, SYSTEM_ID};
use super::physical::{self, physical_networks};
use super::{BridgeSeen, ChassisSettings, KernelSeen, SwitchSeen, UplinkSeen};
use crate::facts::{Datapath, PortNumber};

/// What a node knows of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnFacts {
    /// As the switch has it.
    pub chassis: Option<ChassisName>,
    /// Absent while there is no external bridge with an address.
    pub gateway: Option<Gateway>,
    /// All addresses of the host itself that others can reach.
    pub addresses: Vec<InterfaceAddress>,
    pub tunnel_addresses: Vec<IpAddr>,
    pub physical_networks: Vec<PhysicalNetwork>,
    /// Those that are mapped and cannot be used.
    pub unusable_networks: Vec<UnusablePhysicalNetwork>,
    /// The port of the external bridge that is the wire.
    pub uplink: Option<PortNumber>,
    /// Who moves the packets; not known before there is a bridge.
    pub datapath: Option<Datapath>,
    /// What is wrong with the node, and what to do, as sentences.
    pub complaints: BTreeSet<String>,
}

impl OwnFacts {
    /// Gathers what a node knows of itself; `told` is the way out that it told before.
    pub fn of(
        settings: &ChassisSettings,
        switch: &SwitchSeen,
        kernel: &KernelSeen,
        told: Option<&Gateway>,
    ) -> Self {
        let id = switch.external_ids.get(SYSTEM_ID).filter(|it| !it.is_empty());
        let external = switch.bridges.get(&settings.external_bridge);
        let gateway = external.and_then(|_| gateway(settings, kernel, told));
        let uplink = external.and_then(|it| uplink(settings, it));
        let mut facts = Self {
            chassis: id.map(|it| ChassisName::new(it)),
            addresses: host_addresses(settings, kernel),
            tunnel_addresses: tunnel_addresses(settings, switch, gateway.as_ref()),
            physical_networks: physical_networks(switch),
            unusable_networks: physical::unusable(switch),
            uplink: uplink.and_then(|it| it.number),
            datapath: datapath(settings, switch),
            complaints: physical::complaints(switch),
            gateway,
        };
        facts.complaints.extend(facts.complain(settings, external));
        facts
    }

    fn complain(&self, settings: &ChassisSettings, external: Option<&BridgeSeen>) -> Vec<String> {
        let bridge = &settings.external_bridge;
        let Some(external) = external else {
            return vec![format!(
                "the switch has no bridge {bridge}, so no network reaches the outside; make it with \
                 the node's uplink and addresses on it, or name another with --external-bridge"
            )];
        };
        let mut complaints = Vec::new();
        if self.gateway.is_none() {
            complaints.push(format!(
                "{bridge} has no address, so no network reaches the outside; move the node's address \
                 there from its uplink"
            ));
        }
        match uplink(settings, external) {
            None => complaints
                .push(format!("{bridge} has no port that is a wire; add the node's uplink to it")),
            Some(it) if external.uplinks.len() > 1 && settings.uplink.is_none() => {
                complaints.push(format!(
                    "{bridge} has {} ports that may be the wire, and {} is taken for it; name it with \
                     --uplink",
                    external.uplinks.len(),
                    it.name
                ));
            }
            Some(_) => {}
        }
        complaints
    }
}

fn datapath(settings: &ChassisSettings, switch: &SwitchSeen) -> Option<Datapath> {
    // OVN's own bridge gets the datapath of the external one.
    let bridges = [&settings.external_bridge, &settings.integration_bridge];
    let bridge = bridges.into_iter().find_map(|name| switch.bridges.get(name))?;
    Some(if is_userspace(bridge) { Datapath::Userspace } else { Datapath::Kernel })
}

/// Whether vswitchd itself forwards what comes to a bridge; the kernel does for all others.
pub(super) fn is_userspace(bridge: &BridgeSeen) -> bool {
    bridge.datapath_type == "netdev"
}

fn uplink<'a>(settings: &ChassisSettings, external: &'a BridgeSeen) -> Option<&'a UplinkSeen> {
    let mut uplinks = external.uplinks.iter();
    match &settings.uplink {
        Some(name) => uplinks.find(|it| it.name == *name),
        None => uplinks.min_by_key(|it| &it.name),
    }
}

fn gateway(
    settings: &ChassisSettings,
    kernel: &KernelSeen,
    told: Option<&Gateway>,
) -> Option<Gateway> {
    let mac = kernel.links.get(&settings.external_bridge)?.mac?;
    let addresses = bridge_addresses(settings, kernel, told);
    (!addresses.is_empty()).then(|| Gateway {
        bridge: settings.external_bridge.clone(),
        mac,
        addresses,
        next_hops: next_hops(settings, kernel),
        vlan: None,
        serves_node_ports: true,
    })
}

/// The node's address on the external bridge, of each family that it has there.
// compat: pkg/node/gateway_init.go, getNetworkInterfaceIPAddresses
fn bridge_addresses(
    settings: &ChassisSettings,
    kernel: &KernelSeen,
    told: Option<&Gateway>,
) -> Vec<InterfaceAddress> {
    let link = kernel.links.get(&settings.external_bridge);
    let all = link.map(|it| it.addresses.as_slice()).unwrap_or_default();
    let of_family = |family: Family| {
        let own = || all.iter().copied().filter(move |it| Family::of(it.addr()) == family);
        let usable = || own().filter(|it| is_usable(settings, *it));
        let kept = told.and_then(|it| it.address(family));
        // An address without a subnet is a floating one, which may be elsewhere soon.
        let settled = || usable().find(|it| it.prefix_len() < family.longest_prefix());
        let kept = kept.filter(|it| usable().any(|other| other == *it));
        kept.or_else(settled).or_else(|| usable().next())
    };
    Family::BOTH.into_iter().filter_map(of_family).collect()
}

/// Where the default routes over the external bridge lead, those of the best metric.
fn next_hops(settings: &ChassisSettings, kernel: &KernelSeen) -> Vec<IpAddr> {
    let over = kernel.default_routes.iter().filter(|it| it.link == settings.external_bridge);
    let mut next_hops = BTreeSet::new();
    for family in Family::BOTH {
        let own = || over.clone().filter(move |it| Family::of(it.next_hop) == family);
        let best = own().map(|it| it.metric).min();
        next_hops.extend(own().filter(|it| Some(it.metric) == best).map(|it| it.next_hop));
    }
    next_hops.into_iter().collect()
}

/// Whether a link of this name is the host's own into a network.
pub fn is_host_link(name: &str) -> bool {
    let number = name.strip_prefix("ovn-k8s-mp");
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

fn host_addresses(settings: &ChassisSettings, kernel: &KernelSeen) -> Vec<InterfaceAddress> {
    let links = kernel.links.iter().filter(|(name, _)| *name != "lo" && !is_host_link(name));
    let all = links.flat_map(|(_, link)| link.addresses.iter().copied());
    let usable: BTreeSet<InterfaceAddress> = all.filter(|it| is_usable(settings, *it)).collect();
    usable.into_iter().collect()
}

/// Whether others can reach the address.
fn is_usable(settings: &ChassisSettings, address: InterfaceAddress) -> bool {
    let ip = address.addr();
    let is_own = settings.masquerade.of(Family::of(ip)).is_some_and(|it| it.contains(ip));
    let is_of_link = match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    };
    !is_own && !is_of_link && !ip.is_loopback() && !ip.is_unspecified()
}

/// Where tunnels end, by the settings and the addresses on the external bridge.
pub(super) fn tunnels_of(
    settings: &ChassisSettings,
    addresses: &[InterfaceAddress],
) -> Vec<IpAddr> {
    match settings.tunnel_addresses.as_slice() {
        [] => addresses.first().map(InterfaceAddress::addr).into_iter().collect(),
        given => given.to_vec(),
    }
}

/// Where tunnels end, as the switch has it.
fn tunnel_addresses(
    settings: &ChassisSettings,
    switch: &SwitchSeen,
    gateway: Option<&Gateway>,
) -> Vec<IpAddr> {
    let standing = switch.external_ids.get(ENCAP_IP).map(String::as_str).unwrap_or_default();
    let read: Vec<IpAddr> = standing.split(',').filter_map(|it| it.trim().parse().ok()).collect();
    if read.is_empty() {
        let addresses = gateway.map(|it| it.addresses.as_slice()).unwrap_or_default();
        return tunnels_of(settings, addresses);
    }
    read
}
