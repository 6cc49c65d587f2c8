//! Draws a gateway router and the way out behind it, whatever the topology before it.
//!
//! Reads a node's way out and what the topology has to say about the inner side.
//! Invariant: everything here goes when the node goes, and nothing else does.
// compat: pkg/ovn/gateway.go

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::northbound::{
    LogicalRouter, LogicalRouterPort, LogicalSwitch, LogicalSwitchPort, StaticMacBinding,
};
use ovn::{Key, Sheet};
use udn_model::{Family, InterfaceAddress, MacAddress, NodeName};

use super::rows::{
    Route, Texts, balancers, marks, marks_with_role, networks, protection, route, source_nat,
    texts, with,
};
use crate::input::DrawingInput;
use crate::names::{self, Prefix, ids};
use crate::ready::{ReadyNetwork, WayOut};

/// How long the gateway router remembers an unused neighbour, in seconds.
// compat: pkg/types/const.go, GRMACBindingAgeThreshold
const NEIGHBOUR_AGE: &str = "300";

/// What the topology has to say about a gateway router.
pub(super) struct InnerSide {
    /// The port to the router that all nodes share; its MTU is added.
    pub(super) port: LogicalRouterPort,
    /// With which addresses answers of services are drawn back to this router.
    pub(super) service_source: String,
    /// The ways to the network's own ranges.
    pub(super) routes: Vec<Route>,
}

pub(super) fn draw_gateway(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyNetwork<'_>,
    way_out: &WayOut<'_>,
    inner: InnerSide,
) {
    let marks = marks(network.network);
    let is_default = network.network.is_default();
    let mut drawing = Drawing { sheet, input, network, way_out, marks, is_default };
    let router = drawing.draw_router(&inner.service_source);
    drawing.draw_ports(&router, inner.port);
    drawing.draw_routes(&router, &inner.routes);
    drawing.draw_nat(&router);
    drawing.draw_external_switch();
    drawing.draw_neighbours();
}

struct Drawing<'d, 'a> {
    sheet: &'d mut Sheet,
    input: &'d DrawingInput<'a>,
    network: &'d ReadyNetwork<'a>,
    way_out: &'d WayOut<'a>,
    /// The entries by which rows show the network.
    marks: Texts,
    /// On the default network the gateway router has the node's own addresses alone, and packets
    /// leave with them; on others the bridge puts the node's for the network's masquerade address.
    is_default: bool,
}

impl Drawing<'_, '_> {
    /// A name of the network on the node.
    fn name(&self, name: fn(&Prefix, &NodeName) -> String) -> String {
        name(&self.network.prefix, &self.way_out.node.name)
    }

    /// The masquerade addresses that the router itself has.
    fn own_masquerade(&self) -> impl Iterator<Item = IpAddr> {
        self.way_out.own_masquerade().filter(|_| !self.is_default)
    }

    fn draw_router(&mut self, service_source: &str) -> Key {
        let gateway = self.way_out.gateway;
        let physical = gateway.addresses.iter().map(InterfaceAddress::addr);
        let ips = physical.chain(self.own_masquerade()).map(|ip| ip.to_string());
        let ips: Vec<String> = ips.collect();
        let mut groups = vec![names::cluster_balancers(&self.network.prefix)];
        if gateway.serves_node_ports {
            groups.push(names::router_balancers(&self.network.prefix));
        }
        let marks = marks_with_role(self.network.network);
        let first = ips.first().map_or("", String::as_str);
        let options = texts([
            ("always_learn_from_arp_request", "false"),
            ("dynamic_neigh_routers", "false"),
            ("chassis", self.way_out.chassis.as_str()),
            ("lb_force_snat_ip", service_source),
            ("mac_binding_age_threshold", NEIGHBOUR_AGE),
            // compat: the host shares the default network's zone of translated connections
            if self.is_default { ("snat-ct-zone", "0") } else { ("disable_garp_rarp", "true") },
        ]);
        self.sheet.draw(&LogicalRouter {
            name: self.name(names::gateway_router),
            options,
            external_ids: with(
                marks,
                [(ids::PHYSICAL_IP, first), (ids::PHYSICAL_IPS, &ips.join(","))],
            ),
            copp: protection().into(),
            load_balancer_group: groups.iter().map(|name| balancers(name)).collect(),
            ..LogicalRouter::default()
        })
    }

    fn draw_ports(&mut self, router: &Key, inner: LogicalRouterPort) {
        let mtu = self.network.mtu(self.input.settings).to_string();
        let inner = LogicalRouterPort {
            mac: self.way_out.mac.to_string(),
            options: texts([("gateway_mtu", &mtu)]),
            external_ids: self.marks.clone(),
            ..inner
        };
        self.sheet.draw_under(&inner, router, LogicalRouter::PORTS);

        let masquerade: Vec<_> = self.own_masquerade().map(InterfaceAddress::from).collect();
        let external_ids = match self.is_default {
            true => texts([(ids::GATEWAY_PORT, "yes")]),
            false => self.marks.clone(),
        };
        let outer = LogicalRouterPort {
            name: self.name(names::gateway_to_external),
            mac: self.way_out.gateway.mac.to_string(),
            networks: networks(self.way_out.gateway.addresses.iter().chain(&masquerade)),
            external_ids,
            ..LogicalRouterPort::default()
        };
        self.sheet.draw_under(&outer, router, LogicalRouter::PORTS);
    }

    fn draw_routes(&mut self, router: &Key, inner: &[Route]) {
        let outer = Some(self.name(names::gateway_to_external));
        let mut routes: Vec<Route> = Vec::new();
        let masquerade_marks = match self.is_default {
            true => texts([(ids::MASQUERADE_ROUTE, "")]),
            false => self.marks.clone(),
        };
        for masquerade in &self.way_out.masquerade {
            let next_hop = masquerade.fixed.next_hop;
            let to = route(masquerade.subnet, next_hop, &masquerade_marks);
            routes.push(Route { output_port: outer.clone(), ..to });
        }
        for next_hop in &self.way_out.gateway.next_hops {
            let to = route(everywhere(*next_hop), *next_hop, &self.marks);
            routes.push(Route { output_port: outer.clone(), ..to });
        }
        for route in inner.iter().chain(&routes) {
            self.sheet.draw_under(route, router, LogicalRouter::STATIC_ROUTES);
        }
    }

    /// The address with which packets of a family leave the router.
    fn source(&self, family: Family) -> Option<IpAddr> {
        match self.is_default {
            true => self.way_out.gateway.address(family).map(|it| it.addr()),
            false => self.way_out.masquerade_of(family),
        }
    }

    fn draw_nat(&mut self, router: &Key) {
        let settings = self.input.settings;
        let mut nats = Vec::new();
        for join in self.way_out.join.iter().map(InterfaceAddress::addr) {
            let to = self.source(Family::of(join));
            nats.extend(to.map(|to| source_nat(join, to, &self.marks, settings)));
        }
        for range in self.network.network.ranges() {
            let to = self.source(range.family());
            nats.extend(to.map(|to| source_nat(range, to, &self.marks, settings)));
        }
        for nat in &nats {
            self.sheet.draw_under(nat, router, LogicalRouter::NAT);
        }
    }

    fn draw_external_switch(&mut self) {
        let gateway = self.way_out.gateway;
        let switch = self.sheet.draw(&LogicalSwitch {
            name: self.name(names::external_switch),
            external_ids: marks_with_role(self.network.network),
            ..LogicalSwitch::default()
        });
        let node = &self.way_out.node.name;
        let bridge = LogicalSwitchPort {
            name: names::bridge_port(&gateway.bridge, &self.network.prefix, node),
            r#type: "localnet".to_owned(),
            addresses: BTreeSet::from(["unknown".to_owned()]),
            options: texts([("network_name", &self.input.settings.external_physical_network)]),
            tag_request: gateway.vlan.map(|vlan| vlan.get().into()),
            external_ids: self.marks.clone(),
            ..LogicalSwitchPort::default()
        };
        self.sheet.draw_under(&bridge, &switch, LogicalSwitch::PORTS);
        let mut options = texts([("router-port", &self.name(names::gateway_to_external))]);
        if self.is_default {
            // The default network's gateway router alone answers for the node's addresses.
            let told = [("nat-addresses", "router"), ("exclude-lb-vips-from-garp", "true")];
            options = with(options, told);
        }
        let router = LogicalSwitchPort {
            name: self.name(names::external_to_gateway),
            r#type: "router".to_owned(),
            addresses: BTreeSet::from([gateway.mac.to_string()]),
            options,
            external_ids: self.marks.clone(),
            ..LogicalSwitchPort::default()
        };
        self.sheet.draw_under(&router, &switch, LogicalSwitch::PORTS);
    }

    /// Neighbours on the bridge that answer no ARP.
    // compat: pkg/ovn/gateway/gateway.go, CreateDummyGWMacBindings
    fn draw_neighbours(&mut self) {
        let fixed = self.way_out.masquerade.iter().map(|it| it.fixed);
        let is_default = self.is_default;
        let hosts = move |host: IpAddr| (!is_default).then_some(host);
        for ip in fixed.flat_map(|fixed| [Some(fixed.next_hop), hosts(fixed.host)]).flatten() {
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
