//! Routes, of the host and of pods.
//!
//! Invariant: routes with our protocol are ours, and no others are touched.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use futures_util::TryStreamExt;
use rtnetlink::packet_route::AddressFamily;
use rtnetlink::packet_route::link::LinkAttribute;
use rtnetlink::packet_route::route::{
    RouteAddress, RouteAttribute, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use rtnetlink::{Handle, RouteMessageBuilder};
use udn_host::Routing;
use udn_host::links::everything;
use udn_host::routing::{HostRoute, LAST_RESORT, MAIN_TABLE, Way, is_our_table};
use udn_model::{Family, InterfaceAddress, Route, Subnet};

use super::links::Link;
use super::{KernelError, PROTOCOL, links, refused};

/// Makes our routes on the host the planned ones; returns how much was changed.
pub(super) async fn apply_host(handle: &Handle, wanted: &Routing) -> Result<usize, KernelError> {
    let is_ours = |table| is_our_table(table) || (wanted.owns_main_table && table == MAIN_TABLE);
    change(handle, list(handle, is_ours).await?, wanted.routes.clone()).await
}

/// Makes our routes in a pod the planned ones; returns how much was changed.
pub(super) async fn apply_pod(
    handle: &Handle,
    link: &Link,
    wanted: &[Route],
) -> Result<usize, KernelError> {
    change(handle, list_in_pod(handle, link).await?, planned(link, wanted)).await
}

/// The planned routes of a pod that do not stand.
pub(super) async fn missing_in_pod(
    handle: &Handle,
    link: &Link,
    wanted: &[Route],
) -> Result<BTreeSet<HostRoute>, KernelError> {
    let mut missing = planned(link, wanted);
    for (route, _) in list_in_pod(handle, link).await? {
        route.map(|route| missing.remove(&route));
    }
    Ok(missing)
}

fn planned(link: &Link, wanted: &[Route]) -> BTreeSet<HostRoute> {
    let route = |route: &Route| HostRoute {
        table: MAIN_TABLE,
        destination: Subnet::of(route.destination),
        way: Way::NextHop { next_hop: route.next_hop, link: link.name.clone() },
    };
    wanted.iter().map(route).collect()
}

/// Our routes through one of the pod's links; other attachments of the pod have routes of ours too.
async fn list_in_pod(
    handle: &Handle,
    link: &Link,
) -> Result<Vec<(Option<HostRoute>, RouteMessage)>, KernelError> {
    let index = link.index;
    let mut standing = list(handle, |table| table == MAIN_TABLE).await?;
    standing.retain(|(_, message)| message.attributes.contains(&RouteAttribute::Oif(index)));
    Ok(standing)
}

/// Removes what is too much, then adds what is missing.
async fn change(
    handle: &Handle,
    standing: Vec<(Option<HostRoute>, RouteMessage)>,
    mut missing: BTreeSet<HostRoute>,
) -> Result<usize, KernelError> {
    let mut changes = 0;
    for (route, message) in standing {
        let is_wanted = route.as_ref().is_some_and(|route| missing.remove(route));
        if !is_wanted {
            let name = route.map_or_else(|| "a route".to_owned(), |route| route.to_string());
            let deed = format!("remove {name}");
            handle.route().del(message).execute().await.map_err(refused(deed))?;
            changes += 1;
        }
    }
    // A next hop is taken only where the way to it stands already.
    let (late, early): (Vec<HostRoute>, Vec<HostRoute>) =
        missing.into_iter().partition(|route| matches!(route.way, Way::NextHop { .. }));
    for route in early.iter().chain(&late) {
        add(handle, route).await?;
        changes += 1;
    }
    Ok(changes)
}

/// Our routes in some tables; one that does not read like a planned one is without a value.
async fn list(
    handle: &Handle,
    is_wanted: impl Fn(u32) -> bool,
) -> Result<Vec<(Option<HostRoute>, RouteMessage)>, KernelError> {
    let names = link_names(handle).await?;
    let mut found = Vec::new();
    for family in [AddressFamily::Inet, AddressFamily::Inet6] {
        let mut query = RouteMessageBuilder::<IpAddr>::new().build();
        query.header.address_family = family;
        let messages: Vec<RouteMessage> = handle
            .route()
            .get(query)
            .execute()
            .try_collect()
            .await
            .map_err(refused("list the routes".to_owned()))?;
        let ours = messages.into_iter().filter(|message| {
            message.header.protocol == RouteProtocol::from(PROTOCOL) && is_wanted(table(message))
        });
        found.extend(ours.map(|message| (read(&message, &names), message)));
    }
    Ok(found)
}

async fn link_names(handle: &Handle) -> Result<BTreeMap<u32, String>, KernelError> {
    let messages = handle.link().get().execute().try_collect::<Vec<_>>().await;
    let messages = messages.map_err(refused("list the links".to_owned()))?;
    let name = |attribute: &LinkAttribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    };
    let named = messages.iter().filter_map(|message| {
        Some((message.header.index, message.attributes.iter().find_map(name)?))
    });
    Ok(named.collect())
}

fn table(message: &RouteMessage) -> u32 {
    let wide = message.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Table(table) => Some(*table),
        _ => None,
    });
    wide.unwrap_or(message.header.table.into())
}

fn read(message: &RouteMessage, names: &BTreeMap<u32, String>) -> Option<HostRoute> {
    let family = match message.header.address_family {
        AddressFamily::Inet => Family::V4,
        AddressFamily::Inet6 => Family::V6,
        _ => return None,
    };
    let (mut destination, mut next_hop, mut link) = (everything(family), None, None);
    for attribute in &message.attributes {
        match attribute {
            RouteAttribute::Destination(address) => {
                let length = message.header.destination_prefix_length;
                destination = Subnet::of(InterfaceAddress::new(ip(address)?, length).ok()?);
            }
            RouteAttribute::Gateway(address) => next_hop = ip(address),
            RouteAttribute::Oif(index) => link = names.get(index).cloned(),
            _ => {}
        }
    }
    let way = match (message.header.kind, next_hop, link) {
        (RouteType::Unreachable, ..) => Way::Unreachable,
        (RouteType::Unicast, Some(next_hop), Some(link)) => Way::NextHop { next_hop, link },
        (RouteType::Unicast, None, Some(link)) => Way::Link { link },
        _ => return None,
    };
    Some(HostRoute { table: table(message), destination, way })
}

fn ip(address: &RouteAddress) -> Option<IpAddr> {
    match address {
        RouteAddress::Inet(ip) => Some((*ip).into()),
        RouteAddress::Inet6(ip) => Some((*ip).into()),
        _ => None,
    }
}

async fn add(handle: &Handle, route: &HostRoute) -> Result<(), KernelError> {
    let destination = route.destination;
    let mixed = |_| KernelError::MixedFamilies { route: route.clone() };
    let message = RouteMessageBuilder::<IpAddr>::new()
        .table_id(route.table)
        .protocol(RouteProtocol::from(PROTOCOL))
        .destination_prefix(destination.base(), destination.prefix_len())
        .map_err(mixed)?;
    let message = match &route.way {
        Way::Link { link } => {
            let index = links::require(handle, link).await?.index;
            message.scope(RouteScope::Link).output_interface(index)
        }
        Way::NextHop { next_hop, link } => {
            let index = links::require(handle, link).await?.index;
            message.gateway(*next_hop).map_err(mixed)?.output_interface(index)
        }
        Way::Unreachable => message.kind(RouteType::Unreachable).priority(LAST_RESORT),
    };
    let outcome = handle.route().add(message.build()).execute().await;
    outcome.map_err(refused(format!("add the {route}")))
}
