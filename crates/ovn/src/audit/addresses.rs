//! Finds addresses that two ports of one switch share.
//!
//! A router's addresses count on every switch it is attached to, so a pod with the gateway's
//! address is found too.
//! Invariant: words that stand for addresses, such as `unknown`, are not addresses.

use std::collections::BTreeMap;

use ovsdb::cache::{Cache, RowView};
use ovsdb::value::{Atom, Datum};

use super::{Note, Problem};
use crate::key::IDENTITY_INDEX;

/// One note per address that is on a second port.
pub(super) fn duplicates(rows: &Cache) -> Vec<Note> {
    let Some(switches) = rows.table("Logical_Switch") else { return Vec::new() };
    switches.rows().flat_map(|switch| on_switch(switch, rows)).collect()
}

fn on_switch(switch: RowView<'_>, rows: &Cache) -> Vec<Note> {
    let Some(ports) = rows.table("Logical_Switch_Port") else { return Vec::new() };
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut notes = Vec::new();
    let listed = switch.get("ports").into_iter().flat_map(Datum::uuids);
    for port in listed.filter_map(|uuid| ports.row(uuid)) {
        let name = port.text("name").unwrap_or_default();
        for address in addresses(port, rows) {
            match seen.get(&address) {
                Some(other) if other != name => {
                    let other = other.clone();
                    let problem = Problem::DuplicateAddress { address, other };
                    notes.push(Note::new("Logical_Switch_Port", port, problem));
                }
                Some(_) => {}
                None => {
                    seen.insert(address, name.to_owned());
                }
            }
        }
    }
    notes
}

/// The MAC and IP addresses of a port, or of the router port behind it.
fn addresses(port: RowView<'_>, rows: &Cache) -> Vec<String> {
    let own = port.get("addresses").into_iter().flat_map(Datum::atoms);
    let own = own.filter_map(Atom::as_str).flat_map(str::split_whitespace);
    let mut addresses: Vec<String> = own
        .filter(|word| !matches!(*word, "unknown" | "dynamic" | "router"))
        .map(str::to_ascii_lowercase)
        .collect();
    if let Some(router_port) = port.entry("options", "router-port") {
        addresses.extend(router_addresses(router_port, rows));
    }
    addresses.sort();
    addresses.dedup();
    addresses
}

fn router_addresses(name: &str, rows: &Cache) -> Vec<String> {
    let ports = rows.table("Logical_Router_Port");
    let port = ports.and_then(|ports| ports.find_row(IDENTITY_INDEX, &[Atom::from(name)]));
    let Some(port) = port else { return Vec::new() };
    let networks = port.get("networks").into_iter().flat_map(Datum::atoms);
    let host = |network: &str| network.split('/').next().map(str::to_ascii_lowercase);
    let hosts = networks.filter_map(Atom::as_str).filter_map(host);
    hosts.chain(port.text("mac").map(str::to_ascii_lowercase)).collect()
}
