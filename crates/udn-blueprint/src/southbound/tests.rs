use ovn::{Plan, SimulatedDatabase};
use ovsdb::op::{Operation, Values};
use ovsdb::{Atom, Datum};
use udn_model::NodeName;

use super::{draw_southbound, unreachable_nodes};
use crate::example::Example;
use crate::owners;

/// A southbound database with the own chassis, as its own controller writes it.
fn database() -> SimulatedDatabase {
    let mut database = SimulatedDatabase::new(owners::southbound());
    let insert = |table: &'static str, row, name: &str| Operation::Insert {
        table: table.into(),
        row,
        uuid_name: Some(name.to_owned()),
        uuid: None,
    };
    let text = |name: &'static str, value: &str| (name.into(), Datum::from(value));
    let encap = [text("type", "geneve"), text("ip", "172.18.0.3"), text("chassis_name", "c1")];
    let encaps = ("encaps".into(), Datum::from(Atom::Named("encap".into())));
    let chassis = [text("name", "c1"), text("hostname", "n1"), encaps];
    let rows = [
        insert("Chassis", Values::from(chassis), "chassis"),
        insert("Encap", Values::from(encap), "encap"),
    ];
    database.transact(&rows).expect("the own chassis is valid");
    database
}

fn settle(database: &mut SimulatedDatabase, example: &Example) -> Plan {
    let sheet = draw_southbound(&example.input());
    let plan = database.plan([&sheet]).expect("comparable");
    database.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    let again = database.plan([&sheet]).expect("comparable");
    assert!(again.is_empty() && again.is_complete(), "{again}");
    plan
}

fn encaps(database: &SimulatedDatabase) -> Vec<(String, String)> {
    let rows = database.rows().table("Encap").unwrap().rows();
    let mut found: Vec<_> = rows
        .map(|row| {
            let text = |column| row.text(column).unwrap_or_default().to_owned();
            (text("ip"), text("chassis_name"))
        })
        .collect();
    found.sort();
    found
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(ip, chassis)| ((*ip).to_owned(), (*chassis).to_owned())).collect()
}

#[test]
fn other_nodes_have_a_remote_chassis_and_the_own_is_left_alone() {
    let (mut database, mut example) = (database(), Example::red());
    settle(&mut database, &example);
    assert_eq!(encaps(&database), pairs(&[("172.18.0.3", "c1"), ("172.18.0.4", "c2")]));
    let chassis = database.rows().table("Chassis").unwrap();
    let remote = chassis.rows().find(|row| row.text("name") == Some("c2")).unwrap();
    assert_eq!(remote.text("hostname"), Some("n2"));
    assert_eq!(remote.entry("other_config", "is-remote"), Some("true"));

    example.intent.nodes.pop_last();
    settle(&mut database, &example);
    assert_eq!(encaps(&database), pairs(&[("172.18.0.3", "c1")]));
}

#[test]
fn a_moved_tunnel_end_follows() {
    let (mut database, mut example) = (database(), Example::red());
    settle(&mut database, &example);
    let moved = ["172.18.0.9", "fc00::9"].map(|ip| ip.parse().unwrap());
    example.node_mut("n2").tunnel_addresses = moved.to_vec();
    settle(&mut database, &example);
    let want = [("172.18.0.3", "c1"), ("172.18.0.9", "c2"), ("fc00::9", "c2")];
    assert_eq!(encaps(&database), pairs(&want));
}

#[test]
fn a_node_with_another_chassis_keeps_its_tunnel_end() {
    let (mut database, mut example) = (database(), Example::red());
    settle(&mut database, &example);
    example.node_mut("n2").chassis = Some(udn_model::ChassisName::new("made-anew"));
    settle(&mut database, &example);
    let want = [("172.18.0.3", "c1"), ("172.18.0.4", "made-anew")];
    assert_eq!(encaps(&database), pairs(&want));
    assert_eq!(database.rows().table("Chassis").unwrap().len(), 2);
}

#[test]
fn a_node_that_claims_the_own_chassis_or_tunnel_gets_neither() {
    let (mut database, mut example) = (database(), Example::red());
    example.node_mut("n2").tunnel_addresses = vec!["172.18.0.3".parse().unwrap()];
    settle(&mut database, &example);
    assert_eq!(encaps(&database), pairs(&[("172.18.0.3", "c1")]));
    example.node_mut("n2").tunnel_addresses = vec!["172.18.0.4".parse().unwrap()];
    let own = example.node_mut("n1").chassis.clone();
    example.node_mut("n2").chassis = own;
    settle(&mut database, &example);
    assert_eq!(database.rows().table("Chassis").unwrap().len(), 1);
}

#[test]
fn of_two_nodes_with_the_same_tunnel_end_the_first_has_it() {
    let mut example = Example::red();
    let mut third = example.node_mut("n2").clone();
    third.name = NodeName::new("n3");
    third.chassis = Some(udn_model::ChassisName::new("c3"));
    example.intent.nodes.insert(third.name.clone(), third);
    let mut database = database();
    settle(&mut database, &example);
    assert_eq!(encaps(&database), pairs(&[("172.18.0.3", "c1"), ("172.18.0.4", "c2")]));
}

#[test]
fn a_node_without_tunnels_is_told() {
    let mut example = Example::red();
    assert_eq!(unreachable_nodes(&example.input()), []);
    let other = example.intent.nodes.get_mut(&NodeName::new("n2")).expect("the other node");
    other.tunnel_addresses.clear();
    let told: Vec<String> =
        unreachable_nodes(&example.input()).iter().map(ToString::to_string).collect();
    assert_eq!(told, ["node n2: Waiting: has not told where its tunnels end; look at its agent"]);
}
