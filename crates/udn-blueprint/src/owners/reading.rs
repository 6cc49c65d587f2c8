//! Reads from a standing row which part it belongs to.
//!
//! Invariant: a row is taken for ours only if everything it shows fits; in doubt it is not.

use ovn::Owner;
use ovn::key::PRIMARY_ID;
use ovsdb::cache::RowView;
use udn_model::NodeName;

use super::{backbone, node, other_chassis, pod, zone as zone_owner};
use crate::names::{self, Prefix, ids};

mod default_network;
mod ports;

pub(super) use default_network::DefaultNetwork;

/// Whose database it is, and what is known of the default network if it is ours.
pub(super) struct Reader {
    pub(super) zone: NodeName,
    pub(super) default_network: Option<DefaultNetwork>,
}

/// What a row shows of its network.
struct Shown<'r> {
    prefix: Prefix,
    topology: &'r str,
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
    matches!(topology, ids::LAYER2 | ids::LAYER3 | ids::LOCALNET)
}

impl Reader {
    pub(super) fn owner(&self, row: RowView<'_>) -> Option<Owner> {
        match &*row.table.name {
            "ACL" => self.of_acl(row),
            "Copp" => (row.text("name") == Some(names::PROTECTION)).then(zone_owner),
            "Load_Balancer_Group" => self.of_balancers(row),
            "Logical_Router" => self.of_router(row),
            "Logical_Router_Policy" => self.of_policy(row),
            "Logical_Router_Port" => self.of_router_port(row),
            "Logical_Router_Static_Route" => self.of_route(row),
            "Logical_Switch" => self.of_switch(row),
            "Logical_Switch_Port" => self.of_switch_port(row),
            "Meter" => of_meter(row),
            "NAT" => self.of_nat(row),
            "Port_Group" => self.of_port_group(row),
            "Static_MAC_Binding" => self.of_neighbour(row),
            _ => None,
        }
    }

    fn of_switch(&self, row: RowView<'_>) -> Option<Owner> {
        let Shown { prefix, topology } = self.shown(row)?;
        let name = row.text("name")?;
        match (topology, name.strip_prefix(prefix.as_str())) {
            (ids::LAYER2, Some(names::LAYER2_SWITCH))
            | (ids::LOCALNET, Some(names::LOCALNET_SWITCH))
            | (ids::LAYER3, Some(names::JOIN_SWITCH | names::TRANSIT_SWITCH)) => {
                Some(backbone(&prefix))
            }
            (topology, _) => {
                let own = self.at_node(&prefix, name).filter(|_| topology == ids::LAYER3);
                let external = name.strip_prefix(names::EXTERNAL_SWITCH);
                own.or_else(|| self.at_node(&prefix, external?))
            }
        }
    }

    fn of_router(&self, row: RowView<'_>) -> Option<Owner> {
        let Shown { prefix, topology } = self.shown(row)?;
        let name = row.text("name")?;
        match (topology, name.strip_prefix(prefix.as_str())) {
            (ids::LAYER2, Some(names::TRANSIT_ROUTER))
            | (ids::LAYER3, Some(names::CLUSTER_ROUTER)) => Some(backbone(&prefix)),
            _ => self.at_gateway_router(&prefix, name),
        }
    }

    fn of_route(&self, row: RowView<'_>) -> Option<Owner> {
        if let Some(at) = row.entry("external_ids", ids::ROUTE_NODE) {
            return Some(node(&self.named(row.entry("external_ids", ids::NETWORK)?)?, at));
        }
        let Some(Shown { prefix, topology }) = marked_plainly(row) else {
            return self.default_network.as_ref()?.route(row);
        };
        if row.entry("external_ids", ids::ALLOWED_SERVICE).is_some() {
            return Some(match topology {
                ids::LAYER3 => self.own(&prefix),
                _ => backbone(&prefix),
            });
        }
        if let Some(at) = row.entry("external_ids", ids::NODE) {
            return Some(node(&prefix, at));
        }
        if let Some(port) = row.text("output_port") {
            let ends = [names::GATEWAY_TO_TRANSIT, names::GATEWAY_TO_EXTERNAL];
            let router = ends.iter().find_map(|end| port.strip_prefix(end))?;
            return self.at_gateway_router(&prefix, router);
        }
        // What is left of ours is the own subnet by source, the own join address, and a layer-3
        // network's ranges.
        let is_address = |prefix: &str| !prefix.contains('/');
        let is_own = match row.text("policy") {
            Some("src-ip") => true,
            Some(_) => false,
            None => topology == ids::LAYER3 || row.text("ip_prefix").is_some_and(is_address),
        };
        is_own.then(|| self.own(&prefix))
    }

    fn of_policy(&self, row: RowView<'_>) -> Option<Owner> {
        let Shown { prefix, topology } = self.shown_plainly(row)?;
        let priority = row.get("priority")?.as_atom()?.as_integer()?;
        let port = row.text("match")?.strip_prefix("inport == \"")?.split('"').next()?;
        let is_ours = priority == names::HOST_POLICY && self.is_gateway(&prefix, topology, port);
        is_ours.then(|| self.own(&prefix))
    }

    fn of_nat(&self, row: RowView<'_>) -> Option<Owner> {
        let Some(Shown { prefix, topology }) = marked_plainly(row) else {
            return self.default_network.as_ref()?.nat(row);
        };
        let port = row.text("logical_port");
        let is_ours = port.is_none_or(|port| self.is_gateway(&prefix, topology, port));
        let is_ours = is_ours && row.text("type") == Some("snat");
        is_ours.then(|| match (port, topology) {
            (Some(_), ids::LAYER2) => backbone(&prefix),
            (Some(_) | None, _) => self.own(&prefix),
        })
    }

    fn of_neighbour(&self, row: RowView<'_>) -> Option<Owner> {
        let router = row.text("logical_port")?.strip_prefix(names::GATEWAY_TO_EXTERNAL)?;
        self.split_at_node(router.strip_prefix(names::GATEWAY_ROUTER)?)
    }

    fn of_balancers(&self, row: RowView<'_>) -> Option<Owner> {
        let name = row.text("name")?;
        let kinds = [names::CLUSTER_BALANCERS, names::SWITCH_BALANCERS, names::ROUTER_BALANCERS];
        let prefix = kinds.iter().find_map(|kind| name.strip_suffix(kind))?;
        self.prefix(prefix).map(|prefix| backbone(&prefix))
    }

    fn of_port_group(&self, row: RowView<'_>) -> Option<Owner> {
        let (prefix, kind) = self.signed(row)?;
        let is_ours = match (kind, row.entry("external_ids", ids::NAME)?) {
            (ids::CLUSTER, ids::CLUSTER_PORTS | ids::ROUTER_PORTS) => true,
            (ids::ISOLATION, ids::LOCKED_PORTS) => prefix.is_none(),
            _ => false,
        };
        is_ours.then(|| backbone(&prefix))
    }

    fn of_acl(&self, row: RowView<'_>) -> Option<Owner> {
        let (prefix, kind) = self.signed(row)?;
        let name = row.entry("external_ids", ids::NAME)?;
        match kind {
            ids::ROUTER_GUARD => match name.strip_prefix(prefix.as_str()) {
                Some(names::LAYER2_SWITCH | names::LOCALNET_SWITCH) => Some(backbone(&prefix)),
                _ => self.at_node(&prefix, name),
            },
            ids::ALWAYS => (name == ids::HAIRPIN).then(|| backbone(&prefix)),
            ids::HOST_ACCESS => match name.strip_prefix(prefix.as_str()) {
                Some(names::LAYER2_SWITCH) => Some(backbone(&prefix)),
                _ => self.at_node(&prefix, name),
            },
            ids::ISOLATION if prefix.is_none() => match name {
                ids::DENIED => Some(backbone(&prefix)),
                ids::HOST_NEIGHBOUR | ids::HOST_PROBES => Some(self.own(&prefix)),
                name => {
                    let (namespace, name) = name.strip_prefix(ids::OPEN_PORT)?.split_once('/')?;
                    Some(pod(&prefix, &format!("{namespace}_{name}")))
                }
            },
            _ => None,
        }
    }

    /// The part of the zone's own node.
    fn own(&self, prefix: &Prefix) -> Owner {
        node(prefix, self.zone.as_str())
    }

    /// Whether a router's port is the gateway of the network's pods on the own node.
    fn is_gateway(&self, prefix: &Prefix, topology: &str, port: &str) -> bool {
        let below = |end: &str| port.strip_prefix(end)?.strip_prefix(prefix.as_str());
        match topology {
            ids::LAYER2 => below(names::TRANSIT_TO_SWITCH) == Some(names::LAYER2_SWITCH),
            ids::LAYER3 => below(names::ROUTER_TO_SWITCH) == Some(self.zone.as_str()),
            _ => false,
        }
    }

    /// What a row shows of its network, if its topology is one of ours. Rows of the default network
    /// show nothing.
    fn shown<'r>(&self, row: RowView<'r>) -> Option<Shown<'r>> {
        marked(row).or_else(|| {
            let is_unmarked = [ids::NETWORK, ids::TOPOLOGY, ids::ROLE]
                .into_iter()
                .all(|key| row.entry("external_ids", key).is_none());
            let is_default = is_unmarked && self.default_network.is_some();
            is_default.then(|| Shown { prefix: Prefix::none(), topology: ids::LAYER3 })
        })
    }

    /// The same for rows without a primary id: those with one are made by other features.
    fn shown_plainly<'r>(&self, row: RowView<'r>) -> Option<Shown<'r>> {
        row.entry("external_ids", PRIMARY_ID).is_none().then(|| self.shown(row))?
    }

    /// The network that signed a row, and the kind of the row.
    fn signed<'r>(&self, row: RowView<'r>) -> Option<(Prefix, &'r str)> {
        let controller = row.entry("external_ids", ids::OWNER_CONTROLLER)?;
        let network = controller.strip_suffix(names::CONTROLLER)?;
        Some((self.named(network)?, row.entry("external_ids", ids::OWNER_TYPE)?))
    }

    /// The prefix of a network by its name, unless that is the default network's and not ours.
    fn named(&self, network: &str) -> Option<Prefix> {
        let prefix = Prefix::of_text(network);
        (!prefix.is_none() || self.default_network.is_some()).then_some(prefix)
    }

    /// `GR_<prefix><node>`.
    fn at_gateway_router(&self, prefix: &Prefix, name: &str) -> Option<Owner> {
        self.at_node(prefix, name.strip_prefix(names::GATEWAY_ROUTER)?)
    }

    /// `<prefix><node>`, where the prefix is known. Of the default network only the own node's rows
    /// are named so.
    fn at_node(&self, prefix: &Prefix, name: &str) -> Option<Owner> {
        let at = name.strip_prefix(prefix.as_str())?;
        let is_node = match prefix.is_none() {
            true => self.default_network.is_some() && at == self.zone.as_str(),
            false => !at.is_empty() && !at.contains('_'),
        };
        is_node.then(|| node(prefix, at))
    }

    /// `<prefix><node>`, where it is not.
    fn split_at_node(&self, name: &str) -> Option<Owner> {
        match cut_node(name) {
            Some((prefix, at)) => whole_prefix(prefix).map(|prefix| node(&prefix, at)),
            None => self.at_node(&Prefix::none(), name),
        }
    }

    /// A text that can be a prefix; an empty one is the default network's, if that is ours.
    fn prefix(&self, text: &str) -> Option<Prefix> {
        match text {
            "" => self.default_network.is_some().then(Prefix::none),
            text => whole_prefix(text),
        }
    }
}

fn of_meter(row: RowView<'_>) -> Option<Owner> {
    let name = row.text("name")?;
    names::PROTECTED.iter().any(|it| names::protection_meter(it) == name).then(zone_owner)
}

/// What a row shows, if its topology is one of ours.
fn marked(row: RowView<'_>) -> Option<Shown<'_>> {
    let topology = row.entry("external_ids", ids::TOPOLOGY)?;
    let prefix = Prefix::of_text(row.entry("external_ids", ids::NETWORK)?);
    (is_drawn_here(topology) && !prefix.is_none()).then_some(Shown { prefix, topology })
}

fn marked_plainly(row: RowView<'_>) -> Option<Shown<'_>> {
    row.entry("external_ids", PRIMARY_ID).is_none().then(|| marked(row))?
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
