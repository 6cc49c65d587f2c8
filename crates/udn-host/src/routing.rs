//! Routes and rules of the host: which packets look into which table, and where they find a way.
//!
//! A host's links into several networks may carry the same addresses, so each network has a table
//! of routes of its own, and rules that choose it. The default network is where the host itself is
//! at home: its routes are in the table into which everybody looks. Nothing relies on the kernel's
//! virtual routing domains, which not every kernel has.
//! Invariant: no two networks share a table or a rule, and what comes out of a network finds no way
//! into another one.

use std::collections::BTreeSet;
use std::net::IpAddr;

use udn_model::{Family, GatewayMode, MacAddress, NetworkId, PlatformAddresses, Subnet};

use crate::facts::{NetworkFacts, NodeFacts};
use crate::links::{everything, host_link_name};

/// The priority of all our rules.
// compat: pkg/node/gateway_udn.go, UDNMasqueradeIPRulePriority
pub const RULE_PRIORITY: u32 = 2000;
/// How much worse than any other a route is that only says that there is none.
// compat: pkg/node/gateway_udn.go, the metric of the unreachable default route
pub const LAST_RESORT: u32 = 4_278_198_272;
/// The table that a kernel looks into when no rule says otherwise.
pub const MAIN_TABLE: u32 = 254;

/// All rules and routes of ours on the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routing {
    pub rules: BTreeSet<Rule>,
    pub routes: BTreeSet<HostRoute>,
    pub neighbours: BTreeSet<HostNeighbour>,
    /// Whether the default network is ours, and with it what carries our marks in the main table;
    /// if it is another plugin's, so are they.
    pub owns_main_table: bool,
}

/// Which packets look into which table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    pub family: Family,
    pub selector: Selector,
    pub table: u32,
}

/// Which packets a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    /// Those that carry this mark.
    Mark(u32),
    /// Those to this address.
    To(IpAddr),
    /// Those that come in through this link and are for somebody else than the host.
    From(String),
    /// Those that have this address of ours.
    Source(IpAddr),
}

/// A route of the host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostRoute {
    pub table: u32,
    pub destination: Subnet,
    /// Of routes to the same destination, that of the least metric counts; zero is the usual one.
    pub metric: u32,
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

/// A neighbour that the host need not look for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostNeighbour {
    pub link: String,
    pub ip: IpAddr,
    pub mac: MacAddress,
}

/// The table that holds a network's routes; it has the number of the network's packet mark.
pub fn table(network: NetworkId) -> u32 {
    if network == NetworkId::DEFAULT { MAIN_TABLE } else { network.packet_mark() }
}

/// Whether a table can be one of a network's own.
pub fn is_our_table(table: u32) -> bool {
    (0x1001..=0x1fff).contains(&table)
}

pub(crate) fn routing(node: &NodeFacts, networks: &[NetworkFacts]) -> Routing {
    let mut routing = Routing::default();
    for network in networks {
        for own in &network.addresses {
            routing.add_subnet(network, own.subnet);
            if !network.is_default() {
                routing.add_rules(node, network, own.subnet.family());
            }
        }
        for (range, own) in network.ranges_elsewhere() {
            routing.add_range(network, range, own);
        }
        if network.is_default() {
            routing.owns_main_table = true;
            routing.add_services(node);
        }
    }
    routing
}

impl Routing {
    fn add_route(&mut self, table: u32, destination: Subnet, way: Way) {
        self.routes.insert(HostRoute { table, destination, metric: 0, way });
    }

    fn add_subnet(&mut self, network: &NetworkFacts, subnet: Subnet) {
        let way = Way::Link { link: host_link_name(network.id) };
        self.add_route(table(network.id), subnet, way);
    }

    /// Other nodes' parts of a network are behind its gateway.
    fn add_range(&mut self, network: &NetworkFacts, range: Subnet, own: &PlatformAddresses) {
        let way = Way::NextHop { next_hop: own.gateway, link: host_link_name(network.id) };
        self.add_route(table(network.id), range, way);
    }

    /// What is of a network that is not the host's home looks into the network's own table.
    fn add_rules(&mut self, node: &NodeFacts, network: &NetworkFacts, family: Family) {
        let (table, link) = (table(network.id), host_link_name(network.id));
        let mut rule = |selector| self.rules.insert(Rule { family, selector, table });
        rule(Selector::Mark(network.id.packet_mark()));
        rule(Selector::From(link.clone()));
        if let Some(masquerade) = network.masquerade.of(family) {
            // Pods that speak to the node come from this address, and answers go back to it.
            rule(Selector::To(masquerade.management));
            let pods = Subnet::of(masquerade.management.into());
            self.add_route(table, pods, Way::Link { link });
        }
        let mut next_hops = node.gateway.next_hops.iter().copied();
        if let Some(next_hop) = next_hops.find(|next_hop| Family::of(*next_hop) == family) {
            let way = Way::NextHop { next_hop, link: node.gateway.bridge.clone() };
            self.add_route(table, everything(family), way);
        }
        self.add_route(table, everything(family), Way::Unreachable);
    }

    /// The host reaches services through the default network's gateway router, by way of a next
    /// hop that nobody needs to be: the bridge hands such packets to the router.
    // compat: pkg/node/gateway_shared_intf.go, the dummy next hop of service routes
    fn add_services(&mut self, node: &NodeFacts) {
        match node.gateway_mode {
            GatewayMode::Shared => {}
            GatewayMode::Local => return,
        }
        for service in &node.service_subnets {
            let Some(masquerade) = node.masquerade.of(service.family()) else { continue };
            let (next_hop, link) = (masquerade.next_hop, node.gateway.bridge.clone());
            let own = Subnet::of(next_hop.into());
            self.add_route(MAIN_TABLE, own, Way::Link { link: link.clone() });
            self.add_route(MAIN_TABLE, *service, Way::NextHop { next_hop, link: link.clone() });
            let mac = MacAddress::from_ip(next_hop);
            self.neighbours.insert(HostNeighbour { link, ip: next_hop, mac });
        }
    }
}
