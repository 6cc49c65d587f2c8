//! Draws the southbound rows of the other nodes: their chassis, and where tunnels to them end.
//!
//! Reads the drawing input; returns one sheet.
//! Invariant: the zone's own chassis, which its own controller writes, is never drawn.
// compat: pkg/ovn/zone_interconnect/chassis_handler.go

use std::collections::BTreeSet;
use std::net::IpAddr;

use ovn::Sheet;
use ovn::southbound::{Chassis, Encap, EncapType};
use udn_model::{ChassisName, Finding, Findings, Node, Reason, Subject};

use crate::input::DrawingInput;
use crate::owners;

#[cfg(test)]
mod tests;

/// Draws the chassis of all nodes but the zone's own.
///
/// A chassis or a tunnel address that two nodes claim is the first one's, so that a wrong node does
/// not keep the others from being drawn; the zone's own node comes first of all.
pub fn draw_southbound(input: &DrawingInput<'_>) -> Sheet {
    let mut sheet = Sheet::new(owners::other_chassis());
    let own = input.node(input.zone);
    let mut chassis: BTreeSet<&ChassisName> = input.own_chassis().into_iter().collect();
    let mut tunnels: BTreeSet<IpAddr> =
        own.into_iter().flat_map(|node| node.tunnel_addresses.iter().copied()).collect();
    for node in input.intent.nodes.values().filter(|node| !input.is_own(&node.name)) {
        let free = node.tunnel_addresses.iter().filter(|ip| tunnels.insert(**ip));
        let free: Vec<&IpAddr> = free.collect();
        // The database refuses a chassis to which no tunnel leads.
        let name = node.chassis.as_ref().filter(|name| !free.is_empty() && chassis.insert(name));
        let Some(name) = name else { continue };
        let key = sheet.draw(&chassis_row(node, name));
        for ip in free {
            sheet.draw_under(&tunnel_row(*ip, name), &key, Chassis::ENCAPS);
        }
    }
    sheet
}

/// The other nodes to which no tunnel can lead, and why.
pub fn unreachable_nodes(input: &DrawingInput<'_>) -> Findings {
    let others = input.intent.nodes.values().filter(|node| !input.is_own(&node.name));
    let missing = others.filter_map(|node| {
        let what = match (&node.chassis, node.tunnel_addresses.is_empty()) {
            (None, _) => "its chassis",
            (Some(_), true) => "where its tunnels end",
            (Some(_), false) => return None,
        };
        let message = format!("has not told {what}; look at its agent");
        Some(Finding::new(Subject::Node(node.name.clone()), Reason::Waiting, message))
    });
    missing.collect()
}

fn chassis_row(node: &Node, name: &ChassisName) -> Chassis {
    Chassis {
        name: name.to_string(),
        hostname: node.name.to_string(),
        other_config: [("is-remote".to_owned(), "true".to_owned())].into(),
        ..Chassis::default()
    }
}

fn tunnel_row(ip: IpAddr, chassis: &ChassisName) -> Encap {
    Encap {
        chassis_name: chassis.to_string(),
        r#type: Some(EncapType::Geneve),
        ip: ip.to_string(),
        options: [("csum".to_owned(), "true".to_owned())].into(),
    }
}
