//! Draws a primary layer-2 network's transit router, and what lets the host reach its pods.
//!
//! Invariant: the workloads' gateway has the same addresses and the same MAC in every zone.

use std::collections::BTreeSet;

use ovn::northbound::{LogicalRouter, LogicalRouterPort, LogicalSwitch, LogicalSwitchPort};
use ovn::{Key, Sheet};
use udn_model::{Family, GatewayMode, Mtu, PlatformAddresses};

use crate::draw::host::{Host, draw_port_groups};
use crate::draw::rows::{
    Texts, draw_gateway_chassis, marks, networks, protection, texts, transit_router, with,
};
use crate::input::DrawingInput;
use crate::names::{self, ids};
use crate::ready::PrimaryLayer2;

/// The key of the transit router's port to the switch; the next eight are kept for later.
// compat: pkg/ovn/transit_router.go
const SWITCH_PORT_KEY: &str = "1";

pub(super) fn draw_transit(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &PrimaryLayer2<'_>,
    switch: &Key,
) {
    draw_port_groups(sheet, input, network.network());
    let router = draw_router(sheet, input, network);
    draw_switch_link(sheet, input, network, [switch, &router]);
    let host = host(input, network);
    host.draw_access(sheet);
    host.draw_nat(sheet);
    host.draw_service_routes(sheet);
}

/// The host in the network, which is the same on every node.
pub(super) fn host<'h, 'a>(
    input: &'h DrawingInput<'a>,
    network: &'h PrimaryLayer2<'a>,
) -> Host<'h, 'a> {
    Host {
        input,
        network: &network.base,
        switch: names::layer2_switch(network.prefix()),
        router: transit_router(network.prefix()),
        gateway: names::transit_to_switch(network.prefix()),
        platform: &network.platform,
        mac: network.management_mac,
    }
}

// compat: pkg/ovn/topology/topologyfactory.go, NewTransitRouter
fn draw_router(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &PrimaryLayer2<'_>) -> Key {
    let mut options = texts([("requested-tnl-key", &network.router_key.to_string())]);
    match input.settings.gateway_mode {
        GatewayMode::Shared => {}
        GatewayMode::Local => options.extend(texts([("ct-commit-all", "true")])),
    }
    sheet.draw(&LogicalRouter {
        name: names::transit_router(network.prefix()),
        options,
        external_ids: with(marks(network.network()), [(ids::CLUSTER_ROUTER, "yes")]),
        copp: protection().into(),
        ..LogicalRouter::default()
    })
}

/// The link between the switch and the transit router; its upper end is the workloads' gateway.
// compat: pkg/ovn/layer2_user_defined_network_controller.go, syncClusterRouterPorts
fn draw_switch_link(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &PrimaryLayer2<'_>,
    [switch, router]: [&Key; 2],
) {
    let prefix = network.prefix();
    let gateway = names::transit_to_switch(prefix);
    let lower = LogicalSwitchPort {
        name: names::switch_to_transit(prefix),
        r#type: "router".to_owned(),
        addresses: BTreeSet::from(["router".to_owned()]),
        options: texts([("router-port", &gateway)]),
        external_ids: marks(network.network()),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&lower, switch, LogicalSwitch::PORTS);

    let mtu = network.base.mtu(input.settings);
    let addresses: Vec<_> =
        network.platform.iter().map(PlatformAddresses::gateway_on_interface).collect();
    let upper = LogicalRouterPort {
        name: gateway,
        mac: network.gateway_mac.to_string(),
        networks: networks(&addresses),
        options: texts([("gateway_mtu", &mtu.to_string()), ("requested-tnl-key", SWITCH_PORT_KEY)]),
        ipv6_ra_configs: advertisements(network, mtu),
        ..LogicalRouterPort::default()
    };
    let upper = sheet.draw_under(&upper, router, LogicalRouter::PORTS);
    draw_gateway_chassis(sheet, input.own_chassis(), &upper);
}

/// What the gateway tells IPv6 pods, who take their addresses from DHCP.
// compat: pkg/ovn/layer2_user_defined_network_controller.go, syncNodeClusterRouterPort; the static
// gateway that CNI sets has the medium preference, so this one is low
fn advertisements(network: &PrimaryLayer2<'_>, mtu: Mtu) -> Texts {
    if network.network().subnets.of(Family::V6).is_none() {
        return Texts::new();
    }
    texts([
        ("address_mode", "dhcpv6_stateful"),
        ("send_periodic", "true"),
        ("max_interval", "900"),
        ("min_interval", "300"),
        ("router_preference", "LOW"),
        ("mtu", &mtu.to_string()),
    ])
}
