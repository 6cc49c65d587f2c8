//! Reads the kernel's messages about links, addresses and default routes.
//!
//! Invariant: what a message does not say is absent.

use std::collections::BTreeMap;
use std::net::IpAddr;

use rtnetlink::RouteMessageBuilder;
use rtnetlink::packet_route::AddressFamily;
use rtnetlink::packet_route::address::{
    AddressAttribute, AddressFlags, AddressMessage, AddressScope,
};
use rtnetlink::packet_route::link::{LinkAttribute, LinkMessage};
use rtnetlink::packet_route::route::{
    RouteAddress, RouteAttribute, RouteMessage, RouteNextHop, RouteType,
};
use udn_host::chassis::{DefaultRoute, LinkSeen};
use udn_host::routing::MAIN_TABLE;
use udn_model::{InterfaceAddress, MacAddress};

/// A link, by its name.
pub(super) fn link(message: &LinkMessage) -> Option<(String, LinkSeen)> {
    let (mut name, mut seen) = (None, LinkSeen::default());
    for attribute in &message.attributes {
        match attribute {
            LinkAttribute::IfName(text) => name = Some(text.clone()),
            LinkAttribute::Address(octets) => {
                let octets: Option<[u8; 6]> = octets.as_slice().try_into().ok();
                seen.mac = octets.map(MacAddress::new);
            }
            LinkAttribute::Mtu(bytes) => seen.mtu = Some(*bytes),
            _ => {}
        }
    }
    name.map(|name| (name, seen))
}

/// An address that stays, and that others may reach.
pub(super) fn address(message: &AddressMessage) -> Option<InterfaceAddress> {
    let mut flags = AddressFlags::empty();
    let (mut address, mut local) = (None, None);
    for attribute in &message.attributes {
        match attribute {
            AddressAttribute::Flags(all) => flags = *all,
            AddressAttribute::Address(ip) => address = Some(*ip),
            // On a link between two, the other attribute is the other end.
            AddressAttribute::Local(ip) => local = Some(*ip),
            _ => {}
        }
    }
    let passing = AddressFlags::Tentative | AddressFlags::Dadfailed | AddressFlags::Deprecated;
    // Of privacy addresses, only IPv6 has; there the flag of secondary ones means that.
    let is_private =
        message.header.family == AddressFamily::Inet6 && flags.contains(AddressFlags::Secondary);
    let is_lasting = !flags.intersects(passing) && !is_private;
    let is_wide = message.header.scope == AddressScope::Universe;
    let ip = local.or(address).filter(|_| is_lasting && is_wide)?;
    InterfaceAddress::new(ip, message.header.prefix_len).ok()
}

/// What to ask for routes of both families.
pub(super) fn queries() -> [RouteMessage; 2] {
    [AddressFamily::Inet, AddressFamily::Inet6].map(|family| {
        let mut query = RouteMessageBuilder::<IpAddr>::new().build();
        query.header.address_family = family;
        query
    })
}

/// The ways of a default route of the main table.
pub(super) fn default_routes(
    message: &RouteMessage,
    names: &BTreeMap<u32, String>,
) -> Vec<DefaultRoute> {
    let header = &message.header;
    if header.destination_prefix_length != 0 || header.kind != RouteType::Unicast {
        return Vec::new();
    }
    let (mut table, mut metric) = (u32::from(header.table), 0);
    let (mut gateway, mut link, mut hops) = (None, None, Vec::new());
    for attribute in &message.attributes {
        match attribute {
            RouteAttribute::Table(number) => table = *number,
            RouteAttribute::Priority(number) => metric = *number,
            RouteAttribute::Gateway(address) => gateway = ip(address),
            RouteAttribute::Oif(index) => link = Some(*index),
            RouteAttribute::MultiPath(all) => hops.extend(all.iter().map(hop)),
            _ => {}
        }
    }
    hops.push((gateway, link));
    let route = |(gateway, link): (Option<IpAddr>, Option<u32>)| {
        let (next_hop, link) = (gateway?, names.get(&link?)?.clone());
        Some(DefaultRoute { metric, link, next_hop })
    };
    if table == MAIN_TABLE { hops.into_iter().filter_map(route).collect() } else { Vec::new() }
}

fn hop(hop: &RouteNextHop) -> (Option<IpAddr>, Option<u32>) {
    let gateway = hop.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Gateway(address) => ip(address),
        _ => None,
    });
    (gateway, Some(hop.interface_index))
}

fn ip(address: &RouteAddress) -> Option<IpAddr> {
    match address {
        RouteAddress::Inet(ip) => Some((*ip).into()),
        RouteAddress::Inet6(ip) => Some((*ip).into()),
        _ => None,
    }
}
