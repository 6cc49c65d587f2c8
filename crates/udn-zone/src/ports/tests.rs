//! Ports of pods here count as up or down; ports of pods elsewhere and of routers do not count.

use std::collections::BTreeMap;

use ovn::northbound::LogicalSwitch;
use ovn::{Key, Owner, Sheet, SimulatedDatabase};
use ovsdb::Datum;
use ovsdb::op::{Condition, Function, Operation};
use udn_blueprint::owners;
use udn_model::NodeName;

use super::*;

/// A switch with one port of each kind.
fn database() -> SimulatedDatabase {
    let mut database = SimulatedDatabase::new(owners::northbound(&NodeName::new("node-1")));
    let mut sheet = Sheet::new(Owner::new("red"));
    sheet.draw(&LogicalSwitch { name: "red".to_owned(), ..LogicalSwitch::default() });
    let switch = Key::named(LogicalSwitch::TABLE, "red");
    for (name, r#type, ids) in [
        ("here", "", &[(ids::POD, "true")][..]),
        ("elsewhere", "remote", &[(ids::POD, "true")]),
        ("router", "router", &[]),
        ("management", "", &[]),
    ] {
        let ids = ids.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let port = LogicalSwitchPort {
            name: name.to_owned(),
            r#type: r#type.to_owned(),
            external_ids: BTreeMap::from_iter(ids),
            ..LogicalSwitchPort::default()
        };
        sheet.draw_under(&port, &switch, LogicalSwitch::PORTS);
    }
    let plan = database.plan([&sheet]).expect("the rows can be compared");
    database.apply(&plan).expect("the database takes them");
    database
}

/// Writes one column of a row, and lets the ports hear of it.
fn write(
    database: &mut SimulatedDatabase,
    ports: &mut Ports,
    (table, name): (&'static str, &'static str),
    (column, value): (&'static str, Datum),
) {
    let conditions = vec![Condition::new("name", Function::Equal, name)];
    let row = [(column.into(), value)].into_iter().collect();
    let update = Operation::Update { table: table.into(), conditions, row };
    let (_, changes) = database.transact_and_tell(&[update]).expect("it is taken");
    changes.iter().for_each(|change| ports.hear(change, database.rows()));
}

#[test]
fn a_port_is_counted_once_whatever_becomes_of_it() {
    let mut database = database();
    let mut ports = Ports::read(database.rows());
    assert_eq!((ports.up(), ports.down()), (0, 1));
    for (name, is_up, want) in [
        ("here", true, (1, 0)),
        ("elsewhere", true, (1, 0)),
        ("management", true, (1, 0)),
        ("here", false, (0, 1)),
        ("here", true, (1, 0)),
    ] {
        let row = ("Logical_Switch_Port", name);
        write(&mut database, &mut ports, row, ("up", Datum::from(is_up)));
        assert_eq!((ports.up(), ports.down()), want, "{name} up: {is_up}");
        assert_eq!(ports, Ports::read(database.rows()), "{name} up: {is_up}");
    }
}

#[test]
fn a_port_that_went_is_not_counted() {
    let mut database = database();
    let mut ports = Ports::read(database.rows());
    let row = ("Logical_Switch", "red");
    write(&mut database, &mut ports, row, ("ports", Datum::empty_set()));
    assert_eq!(ports, Ports::default());
}
