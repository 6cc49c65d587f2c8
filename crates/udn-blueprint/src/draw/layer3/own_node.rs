//! Draws what a layer-3 network has because of the zone's own node: its switch, its ends of the
//! links, and on a primary network the host's port, the gateway router and the way out.
//!
//! Invariant: everything here goes when the node goes, and nothing else does.

use std::net::IpAddr;

use ovn::Sheet;
use ovn::northbound::{
    LogicalRouter, LogicalRouterPort, LogicalRouterStaticRoutePolicy, LogicalSwitch,
    LogicalSwitchPort,
};
use udn_model::{Family, GatewayMode, InterfaceAddress, NodeName, PlatformAddresses};

use super::router_end;
use crate::draw::gateway::{InnerSide, draw_gateway};
use crate::draw::guard::{self, Guarded};
use crate::draw::host::Host;
use crate::draw::isolation;
use crate::draw::rows::{
    Route, cluster_router, draw_gateway_chassis, join_switch, marks, marks_with_role, networks,
    node_switch, route, subnet_config, switch_balancers, texts, transit_switch, with,
};
use crate::input::DrawingInput;
use crate::names::{self, Prefix, ids};
use crate::ready::{OwnLayer3Node, ReadyLayer3, WayOut};

/// For which addresses the default network's gateways answer beside those they have: a machine that
/// comes from another node keeps the gateway that it knows.
// compat: pkg/kubevirt/switch.go, ARPProxyIPv4, ARPProxyIPv6 and ARPProxyMAC
const ARP_PROXY: &str = "0a:58:a9:fe:01:01 169.254.1.1 fe80::1";

pub(super) fn draw_own_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &ReadyLayer3<'_>,
    own: &OwnLayer3Node<'_>,
) {
    let mut drawing = Drawing { sheet, input, network, own };
    drawing.draw_switch();
    drawing.draw_switch_link();
    drawing.draw_guard();
    drawing.draw_transit_link();
    if let Some(way_out) = &own.way_out {
        drawing.draw_host(way_out);
        drawing.draw_own_routes(way_out);
        drawing.draw_join_port();
        let inner = drawing.inner_side(way_out);
        draw_gateway(drawing.sheet, input, &network.base, way_out, inner);
    }
}

struct Drawing<'d, 'a> {
    sheet: &'d mut Sheet,
    input: &'d DrawingInput<'a>,
    network: &'d ReadyLayer3<'a>,
    own: &'d OwnLayer3Node<'a>,
}

impl Drawing<'_, '_> {
    fn prefix(&self) -> &Prefix {
        &self.network.base.prefix
    }

    /// A name of the network on the node.
    fn name(&self, name: fn(&Prefix, &NodeName) -> String) -> String {
        name(self.prefix(), &self.own.node.name)
    }

    fn is_default(&self) -> bool {
        self.network.base.network.is_default()
    }

    fn draw_switch(&mut self) {
        let platform = self.own.platform.iter();
        let mut other_config = subnet_config(platform.clone().map(|it| it.subnet));
        // compat: pkg/libovsdb/util, UpdateNodeSwitchExcludeIPs; where there is a management port,
        // its address needs no exclusion
        if self.own.way_out.is_none() {
            let kept = platform.filter(|it| it.subnet.family() == Family::V4);
            other_config
                .extend(kept.map(|it| ("exclude_ips".to_owned(), it.management.to_string())));
        }
        let switch = LogicalSwitch {
            name: self.name(names::node_switch),
            other_config,
            external_ids: marks_with_role(self.network.base.network),
            load_balancer_group: switch_balancers(self.prefix()),
            ..LogicalSwitch::default()
        };
        self.sheet.draw(&switch);
    }

    /// The link between the node's switch and the cluster router; its upper end is the workloads'
    /// gateway.
    // compat: pkg/ovn/base_network_controller.go, syncNodeClusterRouterPort; no row shows a network
    fn draw_switch_link(&mut self) {
        let gateway = self.name(names::router_to_switch);
        let end = router_end(&gateway);
        let mut options = end.options.clone();
        if self.is_default() {
            let ranges = self.network.subnets.iter().map(|it| it.subnet.to_string());
            let words: Vec<String> = [ARP_PROXY.to_owned()].into_iter().chain(ranges).collect();
            options = with(options, [("arp_proxy", &*words.join(" "))]);
        }
        let lower = LogicalSwitchPort { name: self.name(names::switch_to_router), options, ..end };
        let switch = node_switch(self.prefix(), &self.own.node.name);
        self.sheet.draw_under(&lower, &switch, LogicalSwitch::PORTS);

        let mtu = self.network.base.mtu(self.input.settings).to_string();
        let addresses: Vec<_> =
            self.own.platform.iter().map(PlatformAddresses::gateway_on_interface).collect();
        let upper = LogicalRouterPort {
            name: gateway,
            mac: self.own.gateway_mac.to_string(),
            networks: networks(&addresses),
            options: texts([("gateway_mtu", &mtu)]),
            ..LogicalRouterPort::default()
        };
        let router = cluster_router(self.prefix());
        let upper = self.sheet.draw_under(&upper, &router, LogicalRouter::PORTS);
        draw_gateway_chassis(self.sheet, Some(self.own.chassis), &upper);
    }

    fn draw_guard(&mut self) {
        let others = [names::switch_to_router, names::management_port].map(|it| self.name(it));
        let guarded = Guarded {
            network: self.network.base.network,
            switch: self.name(names::node_switch),
            others: others.into(),
        };
        guard::draw_guard(self.sheet, self.input, &guarded);
    }

    /// The link between the cluster router and the transit switch.
    fn draw_transit_link(&mut self) {
        let name = self.name(names::cluster_to_transit);
        let end = router_end(&name);
        let key = self.own.id.to_string();
        let lower = LogicalSwitchPort {
            name: self.name(names::transit_to_cluster),
            options: with(end.options, [("requested-tnl-key", &*key)]),
            external_ids: texts([(ids::TRANSIT_NODE, self.own.node.name.as_str())]),
            ..router_end(&name)
        };
        let switch = transit_switch(self.prefix());
        self.sheet.draw_under(&lower, &switch, LogicalSwitch::PORTS);
        let upper = LogicalRouterPort {
            name,
            mac: self.own.transit.mac.to_string(),
            networks: networks(&self.own.transit.addresses),
            options: texts([("mcast_flood", "true")]),
            ..LogicalRouterPort::default()
        };
        let router = cluster_router(self.prefix());
        self.sheet.draw_under(&upper, &router, LogicalRouter::PORTS);
    }

    /// What the host and the pods have of each other.
    fn draw_host(&mut self, way_out: &WayOut<'_>) {
        let host = Host {
            input: self.input,
            network: &self.network.base,
            switch: self.name(names::node_switch),
            router: cluster_router(self.prefix()),
            gateway: self.name(names::router_to_switch),
            platform: &self.own.platform,
            mac: self.own.management_mac,
        };
        host.draw_port(self.sheet, self.name(names::management_port));
        host.draw_access(self.sheet);
        host.draw_policies(self.sheet, self.host_addresses(way_out));
        if self.is_default() {
            let network = self.network.base.network;
            isolation::draw_host_access(self.sheet, network, &self.own.platform);
        } else {
            host.draw_nat(self.sheet);
            host.draw_service_routes(self.sheet);
        }
    }

    /// Through which addresses pods reach their own node. With local gateways all packets of the
    /// default network's pods go to the host anyway, save those for addresses that routers answer.
    // compat: pkg/ovn/gatewayrouter/policybasedroutes.go; on other networks all addresses, where the
    // other project has the first of each family
    fn host_addresses(&self, way_out: &WayOut<'_>) -> Vec<IpAddr> {
        let own = way_out.gateway.addresses.iter().map(InterfaceAddress::addr);
        match (self.is_default(), self.input.settings.gateway_mode) {
            (true, GatewayMode::Local) => own.collect(),
            (true, GatewayMode::Shared) => way_out.host_addresses().into_iter().collect(),
            (false, GatewayMode::Local | GatewayMode::Shared) => {
                let hosts = way_out.host_addresses();
                hosts.into_iter().chain(way_out.own_masquerade()).collect()
            }
        }
    }

    /// The cluster router finds the node's gateway router by its join address, and sends what leaves
    /// the node's subnets to the gateway router or to the host.
    fn draw_own_routes(&mut self, way_out: &WayOut<'_>) {
        let marks = marks(self.network.base.network);
        let router = cluster_router(self.prefix());
        let join = |family| {
            let mut ips = way_out.join.iter().map(InterfaceAddress::addr);
            ips.find(|ip| Family::of(*ip) == family)
        };
        let to_join = way_out.join.iter().map(InterfaceAddress::addr);
        let mut routes: Vec<Route> = to_join.map(|ip| route(ip, ip, &marks)).collect();
        for platform in &self.own.platform {
            let next_hop = match self.input.settings.gateway_mode {
                GatewayMode::Shared => join(platform.subnet.family()),
                GatewayMode::Local => Some(platform.management),
            };
            let Some(next_hop) = next_hop else { continue };
            let policy = Some(LogicalRouterStaticRoutePolicy::SrcIp);
            routes.push(Route { policy, ..route(platform.subnet, next_hop, &marks) });
        }
        for route in &routes {
            self.sheet.draw_under(route, &router, LogicalRouter::STATIC_ROUTES);
        }
    }

    fn draw_join_port(&mut self) {
        let port = LogicalSwitchPort {
            name: self.name(names::join_to_gateway),
            external_ids: marks(self.network.base.network),
            ..router_end(&self.name(names::gateway_to_join))
        };
        let switch = join_switch(self.prefix());
        self.sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
    }

    fn inner_side(&self, way_out: &WayOut<'_>) -> InnerSide {
        let marks = marks(self.network.base.network);
        let join = |family| {
            let mut ips = self.network.join.iter().map(InterfaceAddress::addr);
            ips.find(|ip| Family::of(*ip) == family)
        };
        let ranges = self.network.subnets.iter().map(|it| it.subnet);
        let routes = ranges.filter_map(|it| Some(route(it, join(it.family())?, &marks)));
        InnerSide {
            routes: routes.collect(),
            service_source: "router_ip".to_owned(),
            port: LogicalRouterPort {
                name: self.name(names::gateway_to_join),
                networks: networks(&way_out.join),
                ..LogicalRouterPort::default()
            },
        }
    }
}
