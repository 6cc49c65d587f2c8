//! Whom a message of the kernel concerns.
//!
//! Reads one message; returns a [`Concern`].
//! Invariant: pods that come and go do not wake the host.

use rtnetlink::packet_route::RouteNetlinkMessage;
use rtnetlink::packet_route::link::{InfoKind, LinkAttribute, LinkFlags, LinkInfo, LinkMessage};
use rtnetlink::packet_route::neighbour::{NeighbourMessage, NeighbourState};
use rtnetlink::packet_route::route::{RouteAttribute, RouteMessage, RouteProtocol};
use rtnetlink::packet_route::rule::{RuleAttribute, RuleMessage};
use udn_host::routing::{MAIN_TABLE, RULE_PRIORITY, is_our_table};

use crate::kernel::PROTOCOL;

#[cfg(test)]
mod tests;

/// Whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Concern {
    Nobody,
    Host,
    /// A link that may be a pod's, and that went or fell.
    Fallen(String),
    Everything,
}

pub(super) fn concern(message: &RouteNetlinkMessage) -> Concern {
    let host = |is_it: bool| if is_it { Concern::Host } else { Concern::Nobody };
    match message {
        RouteNetlinkMessage::NewLink(link) => of_link(link, is_up(link)),
        RouteNetlinkMessage::DelLink(link) => of_link(link, false),
        // Pods' addresses are in pods' namespaces.
        RouteNetlinkMessage::NewAddress(_) | RouteNetlinkMessage::DelAddress(_) => Concern::Host,
        RouteNetlinkMessage::NewRoute(route) | RouteNetlinkMessage::DelRoute(route) => {
            host(is_route_of_host(route))
        }
        RouteNetlinkMessage::NewRule(rule) | RouteNetlinkMessage::DelRule(rule) => {
            host(is_rule_of_host(rule))
        }
        RouteNetlinkMessage::DelNeighbour(neighbour) => host(was_fixed(neighbour)),
        _ => Concern::Nobody,
    }
}

/// A cable's end may be a pod's or an uplink; other links are the host's.
fn of_link(link: &LinkMessage, is_up: bool) -> Concern {
    if !is_cable(link) {
        return Concern::Host;
    }
    let name = link.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    });
    match name {
        Some(name) if !is_up => Concern::Fallen(name),
        Some(_) | None => Concern::Nobody,
    }
}

fn is_up(link: &LinkMessage) -> bool {
    link.header.flags.contains(LinkFlags::Up)
}

pub(super) fn is_cable(link: &LinkMessage) -> bool {
    link.attributes.iter().any(|attribute| match attribute {
        LinkAttribute::LinkInfo(all) => all.contains(&LinkInfo::Kind(InfoKind::Veth)),
        _ => false,
    })
}

/// Default routes of the main table, and what is ours.
fn is_route_of_host(route: &RouteMessage) -> bool {
    let wide = route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Table(table) => Some(*table),
        _ => None,
    });
    let table = wide.unwrap_or(route.header.table.into());
    let is_ours = route.header.protocol == RouteProtocol::from(PROTOCOL) || is_our_table(table);
    let is_default = route.header.destination_prefix_length == 0 && table == MAIN_TABLE;
    is_ours || is_default
}

fn is_rule_of_host(rule: &RuleMessage) -> bool {
    rule.attributes.contains(&RuleAttribute::Priority(RULE_PRIORITY))
}

/// Neighbours come and go; those that somebody has put there stay until somebody takes them.
fn was_fixed(neighbour: &NeighbourMessage) -> bool {
    neighbour.header.state != NeighbourState::Stale
}
