//! What people are told of a network that does not stand as it should.

use ovn::{Plan, SimulatedDatabase};
use ovsdb::Datum;
use ovsdb::op::{Operation, Values};
use udn_blueprint::names::Prefix;
use udn_blueprint::owners;
use udn_model::{NetworkName, NodeName};
use udn_wire::keys;

use crate::zone::Zone;
use crate::zone::tests::objects::{Draft, nad, node, pod, primary};
use crate::zone::tests::{cluster, zone_of};
use crate::{Extent, WorkItem};

fn red() -> Prefix {
    Prefix::of(&NetworkName::new("red"))
}

/// The cluster with some objects in the place of those of their names.
fn with(changed: impl IntoIterator<Item = Draft>) -> Zone {
    let mut objects = cluster();
    for draft in changed {
        let target = draft.read().target();
        objects.retain(|it| it.read().target() != target);
        objects.push(draft);
    }
    zone_of(&objects)
}

/// Draws network `red` whole over a database; returns its shortfalls and its trouble.
fn drawn(zone: &mut Zone, database: &mut SimulatedDatabase) -> (Vec<String>, Option<String>) {
    commit(zone, database, &WorkItem::Shared);
    let item = WorkItem::Network(red());
    let plan = commit(zone, database, &item);
    let shortfalls = zone.shortfalls(&item, &plan);
    let trouble = zone.trouble(&red(), &shortfalls);
    let told = shortfalls.iter().map(ToString::to_string).collect();
    (told, trouble.map(|it| format!("{}: {}", it.reason, it.message)))
}

fn commit(zone: &mut Zone, database: &mut SimulatedDatabase, item: &WorkItem) -> Plan {
    let sheets = zone.draw(item, &Extent::Whole, database.rows()).sheets;
    let plan = database.plan(&sheets).expect("comparable");
    database.apply(&plan).expect("accepted");
    plan
}

fn empty() -> SimulatedDatabase {
    SimulatedDatabase::new(owners::northbound(&NodeName::new("n1")))
}

#[test]
fn a_network_that_stands_is_in_no_trouble() {
    assert_eq!(drawn(&mut with([]), &mut empty()), (Vec::new(), None));
}

#[test]
fn a_name_that_is_taken_is_told_with_the_holder() {
    let mut database = empty();
    let row = Values::from([("name".into(), Datum::from("red_transit_router"))]);
    let (table, uuid_name) = ("Logical_Router".into(), None);
    let insert = Operation::Insert { table, row, uuid_name, uuid: None };
    database.transact(&[insert]).expect("accepted");
    let (told, trouble) = drawn(&mut with([]), &mut database);
    let message = "Logical_Router red_transit_router exists and belongs to somebody else; remove it, \
                   or rename the network";
    assert_eq!(told[0], format!("network red: RowConflict: {message}"));
    assert!(told.iter().skip(1).all(|it| it.contains("waits for Logical_Router")), "{told:?}");
    assert_eq!(trouble, Some(format!("RowConflict: {message}")));
}

#[test]
fn a_network_without_numbers_says_what_it_waits_for() {
    let bare = nad("a/red", Some(1), primary("red", "10.10.0.0/16")).without(keys::TUNNEL_KEYS);
    let (told, trouble) = drawn(&mut with([bare]), &mut empty());
    assert_eq!(told, [""; 0]);
    let message = "Waiting: the cluster controller has not published the two tunnel keys yet; look \
                   at its status";
    assert_eq!(trouble.as_deref(), Some(message));
}

#[test]
fn what_a_pod_or_another_node_lacks_is_no_trouble_of_the_network() {
    let waiting = pod("a/p1", "n1", "");
    let silent = node(2).without(keys::NODE_CHASSIS);
    let mut zone = with([waiting, silent]);
    assert_eq!(drawn(&mut zone, &mut empty()), (Vec::new(), None));
    assert!(zone.lacking(&red()).count() > 1);
}

#[test]
fn work_items_have_titles_that_people_read() {
    let zone = with([]);
    let gone = Prefix::of(&NetworkName::new("x-y"));
    let all =
        [WorkItem::Shared, WorkItem::Southbound, WorkItem::Network(red()), WorkItem::Network(gone)];
    let titles = all.map(|item| format!("{}; {}", zone.title(&item), zone.subject(&item)));
    assert_eq!(
        titles,
        [
            "what networks share; network all networks",
            "chassis of other nodes; node n1",
            "network red; network red",
            "leftovers of x.y_; network x.y_",
        ]
    );
}
