//! What a network lacks, as its parts tell it.

use udn_model::{Finding, Findings, NodeName, Part, Reason, Role, Subject, Topology};

use crate::example::{Example, primary, subnet};
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
    check(&Example::layer3(Role::Secondary), &[]);
    check(&Example::layer3_dual(), &[]);
    check(&Example::default_dual(), &[]);
}

#[test]
fn a_node_without_a_subnet_is_left_out_and_told() {
    let mut example = Example::layer3_dual();
    let name = example.network();
    example.grants.node_subnets.get_mut(&name).unwrap().pop_last();
    check(&example, &[(Reason::Waiting, "node n2 has no subnet in network cluster_udn_net")]);
    example.grants.node_subnets.clear();
    let reasons = [
        (Reason::Waiting, "node n1 has no subnet in network cluster_udn_net"),
        (Reason::Waiting, "node n2 has no subnet in network cluster_udn_net"),
    ];
    check(&example, &reasons);
}

#[test]
fn a_secondary_network_needs_no_gateway_and_a_primary_one_does() {
    for (role, want) in [(Role::Secondary, 0), (Role::Primary(primary()), 1)] {
        let mut example = Example::layer3(role);
        example.node_mut("n1").gateway = None;
        assert_eq!(lacking(&example).len(), want);
    }
}

#[test]
fn a_node_may_not_have_the_name_of_the_join_switch() {
    let mut example = Example::default_network();
    let mut node = example.intent.nodes.remove(&example.zone).expect("the own node");
    node.name = NodeName::new("join");
    let (name, id) = (example.network(), example.grants.nodes[&example.zone]);
    example.grants.nodes.insert(node.name.clone(), id);
    example.cut(&name, "join", &["10.128.0.0/23"]);
    example.zone = node.name.clone();
    example.intent.nodes.insert(node.name.clone(), node);
    example.intent.attachments.clear();
    check(&example, &[(Reason::RowConflict, "node join has the name of a switch")]);
}

#[test]
fn a_pod_may_not_have_the_port_of_the_external_bridge() {
    let mut example = Example::default_network();
    let name = example.network();
    let pod = udn_model::ObjectName::new("br-ex", "n1");
    let key = udn_model::AttachmentKey::on_default_network(pod);
    let mut attachment = example.pod_mut("p1").clone();
    attachment.key = key.clone();
    let grant = example.grants.attachments[&name][&example.pod("p1")].clone();
    example.grants.attachments.get_mut(&name).unwrap().insert(key.clone(), grant);
    example.intent.attachments.get_mut(&name).unwrap().insert(key, attachment);
    check(&example, &[(Reason::RowConflict, "pod br-ex/n1 would have a port of the same name")]);
}

#[test]
fn ranges_without_room_are_told_of_layer3_networks_too() {
    let mut example = Example::layer3_dual();
    example.settings.transit.v6 = None;
    let both = (Reason::PoolExhausted, "the IPv6 transit subnet of the cluster has no address");
    check(&example, &[both, both]);
    let mut example = Example::layer3(Role::Primary(udn_model::Primary::default()));
    example.intent.attachments.clear();
    check(&example, &[(Reason::InvalidSpec, "network cluster_udn_net has no IPv4 join subnet")]);
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
