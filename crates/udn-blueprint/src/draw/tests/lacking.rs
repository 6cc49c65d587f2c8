//! What a network lacks, as its parts tell it.

use udn_model::{Finding, Findings, Part, Reason, Role, Subject, Topology};

use crate::example::{Example, subnet};
use crate::{draw, parts_of};

/// What all parts of the network lack; several pods may wait for the same node.
fn lacking(example: &Example) -> Findings {
    let input = example.input();
    let parts = parts_of(&input, &example.network());
    let mut findings: Findings =
        parts.iter().flat_map(|part| draw(part, &input).findings).collect();
    findings.sort();
    findings.dedup();
    findings
}

/// Checks the reasons and what the sentences name.
fn check(example: &Example, want: &[(Reason, &str)]) {
    let findings = lacking(example);
    let got: Vec<(Reason, &str)> =
        findings.iter().map(|it| (it.reason, it.message.as_str())).collect();
    assert_eq!(got.len(), want.len(), "{got:#?}");
    for ((reason, message), (want_reason, part)) in got.iter().zip(want) {
        assert_eq!(reason, want_reason, "{message}");
        assert!(message.contains(part) && message.contains(';'), "{message}");
    }
}

#[test]
fn nothing_is_waited_for_when_all_is_there() {
    check(&Example::red(), &[]);
    check(&Example::red_dual(), &[]);
    check(&Example::localnet(), &[]);
}

#[test]
fn a_network_without_its_numbers_is_one_sentence() {
    let mut example = Example::red();
    example.grants.networks.values_mut().next().unwrap().tunnel_keys.pop();
    check(&example, &[(Reason::Waiting, "cluster_udn_red has not all its numbers")]);
    example.grants.networks.clear();
    check(&example, &[(Reason::Waiting, "cluster_udn_red has not all its numbers")]);
}

#[test]
fn the_own_node_tells_all_that_it_lacks() {
    let mut example = Example::red();
    example.intent.attachments.clear();
    example.grants.nodes.remove(&example.zone);
    let own = example.node_mut("n1");
    (own.chassis, own.gateway) = (None, None);
    let reasons = [
        (Reason::Waiting, "node n1 has no id"),
        (Reason::Waiting, "node n1 has not told its chassis"),
        (Reason::Waiting, "node n1 has not told its gateway"),
    ];
    check(&example, &reasons);
}

#[test]
fn another_node_needs_no_gateway_but_the_new_topology() {
    let mut example = Example::red();
    let other = example.node_mut("n2");
    (other.gateway, other.uses_transit_router) = (None, false);
    check(&example, &[(Reason::Waiting, "node n2 still builds network cluster_udn_red")]);
}

#[test]
fn a_gateway_without_addresses_is_none() {
    let mut example = Example::red();
    example.node_mut("n1").gateway.as_mut().unwrap().addresses.clear();
    check(&example, &[(Reason::Waiting, "node n1 has not told its gateway")]);
}

#[test]
fn subnets_without_room_are_told() {
    let mut example = Example::red();
    example.settings.masquerade.v4 = Some(subnet("169.254.169.0/29"));
    check(&example, &[(Reason::PoolExhausted, "the IPv4 masquerade subnet")]);
    let mut example = Example::red();
    example.grants.networks.values_mut().next().unwrap().transit.v4 = Some(subnet("100.88.0.0/30"));
    let both = (Reason::PoolExhausted, "the IPv4 transit subnet of network cluster_udn_red");
    check(&example, &[both, both]);
}

#[test]
fn pods_wait_for_their_grant_and_their_node() {
    let mut example = Example::red();
    let name = example.network();
    example.grants.attachments.get_mut(&name).unwrap().pop_first();
    example.intent.nodes.pop_last();
    let reasons = [
        (Reason::Waiting, "node n2 does not exist"),
        (Reason::Waiting, "pod a/p1 has no addresses on network cluster_udn_red"),
    ];
    check(&example, &reasons);
}

#[test]
fn an_unknown_zone_is_told() {
    let mut example = Example::red();
    example.intent.attachments.clear();
    example.intent.nodes.remove(&example.zone);
    check(&example, &[(Reason::Waiting, "node n1 does not exist")]);
}

type Damage = fn(&mut Example);

/// Every way to take one thing away from the example.
fn damages() -> Vec<(&'static str, Damage)> {
    vec![
        ("nothing", |_| {}),
        ("id of n1", |it| drop(it.grants.nodes.pop_first())),
        ("id of n2", |it| drop(it.grants.nodes.pop_last())),
        ("chassis of n1", |it| it.node_mut("n1").chassis = None),
        ("chassis of n2", |it| it.node_mut("n2").chassis = None),
        ("gateway of n1", |it| it.node_mut("n1").gateway = None),
        ("gateway of n2", |it| it.node_mut("n2").gateway = None),
        ("topology of n1", |it| it.node_mut("n1").uses_transit_router = false),
        ("topology of n2", |it| it.node_mut("n2").uses_transit_router = false),
        ("join", |it| {
            if let Topology::Layer2(Role::Primary(primary)) = &mut it.network_mut().topology {
                primary.join.v4 = None;
            }
        }),
        ("masquerade", |it| it.settings.masquerade.v4 = None),
        ("transit", |it| it.grants.networks.values_mut().next().unwrap().transit.v4 = None),
    ]
}

#[test]
fn a_part_is_empty_exactly_when_a_finding_tells_why() {
    for (name, damage) in damages() {
        let mut example = Example::red();
        damage(&mut example);
        let input = example.input();
        let findings = lacking(&example);
        for part in parts_of(&input, &example.network()) {
            let is_told = findings.iter().any(|finding| concerns(finding, &part, &example));
            assert_eq!(draw(&part, &input).value.is_empty(), is_told, "without {name}: {part}");
        }
    }
}

fn concerns(finding: &Finding, part: &Part, example: &Example) -> bool {
    let node = match part {
        Part::Zone | Part::Backbone(_) => None,
        Part::Node(_, node) => Some(node),
        Part::Pod(network, key) => Some(&example.intent.attachment(network, key).unwrap().node),
    };
    let is_pod = matches!(part, Part::Pod(..));
    match &finding.subject {
        Subject::Node(name) => {
            // Of all that nodes may lack, a pod needs the chassis alone.
            node == Some(name) && (!is_pod || finding.message.contains("chassis"))
        }
        Subject::Network(_) if finding.reason == Reason::PoolExhausted => {
            let is_own_only = finding.message.contains("masquerade");
            matches!(part, Part::Node(_, node) if !is_own_only || *node == example.zone)
        }
        Subject::Network(_) => true,
        Subject::Pod(pod) => matches!(part, Part::Pod(_, key) if key.pod == *pod),
        _ => false,
    }
}
