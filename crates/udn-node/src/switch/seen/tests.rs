//! Which changes of the switch's database the host is looked at for.

use std::collections::BTreeMap;

use ovn::open_vswitch::{DATABASE, QoS};
use ovn::{Key, Owner, Sheet, SimulatedDatabase};
use ovsdb::op::{Condition, Function, Mutation, Mutator, Values};
use ovsdb::{Datum, Operation, Uuid};
use udn_host::ports::{INSTALLED, OWNER, SANDBOX, rules};

use super::*;

const OWN: u128 = 1;
const INTEGRATION: u128 = 2;
const EXTERNAL: u128 = 3;

const POD: &str = "0123456789abcde";
const HOST: &str = "ovn-k8s-mp3";
const PATCH: &str = "patch-br-int-to-br-ex_n1";

/// A switch with both bridges and an uplink; the host has a link in a network, and OVN a patch port for it.
fn switch() -> SimulatedDatabase {
    let mut switch = SimulatedDatabase::new(rules());
    let bridge = |number: u128, name: &str| Operation::Insert {
        table: Bridge::TABLE.name.into(),
        row: [("name".into(), Datum::from(name))].into(),
        uuid_name: None,
        uuid: Some(Uuid::from_u128(number)),
    };
    let bridges = [INTEGRATION, EXTERNAL].map(Uuid::from_u128);
    let own = Operation::Insert {
        table: OpenVSwitch::TABLE.name.into(),
        row: [("bridges".into(), Datum::set(bridges))].into(),
        uuid_name: None,
        uuid: Some(Uuid::from_u128(OWN)),
    };
    let all = [own, bridge(INTEGRATION, "br-int"), bridge(EXTERNAL, "br-ex")];
    switch.transact(&all).expect("the database takes bridges");
    let host = port("network red", ("br-int", HOST), &[]);
    for sheet in [host, port("ovn", ("br-int", PATCH), &[]), port("wire", ("br-ex", "eth0"), &[])] {
        tell(&mut switch, &sheet);
    }
    switch
}

fn entries(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn port(owner: &str, (bridge, name): (&str, &str), ids: &[(&str, &str)]) -> Sheet {
    let mut sheet = Sheet::new(Owner::new(owner));
    let bridge = Key::named(Bridge::TABLE, bridge);
    let external_ids = entries(&[(OWNER, owner)]);
    let port = Port { name: name.to_owned(), external_ids, ..Port::default() };
    let port = sheet.draw_under(&port, &bridge, Bridge::PORTS);
    let interface =
        Interface { name: name.to_owned(), external_ids: entries(ids), ..Interface::default() };
    sheet.draw_under(&interface, &port, Port::INTERFACES);
    sheet
}

fn pod() -> Sheet {
    port("pod a/one on default", ("br-int", POD), &[(SANDBOX, "0123"), ("iface-id", "a_one")])
}

/// Whether the host is looked at for what a sheet changes.
fn tell(switch: &mut SimulatedDatabase, sheet: &Sheet) -> bool {
    let plan = switch.plan([sheet]).expect("the sheet can be compared");
    let operations = plan.operations(&DATABASE);
    assert!(!operations.is_empty(), "nothing changes");
    run(switch, &operations)
}

/// Whether the host is looked at for what a transaction changes.
fn run(switch: &mut SimulatedDatabase, operations: &[Operation]) -> bool {
    let (_, changes) = switch.transact_and_tell(operations).expect("the database takes it");
    assert!(!changes.is_empty(), "nothing changed by {operations:?}");
    changes.iter().any(|change| concerns_host(change, switch.rows(), "br-int"))
}

fn named(name: &str) -> Vec<Condition> {
    vec![Condition::new("name", Function::Equal, Datum::from(name))]
}

/// Writes a column of a row that is found by its name.
fn write(table: &'static str, name: &str, (column, value): (&'static str, Datum)) -> Operation {
    let row: Values = [(column.into(), value)].into();
    Operation::Update { table: table.into(), conditions: named(name), row }
}

/// Puts an entry into the `external_ids` of a row.
fn note(table: &'static str, conditions: Vec<Condition>, key: &str, value: &str) -> Operation {
    let entry = Datum::map([(key, value)]);
    let mutations = vec![Mutation::new("external_ids", Mutator::Insert, entry)];
    Operation::Mutate { table: table.into(), conditions, mutations }
}

fn check(operation: Operation, want: bool) {
    let mut switch = switch();
    tell(&mut switch, &pod());
    let told = format!("{operation:?}");
    assert_eq!(run(&mut switch, &[operation]), want, "{told}");
}

fn own() -> Vec<Condition> {
    vec![Condition::row(Uuid::from_u128(OWN))]
}

fn of_own(column: &'static str, value: Datum) -> Operation {
    let row: Values = [(column.into(), value)].into();
    Operation::Update { table: OpenVSwitch::TABLE.name.into(), conditions: own(), row }
}

#[test]
fn a_pod_that_comes_and_goes_wakes_nothing() {
    let mut switch = switch();
    assert!(!tell(&mut switch, &pod()), "its port came");
    assert!(!tell(&mut switch, &Sheet::new(pod().owner)), "its port went");
}

#[test]
fn what_the_switch_says_of_a_pod_wakes_nothing() {
    for (column, value) in [
        ("ofport", Datum::from(7_i64)),
        ("ifindex", Datum::from(70_i64)),
        ("error", Datum::from("could not open network device")),
        ("link_state", Datum::from("up")),
        ("mac_in_use", Datum::from("0a:58:0a:80:00:03")),
        ("mtu", Datum::from(1400_i64)),
    ] {
        check(write(Interface::TABLE.name, POD, (column, value)), false);
    }
    check(note(Interface::TABLE.name, named(POD), INSTALLED, "true"), false);
}

#[test]
fn what_ovn_controller_notes_for_a_pod_wakes_nothing() {
    check(note(Bridge::TABLE.name, named("br-int"), "ct-zone-a_one", "9"), false);
    check(note(Bridge::TABLE.name, named("br-int"), "ovn-nb-cfg", "77"), false);
}

#[test]
fn what_the_switch_counts_wakes_nothing() {
    for counter in ["next_cfg", "cur_cfg"] {
        check(of_own(counter, Datum::from(9_i64)), false);
    }
    check(of_own("statistics", Datum::map([("cpu", "2")])), false);
}

#[test]
fn limits_of_a_pod_wake_nothing() {
    let mut switch = switch();
    tell(&mut switch, &pod());
    let limit = Uuid::from_u128(9);
    let row = [("type".into(), Datum::from("linux-htb"))].into();
    let (table, uuid) = (QoS::TABLE.name.into(), Some(limit));
    let come = Operation::Insert { table, row, uuid_name: None, uuid };
    let hold = write(Port::TABLE.name, POD, ("qos", Datum::from(limit)));
    assert!(!run(&mut switch, &[come, hold]));
}

#[test]
fn what_the_host_plan_reads_wakes() {
    let mappings = ("ovn-bridge-mappings", "physnet:br-ex");
    check(note(OpenVSwitch::TABLE.name, own(), mappings.0, mappings.1), true);
    check(write(Bridge::TABLE.name, "br-int", ("fail_mode", Datum::from("secure"))), true);
    check(write(Bridge::TABLE.name, "br-int", ("datapath_type", Datum::from("netdev"))), true);
    check(write(Bridge::TABLE.name, "br-ex", ("ports", Datum::empty_set())), true);
    check(note(Bridge::TABLE.name, named("br-ex"), "who", "me"), true);
    for name in [HOST, PATCH, "eth0"] {
        check(write(Interface::TABLE.name, name, ("ofport", Datum::from(5_i64))), true);
    }
    check(write(Interface::TABLE.name, HOST, ("ifindex", Datum::from(0_i64))), true);
    check(write(Interface::TABLE.name, HOST, ("error", Datum::from("no"))), true);
    check(write(Interface::TABLE.name, "eth0", ("mtu", Datum::from(9000_i64))), true);
}

#[test]
fn ports_that_are_no_pods_wake_when_they_come_and_go() {
    let mut switch = switch();
    let other = port("network blue", ("br-int", "ovn-k8s-mp4"), &[("iface-id", "blue_n1")]);
    assert!(tell(&mut switch, &other), "it came");
    assert!(tell(&mut switch, &Sheet::new(other.owner)), "it went");
}
