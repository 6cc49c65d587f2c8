//! Tests of the audit: each problem is made on purpose and found.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::cache::RowView;

use super::{Problem, audit};
use crate::northbound::{
    DATABASE, LogicalRouter, LogicalRouterPort, LogicalSwitch, LogicalSwitchPort,
};
use crate::{Owner, Rules, Sheet, SimulatedDatabase};

fn owner(row: RowView<'_>) -> Option<Owner> {
    row.text("name")?.split_once('.').map(|(part, _)| Owner::new(part))
}

/// A switch with a router on it, and ports with the given addresses.
fn network(ports: &[(&str, &str)], router_port: &str) -> SimulatedDatabase {
    let mut sheet = Sheet::new(Owner::new("red"));
    let switch = LogicalSwitch { name: "red.switch".to_owned(), ..LogicalSwitch::default() };
    let switch = sheet.draw(&switch);
    let router = LogicalRouter { name: "red.router".to_owned(), ..LogicalRouter::default() };
    let router = sheet.draw(&router);
    let gateway = LogicalRouterPort {
        name: "red.gateway".to_owned(),
        mac: "0a:58:0a:00:00:01".to_owned(),
        networks: BTreeSet::from(["10.0.0.1/16".to_owned(), "fd00::1/64".to_owned()]),
        ..LogicalRouterPort::default()
    };
    sheet.draw_under(&gateway, &router, LogicalRouter::PORTS);
    let to_router = LogicalSwitchPort {
        name: "red.to-router".to_owned(),
        r#type: "router".to_owned(),
        addresses: BTreeSet::from(["router".to_owned()]),
        options: BTreeMap::from([("router-port".to_owned(), router_port.to_owned())]),
        ..LogicalSwitchPort::default()
    };
    sheet.draw_under(&to_router, &switch, LogicalSwitch::PORTS);
    for (name, addresses) in ports {
        let port = LogicalSwitchPort {
            name: (*name).to_owned(),
            addresses: BTreeSet::from([(*addresses).to_owned()]),
            ..LogicalSwitchPort::default()
        };
        sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
    }
    let mut database = SimulatedDatabase::new(Rules::new(&DATABASE, owner));
    let plan = database.plan([&sheet]).expect("comparable");
    database.apply(&plan).expect("a valid plan");
    database
}

fn check(database: &SimulatedDatabase, want: &[&str]) {
    let owners = BTreeSet::from([Owner::new("red")]);
    let notes = audit(database.rows(), database.rules(), Some(&owners));
    let found: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(found, want);
}

#[test]
fn a_clean_network_gives_no_notes() {
    let ports =
        [("red.a", "0a:58:0a:00:00:02 10.0.0.2 fd00::2"), ("red.b", "0a:58:0a:00:00:03 10.0.0.3")];
    check(&network(&ports, "red.gateway"), &[]);
}

#[test]
fn words_are_not_addresses() {
    check(&network(&[("red.a", "unknown"), ("red.b", "unknown")], "red.gateway"), &[]);
}

#[test]
fn two_ports_with_one_address_are_found() {
    let ports = [("red.a", "0a:58:0a:00:00:02 10.0.0.2"), ("red.b", "0a:58:0a:00:00:03 10.0.0.2")];
    let database = network(&ports, "red.gateway");
    let notes = audit(database.rows(), database.rules(), None);
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(
        matches!(&note.problem, Problem::DuplicateAddress { address, .. } if address == "10.0.0.2")
    );
}

#[test]
fn a_port_with_the_gateways_address_is_found() {
    let database = network(&[("red.a", "0a:58:0a:00:00:02 10.0.0.1")], "red.gateway");
    let notes = audit(database.rows(), database.rules(), None);
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn a_router_port_that_is_not_there_is_found() {
    let want = "Logical_Switch_Port red.to-router: options:router-port refers to red.nowhere, \
                which does not exist";
    check(&network(&[], "red.nowhere"), &[want]);
}

#[test]
fn rows_of_a_part_that_is_gone_are_found() {
    let database = network(&[], "red.gateway");
    let notes = audit(database.rows(), database.rules(), Some(&BTreeSet::new()));
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert!(notes.iter().all(|note| matches!(note.problem, Problem::Orphan { .. })));
}

#[test]
fn two_switches_of_one_name_are_found() {
    let mut database = network(&[], "red.gateway");
    let row = [("name".into(), ovsdb::Datum::from("red.switch"))].into();
    let twin = ovsdb::Operation::Insert {
        table: "Logical_Switch".into(),
        row,
        uuid_name: None,
        uuid: None,
    };
    database.transact(&[twin]).expect("switch names are not unique");
    let notes = audit(database.rows(), database.rules(), None);
    assert_eq!(notes.len(), 2, "each of the two is told: {notes:?}");
}
