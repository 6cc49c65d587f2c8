//! Draws layer-3 networks, and the default network, which is one of them: a router that all nodes
//! share, a switch of its own on each node, and a switch on which the nodes meet.
//!
//! A primary network has a join switch too, to which each node's way out is attached.
//! Invariant: a backbone mentions no node and no pod.
// compat: pkg/ovn/layer3_user_defined_network_controller.go, default_network_controller.go

use std::collections::BTreeSet;

use ovn::Sheet;
use ovn::northbound::{LogicalRouter, LogicalRouterPort, LogicalSwitch, LogicalSwitchPort};
use udn_model::{GatewayMode, InterfaceAddress, Layer3, MacAddress, Network, Node};

use super::host::draw_port_groups;
use super::isolation;
use super::rows::{draw_balancers, marks, marks_with_role, networks, protection, texts, with};
use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names::{self, ids};
use crate::ready::{OtherLayer3Node, OwnLayer3Node, ReadyLayer3};

mod other_node;
mod own_node;

pub(super) fn draw_backbone(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, layer3): (&Network, &Layer3),
) -> Result<(), Vec<Missing>> {
    let ready = ReadyLayer3::of(input, network, layer3).map_err(|missing| vec![missing])?;
    draw_balancers(sheet, &ready.base.prefix);
    draw_cluster_router(sheet, input, &ready);
    draw_transit_switch(sheet, &ready);
    if ready.primary.is_some() {
        draw_join(sheet, &ready);
        draw_port_groups(sheet, input, network);
    }
    if network.is_default() {
        isolation::draw_lock(sheet, network);
    }
    // No part of its own could tell of a node that is not there.
    input.node(input.zone).map(drop).ok_or_else(|| vec![Missing::Node(input.zone.clone())])
}

pub(super) fn draw_node(
    sheet: &mut Sheet,
    input: &DrawingInput<'_>,
    (network, layer3): (&Network, &Layer3),
    node: &Node,
) -> Result<(), Vec<Missing>> {
    // Without its numbers nothing of a network can be drawn; its backbone says so once.
    let Ok(ready) = ReadyLayer3::of(input, network, layer3) else { return Ok(()) };
    if input.is_own(&node.name) {
        let own = OwnLayer3Node::of(input, &ready, node)?;
        own_node::draw_own_node(sheet, input, &ready, &own);
    } else {
        let other = OtherLayer3Node::of(input, &ready, node)?;
        other_node::draw_other_node(sheet, &ready, &other);
    }
    Ok(())
}

/// Whether the zone's own node has what its pods' ports are attached to.
pub(super) fn has_switch(input: &DrawingInput<'_>, (network, layer3): (&Network, &Layer3)) -> bool {
    let (Ok(ready), Some(node)) = (ReadyLayer3::of(input, network, layer3), input.node(input.zone))
    else {
        return false;
    };
    OwnLayer3Node::of(input, &ready, node).is_ok()
}

// compat: pkg/ovn/topology/topologyfactory.go, NewClusterRouter
fn draw_cluster_router(sheet: &mut Sheet, input: &DrawingInput<'_>, network: &ReadyLayer3<'_>) {
    let mut options = texts([("always_learn_from_arp_request", "false")]);
    match input.settings.gateway_mode {
        GatewayMode::Local if !network.base.network.is_default() => {
            options.extend(texts([("ct-commit-all", "true")]));
        }
        GatewayMode::Local | GatewayMode::Shared => {}
    }
    sheet.draw(&LogicalRouter {
        name: names::cluster_router(&network.base.prefix),
        options,
        external_ids: with(marks(network.base.network), [(ids::CLUSTER_ROUTER, "yes")]),
        copp: protection().into(),
        ..LogicalRouter::default()
    });
}

// compat: pkg/ovn/zone_interconnect/zone_ic_handler.go
fn draw_transit_switch(sheet: &mut Sheet, network: &ReadyLayer3<'_>) {
    let name = names::transit_switch(&network.base.prefix);
    let key = network.base.numbers.id.preserved_key().to_string();
    let other_config = texts([
        ("interconn-ts", &name),
        ("requested-tnl-key", &key),
        ("mcast_snoop", "true"),
        ("mcast_querier", "false"),
        ("mcast_flood_unregistered", "true"),
    ]);
    sheet.draw(&LogicalSwitch {
        name,
        other_config,
        external_ids: marks_with_role(network.base.network),
        ..LogicalSwitch::default()
    });
}

/// The join switch, and the cluster router's link to it.
fn draw_join(sheet: &mut Sheet, network: &ReadyLayer3<'_>) {
    let (prefix, marks) = (&network.base.prefix, marks(network.base.network));
    // compat: the switch does not show the network's role
    let switch = sheet.draw(&LogicalSwitch {
        name: names::join_switch(prefix),
        external_ids: marks.clone(),
        ..LogicalSwitch::default()
    });
    let name = names::cluster_to_join(prefix);
    // compat: the port shows no network; only its name does
    let lower = LogicalSwitchPort { name: names::join_to_cluster(prefix), ..router_end(&name) };
    sheet.draw_under(&lower, &switch, LogicalSwitch::PORTS);
    let mac = network.join.first().map(InterfaceAddress::addr).map(MacAddress::from_ip);
    let upper = LogicalRouterPort {
        name,
        mac: mac.map(|it| it.to_string()).unwrap_or_default(),
        networks: networks(&network.join),
        external_ids: marks,
        ..LogicalRouterPort::default()
    };
    let router = super::rows::cluster_router(prefix);
    sheet.draw_under(&upper, &router, LogicalRouter::PORTS);
}

/// A switch's end of a link to a router.
fn router_end(router_port: &str) -> LogicalSwitchPort {
    LogicalSwitchPort {
        r#type: "router".to_owned(),
        addresses: BTreeSet::from(["router".to_owned()]),
        options: texts([("router-port", router_port)]),
        ..LogicalSwitchPort::default()
    }
}
