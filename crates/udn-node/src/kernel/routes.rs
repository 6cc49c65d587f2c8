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
use udn_host::links::everything;
use udn_host::routing::{HostRoute, LAST_RESORT, MAIN_TABLE, Rule, Selector, Way, is_our_table};
use udn_host::{PodLink, Routing};
use udn_model::{Family, InterfaceAddress, Subnet};

use super::links::Link;
use super::{KernelError, PROTOCOL, links, refused};

/// The metric that the kernel gives a route of IPv6 that comes without one.
// compat: include/uapi/linux/ipv6_route.h, IP6_RT_PRIO_USER
const USUAL_METRIC: u32 = 1024;
/// Before the tables of a pod's links, each of which has its link's number beyond it.
const FIRST_POD_TABLE: u32 = 100;

/// Makes our routes on the host the planned ones; returns how much was changed.
pub(super) async fn apply_host(handle: &Handle, wanted: &Routing) -> Result<usize, KernelError> {
    let is_ours = |table| is_our_table(table) || (wanted.owns_main_table && table == MAIN_TABLE);
    change(handle, list(handle, is_ours).await?, wanted.routes.clone()).await
}

/// Makes our routes in a pod the planned ones; returns how much was changed.
pub(super) async fn apply_pod(
    handle: &Handle,
    link: &Link,
    wanted: &PodLink,
) -> Result<usize, KernelError> {
    change(handle, list_in_pod(handle, link).await?, planned(link, wanted)).await
}

/// The planned routes of a pod that do not stand.
pub(super) async fn missing_in_pod(
    handle: &Handle,
    link: &Link,
    wanted: &PodLink,
) -> Result<BTreeSet<HostRoute>, KernelError> {
    let mut missing = planned(link, wanted);
    for (route, _) in list_in_pod(handle, link).await? {
        route.map(|route| missing.remove(&route));
    }
    Ok(missing)
}

/// The rules by which a pod's answers find back: what comes from an address of one of several links leaves
/// through that link.
pub(super) fn rules_in_pod(link: &Link, wanted: &PodLink) -> BTreeSet<Rule> {
    let addresses = wanted.addresses.iter().filter(|_| wanted.is_one_of_several);
    let rule = |ip: IpAddr| {
        let (family, selector) = (Family::of(ip), Selector::Source(ip));
        Rule { family, selector, table: table_of(link) }
    };
    addresses.map(|it| rule(it.addr())).collect()
}

/// The table of one of a pod's several links into one network.
// compat: pkg/cni/helper_linux.go, pods with several interfaces of one NAD
pub(super) fn table_of(link: &Link) -> u32 {
    FIRST_POD_TABLE + link.index
}

fn planned(link: &Link, wanted: &PodLink) -> BTreeSet<HostRoute> {
    let through = |table: u32, metric: u32| {
        wanted.routes.iter().map(move |route| HostRoute {
            table,
            destination: Subnet::of(route.destination),
            metric,
            way: Way::NextHop { next_hop: route.next_hop, link: link.name.clone() },
        })
    };
    // Links into one network have equal routes, of which the kernel takes only one of each metric.
    let metric = match u32::from(wanted.attachment.index) {
        0 => 0,
        index => USUAL_METRIC + index,
    };
    let mut all: BTreeSet<HostRoute> = through(MAIN_TABLE, metric).collect();
    if wanted.is_one_of_several {
        let table = table_of(link);
        let way = || Way::Link { link: link.name.clone() };
        let neighbours = wanted.addresses.iter().map(|address| Subnet::of(*address));
        all.extend(neighbours.map(|it| HostRoute {
            table,
            destination: it,
            metric: 0,
            way: way(),
        }));
        all.extend(through(table, 0));
    }
    all
}

/// Our routes through one of the pod's links; other attachments of the pod have routes of ours too.
async fn list_in_pod(
    handle: &Handle,
    link: &Link,
) -> Result<Vec<(Option<HostRoute>, RouteMessage)>, KernelError> {
    let index = link.index;
    let mut standing = list(handle, |it| it == MAIN_TABLE || it == table_of(link)).await?;
    standing.retain(|(_, message)| message.attributes.contains(&RouteAttribute::Oif(index)));
    Ok(standing)
}

/// Removes what is too much, then adds what is missing.
pub(super) async fn change(
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
pub(super) async fn list(
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

pub(super) async fn link_names(handle: &Handle) -> Result<BTreeMap<u32, String>, KernelError> {
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

pub(super) fn read(message: &RouteMessage, names: &BTreeMap<u32, String>) -> Option<HostRoute> {
    let family = match message.header.address_family {
        AddressFamily::Inet => Family::V4,
        AddressFamily::Inet6 => Family::V6,
        _ => return None,
    };
    let (mut destination, mut next_hop, mut link) = (everything(family), None, None);
    let mut metric = 0;
    for attribute in &message.attributes {
        match attribute {
            RouteAttribute::Priority(number) => metric = *number,
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
    let is_usual = way == Way::Unreachable || (family == Family::V6 && metric == USUAL_METRIC);
    let metric = if is_usual { 0 } else { metric };
    Some(HostRoute { table: table(message), destination, metric, way })
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
    let message = if route.metric > 0 { message.priority(route.metric) } else { message };
    let outcome = handle.route().add(message.build()).execute().await;
    outcome.map_err(refused(format!("add the {route}")))
}
