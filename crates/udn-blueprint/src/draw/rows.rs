//! Small pieces that rows are made of.
//!
//! Invariant: nothing here decides whether a row exists.

use std::collections::BTreeMap;
use std::net::IpAddr;

use ovn::Key;
use ovn::drawn::Record;
use ovn::northbound::{
    Copp, LoadBalancerGroup, LogicalRouter, LogicalRouterStaticRoute, LogicalSwitch, Nat, NatType,
    PortGroup,
};
use udn_model::{InterfaceAddress, Network, NetworkName};

use crate::names::{self, Prefix, ids};

/// A map of texts.
pub(super) type Texts = BTreeMap<String, String>;

pub(super) fn texts<const N: usize>(entries: [(&str, &str); N]) -> Texts {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// The entries by which a row shows its network.
pub(super) fn marks(network: &Network) -> Texts {
    texts([(ids::NETWORK, network.name.as_str()), (ids::TOPOLOGY, ids::topology(network))])
}

/// The same for switches and gateway routers, which also show the network's role.
// compat: pkg/util/util.go, GenerateExternalIDsForSwitchOrRouter
pub(super) fn marks_with_role(network: &Network) -> Texts {
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

pub(super) fn transit_router(prefix: &Prefix) -> Key {
    key::<LogicalRouter>(&names::transit_router(prefix))
}

pub(super) fn balancers(name: &str) -> Key {
    key::<LoadBalancerGroup>(name)
}

pub(super) fn protection() -> Key {
    key::<Copp>(names::PROTECTION)
}

/// The group of a network's management ports.
pub(super) fn cluster_ports(network: &NetworkName) -> Key {
    let id = ids::primary_id(&names::controller(network), [ids::CLUSTER, ids::CLUSTER_PORTS]);
    key::<PortGroup>(&names::port_group(&id))
}

/// The group of a network's guarded workloads.
pub(super) fn guarded_ports(network: &NetworkName) -> Key {
    let id = ids::primary_id(&names::controller(network), [ids::ROUTER_GUARD, ids::GUARDED_PORTS]);
    key::<PortGroup>(&names::port_group(&id))
}

fn key<R: Record>(name: &str) -> Key {
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
pub(super) fn source_nat(from: impl ToString, to: IpAddr, marks: &Texts) -> Nat {
    Nat {
        r#type: Some(NatType::Snat),
        logical_ip: from.to_string(),
        external_ip: to.to_string(),
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
