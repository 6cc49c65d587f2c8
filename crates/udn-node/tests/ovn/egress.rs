//! Two networks with equal subnets on three nodes: who reaches whom, and under which address.

use std::net::IpAddr;

use udn_host::HostPlan;
use udn_host::{HostFacts, HostPart};
use udn_lab::run::run;
use udn_lab::witness::Witness;
use udn_model::Family;

use crate::overlay::{Member, NetworkSketch, OUTSIDE, Overlay, PodSketch, link};
use crate::topology::masquerade;

const NODES: [&str; 3] = ["n1", "n2", "n3"];
/// The pods of each network, one on each node.
const PODS: [u8; 3] = [11, 12, 13];

fn networks() -> Vec<NetworkSketch> {
    let pods = || NODES.into_iter().zip(PODS).map(|(node, number)| PodSketch { number, node });
    let pods = || pods().collect();
    vec![NetworkSketch::new("red", 1, pods()), NetworkSketch::new("blue", 2, pods())]
}

/// Makes a node's host look as it should; returns how much was changed.
async fn apply(member: &Member, facts: &HostFacts) -> usize {
    let plan = HostPlan::of(facts);
    let changes = member.host.apply(&plan).await.expect("the plan can be applied");
    let links = plan.links.iter().map(|link| &link.name);
    for link in links.chain(plan.pods.iter().map(|pod| &pod.link)) {
        member.host.switch().wait_installed(link).await.expect("OVN wires the port");
    }
    changes
}

/// The node's own addresses, IPv4 first.
fn node_ips(member: &Member) -> Vec<IpAddr> {
    member.node.settings().addresses.iter().collect()
}

fn outside_ips() -> [IpAddr; 2] {
    [OUTSIDE.0.into(), OUTSIDE.1.parse().expect("the address is sound")]
}

/// Checks that a pod reaches the outside as its node, and its node as the network's masquerade.
fn check_egress(overlay: &Overlay, member: &Member, network: &NetworkSketch, pod: u8) {
    let namespace = member.pod(network.name, pod);
    let who = format!("pod {pod} of {} on {}", network.name, member.node.name());
    let outside = Witness::listen(overlay.outside.namespace()).expect("the outside listens");
    for (address, node) in outside_ips().into_iter().zip(node_ips(member)) {
        let seen = outside.ask(namespace, address).unwrap_or_else(|error| {
            panic!(
                "{who} does not reach {address}: {error} {:?}",
                std::error::Error::source(&error)
            )
        });
        assert_eq!(seen, node, "{who} as {address} sees it");
    }
    let host = Witness::listen(member.node.namespace()).expect("the node listens");
    for (address, family) in node_ips(member).into_iter().zip(Family::BOTH) {
        let seen = host.ask(namespace, address).expect("the own node is reached");
        assert_eq!(seen, masquerade(family, network.id).management, "{who} as its node sees it");
    }
}

/// Checks that pods of one network reach each other as themselves, over the nodes.
fn check_within(overlay: &Overlay, network: &NetworkSketch) {
    let pods = || overlay.members.iter().zip(&network.pods);
    for (there, theirs) in pods() {
        let namespace = there.pod(network.name, theirs.number);
        let witness = Witness::listen(namespace).expect("the pod listens");
        for (here, ours) in pods().filter(|(_, ours)| ours.number != theirs.number) {
            let from = here.pod(network.name, ours.number);
            for (to, want) in theirs.ips(network).into_iter().zip(ours.ips(network)) {
                let seen = witness.ask(from, to).expect("the pod is reached");
                assert_eq!(seen, want, "{to} within {}", network.name);
            }
        }
    }
}

/// Checks that the gateway of a network answers a pod.
fn check_gateway(member: &Member, network: &NetworkSketch, pod: u8) {
    let workplace = member.node.workplace();
    for addresses in &network.addresses {
        let mut ping = workplace.root.command("ping");
        ping.args(["-n", "-c", "3", "-i", "0.1", "-W", "5", &addresses.gateway.to_string()]);
        run(&mut member.pod(network.name, pod).enter(&ping)).expect("the gateway answers");
    }
}

/// Checks that the host's links do not disturb its own routes, and that every address works.
fn check_host(member: &Member, pod: u8) {
    let host = member.node.namespace();
    for (family, pods) in [("-4", "10.10.0.0/16"), ("-6", "fd10:10::/64")] {
        let found = host.ip(&[family, "route", "show", pods]).expect("ip answers");
        assert_eq!(found, "", "networks' routes are in tables of their own");
    }
    let pod = member.pod("red", pod);
    for (namespace, link) in [(host, "ovn-k8s-mp1"), (host, "ovn-k8s-mp2"), (pod, "ovn-udn1")] {
        let waiting = namespace.ip(&["-6", "address", "show", "dev", link, "tentative"]);
        assert_eq!(waiting.expect("ip answers"), "", "an address that cannot be used yet");
    }
}

/// Checks that a pod finds the host's address in its network where OVN says, not at the cable.
fn check_neighbours(member: &Member, network: &NetworkSketch, pod: u8) {
    let namespace = member.pod(network.name, pod);
    let management = network.addresses[0].management.to_string();
    let mut ping = member.node.workplace().root.command("ping");
    ping.args(["-n", "-c", "1", "-W", "0.1", &management]);
    // Two answers would race, so one try proves nothing.
    for _ in 0..10 {
        namespace.ip(&["neighbour", "flush", "all"]).expect("ip answers");
        // Whether the host answers is not the question here.
        let _ = run(&mut namespace.enter(&ping));
        let known = namespace.ip(&["neighbour", "show", &management]).expect("ip answers");
        assert!(known.contains(&network.management_mac().to_string()), "{known}");
    }
}

/// Checks that what a broadcast costs in each network is what the plan reckons with.
fn check_steps(member: &Member, networks: usize) {
    let mut trace = member.node.vswitchd().appctl();
    let mac = "02:00:00:00:00:01";
    let packet = format!(
        "in_port=eth0,arp,dl_src={mac},dl_dst=ff:ff:ff:ff:ff:ff,arp_op=1,arp_sha={mac},\
         arp_spa=172.18.0.1,arp_tpa=172.18.0.99"
    );
    let steps = run(trace.args(["ofproto/trace", "br-ex", &packet])).expect("the switch answers");
    let steps = steps.matches("resubmit").count();
    assert!((networks..=networks * 120).contains(&steps), "{steps} steps in {networks} networks");
}

/// Checks that a flood on the external bridge reaches none of this many networks.
fn check_quiet(member: &Member, networks: usize) {
    let mut ports = member.node.ofctl();
    ports.args(["--protocols=OpenFlow10", "dump-ports-desc", "br-ex"]);
    let ports = run(&mut ports).expect("the switch answers");
    assert_eq!(ports.matches("NO_FLOOD").count(), networks, "{ports}");
}

#[tokio::test(flavor = "multi_thread")]
async fn networks_with_equal_subnets_reach_the_outside_as_their_nodes() {
    let networks = networks();
    let overlay = Overlay::build(&NODES, &networks).await;
    for (member, pod) in overlay.members.iter().zip(PODS) {
        let facts = member.facts(&networks).await;
        assert!(apply(member, &facts).await > 0);
        assert_eq!(apply(member, &facts).await, 0, "a second time changes nothing");
        check_quiet(member, networks.len());
        check_host(member, pod);
        check_steps(member, networks.len());
    }
    for network in &networks {
        for (member, pod) in overlay.members.iter().zip(PODS) {
            check_egress(&overlay, member, network, pod);
            check_gateway(member, network, pod);
            check_neighbours(member, network, pod);
        }
        check_within(&overlay, network);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_goes_without_a_trace_and_others_stay() {
    let networks = networks();
    let overlay = Overlay::build(&["n1"], &networks).await;
    let member = &overlay.members[0];
    let (one, both) = (member.facts(&networks[..1]).await, member.facts(&networks).await);
    apply(member, &one).await;
    let before = traces(member);
    assert!(apply(member, &both).await > 0);
    assert_ne!(traces(member), before);
    check_egress(&overlay, member, &networks[1], 11);

    assert!(apply(member, &one).await > 0);
    assert_eq!(traces(member), before, "nothing of the removed network is left");
    assert_eq!(apply(member, &one).await, 0);
    check_egress(&overlay, member, &networks[0], 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_comes_and_goes_alone() {
    let networks = networks();
    let overlay = Overlay::build(&["n1"], &networks).await;
    let member = &overlay.members[0];
    let mut facts = member.facts(&networks).await;
    let whole = HostPlan::of(&facts);
    let gone = facts.pods.remove(0);
    apply(member, &facts).await;

    let owner = HostPart::Pod(gone.key.clone()).owner();
    let sheet = whole.ports.iter().find(|sheet| sheet.owner == owner).expect("the pod is drawn");
    let cable = whole.pods.iter().find(|pod| pod.link == gone.link).expect("the pod is planned");
    let before = traces(member);
    assert!(member.host.connect(cable, sheet).await.expect("the pod is connected") > 0);
    assert_eq!(member.host.connect(cable, sheet).await.expect("and stays so"), 0);
    check_egress(&overlay, member, &networks[0], 11);
    assert!(traces(member).contains(&link("red", 11)));

    let empty = HostPart::Pod(gone.key).empty();
    member.host.disconnect(&gone.link, &empty).await.expect("the pod is disconnected");
    assert_eq!(traces(member), before);
}

/// What can be seen of our work on a node: links, addresses, rules, routes, flows and ports.
fn traces(member: &Member) -> String {
    let ip = |arguments: &[&str]| member.node.namespace().ip(arguments).expect("ip answers");
    let names = ip(&["-brief", "link"]);
    // The kernel's own link-local addresses and indexes tell nothing.
    let names: Vec<&str> =
        names.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mut names: Vec<&str> = names.iter().filter_map(|name| name.split('@').next()).collect();
    names.sort_unstable();
    let mut flows = member.node.ofctl();
    flows.args(["--protocols=OpenFlow15", "--no-stats", "dump-flows", "br-ex"]);
    let flows = run(&mut flows).expect("the switch answers");
    // What the switch remembers of neighbours is of no network, and has a cookie of its own.
    let mut flows: Vec<&str> = flows.lines().filter(|line| line.contains("0xdeff105,")).collect();
    flows.sort_unstable();
    let ports =
        run(member.node.vsctl().args(["list-ports", "br-int"])).expect("the switch answers");
    let ports: Vec<&str> = ports.lines().filter(|port| !port.starts_with("patch-")).collect();
    [
        names.join("\n"),
        ip(&["-4", "rule"]),
        ip(&["-6", "rule"]),
        ip(&["-4", "route", "show", "table", "all", "proto", "85"]),
        ip(&["-6", "route", "show", "table", "all", "proto", "85"]),
        flows.join("\n"),
        ports.join("\n"),
    ]
    .join("\n--\n")
}
