//! Draws what a primary layer-2 network has because of the zone's own node: the host's port, its
//! link to the transit router, the gateway router and the way out.
//!
//! Invariant: everything here goes when the node goes, and nothing else does.

use ovn::northbound::{LogicalRouter, LogicalRouterPort, LogicalRouterStaticRoutePolicy};
use ovn::{Key, Sheet};
use udn_model::{GatewayMode, InterfaceAddress};

use super::other_node::transit_port;
use super::transit;
use crate::draw::gateway::{InnerSide, draw_gateway};
use crate::draw::rows::{Route, Texts, marks, networks, route, transit_router};
use crate::input::DrawingInput;
use crate::names;
use crate::ready::{OwnNode, PrimaryLayer2};

pub(super) fn draw_own_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &PrimaryLayer2<'_>,
    own: &OwnNode<'_>,
) {
    let (prefix, node) = (network.prefix(), &own.way_out.node.name);
    let (router, marks) = (transit_router(prefix), marks(network.network()));
    let host = transit::host(input, network);
    host.draw_port(sheet, names::management_port(prefix, node));
    // All addresses, where the other project has the first of each family.
    host.draw_policies(sheet, own.way_out.host_addresses());
    let port = LogicalRouterPort {
        name: names::transit_to_gateway(prefix, node),
        peer: Some(names::gateway_to_transit(prefix, node)),
        external_ids: marks.clone(),
        ..transit_port(&own.link)
    };
    sheet.draw_under(&port, &router, LogicalRouter::PORTS);
    draw_transit_routes(sheet, input, network, own, (&router, &marks));
    draw_gateway(sheet, input, &network.base, &own.way_out, inner_side(network, own, &marks));
}

/// The transit router finds the node's gateway router by its join address, and sends what
/// leaves the subnet to the gateway router or to the host.
fn draw_transit_routes(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    network: &PrimaryLayer2<'_>,
    own: &OwnNode<'_>,
    (router, marks): (&Key, &Texts),
) {
    for (join, next_hop) in own.link.ways_to_join() {
        let route = route(join, next_hop, marks);
        sheet.draw_under(&route, router, LogicalRouter::STATIC_ROUTES);
    }
    for platform in &network.platform {
        let pair = own.link.pair(platform.subnet.family());
        let next_hop = match input.settings.gateway_mode {
            GatewayMode::Shared => pair.map(|pair| pair.gateway_router.addr()),
            GatewayMode::Local => Some(platform.management),
        };
        let Some(next_hop) = next_hop else { continue };
        let policy = Some(LogicalRouterStaticRoutePolicy::SrcIp);
        let route = Route { policy, ..route(platform.subnet, next_hop, marks) };
        sheet.draw_under(&route, router, LogicalRouter::STATIC_ROUTES);
    }
}

fn inner_side(network: &PrimaryLayer2<'_>, own: &OwnNode<'_>, marks: &Texts) -> InnerSide {
    let (prefix, node) = (network.prefix(), &own.way_out.node.name);
    let name = names::gateway_to_transit(prefix, node);
    let pairs = own.link.transit.iter().map(|pair| &pair.gateway_router);
    let join: Vec<String> =
        own.way_out.join.iter().map(InterfaceAddress::addr).map(|ip| ip.to_string()).collect();
    let routes = network.platform.iter().filter_map(|platform| {
        let pair = own.link.pair(platform.subnet.family())?;
        let to = route(platform.subnet, pair.transit_router.addr(), marks);
        Some(Route { output_port: Some(name.clone()), ..to })
    });
    InnerSide {
        routes: routes.collect(),
        service_source: join.join(" "),
        port: LogicalRouterPort {
            networks: networks(own.way_out.join.iter().chain(pairs)),
            peer: Some(names::transit_to_gateway(prefix, node)),
            name,
            ..LogicalRouterPort::default()
        },
    }
}
