//! The router guard: its rows, whom it lets pass, and when it goes.

use ovn::{Plan, Sheet, SimulatedDatabase};
use ovsdb::cache::Table;
use udn_model::{Part, Role, Topology};

use super::{GUARD, all_drawn, draw};
use crate::example::Example;
use crate::{owners, parts};

/// Frames that workloads do not send, by the names of the ACLs.
const FRAMES: [[&str; 2]; 5] = [
    ["dhcp-v4-server", "ip4 && udp.dst == 68"],
    ["dhcp-v6-server", "ip6 && udp.dst == 546"],
    ["redirect-v4", "icmp4.type == 5"],
    ["redirect-v6", "icmp6.type == 137"],
    ["router-advertisement", "icmp6.type == 134"],
];

/// All of them.
const ALL: &str = "(ip4 && udp.dst == 68) || (ip6 && udp.dst == 546) || (icmp4.type == 5) || \
                   (icmp6.type == 137) || (icmp6.type == 134)";

fn secondary() -> Example {
    let mut example = Example::red();
    example.network_mut().topology = Topology::Layer2(Role::Secondary);
    example
}

fn guard_rows(example: &Example) -> Vec<String> {
    all_drawn(example).into_iter().filter(|line| line.contains(GUARD)).collect()
}

/// The rows that the guard of a network must have on a switch with these ports beside those of pods.
fn rows_of(network: &str, switch: &str, others: &str) -> Vec<String> {
    let row = |kind: &str, action: &str, frames: &str, priority: &str| {
        let controller = format!("{network}-network-controller");
        format!(
            "ACL in {switch} action={action} direction=from-lport external_ids:frames={kind} \
             external_ids:k8s.ovn.org/id={controller}:RouterGuard:{switch}:{kind} \
             external_ids:k8s.ovn.org/name={switch} \
             external_ids:k8s.ovn.org/owner-controller={controller} {GUARD} \
             match={frames} priority={priority}"
        )
    };
    let drops = FRAMES.map(|[kind, frames]| row(kind, "drop", frames, "32766"));
    let mut rows = Vec::from(drops);
    rows.push(row("untracked", "allow-stateless", ALL, "32765"));
    if !others.is_empty() {
        rows.push(row("others", "pass", &format!("inport == {{{others}}} && ({ALL})"), "32767"));
    }
    rows.sort();
    rows
}

#[test]
fn the_guard_is_an_acl_for_each_kind_of_frame_and_lets_ports_pass_that_are_no_pods() {
    let red = rows_of(
        "cluster_udn_red",
        "cluster_udn_red_ovn_layer2_switch",
        r#""stotr-cluster_udn_red_ovn_layer2_switch", "k8s-cluster_udn_red_n1""#,
    );
    assert_eq!(guard_rows(&Example::red()), red);
    assert_eq!(guard_rows(&Example::red_dual()), red, "whichever families the network has");
    let alone = rows_of("cluster_udn_red", "cluster_udn_red_ovn_layer2_switch", "");
    assert_eq!(guard_rows(&secondary()), alone);
    let blue = rows_of(
        "cluster_udn_blue",
        "cluster_udn_blue_ovn_localnet_switch",
        r#""cluster_udn_blue_ovn_localnet_port""#,
    );
    assert_eq!(guard_rows(&Example::localnet()), blue);
}

/// A port group that pods come to and go from would have northd build all flows of all networks anew.
#[test]
fn a_pods_port_is_in_no_group_and_has_no_row_beside_it() {
    for example in [Example::red(), secondary(), Example::localnet()] {
        let part = Part::Pod(example.network(), example.pod("p1"));
        let sheet = draw(&part, &example.input()).value;
        let parents: Vec<&str> =
            sheet.rows().flat_map(|(_, row)| &row.places).map(|it| it.parent.table()).collect();
        assert_eq!(parents, ["Logical_Switch"]);
    }
}

#[test]
fn only_where_the_gateway_is_not_ours_can_it_be_switched_off() {
    for (mut example, is_left) in
        [(Example::red(), true), (secondary(), false), (Example::localnet(), false)]
    {
        let on = guard_rows(&example);
        example.settings.features.secondary_router_guard = false;
        assert_eq!(guard_rows(&example), if is_left { on } else { Vec::new() });
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

fn standing(database: &SimulatedDatabase) -> usize {
    let rows = database.rows().table("ACL").into_iter().flat_map(Table::rows);
    rows.filter(|row| row.entry("external_ids", "k8s.ovn.org/owner-type") == Some("RouterGuard"))
        .count()
}

#[test]
fn switched_off_it_goes_and_switched_on_it_comes_back() {
    for (mut example, acls) in [(secondary(), 6), (Example::localnet(), 7)] {
        let mut database = SimulatedDatabase::new(owners::northbound(&example.zone));
        for (is_on, want) in [(true, acls), (false, 0), (true, acls)] {
            example.settings.features.secondary_router_guard = is_on;
            settle(&mut database, &example);
            assert_eq!(standing(&database), want);
        }
    }
}
