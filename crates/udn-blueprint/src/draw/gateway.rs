//! Draws what a primary network has because of the zone's own node: the host's port, the gateway
//! router and the way out.
//!
//! Invariant: everything here goes when the node goes, and nothing else does.
// compat: pkg/ovn/gateway.go

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::northbound::{
    LogicalRouter, LogicalRouterPolicy, LogicalRouterPolicyAction, LogicalRouterPort,
    LogicalRouterStaticRoutePolicy, LogicalSwitch, LogicalSwitchPort, PortGroup, StaticMacBinding,
};
use ovn::{Key, Sheet};
use udn_model::{Family, GatewayMode, InterfaceAddress, MacAddress, NodeName};

use super::other_node::transit_port;
use super::rows::{
    Route, Texts, balancers, cluster_ports, destination_field, layer2_switch, marks,
    marks_with_role, networks, protection, route, source_nat, texts, transit_router, with,
};
use super::transit::management;
use crate::input::DrawingInput;
use crate::names::{self, Prefix, ids};
use crate::ready::{OwnNode, ReadyPrimary};

/// How long the gateway router remembers an unused neighbour, in seconds.
// compat: pkg/types/const.go, GRMACBindingAgeThreshold
const NEIGHBOUR_AGE: &str = "300";

pub(super) fn draw_own_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyPrimary<'_>,
    node: &OwnNode<'_>,
) {
    let marks = marks(network.network());
    let transit = transit_router(network.prefix());
    let mut drawing = Drawing { sheet, input, network, node, marks, transit };
    drawing.draw_management_port();
    drawing.draw_transit_port();
    drawing.draw_transit_routes();
    drawing.draw_host_policies();
    let gateway = drawing.draw_gateway_router();
    drawing.draw_gateway_ports(&gateway);
    drawing.draw_gateway_routes(&gateway);
    drawing.draw_gateway_nat(&gateway);
    drawing.draw_external_switch();
    drawing.draw_neighbours();
}

struct Drawing<'d, 'a> {
    sheet: &'d mut Sheet,
    input: &'d DrawingInput<'a>,
    network: &'d ReadyPrimary<'a>,
    node: &'d OwnNode<'a>,
    /// The entries by which rows show the network.
    marks: Texts,
    /// The transit router.
    transit: Key,
}

impl Drawing<'_, '_> {
    fn prefix(&self) -> &Prefix {
        self.network.prefix()
    }

    /// A name of the network on the node.
    fn name(&self, name: fn(&Prefix, &NodeName) -> String) -> String {
        name(self.prefix(), &self.node.node.name)
    }

    /// The host's port; the same MAC and addresses in every zone.
    // compat: pkg/ovn/base_network_controller.go, syncNodeManagementPort
    fn draw_management_port(&mut self) {
        let ips = self.network.platform.iter().map(|platform| platform.management.to_string());
        let mac = self.network.management_mac.to_string();
        let words: Vec<String> = [mac].into_iter().chain(ips).collect();
        let port = LogicalSwitchPort {
            name: self.name(names::management_port),
            addresses: BTreeSet::from([words.join(" ")]),
            ..LogicalSwitchPort::default()
        };
        let switch = layer2_switch(self.prefix());
        let port = self.sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
        let group = cluster_ports(&self.network.network().name);
        self.sheet.join(&port, &group, PortGroup::PORTS);
    }

    fn draw_transit_port(&mut self) {
        let port = LogicalRouterPort {
            name: self.name(names::transit_to_gateway),
            peer: Some(self.name(names::gateway_to_transit)),
            external_ids: self.marks.clone(),
            ..transit_port(&self.node.link)
        };
        self.sheet.draw_under(&port, &self.transit, LogicalRouter::PORTS);
    }

    /// The transit router finds the node's gateway router by its join address, and sends what
    /// leaves the subnet to the gateway router or to the host.
    fn draw_transit_routes(&mut self) {
        for (join, next_hop) in self.node.link.ways_to_join() {
            let route = route(join, next_hop, &self.marks);
            self.sheet.draw_under(&route, &self.transit, LogicalRouter::STATIC_ROUTES);
        }
        for platform in &self.network.platform {
            let pair = self.node.link.pair(platform.subnet.family());
            let next_hop = match self.input.settings.gateway_mode {
                GatewayMode::Shared => pair.map(|pair| pair.gateway_router.addr()),
                GatewayMode::Local => Some(platform.management),
            };
            let Some(next_hop) = next_hop else { continue };
            let policy = Some(LogicalRouterStaticRoutePolicy::SrcIp);
            let route = Route { policy, ..route(platform.subnet, next_hop, &self.marks) };
            self.sheet.draw_under(&route, &self.transit, LogicalRouter::STATIC_ROUTES);
        }
    }

    /// Packets of pods for any address of their own node go to the host.
    // compat: pkg/ovn/gatewayrouter/policybasedroutes.go; all addresses, where the other project
    // has the first of each family. The comment is part of the match.
    fn draw_host_policies(&mut self) {
        let port = names::transit_to_switch(self.prefix());
        let switch = names::layer2_switch(self.prefix());
        for ip in self.node.host_addresses() {
            let Some(management) = management(self.network, ip) else { continue };
            let field = destination_field(ip);
            let policy = LogicalRouterPolicy {
                priority: names::HOST_POLICY,
                r#match: format!("inport == \"{port}\" && {field} == {ip} /* {switch} */"),
                action: Some(LogicalRouterPolicyAction::Reroute),
                nexthops: BTreeSet::from([management.to_string()]),
                external_ids: self.marks.clone(),
                ..LogicalRouterPolicy::default()
            };
            self.sheet.draw_under(&policy, &self.transit, LogicalRouter::POLICIES);
        }
    }

    fn draw_gateway_router(&mut self) -> Key {
        let gateway = self.node.gateway;
        let join: Vec<String> =
            self.node.link.join.iter().map(|it| it.addr().to_string()).collect();
        let physical = gateway.addresses.iter().map(InterfaceAddress::addr);
        let masquerade = self.node.masquerade.iter().map(|it| it.own.gateway_router);
        let ips: Vec<String> = physical.chain(masquerade).map(|ip| ip.to_string()).collect();
        let mut groups = vec![names::cluster_balancers(self.prefix())];
        if gateway.serves_node_ports {
            groups.push(names::router_balancers(self.prefix()));
        }
        let marks = marks_with_role(self.network.network());
        let first = ips.first().map_or("", String::as_str);
        self.sheet.draw(&LogicalRouter {
            name: self.name(names::gateway_router),
            options: texts([
                ("always_learn_from_arp_request", "false"),
                ("dynamic_neigh_routers", "false"),
                ("chassis", self.node.chassis.as_str()),
                ("lb_force_snat_ip", &join.join(" ")),
                ("mac_binding_age_threshold", NEIGHBOUR_AGE),
                ("disable_garp_rarp", "true"),
            ]),
            external_ids: with(
                marks,
                [(ids::PHYSICAL_IP, first), (ids::PHYSICAL_IPS, &ips.join(","))],
            ),
            copp: protection().into(),
            load_balancer_group: groups.iter().map(|name| balancers(name)).collect(),
            ..LogicalRouter::default()
        })
    }

    fn draw_gateway_ports(&mut self, router: &Key) {
        let node = self.node;
        let mtu = self.network.base.mtu(self.input.settings).to_string();
        let pairs = node.link.transit.iter().map(|pair| &pair.gateway_router);
        let inner = LogicalRouterPort {
            name: self.name(names::gateway_to_transit),
            mac: node.link.gateway_mac.to_string(),
            networks: networks(node.link.join.iter().chain(pairs)),
            options: texts([("gateway_mtu", &mtu)]),
            peer: Some(self.name(names::transit_to_gateway)),
            external_ids: self.marks.clone(),
            ..LogicalRouterPort::default()
        };
        self.sheet.draw_under(&inner, router, LogicalRouter::PORTS);

        let masquerade = node.masquerade.iter().map(|it| it.own.gateway_router);
        let masquerade: Vec<_> = masquerade.map(InterfaceAddress::from).collect();
        let outer = LogicalRouterPort {
            name: self.name(names::gateway_to_external),
            mac: node.gateway.mac.to_string(),
            networks: networks(node.gateway.addresses.iter().chain(&masquerade)),
            external_ids: self.marks.clone(),
            ..LogicalRouterPort::default()
        };
        self.sheet.draw_under(&outer, router, LogicalRouter::PORTS);
    }

    fn draw_gateway_routes(&mut self, router: &Key) {
        let inner = Some(self.name(names::gateway_to_transit));
        let outer = Some(self.name(names::gateway_to_external));
        let node = self.node;
        let mut routes: Vec<Route> = Vec::new();
        for platform in &self.network.platform {
            if let Some(pair) = node.link.pair(platform.subnet.family()) {
                let to = route(platform.subnet, pair.transit_router.addr(), &self.marks);
                routes.push(Route { output_port: inner.clone(), ..to });
            }
        }
        for masquerade in &node.masquerade {
            let to = route(masquerade.subnet, masquerade.fixed.next_hop, &self.marks);
            routes.push(Route { output_port: outer.clone(), ..to });
        }
        for next_hop in &node.gateway.next_hops {
            let to = route(everywhere(*next_hop), *next_hop, &self.marks);
            routes.push(Route { output_port: outer.clone(), ..to });
        }
        for route in &routes {
            self.sheet.draw_under(route, router, LogicalRouter::STATIC_ROUTES);
        }
    }

    /// What leaves carries the network's masquerade address; the bridge then puts the node's.
    fn draw_gateway_nat(&mut self, router: &Key) {
        let masquerade = |family| self.node.masquerade_of(family).map(|it| it.own.gateway_router);
        let mut nats = Vec::new();
        for join in self.node.link.join.iter().map(InterfaceAddress::addr) {
            nats.extend(masquerade(Family::of(join)).map(|to| source_nat(join, to, &self.marks)));
        }
        for subnet in self.network.platform.iter().map(|platform| platform.subnet) {
            let to = masquerade(subnet.family());
            nats.extend(to.map(|to| source_nat(subnet, to, &self.marks)));
        }
        for nat in &nats {
            self.sheet.draw_under(nat, router, LogicalRouter::NAT);
        }
    }

    fn draw_external_switch(&mut self) {
        let gateway = self.node.gateway;
        let switch = self.sheet.draw(&LogicalSwitch {
            name: self.name(names::external_switch),
            external_ids: marks_with_role(self.network.network()),
            ..LogicalSwitch::default()
        });
        let bridge = LogicalSwitchPort {
            name: names::bridge_port(&gateway.bridge, self.prefix(), &self.node.node.name),
            r#type: "localnet".to_owned(),
            addresses: BTreeSet::from(["unknown".to_owned()]),
            options: texts([("network_name", &self.input.settings.external_physical_network)]),
            tag_request: gateway.vlan.map(|vlan| vlan.get().into()),
            external_ids: self.marks.clone(),
            ..LogicalSwitchPort::default()
        };
        self.sheet.draw_under(&bridge, &switch, LogicalSwitch::PORTS);
        let router = LogicalSwitchPort {
            name: self.name(names::external_to_gateway),
            r#type: "router".to_owned(),
            addresses: BTreeSet::from([gateway.mac.to_string()]),
            options: texts([("router-port", &self.name(names::gateway_to_external))]),
            external_ids: self.marks.clone(),
            ..LogicalSwitchPort::default()
        };
        self.sheet.draw_under(&router, &switch, LogicalSwitch::PORTS);
    }

    /// Neighbours on the bridge that answer no ARP.
    // compat: pkg/ovn/gateway/gateway.go, CreateDummyGWMacBindings
    fn draw_neighbours(&mut self) {
        let fixed = self.node.masquerade.iter().map(|it| it.fixed);
        for ip in fixed.flat_map(|fixed| [fixed.next_hop, fixed.host]) {
            self.sheet.draw(&StaticMacBinding {
                logical_port: self.name(names::gateway_to_external),
                ip: ip.to_string(),
                mac: MacAddress::from_ip(ip).to_string(),
                override_dynamic_mac: true,
            });
        }
    }
}

/// The prefix that holds every address of the family.
fn everywhere(ip: IpAddr) -> &'static str {
    match ip {
        IpAddr::V4(_) => "0.0.0.0/0",
        IpAddr::V6(_) => "::/0",
    }
}
