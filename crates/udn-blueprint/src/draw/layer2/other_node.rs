//! Draws what a primary network has because of a node of another zone: a port and the ways to it.
//!
//! Invariant: the port has the same key, MAC and addresses in every zone, the node's own included.

use ovn::Sheet;
use ovn::northbound::{LogicalRouter, LogicalRouterPort};

use crate::draw::rows::{marks, networks, route, texts, transit_router, with};
use crate::names::{self, ids};
use crate::ready::{Link, OtherNode, PrimaryLayer2};

/// Above the keys that are kept for the router's own ports.
// compat: pkg/ovn/transit_router.go, getTransitRouterPortTunnelKey
const FIRST_NODE_KEY: u16 = 10;

pub(super) fn draw_other_node(
    sheet: &mut Sheet,
    network: &PrimaryLayer2<'_>,
    other: &OtherNode<'_>,
) {
    let name = &other.node.name;
    let router = transit_router(network.prefix());
    let marks = with(marks(network.network()), [(ids::NODE, name.as_str())]);
    let port = transit_port(&other.link);
    let chassis = [("requested-chassis", other.chassis.as_str())];
    let port = LogicalRouterPort {
        name: names::transit_to_gateway(network.prefix(), name),
        options: with(port.options, chassis),
        external_ids: marks.clone(),
        ..port
    };
    sheet.draw_under(&port, &router, LogicalRouter::PORTS);
    for (join, next_hop) in other.link.ways_to_join() {
        let route = route(join, next_hop, &marks);
        sheet.draw_under(&route, &router, LogicalRouter::STATIC_ROUTES);
    }
}

/// The transit router's end of a node's link, as far as it is the same in every zone.
pub(super) fn transit_port(link: &Link) -> LogicalRouterPort {
    let key = (FIRST_NODE_KEY + link.id.get()).to_string();
    LogicalRouterPort {
        mac: link.transit_mac.to_string(),
        networks: networks(link.transit.iter().map(|pair| &pair.transit_router)),
        options: texts([("requested-tnl-key", &key)]),
        ..LogicalRouterPort::default()
    }
}
