//! Draws what a layer-3 network has because of a node of another zone: a port and the ways to it.
//!
//! Invariant: nothing of the other node's own switch, routers and pods is drawn.
// compat: pkg/ovn/zone_interconnect/zone_ic_handler.go

use std::collections::BTreeSet;

use ovn::Sheet;
use ovn::northbound::{LogicalRouter, LogicalSwitch, LogicalSwitchPort};
use udn_model::{Family, InterfaceAddress};

use crate::draw::rows::{cluster_router, route, texts, transit_switch};
use crate::names::{self, ids};
use crate::ready::{OtherLayer3Node, ReadyLayer3};

pub(super) fn draw_other_node(
    sheet: &mut Sheet,
    network: &ReadyLayer3<'_>,
    other: &OtherLayer3Node<'_>,
) {
    let (prefix, name) = (&network.base.prefix, &other.node.name);
    // compat: with the lengths of the prefixes, as in no other port
    let ips = other.transit.addresses.iter().map(ToString::to_string);
    let words: Vec<String> = [other.transit.mac.to_string()].into_iter().chain(ips).collect();
    let port = LogicalSwitchPort {
        name: names::transit_to_cluster(prefix, name),
        r#type: "remote".to_owned(),
        addresses: BTreeSet::from([words.join(" ")]),
        options: texts([
            ("requested-tnl-key", &other.id.to_string()),
            ("requested-chassis", other.chassis.as_str()),
        ]),
        external_ids: texts([(ids::TRANSIT_NODE, name.as_str())]),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&port, &transit_switch(prefix), LogicalSwitch::PORTS);

    // compat: these rows show the default network too, and no topology
    let marks = texts([
        (ids::ROUTE_NODE, name.as_str()),
        (ids::NETWORK, network.base.network.name.as_str()),
    ]);
    let subnets = other.subnets.iter().map(|it| (it.family(), it.to_string()));
    let joins = other.join.iter().map(|it| (Family::of(it.addr()), alone(it)));
    for (family, prefix) in subnets.chain(joins) {
        let Some(next_hop) = other.transit.of_family(family) else { continue };
        let route = route(prefix, next_hop.addr(), &marks);
        let router = cluster_router(&network.base.prefix);
        sheet.draw_under(&route, &router, LogicalRouter::STATIC_ROUTES);
    }
}

/// The address as a prefix that holds it alone.
fn alone(address: &InterfaceAddress) -> String {
    let ip = address.addr();
    format!("{ip}/{}", Family::of(ip).longest_prefix())
}
