//! Whose a row is: which part it belongs to, as the row itself shows it.
//!
//! Reads parts and standing rows; returns owners. Rows carry no part on the wire, so a standing row
//! is known by its names and marks alone.
//! Invariant: a row that a part drew shows that part; rows of the default network, of layer-3
//! networks and of other makers show none.

use std::collections::BTreeSet;

use ovn::northbound::DATABASE as NORTHBOUND;
use ovn::southbound::DATABASE as SOUTHBOUND;
use ovn::{Owner, Rules};
use ovsdb::cache::{Cache, RowView, Table};
use udn_model::{NodeName, Part};

use crate::names::{self, Prefix, ids};

mod reading;
#[cfg(test)]
mod tests;

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

/// Who owns what in the northbound database of a zone.
pub fn northbound(zone: &NodeName) -> Rules {
    let zone = zone.clone();
    Rules::new(&NORTHBOUND, move |row: RowView<'_>| reading::northbound_owner(&zone, row))
}

/// Who owns what in the southbound database.
pub fn southbound() -> Rules {
    Rules::new(&SOUTHBOUND, reading::southbound_owner)
}

/// The prefix of the network that an owner belongs to; `None` for what networks share.
pub fn prefix(owner: &Owner) -> Option<Prefix> {
    let mut words = owner.as_str().split(' ');
    match (words.next(), words.next()) {
        (Some(BACKBONE | NODE | POD), Some(prefix)) => Some(Prefix::read(prefix)),
        _ => None,
    }
}

/// All owners in the northbound database that belong to networks of ours; it reads every row.
///
/// A few rows show their network but not its topology. They count as somebody else's while their
/// network's switches and routers do.
pub fn standing(rows: &Cache, rules: &Rules) -> BTreeSet<Owner> {
    let foreign = foreign_networks(rows);
    let is_ours = |owner: &Owner| prefix(owner).is_some_and(|prefix| !foreign.contains(&prefix));
    let all = rows.tables().flat_map(Table::rows);
    all.filter_map(|row| rules.owner(row)).filter(is_ours).collect()
}

/// The networks whose switches or routers show a topology that is not drawn here.
fn foreign_networks(rows: &Cache) -> BTreeSet<Prefix> {
    let tables = ["Logical_Switch", "Logical_Router"].into_iter();
    let rows = tables.filter_map(|table| rows.table(table)).flat_map(Table::rows);
    rows.filter_map(|row| {
        let topology = row.entry("external_ids", ids::TOPOLOGY)?;
        let network = row.entry("external_ids", ids::NETWORK)?;
        (!reading::is_drawn_here(topology)).then(|| Prefix::of_text(network))
    })
    .collect()
}

const BACKBONE: &str = "backbone";
const NODE: &str = "node";
const POD: &str = "pod";

fn zone() -> Owner {
    Owner::new("zone")
}

fn backbone(prefix: &Prefix) -> Owner {
    Owner::new(&format!("{BACKBONE} {prefix}"))
}

fn node(prefix: &Prefix, node: &str) -> Owner {
    Owner::new(&format!("{NODE} {prefix} {node}"))
}

fn pod(prefix: &Prefix, port: &str) -> Owner {
    Owner::new(&format!("{POD} {prefix} {port}"))
}
