//! Whom each kind of change disturbs.

use ovn::SimulatedDatabase;
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Condition, Mutation, Mutator, Operation, Values};
use ovsdb::{Atom, Datum, Uuid};
use udn_blueprint::owners;
use udn_model::NodeName;

use super::disturbed;
use crate::zone::tests::{cluster, zone_of};
use crate::{Extent, WorkItem};

/// The databases of a zone that has drawn everything; the southbound one comes second.
fn databases() -> [SimulatedDatabase; 2] {
    let mut zone = zone_of(&cluster());
    let mut northbound = SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")));
    let mut southbound = SimulatedDatabase::new(owners::southbound());
    for item in zone.everything(northbound.rows()).0.keys() {
        let database = match item {
            WorkItem::Southbound => &mut southbound,
            WorkItem::Shared | WorkItem::Network(_) => &mut northbound,
        };
        let sheets = zone.draw(item, &Extent::Whole, database.rows()).sheets;
        let plan = database.plan(&sheets).expect("comparable");
        database.apply(&plan).expect("accepted");
    }
    [northbound, southbound]
}

/// Changes rows and compares whom that disturbs.
#[track_caller]
fn check(database: &mut SimulatedDatabase, operations: &[Operation], want: &[&str]) {
    let (_, changes) = database.transact_and_tell(operations).expect("accepted");
    let all = changes.iter().flat_map(|it| disturbed(it, database.rows(), database.rules()));
    let all: std::collections::BTreeSet<String> = all.map(|it| it.to_string()).collect();
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), want);
}

#[track_caller]
fn northbound(operations: fn(&SimulatedDatabase) -> Vec<Operation>, want: &[&str]) {
    let [mut database, _] = databases();
    let operations = operations(&database);
    check(&mut database, &operations, want);
}

/// The row of a table that has a text somewhere in a column.
fn row(database: &SimulatedDatabase, table: &str, column: &str, text: &str) -> Uuid {
    let is_it = |row: &RowView<'_>| format!("{:?}", row.get(column)).contains(text);
    let mut rows = database.rows().table(table).into_iter().flat_map(Table::rows);
    rows.find(is_it).unwrap_or_else(|| panic!("no row of {table} with {text}")).uuid
}

fn port(database: &SimulatedDatabase) -> Uuid {
    row(database, "Logical_Switch_Port", "name", "a.red_a_p1")
}

fn switch(database: &SimulatedDatabase, prefix: &str) -> Uuid {
    row(database, "Logical_Switch", "name", &format!("\"{prefix}ovn_layer2_switch"))
}

fn update(table: &'static str, uuid: Uuid, column: &'static str, value: Datum) -> Operation {
    let row = Values::from([(column.into(), value)]);
    Operation::Update { table: table.into(), conditions: vec![Condition::row(uuid)], row }
}

/// Takes a row out of a list, or puts it into it.
fn mutate(
    (table, uuid): (&'static str, Uuid),
    column: &'static str,
    mutator: Mutator,
    member: impl Into<Atom>,
) -> Operation {
    let mutations = vec![Mutation::new(column, mutator, Datum::set([member.into()]))];
    Operation::Mutate { table: table.into(), conditions: vec![Condition::row(uuid)], mutations }
}

fn insert(table: &'static str, name: &'static str, marks: &[(&str, &str)]) -> Operation {
    let marks = Datum::map(marks.iter().map(|(key, text)| (Atom::from(*key), Atom::from(*text))));
    let row = Values::from([("name".into(), Datum::from(name)), ("external_ids".into(), marks)]);
    Operation::Insert { table: table.into(), row, uuid_name: Some("new".to_owned()), uuid: None }
}

#[test]
fn a_drawn_column_disturbs_the_owner() {
    let addresses = |database: &_| {
        vec![update("Logical_Switch_Port", port(database), "addresses", Datum::from("unknown"))]
    };
    northbound(addresses, &["pod red_ a.red_a_p1"]);
    let protection = |database: &_| {
        let row = row(database, "Copp", "name", "ovnkube-default");
        vec![update("Copp", row, "meters", Datum::empty_map())]
    };
    northbound(protection, &["zone"]);
}

#[test]
fn a_column_of_ovn_disturbs_nobody() {
    let up =
        |database: &_| vec![update("Logical_Switch_Port", port(database), "up", Datum::from(true))];
    northbound(up, &[]);
}

#[test]
fn a_row_that_goes_disturbs_its_owner() {
    let unlink = |database: &_| {
        let switch = ("Logical_Switch", switch(database, "red_"));
        vec![mutate(switch, "ports", Mutator::Delete, port(database))]
    };
    northbound(unlink, &["pod red_ a.red_a_p1"]);
    let delete = |database: &_| {
        let conditions = vec![Condition::row(switch(database, "flat_"))];
        vec![Operation::Delete { table: "Logical_Switch".into(), conditions }]
    };
    northbound(delete, &["backbone flat_", "pod flat_ c.flat_c_q1"]);
}

#[test]
fn a_row_that_moves_disturbs_its_owner() {
    let relink = |database: &_| {
        let (red, blue) = (switch(database, "red_"), switch(database, "blue_"));
        let moved = [(red, Mutator::Delete), (blue, Mutator::Insert)];
        let port = port(database);
        moved.map(|(it, verb)| mutate(("Logical_Switch", it), "ports", verb, port)).to_vec()
    };
    northbound(relink, &["pod red_ a.red_a_p1"]);
}

#[test]
fn a_row_without_marks_disturbs_who_lists_it() {
    let chassis = |database: &_| {
        let row = row(database, "Gateway_Chassis", "name", "red_");
        vec![update("Gateway_Chassis", row, "priority", Datum::from(7))]
    };
    northbound(chassis, &["backbone red_"]);
    let rate = |database: &SimulatedDatabase| {
        let bands = database.rows().table("Meter_Band").into_iter().flat_map(Table::rows);
        let first = bands.map(|row| row.uuid).next().expect("a band");
        vec![update("Meter_Band", first, "rate", Datum::from(1))]
    };
    northbound(rate, &["zone"]);
    let [_, mut database] = databases();
    let tunnel = row(&database, "Encap", "ip", "172.18.0.2");
    let moved = update("Encap", tunnel, "ip", Datum::from("172.18.0.99"));
    check(&mut database, &[moved], &["other chassis"]);
}

#[test]
fn a_row_without_marks_that_leaves_its_list_disturbs_who_lists_it() {
    let unlink = |database: &_| {
        let member = row(database, "Gateway_Chassis", "name", "red_");
        let parent = row(database, "Logical_Router_Port", "name", "trtos-red_");
        let parent = ("Logical_Router_Port", parent);
        vec![mutate(parent, "gateway_chassis", Mutator::Delete, member)]
    };
    northbound(unlink, &["backbone red_"]);
}

#[test]
fn a_row_that_was_made_to_look_like_anothers_disturbs_both() {
    let marks = |database: &SimulatedDatabase| {
        let uuid = port(database);
        let port = database.rows().table("Logical_Switch_Port").and_then(|it| it.row(uuid));
        let marks = port.and_then(|row| row.get("external_ids")).expect("marks");
        let marks = marks.map_atoms(|atom| match atom.as_str() {
            Some("red") => Atom::from("blue"),
            Some(_) | None => atom.clone(),
        });
        vec![update("Logical_Switch_Port", uuid, "external_ids", marks)]
    };
    northbound(marks, &["pod blue_ a.red_a_p1", "pod red_ a.red_a_p1"]);
}

#[test]
fn rows_of_nobody_disturb_nobody() {
    northbound(|_| vec![insert("Logical_Switch", "admin", &[])], &[]);
    let port = |database: &_| {
        let into = ("Logical_Switch", switch(database, "red_"));
        let member = Atom::Named("new".into());
        vec![
            insert("Logical_Switch_Port", "admin", &[]),
            mutate(into, "ports", Mutator::Insert, member),
        ]
    };
    northbound(port, &[]);
    let [_, mut database] = databases();
    // Its own chassis is written by the node's own controller.
    let tunnel = Values::from([
        ("type".into(), Datum::from("geneve")),
        ("ip".into(), Datum::from("172.18.0.1")),
    ]);
    let (table, uuid_name) = ("Encap".into(), Some("tunnel".to_owned()));
    let tunnel = Operation::Insert { table, row: tunnel, uuid_name, uuid: None };
    let chassis = Values::from([
        ("name".into(), Datum::from("chassis-1")),
        ("encaps".into(), Datum::set([Atom::Named("tunnel".into())])),
    ]);
    let chassis =
        Operation::Insert { table: "Chassis".into(), row: chassis, uuid_name: None, uuid: None };
    check(&mut database, &[tunnel, chassis], &[]);
}

#[test]
fn a_row_of_a_network_that_is_gone_disturbs_its_owner() {
    let marks = [("k8s.ovn.org/network", "gone"), ("k8s.ovn.org/topology", "layer2")];
    let [mut database, _] = databases();
    let row = insert("Logical_Switch", "gone_ovn_layer2_switch", &marks);
    check(&mut database, &[row], &["backbone gone_"]);
}
