//! Which part rows show: those that were drawn, and those that merely stand.

use std::collections::BTreeSet;

use ovn::{Owner, Sheet, SimulatedDatabase};
use ovsdb::cache::Table;
use ovsdb::op::Values;
use ovsdb::{Datum, Uuid};
use udn_model::{AttachmentKey, NetworkName, NodeName, ObjectName, Part, Role};

use super::{northbound, northbound_of, owner, prefix, standing, standing_of};
use crate::example::Example;
use crate::names::Prefix;
use crate::{draw, parts};
use rows::{UNKNOWN, insert, map};

mod default_network;
mod rows;

/// Draws everything into a database.
fn draw_all(example: &Example) -> (SimulatedDatabase, Vec<Sheet>) {
    let input = example.input();
    let mut database = SimulatedDatabase::new(northbound_of(input.zone, input.settings));
    let sheets: Vec<Sheet> = parts(&input).iter().map(|part| draw(part, &input).value).collect();
    let plan = database.plan(&sheets).expect("comparable");
    database.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    (database, sheets)
}

#[test]
fn every_row_shows_the_part_that_drew_it() {
    let mut local = Example::red_dual();
    local.settings.gateway_mode = udn_model::GatewayMode::Local;
    let mut services = Example::red_dual();
    let ips = ["172.30.0.10", "fd02::a"].map(|ip| ip.parse().unwrap());
    let dns = ObjectName::new("kube-system", "kube-dns");
    services.intent.allowed_services.insert(dns, ips.to_vec());
    let layer2 = [Example::red(), Example::red_dual(), local, services, Example::localnet()];
    let mut layer3 = Example::layer3_dual();
    layer3.intent.allowed_services.clone_from(&layer2[3].intent.allowed_services);
    let mut layer3_local = Example::layer3_dual();
    layer3_local.settings.gateway_mode = udn_model::GatewayMode::Local;
    let mut default_local = Example::default_dual();
    default_local.settings.gateway_mode = udn_model::GatewayMode::Local;
    let layer3 = [
        layer3,
        layer3_local,
        Example::layer3(Role::Secondary),
        Example::default_network(),
        Example::default_dual(),
        default_local,
    ];
    for example in layer2.into_iter().chain(layer3) {
        let input = example.input();
        let mut database = SimulatedDatabase::new(northbound_of(input.zone, input.settings));
        for part in parts(&input) {
            let before = uuids(&database);
            let sheet = draw(&part, &input).value;
            let plan = database.plan([&sheet]).expect("comparable");
            assert!(plan.is_complete(), "{part} builds on what was drawn before it:\n{plan}");
            database.apply(&plan).unwrap();
            check_new_rows(&database, &before, &sheet);
        }
    }
}

fn uuids(database: &SimulatedDatabase) -> BTreeSet<Uuid> {
    database.rows().tables().flat_map(Table::rows).map(|row| row.uuid).collect()
}

/// The rows that came are those of the sheet, and show its part.
fn check_new_rows(database: &SimulatedDatabase, before: &BTreeSet<Uuid>, sheet: &Sheet) {
    let rows = database.rows().tables().flat_map(Table::rows);
    let new: Vec<_> = rows.filter(|row| !before.contains(&row.uuid)).collect();
    assert_eq!(new.len(), sheet.len());
    for row in new {
        let want = (!is_unmarked(&row.table.name)).then_some(&sheet.owner);
        let got = database.rules().owner(row);
        assert_eq!(got.as_ref(), want, "{} {:?}", row.table.name, row.text("name"));
    }
}

/// Whether rows of the table belong to whom lists them.
fn is_unmarked(table: &str) -> bool {
    matches!(table, "Gateway_Chassis" | "Meter_Band")
}

#[test]
fn standing_owners_are_the_networks_parts() {
    for example in [Example::red_dual(), Example::layer3_dual(), Example::default_dual()] {
        let (database, sheets) = draw_all(&example);
        let drawn = sheets.iter().filter(|sheet| !sheet.is_empty());
        let of_networks = drawn.map(|sheet| sheet.owner.clone()).filter(|it| prefix(it).is_some());
        assert_eq!(standing(database.rows()), of_networks.collect());
    }
}

#[test]
fn an_owner_tells_its_networks_prefix() {
    let network = NetworkName::new("my-ns_net-a");
    let pod = ObjectName::new("my-ns", "p-1");
    let nad = ObjectName::new("my-ns", "net-a");
    let attachment = AttachmentKey { pod, nad, index: 0 };
    let node = NodeName::new("n-1");
    let check = |part: Part, text: &str, want: Option<&str>| {
        let owner = owner(&part);
        assert_eq!(owner.as_str(), text);
        assert_eq!(prefix(&owner).as_ref().map(Prefix::as_str), want);
    };
    check(Part::Zone, "zone", None);
    check(Part::Backbone(network.clone()), "backbone my.ns_net.a_", Some("my.ns_net.a_"));
    check(Part::Node(network.clone(), node), "node my.ns_net.a_ n-1", Some("my.ns_net.a_"));
    let port = "pod my.ns_net.a_ my.ns.net.a_my-ns_p-1";
    check(Part::Pod(network, attachment), port, Some("my.ns_net.a_"));
    let default = NetworkName::new("default");
    check(Part::Backbone(default.clone()), "backbone default", Some(""));
    check(Part::Node(default.clone(), NodeName::new("n-1")), "node default n-1", Some(""));
    let pod = AttachmentKey::on_default_network(ObjectName::new("my-ns", "p-1"));
    check(Part::Pod(default, pod), "pod default my-ns_p-1", Some(""));
}

#[test]
fn rows_that_show_no_topology_are_anothers_while_their_network_is() {
    let zone = NodeName::new("n1");
    let mut database = SimulatedDatabase::new(northbound(&zone));
    let named = |name: &str| ("name".into(), Datum::from(name));
    let switch = Values::from([named("red_n1"), ("external_ids".into(), map(UNKNOWN))]);
    let group = Values::from([named("red_clusterLBGroup")]);
    let ours = Values::from([named("blue_clusterLBGroup")]);
    for (table, row) in
        [("Load_Balancer_Group", group), ("Logical_Switch", switch), ("Load_Balancer_Group", ours)]
    {
        database.transact(&[insert(table, row)]).unwrap();
    }
    let found = standing(database.rows());
    assert_eq!(found, BTreeSet::from([Owner::new("backbone blue_")]));
    let of = |prefix: &str| standing_of(database.rows(), &Prefix::read(prefix));
    assert_eq!(of("blue_"), BTreeSet::from([Owner::new("backbone blue_")]));
    assert_eq!(of("red_"), BTreeSet::new());
}

#[test]
fn the_owners_of_a_network_are_not_those_of_another_whose_name_begins_so() {
    let mut database = SimulatedDatabase::new(northbound(&NodeName::new("n1")));
    for name in ["red_", "red_dish_", "re_"] {
        let row = Values::from([("name".into(), Datum::from(format!("{name}clusterLBGroup")))]);
        database.transact(&[insert("Load_Balancer_Group", row)]).unwrap();
    }
    let found = standing_of(database.rows(), &Prefix::read("red_"));
    assert_eq!(found, BTreeSet::from([Owner::new("backbone red_")]));
}

#[test]
fn the_owners_of_each_network_together_are_all_owners() {
    let example = Example::red_dual();
    let (mut database, _) = draw_all(&example);
    let all = standing(database.rows());
    let prefixes: BTreeSet<Prefix> = all.iter().filter_map(prefix).collect();
    let of_each = prefixes.iter().flat_map(|it| standing_of(database.rows(), it));
    assert_eq!(of_each.collect::<BTreeSet<_>>(), all);
    let gone: Vec<Sheet> = all.into_iter().map(Sheet::new).collect();
    let plan = database.plan(&gone).expect("comparable");
    database.apply(&plan).unwrap();
    assert_eq!(standing(database.rows()), BTreeSet::new(), "who has no row does not stand");
}
