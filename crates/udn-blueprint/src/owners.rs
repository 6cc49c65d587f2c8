//! Whose a row is: which part it belongs to, as the row itself shows it.
//!
//! Reads parts and standing rows; returns owners. Rows carry no part on the wire, so a standing row
//! is known by its names and marks alone.
//! Invariant: a row that a part drew shows that part; rows of other makers show none, and those of
//! the default network only where the settings say that it is ours.

use std::collections::BTreeSet;

use ovn::northbound::DATABASE as NORTHBOUND;
use ovn::southbound::DATABASE as SOUTHBOUND;
use ovn::{Owner, Rules};
use ovsdb::Atom;
use ovsdb::cache::{Cache, Index, IndexKey, RowView};
use udn_model::{ClusterSettings, NodeName, Part};

use crate::names::{self, Prefix};

mod reading;
#[cfg(test)]
mod tests;

use reading::{DefaultNetwork, Reader};

/// The owner of a part's rows.
pub fn owner(part: &Part) -> Owner {
    match part {
        Part::Zone => zone(),
        Part::Backbone(network) => backbone(&Prefix::of(network)),
        Part::Node(network, at) => node(&Prefix::of(network), at.as_str()),
        Part::Pod(network, attachment) => pod(&Prefix::of(network), &names::pod_port(attachment)),
    }
}

/// The owner of the other nodes' southbound rows.
pub fn other_chassis() -> Owner {
    Owner::new("other chassis")
}

/// Who owns what in the northbound database of a zone whose default network is another's.
pub fn northbound(zone: &NodeName) -> Rules {
    rules(Reader { zone: zone.clone(), default_network: None })
}

/// The same where the settings say whether the default network is ours.
pub fn northbound_of(zone: &NodeName, settings: &ClusterSettings) -> Rules {
    let default_network = DefaultNetwork::of(zone, settings);
    rules(Reader { zone: zone.clone(), default_network })
}

fn rules(reader: Reader) -> Rules {
    let foreign = ["Logical_Router", "Logical_Switch"].map(|table| {
        Index::new(FOREIGN_INDEX, table, ["external_ids"], |row, emit| {
            if let Some(prefix) = reading::foreign_network(row) {
                emit(foreign_key(&prefix));
            }
        })
    });
    Rules::new(&NORTHBOUND, move |row: RowView<'_>| reader.owner(row)).with_indexes(foreign)
}

/// Who owns what in the southbound database.
pub fn southbound() -> Rules {
    Rules::new(&SOUTHBOUND, reading::southbound_owner)
}

/// The prefix of the network that an owner belongs to; `None` for what networks share.
pub fn prefix(owner: &Owner) -> Option<Prefix> {
    let mut words = owner.as_str().split(' ');
    match (words.next(), words.next()) {
        (Some(BACKBONE | NODE | POD), Some(DEFAULT)) => Some(Prefix::none()),
        (Some(BACKBONE | NODE | POD), Some(prefix)) => Some(Prefix::read(prefix)),
        _ => None,
    }
}

/// All owners in the northbound database that belong to networks of ours.
///
/// A few rows show their network but not its topology. They count as somebody else's while their
/// network's switches and routers do.
pub fn standing(rows: &Cache) -> BTreeSet<Owner> {
    let all = [BACKBONE, NODE, POD].map(|kind| ovn::standing_owners(rows, &format!("{kind} ")));
    let is_ours = |it: &Owner| prefix(it).is_some_and(|prefix| !is_foreign(rows, &prefix));
    all.into_iter().flatten().filter(is_ours).collect()
}

/// The owners among them that belong to one network; its cost grows with that network alone.
pub fn standing_of(rows: &Cache, network: &Prefix) -> BTreeSet<Owner> {
    if is_foreign(rows, network) {
        return BTreeSet::new();
    }
    let all = [BACKBONE, NODE, POD].map(|kind| {
        let beginning = format!("{kind} {}", shown(network));
        ovn::standing_owners(rows, &beginning)
    });
    // Another network's prefix may begin with this one.
    all.into_iter().flatten().filter(|it| prefix(it).as_ref() == Some(network)).collect()
}

/// Whether a switch or router of the network shows a topology that is not drawn here.
fn is_foreign(rows: &Cache, network: &Prefix) -> bool {
    let mut tables =
        ["Logical_Router", "Logical_Switch"].into_iter().filter_map(|table| rows.table(table));
    tables.any(|table| !table.find(FOREIGN_INDEX, &foreign_key(network)).is_empty())
}

fn foreign_key(network: &Prefix) -> IndexKey {
    IndexKey::from_buf([Atom::from(network.as_str())])
}

/// The index of switches and routers whose topology is not drawn here, by their network's prefix.
const FOREIGN_INDEX: &str = "foreign network";
/// What stands for the default network's prefix; others end in `_`.
const DEFAULT: &str = "default";
const BACKBONE: &str = "backbone";
const NODE: &str = "node";
const POD: &str = "pod";

fn zone() -> Owner {
    Owner::new("zone")
}

fn backbone(prefix: &Prefix) -> Owner {
    Owner::new(&format!("{BACKBONE} {}", shown(prefix)))
}

fn node(prefix: &Prefix, node: &str) -> Owner {
    Owner::new(&format!("{NODE} {} {node}", shown(prefix)))
}

fn pod(prefix: &Prefix, port: &str) -> Owner {
    Owner::new(&format!("{POD} {} {port}", shown(prefix)))
}

fn shown(prefix: &Prefix) -> &str {
    if prefix.is_none() { DEFAULT } else { prefix.as_str() }
}
