//! What single rows show, ours and those of others.

use ovn::{Owner, SimulatedDatabase};
use ovsdb::cache::Table;
use ovsdb::op::{Operation, Values};
use ovsdb::value::AtomKind;
use ovsdb::{Atom, Datum};
use udn_model::NodeName;

use super::is_unmarked;
use crate::owners::northbound;

pub(super) type Columns = &'static [(&'static str, &'static str)];

const MARKED: &str = "k8s.ovn.org/network=red k8s.ovn.org/topology=layer2";
const LAYER3: &str = "k8s.ovn.org/network=red k8s.ovn.org/topology=layer3";
pub(super) const UNKNOWN: &str = "k8s.ovn.org/network=red k8s.ovn.org/topology=layer4";

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
        "ACL",
        &[(
            "external_ids",
            "k8s.ovn.org/owner-controller=default-network-controller \
             k8s.ovn.org/owner-type=RouterGuard k8s.ovn.org/name=n1 frames=untracked",
        )],
        None,
    ),
    // Ports of the default network's pods, in namespaces that look like our names.
    (
        "Logical_Switch_Port",
        &[("name", "k8s-red_n1"), ("external_ids", "namespace=k8s-red pod=true")],
        None,
    ),
    ("Logical_Switch_Port", &[("name", "a_p1"), ("external_ids", "namespace=a pod=true")], None),
    ("Logical_Switch_Port", &[("name", "jtor-GR_n1"), ("type", "router")], None),
    ("Logical_Switch_Port", &[("name", "jtor-ovn_cluster_router"), ("type", "router")], None),
    (
        "Logical_Switch_Port",
        &[("name", "tstor-n2"), ("type", "remote"), ("external_ids", "node=n2")],
        None,
    ),
    ("Logical_Router_Port", &[("name", "rtots-n1")], None),
    (
        "Logical_Router_Port",
        &[("name", "rtoe-GR_n1"), ("external_ids", "gateway-physical-ip=yes")],
        None,
    ),
    (
        "Logical_Router_Static_Route",
        &[
            ("ip_prefix", "10.129.0.0/23"),
            ("nexthop", "100.88.0.5"),
            ("external_ids", "ic-node=n2 k8s.ovn.org/network=default"),
        ],
        None,
    ),
    // Networks of a topology that nobody knows here.
    ("Logical_Switch", &[("name", "red_n1"), ("external_ids", UNKNOWN)], None),
    ("Logical_Switch", &[("name", "ext_red_n1"), ("external_ids", UNKNOWN)], None),
    ("Logical_Router", &[("name", "GR_red_n1"), ("external_ids", UNKNOWN)], None),
    ("Logical_Router_Port", &[("name", "rtoe-GR_red_n1"), ("external_ids", UNKNOWN)], None),
    (
        "Logical_Switch_Port",
        &[
            ("name", "a.red_a_p1"),
            ("external_ids", "pod=true k8s.ovn.org/network=red k8s.ovn.org/topology=layer4"),
        ],
        None,
    ),
    // A layer-2 network has no such switch and router, and a layer-3 network none of these.
    ("Logical_Switch", &[("name", "red_n1"), ("external_ids", MARKED)], None),
    ("Logical_Router", &[("name", "red_ovn_cluster_router"), ("external_ids", MARKED)], None),
    ("Logical_Switch", &[("name", "red_ovn_layer2_switch"), ("external_ids", LAYER3)], None),
    ("Logical_Router", &[("name", "red_transit_router"), ("external_ids", LAYER3)], None),
    (
        "Logical_Router_Policy",
        &[("priority", "1004"), ("match", "inport == \"rtos-red_n1\""), ("external_ids", MARKED)],
        None,
    ),
    // Neither prefix nor node, or another's node.
    ("Logical_Switch_Port", &[("name", "stor-_n1"), ("type", "router")], None),
    ("Logical_Router_Port", &[("name", "red_rtots-n2")], None),
    ("Logical_Router_Port", &[("name", "_rtots-n1")], None),
    (
        "Logical_Switch_Port",
        &[("name", "red_tstor-n2"), ("type", "remote"), ("external_ids", "node=n3")],
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
        "ACL",
        &[(
            "external_ids",
            "k8s.ovn.org/owner-controller=red-network-controller \
             k8s.ovn.org/owner-type=RouterGuard k8s.ovn.org/name=red_ovn_layer2_switch \
             frames=untracked",
        )],
        Some("backbone red_"),
    ),
    (
        "ACL",
        &[(
            "external_ids",
            "k8s.ovn.org/owner-controller=red-network-controller \
             k8s.ovn.org/owner-type=RouterGuard k8s.ovn.org/name=red_n1 frames=untracked",
        )],
        Some("node red_ n1"),
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

/// Rows of layer-3 networks.
const LAYER3_ROWS: &[(&str, Columns, Option<&str>)] = &[
    ("Logical_Switch", &[("name", "red_n1"), ("external_ids", LAYER3)], Some("node red_ n1")),
    ("Logical_Switch", &[("name", "red_join"), ("external_ids", LAYER3)], Some("backbone red_")),
    (
        "Logical_Switch",
        &[("name", "red_transit_switch"), ("external_ids", LAYER3)],
        Some("backbone red_"),
    ),
    ("Logical_Switch", &[("name", "ext_red_n1"), ("external_ids", LAYER3)], Some("node red_ n1")),
    (
        "Logical_Router",
        &[("name", "red_ovn_cluster_router"), ("external_ids", LAYER3)],
        Some("backbone red_"),
    ),
    // Other networks' prefixes come second, this one's first: `rtots.n1` is a network, too.
    ("Logical_Router_Port", &[("name", "red_rtots-n1")], Some("node red_ n1")),
    ("Logical_Router_Port", &[("name", "rtots.n1_rtots-n1")], Some("node rtots.n1_ n1")),
    ("Logical_Router_Port", &[("name", "rtos-red_n1")], Some("node red_ n1")),
    ("Logical_Router_Port", &[("name", "rtos-red_rtots-n1")], Some("node red_ rtots-n1")),
    (
        "Logical_Switch_Port",
        &[
            ("name", "red_tstor-my-tstor-n2"),
            ("type", "remote"),
            ("external_ids", "node=my-tstor-n2"),
        ],
        Some("node red_ my-tstor-n2"),
    ),
    (
        "Logical_Switch_Port",
        &[("name", "jtor-red_ovn_cluster_router"), ("type", "router")],
        Some("backbone red_"),
    ),
    (
        "Logical_Router_Static_Route",
        &[
            ("ip_prefix", "10.77.2.0/24"),
            ("nexthop", "100.88.0.5"),
            ("external_ids", "ic-node=n2 k8s.ovn.org/network=red"),
        ],
        Some("node red_ n2"),
    ),
    (
        "NAT",
        &[
            ("type", "snat"),
            ("logical_ip", "10.77.1.0/24"),
            ("external_ip", "169.254.0.14"),
            ("logical_port", "rtos-red_n1"),
            ("external_ids", LAYER3),
        ],
        Some("node red_ n1"),
    ),
];

#[test]
fn rows_of_layer3_networks_show_their_part() {
    let rules = northbound(&NodeName::new("n1"));
    for (table, columns, want) in LAYER3_ROWS {
        let got = Row::new(table, columns).owner(&rules);
        assert_eq!(got.as_ref().map(Owner::as_str), *want, "{table} {columns:?}");
    }
}

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
pub(super) struct Row(SimulatedDatabase);

impl Row {
    pub(super) fn new(table: &'static str, columns: Columns) -> Self {
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

    pub(super) fn owner(&self, rules: &ovn::Rules) -> Option<Owner> {
        let rows = self.0.rows().tables().flat_map(Table::rows);
        let mut rows = rows.filter(|row| row.text("name") != Some("home of the row"));
        let row = rows.find(|row| !is_unmarked(&row.table.name)).unwrap();
        rules.owner(row)
    }
}

pub(super) fn insert(table: &'static str, row: Values) -> Operation {
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
        "ACL" => {
            put("action", Datum::from("drop"));
            put("direction", Datum::from("from-lport"));
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
        "ACL" => Some(("Logical_Switch", "acls")),
        _ => None,
    }
}

pub(super) fn map(text: &str) -> Datum {
    Datum::map(text.split_whitespace().map(|entry| entry.split_once('=').unwrap()))
}
