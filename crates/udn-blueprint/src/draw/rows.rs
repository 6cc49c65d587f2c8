//! Small pieces that rows are made of.
//!
//! Invariant: nothing here decides whether a row exists, save what needs a chassis that is not told.

use std::collections::BTreeMap;
use std::net::IpAddr;

use ovn::drawn::{Record, RowRefs};
use ovn::key::PRIMARY_ID;
use ovn::northbound::{
    Copp, GatewayChassis, LoadBalancerGroup, LogicalRouter, LogicalRouterPort,
    LogicalRouterStaticRoute, LogicalSwitch, Nat, NatType, PortGroup,
};
use ovn::{Key, Sheet};
use ovsdb::Atom;
use udn_model::{
    ChassisName, ClusterSettings, Family, InterfaceAddress, Network, NetworkName, NodeName, Subnet,
};

use crate::names::{self, Prefix, ids};

/// A map of texts.
pub(super) type Texts = BTreeMap<String, String>;

pub(super) fn texts<const N: usize>(entries: [(&str, &str); N]) -> Texts {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// The entries by which a row shows its network; those of the default network show none.
pub(super) fn marks(network: &Network) -> Texts {
    if network.is_default() {
        return Texts::new();
    }
    texts([(ids::NETWORK, network.name.as_str()), (ids::TOPOLOGY, ids::topology(network))])
}

/// The same for switches and gateway routers, which also show the network's role.
// compat: pkg/util/util.go, GenerateExternalIDsForSwitchOrRouter
pub(super) fn marks_with_role(network: &Network) -> Texts {
    if network.is_default() {
        return Texts::new();
    }
    with(marks(network), [(ids::ROLE, ids::role(network))])
}

/// A map with some more entries.
pub(super) fn with<const N: usize>(mut map: Texts, entries: [(&str, &str); N]) -> Texts {
    map.extend(texts(entries));
    map
}

pub(super) fn layer2_switch(prefix: &Prefix) -> Key {
    key::<LogicalSwitch>(&names::layer2_switch(prefix))
}

pub(super) fn localnet_switch(prefix: &Prefix) -> Key {
    key::<LogicalSwitch>(&names::localnet_switch(prefix))
}

pub(super) fn node_switch(prefix: &Prefix, node: &NodeName) -> Key {
    key::<LogicalSwitch>(&names::node_switch(prefix, node))
}

pub(super) fn join_switch(prefix: &Prefix) -> Key {
    key::<LogicalSwitch>(&names::join_switch(prefix))
}

pub(super) fn transit_switch(prefix: &Prefix) -> Key {
    key::<LogicalSwitch>(&names::transit_switch(prefix))
}

pub(super) fn cluster_router(prefix: &Prefix) -> Key {
    key::<LogicalRouter>(&names::cluster_router(prefix))
}

pub(super) fn transit_router(prefix: &Prefix) -> Key {
    key::<LogicalRouter>(&names::transit_router(prefix))
}

pub(super) fn balancers(name: &str) -> Key {
    key::<LoadBalancerGroup>(name)
}

pub(super) fn protection() -> Key {
    key::<Copp>(names::PROTECTION)
}

/// The entries by which a row with a primary id shows who made it: its kind, and what tells it from
/// others of its kind.
pub(super) fn signature<const N: usize>(
    network: &NetworkName,
    kind: &str,
    rest: [(&str, &str); N],
) -> Texts {
    let controller = names::controller(network);
    let parts = rest.map(|(_, value)| value);
    let id = ids::primary_id(&controller, kind, &parts);
    let whose = [(PRIMARY_ID, &*id), (ids::OWNER_CONTROLLER, &controller), (ids::OWNER_TYPE, kind)];
    with(texts(whose), rest)
}

/// A group of ports of a network.
pub(super) fn group(network: &NetworkName, kind: &str, name: &str) -> PortGroup {
    let id = ids::primary_id(&names::controller(network), kind, &[name]);
    PortGroup {
        name: names::port_group(&id),
        external_ids: signature(network, kind, [(ids::NAME, name)]),
        ..PortGroup::default()
    }
}

/// The group of a network's management ports.
pub(super) fn cluster_ports(network: &NetworkName) -> Key {
    key::<PortGroup>(&group(network, ids::CLUSTER, ids::CLUSTER_PORTS).name)
}

/// The group of the locked ports on the default network.
pub(super) fn locked_ports(network: &NetworkName) -> Key {
    key::<PortGroup>(&group(network, ids::ISOLATION, ids::LOCKED_PORTS).name)
}

pub(super) fn key<R: Record>(name: &str) -> Key {
    Key::named(R::TABLE, name)
}

/// A route by destination.
pub(super) fn route(prefix: impl ToString, next_hop: IpAddr, marks: &Texts) -> Route {
    Route {
        ip_prefix: prefix.to_string(),
        nexthop: next_hop.to_string(),
        external_ids: marks.clone(),
        ..Route::default()
    }
}

pub(super) type Route = LogicalRouterStaticRoute;

/// A translation of source addresses.
pub(super) fn source_nat(
    from: impl ToString,
    to: IpAddr,
    marks: &Texts,
    settings: &ClusterSettings,
) -> Nat {
    Nat {
        r#type: Some(NatType::Snat),
        logical_ip: from.to_string(),
        external_ip: to.to_string(),
        external_port_range: settings.ephemeral_ports.map(|it| it.to_string()).unwrap_or_default(),
        options: texts([("stateless", "false")]),
        external_ids: marks.clone(),
        ..Nat::default()
    }
}

/// How OVN names the destination field of an address's family.
pub(super) fn destination_field(ip: IpAddr) -> &'static str {
    match ip {
        IpAddr::V4(_) => "ip4.dst",
        IpAddr::V6(_) => "ip6.dst",
    }
}

/// How OVN names the source field of an address's family.
pub(super) fn source_field(ip: IpAddr) -> &'static str {
    match ip {
        IpAddr::V4(_) => "ip4.src",
        IpAddr::V6(_) => "ip6.src",
    }
}

/// Addresses as texts, in any order.
pub(super) fn networks<'a, C: FromIterator<String>>(
    addresses: impl IntoIterator<Item = &'a InterfaceAddress>,
) -> C {
    addresses.into_iter().map(ToString::to_string).collect()
}

/// Makes a port of a router a port of the zone's own chassis, so that conditional translation works
/// on it.
pub(super) fn draw_gateway_chassis(sheet: &mut Sheet, chassis: Option<&ChassisName>, port: &Key) {
    let (Some(chassis), Some(name)) = (chassis, port.atoms().first().and_then(Atom::as_str)) else {
        return;
    };
    let row = GatewayChassis {
        name: names::gateway_chassis(name, chassis),
        chassis_name: chassis.to_string(),
        priority: 1,
        ..GatewayChassis::default()
    };
    sheet.draw_under(&row, port, LogicalRouterPort::GATEWAY_CHASSIS);
}

/// The groups of load balancers of a network.
pub(super) fn draw_balancers(sheet: &mut Sheet, prefix: &Prefix) {
    let names = [
        names::cluster_balancers(prefix),
        names::switch_balancers(prefix),
        names::router_balancers(prefix),
    ];
    for name in names {
        sheet.draw(&LoadBalancerGroup { name, ..LoadBalancerGroup::default() });
    }
}

/// Those of them that hold on the switch of the pods.
pub(super) fn switch_balancers(prefix: &Prefix) -> RowRefs {
    let groups = [names::cluster_balancers(prefix), names::switch_balancers(prefix)];
    groups.iter().map(|name| balancers(name)).collect()
}

/// What a switch is told of its subnets.
pub(super) fn subnet_config(subnets: impl IntoIterator<Item = Subnet>) -> Texts {
    let entry = |subnet: Subnet| match subnet.family() {
        Family::V4 => ("subnet".to_owned(), subnet.to_string()),
        Family::V6 => ("ipv6_prefix".to_owned(), subnet.base().to_string()),
    };
    subnets.into_iter().map(entry).collect()
}
