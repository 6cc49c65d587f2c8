//! Reads from a standing row which part it belongs to.
//!
//! Invariant: a row is taken for ours only if everything it shows fits; in doubt it is not.

use ovn::Owner;
use ovn::key::PRIMARY_ID;
use ovsdb::cache::RowView;
use udn_model::NodeName;

use super::{backbone, node, other_chassis, pod, zone as zone_owner};
use crate::names::{self, Prefix, ids};

/// The name of the network that is not user-defined.
const DEFAULT_NETWORK: &str = "default";

pub(super) fn northbound_owner(zone: &NodeName, row: RowView<'_>) -> Option<Owner> {
    match &*row.table.name {
        "ACL" => of_host_access(row).or_else(|| of_guard(row)),
        "Copp" => (row.text("name") == Some(names::PROTECTION)).then(zone_owner),
        "Load_Balancer_Group" => of_balancers(row),
        "Logical_Router" => of_router(row),
        "Logical_Router_Policy" => of_policy(zone, row),
        "Logical_Router_Port" => of_router_port(row),
        "Logical_Router_Static_Route" => of_route(zone, row),
        "Logical_Switch" => of_switch(row),
        "Logical_Switch_Port" => of_switch_port(row),
        "Meter" => of_meter(row),
        "NAT" => of_nat(zone, row),
        "Port_Group" => of_port_group(row).or_else(|| of_guard(row)),
        "Static_MAC_Binding" => of_neighbour(row),
        _ => None,
    }
}

pub(super) fn southbound_owner(row: RowView<'_>) -> Option<Owner> {
    let is_remote = || row.entry("other_config", "is-remote") == Some("true");
    (&*row.table.name == "Chassis" && is_remote()).then(other_chassis)
}

/// The network of a switch or router whose topology is not drawn here.
pub(super) fn foreign_network(row: RowView<'_>) -> Option<Prefix> {
    let topology = row.entry("external_ids", ids::TOPOLOGY)?;
    let network = row.entry("external_ids", ids::NETWORK)?;
    (!is_drawn_here(topology)).then(|| Prefix::of_text(network))
}

/// Whether networks of this topology are drawn here.
fn is_drawn_here(topology: &str) -> bool {
    matches!(topology, ids::LAYER2 | ids::LOCALNET)
}

fn of_switch(row: RowView<'_>) -> Option<Owner> {
    let (prefix, name) = (marked(row)?, row.text("name")?);
    match name.strip_prefix(prefix.as_str()) {
        Some(names::LAYER2_SWITCH | names::LOCALNET_SWITCH) => Some(backbone(&prefix)),
        _ => at_node(&prefix, name.strip_prefix(names::EXTERNAL_SWITCH)?),
    }
}

fn of_router(row: RowView<'_>) -> Option<Owner> {
    let (prefix, name) = (marked(row)?, row.text("name")?);
    match name.strip_prefix(prefix.as_str()) {
        Some(names::TRANSIT_ROUTER) => Some(backbone(&prefix)),
        _ => at_gateway_router(&prefix, name),
    }
}

fn of_switch_port(row: RowView<'_>) -> Option<Owner> {
    let name = row.text("name")?;
    // Ports of the default network's pods are named by their namespace first, so a name alone
    // may look like ours; but they have marks.
    if row.get("external_ids")?.is_empty() {
        return of_unmarked_port(name, row.text("type")?);
    }
    let prefix = marked(row)?;
    if row.entry("external_ids", ids::POD) == Some("true") {
        return Some(pod(&prefix, name));
    }
    if is_layer2_switch(&prefix, name.strip_prefix(names::SWITCH_TO_TRANSIT)) {
        return Some(backbone(&prefix));
    }
    let to_gateway = name.strip_prefix(names::EXTERNAL_TO_GATEWAY);
    match to_gateway.and_then(|name| at_gateway_router(&prefix, name)) {
        Some(owner) => Some(owner),
        None => of_bridge_port(&prefix, row),
    }
}

fn of_unmarked_port(name: &str, kind: &str) -> Option<Owner> {
    match kind {
        "" => split_at_node(name.strip_prefix(names::MANAGEMENT_PORT)?),
        "localnet" => {
            whole_prefix(name.strip_suffix(names::LOCALNET_PORT)?).map(|it| backbone(&it))
        }
        _ => None,
    }
}

/// `<bridge>_<prefix><node>`.
fn of_bridge_port(prefix: &Prefix, row: RowView<'_>) -> Option<Owner> {
    let (head, at) = cut_node(row.text("name")?)?;
    let bridge = head.strip_suffix(prefix.as_str())?.strip_suffix('_')?;
    let is_bridge = row.text("type") == Some("localnet") && !bridge.is_empty();
    is_bridge.then(|| node(prefix, at))
}

fn of_router_port(row: RowView<'_>) -> Option<Owner> {
    let name = row.text("name")?;
    if let Some(switch) = name.strip_prefix(names::TRANSIT_TO_SWITCH) {
        let prefix = whole_prefix(switch.strip_suffix(names::LAYER2_SWITCH)?)?;
        return Some(backbone(&prefix));
    }
    let prefix = marked(row)?;
    let ends = [names::TRANSIT_TO_GATEWAY, names::GATEWAY_TO_TRANSIT, names::GATEWAY_TO_EXTERNAL];
    let router = ends.iter().find_map(|end| name.strip_prefix(end))?;
    at_gateway_router(&prefix, router)
}

fn of_route(zone: &NodeName, row: RowView<'_>) -> Option<Owner> {
    let prefix = marked_plainly(row)?;
    if row.entry("external_ids", ids::ALLOWED_SERVICE).is_some() {
        return Some(backbone(&prefix));
    }
    if let Some(at) = row.entry("external_ids", ids::NODE) {
        return Some(node(&prefix, at));
    }
    if let Some(port) = row.text("output_port") {
        let ends = [names::GATEWAY_TO_TRANSIT, names::GATEWAY_TO_EXTERNAL];
        let router = ends.iter().find_map(|end| port.strip_prefix(end))?;
        return at_gateway_router(&prefix, router);
    }
    // What is left of ours is the own subnet by source, and the own join address.
    let is_address = |prefix: &str| !prefix.contains('/');
    let is_own = match row.text("policy") {
        Some("src-ip") => true,
        Some(_) => false,
        None => row.text("ip_prefix").is_some_and(is_address),
    };
    is_own.then(|| node(&prefix, zone.as_str()))
}

fn of_policy(zone: &NodeName, row: RowView<'_>) -> Option<Owner> {
    let prefix = marked_plainly(row)?;
    let priority = row.get("priority")?.as_atom()?.as_integer()?;
    let port = row.text("match")?.strip_prefix("inport == \"")?.split('"').next()?;
    let is_from_pods = is_layer2_switch(&prefix, port.strip_prefix(names::TRANSIT_TO_SWITCH));
    let is_ours = priority == names::HOST_POLICY && is_from_pods;
    is_ours.then(|| node(&prefix, zone.as_str()))
}

fn of_nat(zone: &NodeName, row: RowView<'_>) -> Option<Owner> {
    let prefix = marked_plainly(row)?;
    let is_source = row.text("type") == Some("snat");
    match row.text("logical_port") {
        None => is_source.then(|| node(&prefix, zone.as_str())),
        Some(port) => {
            let is_ours = is_layer2_switch(&prefix, port.strip_prefix(names::TRANSIT_TO_SWITCH));
            (is_source && is_ours).then(|| backbone(&prefix))
        }
    }
}

fn of_neighbour(row: RowView<'_>) -> Option<Owner> {
    let router = row.text("logical_port")?.strip_prefix(names::GATEWAY_TO_EXTERNAL)?;
    split_at_node(router.strip_prefix(names::GATEWAY_ROUTER)?)
}

fn of_balancers(row: RowView<'_>) -> Option<Owner> {
    let name = row.text("name")?;
    let kinds = [names::CLUSTER_BALANCERS, names::SWITCH_BALANCERS, names::ROUTER_BALANCERS];
    let prefix = kinds.iter().find_map(|kind| name.strip_suffix(kind))?;
    whole_prefix(prefix).map(|prefix| backbone(&prefix))
}

fn of_meter(row: RowView<'_>) -> Option<Owner> {
    let name = row.text("name")?;
    names::PROTECTED.iter().any(|it| names::protection_meter(it) == name).then(zone_owner)
}

fn of_port_group(row: RowView<'_>) -> Option<Owner> {
    let prefix = signed(row, ids::CLUSTER)?;
    let name = row.entry("external_ids", ids::NAME)?;
    matches!(name, ids::CLUSTER_PORTS | ids::ROUTER_PORTS).then(|| backbone(&prefix))
}

fn of_host_access(row: RowView<'_>) -> Option<Owner> {
    let prefix = signed(row, ids::HOST_ACCESS)?;
    let is_ours = is_layer2_switch(&prefix, row.entry("external_ids", ids::NAME));
    is_ours.then(|| backbone(&prefix))
}

fn of_guard(row: RowView<'_>) -> Option<Owner> {
    signed(row, ids::ROUTER_GUARD).map(|prefix| backbone(&prefix))
}

/// The network that a row shows, if its topology is one of ours.
fn marked(row: RowView<'_>) -> Option<Prefix> {
    let topology = row.entry("external_ids", ids::TOPOLOGY)?;
    let network = row.entry("external_ids", ids::NETWORK)?;
    (is_drawn_here(topology) && network != DEFAULT_NETWORK).then(|| Prefix::of_text(network))
}

/// The same for rows without a primary id: those with one are made by other features.
fn marked_plainly(row: RowView<'_>) -> Option<Prefix> {
    row.entry("external_ids", PRIMARY_ID).is_none().then(|| marked(row))?
}

/// The network that signed a row of this kind.
fn signed(row: RowView<'_>, kind: &str) -> Option<Prefix> {
    let controller = row.entry("external_ids", ids::OWNER_CONTROLLER)?;
    let network = controller.strip_suffix(names::CONTROLLER)?;
    let is_kind = row.entry("external_ids", ids::OWNER_TYPE) == Some(kind);
    (is_kind && network != DEFAULT_NETWORK).then(|| Prefix::of_text(network))
}

/// Whether the name is that of the network's layer-2 switch.
fn is_layer2_switch(prefix: &Prefix, name: Option<&str>) -> bool {
    let rest = name.and_then(|name| name.strip_prefix(prefix.as_str()));
    rest == Some(names::LAYER2_SWITCH)
}

/// `GR_<prefix><node>`.
fn at_gateway_router(prefix: &Prefix, name: &str) -> Option<Owner> {
    at_node(prefix, name.strip_prefix(names::GATEWAY_ROUTER)?)
}

/// `<prefix><node>`, where the prefix is known.
fn at_node(prefix: &Prefix, name: &str) -> Option<Owner> {
    let at = name.strip_prefix(prefix.as_str())?;
    (!at.is_empty() && !at.contains('_')).then(|| node(prefix, at))
}

/// `<prefix><node>`, where it is not.
fn split_at_node(name: &str) -> Option<Owner> {
    let (prefix, at) = cut_node(name)?;
    whole_prefix(prefix).map(|prefix| node(&prefix, at))
}

/// Cuts the node off a name: node names have no `_`, and what stands before them ends in one.
fn cut_node(name: &str) -> Option<(&str, &str)> {
    let (head, at) = name.split_at(name.rfind('_')? + 1);
    (!at.is_empty()).then_some((head, at))
}

/// A text that can be a prefix.
fn whole_prefix(text: &str) -> Option<Prefix> {
    let network = text.strip_suffix('_')?;
    (!network.is_empty()).then(|| Prefix::read(text))
}
