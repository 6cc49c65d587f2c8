//! What rows of the default network show, and what rows beside them do not.

use ovn::Owner;
use udn_model::{ClusterSettings, NetworkName, NodeName};

use super::draw_all;
use super::rows::{Columns, Row};
use crate::example::Example;
use crate::names::Prefix;
use crate::owners::{northbound, northbound_of, standing, standing_of};

const ROUTE: &str = "Logical_Router_Static_Route";

/// Rows, and what they show where the default network is ours.
const ROWS: &[(&str, Columns, Option<&str>)] = &[
    ("Logical_Switch", &[("name", "n1")], Some("node default n1")),
    ("Logical_Switch", &[("name", "join")], Some("backbone default")),
    ("Logical_Switch_Port", &[("name", "k8s-n1")], Some("node default n1")),
    ("Logical_Router_Port", &[("name", "rtots-n1")], Some("node default n1")),
    (
        "Logical_Switch_Port",
        &[("name", "tstor-n2"), ("type", "remote"), ("external_ids", "node=n2")],
        Some("node default n2"),
    ),
    (
        "Logical_Switch_Port",
        &[("name", "k8s-red_n1"), ("external_ids", "namespace=k8s-red pod=true")],
        Some("pod default k8s-red_n1"),
    ),
    (ROUTE, &[("ip_prefix", "10.128.0.0/14"), ("nexthop", "100.64.0.1")], Some("node default n1")),
    // Another node's: nobody draws those here.
    ("Logical_Switch", &[("name", "n2")], None),
    ("Logical_Router", &[("name", "GR_n2")], None),
    ("Logical_Switch_Port", &[("name", "k8s-n2")], None),
    ("Logical_Router_Port", &[("name", "rtots-n2")], None),
    // An administrator's own switches and routers, and what is in them.
    ("Logical_Switch", &[("name", "red_ovn_layer2_switch")], None),
    ("Logical_Switch", &[("name", "storage")], None),
    ("Logical_Switch", &[("name", "n1"), ("external_ids", "k8s.ovn.org/network=red")], None),
    ("Logical_Router", &[("name", "edge")], None),
    ("Logical_Switch_Port", &[("name", "a_p1"), ("external_ids", "pod=true")], None),
    ("Logical_Switch_Port", &[("name", "vm_n1")], None),
    ("Logical_Switch_Port", &[("name", "br-ex_n1"), ("type", "localnet")], None),
    ("Logical_Switch_Port", &[("name", "stor-n2"), ("type", "router")], None),
    (ROUTE, &[("ip_prefix", "10.99.0.0/16"), ("nexthop", "100.64.0.1")], None),
    (ROUTE, &[("ip_prefix", "10.128.0.0/14"), ("nexthop", "192.168.0.1")], None),
    (ROUTE, &[("ip_prefix", "192.168.0.9"), ("nexthop", "192.168.0.9")], None),
    (ROUTE, &[("ip_prefix", "0.0.0.0/0"), ("nexthop", "172.18.0.1")], None),
    (
        ROUTE,
        &[("ip_prefix", "0.0.0.0/0"), ("nexthop", "172.18.0.1"), ("output_port", "edge-out")],
        None,
    ),
    ("NAT", &[("type", "snat"), ("logical_ip", "10.99.0.0/16"), ("external_ip", "1.2.3.4")], None),
    ("NAT", &[("type", "snat"), ("logical_ip", "10.128.0.9"), ("external_ip", "1.2.3.4")], None),
    (
        "NAT",
        &[("type", "dnat_and_snat"), ("logical_ip", "100.64.0.4"), ("external_ip", "1.2.3.4")],
        None,
    ),
    ("Logical_Router_Policy", &[("priority", "1004"), ("match", "inport == \"rtos-n2\"")], None),
    ("Logical_Router_Policy", &[("priority", "100"), ("match", "inport == \"rtos-n1\"")], None),
    // Other features of the default network.
    (
        "Port_Group",
        &[
            ("name", "a1"),
            (
                "external_ids",
                "k8s.ovn.org/owner-controller=default-network-controller \
                 k8s.ovn.org/owner-type=Namespace k8s.ovn.org/name=a",
            ),
        ],
        None,
    ),
];

#[test]
fn rows_show_the_default_network_only_if_all_they_say_fits() {
    let settings = ClusterSettings { builds_default_network: true, ..ClusterSettings::default() };
    let rules = northbound_of(&NodeName::new("n1"), &settings);
    for (table, columns, want) in ROWS {
        let got = Row::new(table, columns).owner(&rules);
        assert_eq!(got.as_ref().map(Owner::as_str), *want, "{table} {columns:?}");
    }
}

#[test]
fn a_default_network_of_anothers_shows_nothing() {
    let example = Example::default_dual();
    let (database, _) = draw_all(&example);
    let rules = northbound(&example.zone);
    let settings = ClusterSettings { builds_default_network: false, ..example.settings };
    let same_rules = northbound_of(&example.zone, &settings);
    let rows = database.rows().tables().flat_map(ovsdb::cache::Table::rows);
    for row in rows {
        let shared = matches!(&*row.table.name, "Copp" | "Meter");
        assert_eq!(rules.owner(row).is_some(), shared, "{} {:?}", row.table.name, row.text("name"));
        assert_eq!(rules.owner(row), same_rules.owner(row));
    }
}

#[test]
fn the_owners_of_the_default_network_are_not_those_of_others() {
    let mut example = Example::default_dual();
    let other = Example::layer3_dual();
    let name = other.network();
    example.intent.networks.extend(other.intent.networks.clone());
    example.grants.networks.extend(other.grants.networks.clone());
    example.grants.node_subnets.extend(other.grants.node_subnets.clone());
    let (database, _) = draw_all(&example);
    let all = standing(database.rows());
    let default = standing_of(database.rows(), &Prefix::of(&NetworkName::new("default")));
    let others = standing_of(database.rows(), &Prefix::of(&name));
    let texts = |it: &std::collections::BTreeSet<Owner>| {
        it.iter().map(|owner| owner.as_str().to_owned()).collect::<Vec<_>>()
    };
    let want = ["backbone default", "node default n1", "node default n2"];
    let pods = ["pod default a_p1", "pod default a_p2"];
    assert_eq!(texts(&default), [&want[..], &pods[..]].concat());
    assert_eq!(others.len(), 3);
    assert_eq!(all, &default | &others);
}
