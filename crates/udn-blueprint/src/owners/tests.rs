use std::collections::BTreeSet;

use ovn::{Owner, Sheet, SimulatedDatabase};
use ovsdb::cache::Table;
use ovsdb::op::{Operation, Values};
use ovsdb::value::AtomKind;
use ovsdb::{Atom, Datum, Uuid};
use udn_model::{AttachmentKey, NetworkName, NodeName, ObjectName, Part};

use super::{northbound, owner, prefix, standing, standing_of};
use crate::example::Example;
use crate::names::Prefix;
use crate::{draw, parts};

/// Draws everything into a database.
fn draw_all(example: &Example) -> (SimulatedDatabase, Vec<Sheet>) {
    let input = example.input();
    let mut database = SimulatedDatabase::new(northbound(input.zone));
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
    for example in [Example::red(), Example::red_dual(), local, services, Example::localnet()] {
        let input = example.input();
        let mut database = SimulatedDatabase::new(northbound(input.zone));
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
    let example = Example::red_dual();
    let (database, sheets) = draw_all(&example);
    let of_networks =
        sheets.iter().map(|sheet| sheet.owner.clone()).filter(|it| prefix(it).is_some());
    assert_eq!(standing(database.rows()), of_networks.collect());
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
}

type Columns = &'static [(&'static str, &'static str)];

const MARKED: &str = "k8s.ovn.org/network=red k8s.ovn.org/topology=layer2";
const LAYER3: &str = "k8s.ovn.org/network=red k8s.ovn.org/topology=layer3";

/// Rows and what they show; `None` for rows of others.
const ROWS: &[(&str, Columns, Option<&str>)] = &[
    // The default network.
    ("Logical_Switch", &[("name", "n1")], None),
    ("Logical_Switch", &[("name", "ext_n1")], None),
    ("Logical_Switch", &[("name", "transit_switch")], None),
    ("Logical_Router", &[("name", "GR_n1")], None),
    ("Logical_Router", &[("name", "ovn_cluster_router")], None),
    ("Logical_Switch_Port", &[("name", "k8s-n1")], None),
    ("Logical_Switch_Port", &[("name", "br-ex_n1"), ("type", "localnet")], None),
    ("Logical_Switch_Port", &[("name", "etor-GR_n1"), ("type", "router")], None),
    ("Logical_Switch_Port", &[("name", "stor-n1"), ("type", "router")], None),
    ("Logical_Router_Port", &[("name", "rtoe-GR_n1")], None),
    ("Logical_Router_Port", &[("name", "rtos-n1")], None),
    ("Logical_Router_Port", &[("name", "rtoj-ovn_cluster_router")], None),
    ("Static_MAC_Binding", &[("logical_port", "rtoe-GR_n1"), ("ip", "169.254.0.4")], None),
    ("Load_Balancer_Group", &[("name", "clusterLBGroup")], None),
    ("Load_Balancer_Group", &[("name", "clusterRouterLBGroup")], None),
    ("Meter", &[("name", "acl-logging")], None),
    (
        "Logical_Router_Static_Route",
        &[("ip_prefix", "100.64.0.2"), ("nexthop", "100.64.0.2")],
        None,
    ),
    ("NAT", &[("type", "snat"), ("logical_ip", "10.244.0.3"), ("external_ip", "172.18.0.3")], None),
    ("Logical_Router_Policy", &[("priority", "1004"), ("match", "inport == \"rtos-n1\"")], None),
    (
        "Port_Group",
        &[
            ("name", "a1"),
            (
                "external_ids",
                "k8s.ovn.org/owner-controller=default-network-controller \
                 k8s.ovn.org/owner-type=Cluster k8s.ovn.org/name=clusterPortGroup",
            ),
        ],
        None,
    ),
    (
        "Port_Group",
        &[
            ("name", "a3"),
            (
                "external_ids",
                "k8s.ovn.org/owner-controller=default-network-controller \
                 k8s.ovn.org/owner-type=RouterGuard k8s.ovn.org/name=guardedPortGroup",
            ),
        ],
        None,
    ),
    // Ports of the default network's pods, in namespaces that look like our names.
    (
        "Logical_Switch_Port",
        &[("name", "k8s-red_n1"), ("external_ids", "namespace=k8s-red pod=true")],
        None,
    ),
    ("Logical_Switch_Port", &[("name", "a_p1"), ("external_ids", "namespace=a pod=true")], None),
    // Layer-3 networks.
    ("Logical_Switch", &[("name", "red_n1"), ("external_ids", LAYER3)], None),
    ("Logical_Switch", &[("name", "ext_red_n1"), ("external_ids", LAYER3)], None),
    ("Logical_Router", &[("name", "GR_red_n1"), ("external_ids", LAYER3)], None),
    ("Logical_Router_Port", &[("name", "rtoe-GR_red_n1"), ("external_ids", LAYER3)], None),
    (
        "Logical_Switch_Port",
        &[
            ("name", "a.red_a_p1"),
            ("external_ids", "pod=true k8s.ovn.org/network=red k8s.ovn.org/topology=layer3"),
        ],
        None,
    ),
    // Other features of our networks.
    (
        "Logical_Router_Policy",
        &[("priority", "100"), ("match", "ip4.src == 10.10.0.3"), ("external_ids", MARKED)],
        None,
    ),
    (
        "Logical_Router_Policy",
        &[
            ("priority", "1004"),
            ("match", "inport == \"trtos-red_ovn_layer2_switch\""),
            (
                "external_ids",
                "k8s.ovn.org/id=x k8s.ovn.org/network=red k8s.ovn.org/topology=layer2",
            ),
        ],
        None,
    ),
    (
        "NAT",
        &[
            ("type", "snat"),
            ("logical_ip", "10.10.0.3"),
            ("external_ip", "172.18.0.9"),
            ("logical_port", "k8s-red_n1"),
            ("external_ids", MARKED),
        ],
        None,
    ),
    (
        "Logical_Router_Static_Route",
        &[("ip_prefix", "10.99.0.0/16"), ("nexthop", "10.10.0.9"), ("external_ids", MARKED)],
        None,
    ),
    (
        "Logical_Switch_Port",
        &[
            ("name", "stotr-red_ovn_layer2_switch-upgrade"),
            ("type", "router"),
            ("external_ids", MARKED),
        ],
        None,
    ),
    ("Logical_Router_Port", &[("name", "trtos-red_ovn_layer2_switch-upgrade")], None),
    (
        "Port_Group",
        &[
            ("name", "a2"),
            (
                "external_ids",
                "k8s.ovn.org/owner-controller=red-network-controller k8s.ovn.org/owner-type=Namespace k8s.ovn.org/name=a",
            ),
        ],
        None,
    ),
    // An administrator's own.
    ("Logical_Switch", &[("name", "red_ovn_layer2_switch")], None),
    ("Logical_Switch_Port", &[("name", "_ovn_localnet_port"), ("type", "localnet")], None),
    ("Logical_Switch_Port", &[("name", "k8s-_n1")], None),
    ("Load_Balancer_Group", &[("name", "_clusterLBGroup")], None),
    ("Copp", &[("name", "mine")], None),
    // And ours, beside them.
    (
        "Port_Group",
        &[
            ("name", "a4"),
            (
                "external_ids",
                "k8s.ovn.org/owner-controller=red-network-controller \
                 k8s.ovn.org/owner-type=RouterGuard k8s.ovn.org/name=guardedPortGroup",
            ),
        ],
        Some("backbone red_"),
    ),
    ("Logical_Switch_Port", &[("name", "k8s-red_n1")], Some("node red_ n1")),
    (
        "Logical_Switch_Port",
        &[("name", "red_ovn_localnet_port"), ("type", "localnet")],
        Some("backbone red_"),
    ),
    (
        "Logical_Switch_Port",
        &[("name", "br_ex_red_n1"), ("type", "localnet"), ("external_ids", MARKED)],
        Some("node red_ n1"),
    ),
    (
        "Logical_Router_Port",
        &[("name", "trtor-GR_red_n2"), ("external_ids", MARKED)],
        Some("node red_ n2"),
    ),
    (
        "Static_MAC_Binding",
        &[("logical_port", "rtoe-GR_a_b_n1"), ("ip", "169.254.0.4")],
        Some("node a_b_ n1"),
    ),
    (
        "Logical_Router_Static_Route",
        &[("ip_prefix", "100.65.0.2"), ("nexthop", "100.88.0.5"), ("external_ids", MARKED)],
        Some("node red_ n1"),
    ),
];

#[test]
fn rows_of_others_show_no_part_of_ours() {
    let rules = northbound(&NodeName::new("n1"));
    for (table, columns, want) in ROWS {
        let row = Row::new(table, columns);
        let got = row.owner(&rules);
        assert_eq!(got.as_ref().map(Owner::as_str), *want, "{table} {columns:?}");
    }
}

/// One row by itself, in an otherwise empty database.
struct Row(SimulatedDatabase);

impl Row {
    fn new(table: &'static str, columns: Columns) -> Self {
        let mut database = SimulatedDatabase::new(northbound(&NodeName::new("n1")));
        let def = database.rules().database.table(table).unwrap();
        let row: Values = columns
            .iter()
            .map(|(name, text)| {
                let column = def.column(name).unwrap();
                let datum = match column.key.kind() {
                    _ if column.value.is_some() => map(text),
                    AtomKind::Integer => Datum::from(Atom::Integer(text.parse().unwrap())),
                    _ => Datum::from(*text),
                };
                (column.name.into(), datum)
            })
            .collect();
        let home = home(table);
        let mut inserts = vec![insert(table, with_demanded(table, row))];
        let rate = ("rate".into(), Datum::from(Atom::Integer(20)));
        let band = Values::from([("action".into(), Datum::from("drop")), rate]);
        inserts.extend((table == "Meter").then(|| Operation::Insert {
            table: "Meter_Band".into(),
            row: band,
            uuid_name: Some("band".to_owned()),
            uuid: None,
        }));
        inserts.extend(home.map(|(parent, list)| {
            let mut parent_row =
                Values::from([(list.into(), Datum::from(Atom::Named("row".into())))]);
            parent_row.insert("name".into(), Datum::from("home of the row"));
            Operation::Insert { table: parent.into(), row: parent_row, uuid_name: None, uuid: None }
        }));
        database.transact(&inserts).unwrap_or_else(|fault| panic!("{table} {columns:?}: {fault}"));
        Self(database)
    }

    fn owner(&self, rules: &ovn::Rules) -> Option<Owner> {
        let rows = self.0.rows().tables().flat_map(Table::rows);
        let mut rows = rows.filter(|row| row.text("name") != Some("home of the row"));
        let row = rows.find(|row| !is_unmarked(&row.table.name)).unwrap();
        rules.owner(row)
    }
}

fn insert(table: &'static str, row: Values) -> Operation {
    Operation::Insert { table: table.into(), row, uuid_name: Some("row".to_owned()), uuid: None }
}

/// What the schema demands of every row, whoever makes it.
fn with_demanded(table: &str, mut row: Values) -> Values {
    let mut put = |column: &'static str, datum| row.insert(column.into(), datum);
    match table {
        "Meter" => {
            put("unit", Datum::from("pktps"));
            put("bands", Datum::from(Atom::Named("band".into())));
        }
        "Logical_Router_Policy" => {
            put("action", Datum::from("allow"));
        }
        _ => {}
    }
    row
}

/// The list that keeps a row of the table alive.
fn home(table: &str) -> Option<(&'static str, &'static str)> {
    match table {
        "Logical_Switch_Port" => Some(("Logical_Switch", "ports")),
        "Logical_Router_Port" => Some(("Logical_Router", "ports")),
        "Logical_Router_Static_Route" => Some(("Logical_Router", "static_routes")),
        "Logical_Router_Policy" => Some(("Logical_Router", "policies")),
        "NAT" => Some(("Logical_Router", "nat")),
        _ => None,
    }
}

fn map(text: &str) -> Datum {
    Datum::map(text.split_whitespace().map(|entry| entry.split_once('=').unwrap()))
}

#[test]
fn rows_that_show_no_topology_are_anothers_while_their_network_is() {
    let zone = NodeName::new("n1");
    let mut database = SimulatedDatabase::new(northbound(&zone));
    let named = |name: &str| ("name".into(), Datum::from(name));
    let switch = Values::from([named("red_n1"), ("external_ids".into(), map(LAYER3))]);
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
