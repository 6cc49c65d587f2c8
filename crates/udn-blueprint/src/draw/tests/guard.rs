//! The router guard: its rows, who is in it, and when it goes.

use ovn::sheet::Place;
use ovn::{Plan, Sheet, SimulatedDatabase};
use ovsdb::cache::Table;
use udn_model::{Role, Topology};

use super::{GUARD, all_drawn, draw, name};
use crate::example::Example;
use crate::{owners, parts};

/// Every ACL of the guard of `red`: name, action, priority and match.
const ACLS: [[&str; 4]; 6] = [
    ["dhcp-v4-server", "drop", "32767", "ip4 && udp.dst == 68"],
    ["dhcp-v6-server", "drop", "32767", "ip6 && udp.dst == 546"],
    ["redirect-v4", "drop", "32767", "icmp4.type == 5"],
    ["redirect-v6", "drop", "32767", "icmp6.type == 137"],
    ["router-advertisement", "drop", "32767", "icmp6.type == 134"],
    [
        "untracked",
        "allow-stateless",
        "32766",
        "(ip4 && udp.dst == 68) || (ip6 && udp.dst == 546) || (icmp4.type == 5) || (icmp6.type == 137) \
         || (icmp6.type == 134)",
    ],
];

fn secondary() -> Example {
    let mut example = Example::red();
    example.network_mut().topology = Topology::Layer2(Role::Secondary);
    example
}

fn guard_rows(example: &Example) -> Vec<String> {
    all_drawn(example).into_iter().filter(|line| line.contains(GUARD)).collect()
}

/// The rows that the guard of a network must have.
fn rows_of(network: &str, group: &str) -> Vec<String> {
    let marks = |kind: &str| {
        let controller = format!("{network}-network-controller");
        format!(
            "external_ids:k8s.ovn.org/id={controller}:RouterGuard:{kind} \
             external_ids:k8s.ovn.org/name={kind} \
             external_ids:k8s.ovn.org/owner-controller={controller} {GUARD}"
        )
    };
    let acls = ACLS.iter().map(|[kind, action, priority, frames]| {
        let marks = marks(kind);
        format!(
            "ACL in {group} action={action} direction=from-lport {marks} \
             match=inport == @{group} && ({frames}) priority={priority}"
        )
    });
    let group = format!("Port_Group {group} {}", marks("guardedPortGroup"));
    let mut rows: Vec<String> = acls.chain([group]).collect();
    rows.sort();
    rows
}

#[test]
fn the_guard_is_one_group_and_an_acl_for_each_kind_of_frame() {
    let red = rows_of("cluster_udn_red", "a6715337584091369633");
    assert_eq!(guard_rows(&Example::red()), red);
    assert_eq!(guard_rows(&Example::red_dual()), red, "whichever families the network has");
    assert_eq!(guard_rows(&secondary()), red);
    let blue = rows_of("cluster_udn_blue", "a8083395162859362942");
    assert_eq!(guard_rows(&Example::localnet()), blue);
}

#[test]
fn the_own_nodes_pods_are_in_the_guard_and_nobody_else() {
    for example in [Example::red(), secondary(), Example::localnet()] {
        let members = members(&example);
        assert_eq!(members.len(), 1, "{members:?}");
        assert!(members[0].ends_with("_a_p1"), "{members:?}");
    }
}

/// The ports in the guard's group, as drawn.
fn members(example: &Example) -> Vec<String> {
    let input = example.input();
    let sheets: Vec<Sheet> = parts(&input).iter().map(|part| draw(part, &input).value).collect();
    let rows = || sheets.iter().flat_map(Sheet::rows);
    let groups = rows().filter(|(_, row)| row.datum("external_ids").is_some_and(is_guard));
    let groups: Vec<_> =
        groups.map(|(key, _)| key).filter(|it| it.table() == "Port_Group").collect();
    let is_in = |place: &Place| place.column == "ports" && groups.contains(&&place.parent);
    let members = rows().filter(|(_, row)| row.places.iter().any(is_in));
    members.map(|(key, _)| name(key)).collect()
}

fn is_guard(ids: &ovsdb::Datum) -> bool {
    ids.entries().iter().any(|(_, value)| value.as_str() == Some("RouterGuard"))
}

#[test]
fn only_where_the_gateway_is_not_ours_can_it_be_switched_off() {
    for (mut example, is_left) in
        [(Example::red(), true), (secondary(), false), (Example::localnet(), false)]
    {
        let on = guard_rows(&example);
        example.settings.features.secondary_router_guard = false;
        assert_eq!(guard_rows(&example), if is_left { on } else { Vec::new() });
        assert_eq!(members(&example).len(), usize::from(is_left));
    }
}

/// Draws everything over what stands.
fn settle(database: &mut SimulatedDatabase, example: &Example) -> Plan {
    let input = example.input();
    let sheets: Vec<Sheet> = parts(&input).iter().map(|part| draw(part, &input).value).collect();
    let plan = database.plan(&sheets).expect("comparable");
    database.apply(&plan).unwrap_or_else(|fault| panic!("refused: {fault}\n{plan}"));
    let again = database.plan(&sheets).expect("comparable");
    assert!(again.is_empty() && again.is_complete(), "a second plan:\n{again}");
    plan
}

fn standing(database: &SimulatedDatabase, table: &str) -> usize {
    let rows = database.rows().table(table).into_iter().flat_map(Table::rows);
    rows.filter(|row| row.entry("external_ids", "k8s.ovn.org/owner-type") == Some("RouterGuard"))
        .count()
}

#[test]
fn switched_off_it_goes_and_switched_on_it_comes_back() {
    for mut example in [secondary(), Example::localnet()] {
        let mut database = SimulatedDatabase::new(owners::northbound(&example.zone));
        for (is_on, want) in [(true, (1, 6)), (false, (0, 0)), (true, (1, 6))] {
            example.settings.features.secondary_router_guard = is_on;
            settle(&mut database, &example);
            assert_eq!((standing(&database, "Port_Group"), standing(&database, "ACL")), want);
        }
    }
}

#[test]
fn a_pod_that_goes_leaves_the_group_and_the_guard_stays() {
    let mut example = Example::red();
    let mut database = SimulatedDatabase::new(owners::northbound(&example.zone));
    settle(&mut database, &example);
    assert_eq!(group_size(&database), 1);
    let gone = example.intent.attachments.remove(&example.network()).expect("red has pods");
    let gone = gone.keys().map(|key| udn_model::Part::Pod(example.network(), key.clone()));
    let gone: Vec<Sheet> = gone.map(|part| draw(&part, &example.input()).value).collect();
    let plan = database.plan(&gone).expect("comparable");
    database.apply(&plan).expect("pods can go");
    assert_eq!(group_size(&database), 0);
    assert_eq!((standing(&database, "Port_Group"), standing(&database, "ACL")), (1, 6));
}

fn group_size(database: &SimulatedDatabase) -> usize {
    let groups = database.rows().table("Port_Group").into_iter().flat_map(Table::rows);
    let mut groups = groups
        .filter(|row| row.entry("external_ids", "k8s.ovn.org/owner-type") == Some("RouterGuard"));
    let group = groups.next().expect("the guard stands");
    group.get("ports").map_or(0, |ports| ports.uuids().count())
}
