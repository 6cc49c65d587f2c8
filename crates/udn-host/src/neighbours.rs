//! Who hears the neighbours on the external bridge: ARP and neighbour discovery.
//!
//! Gateway routers ask for their next hops by the node's own MAC and IP address, so an answer does
//! not tell who asked. To hand it to every network is the simple way, and the wire's; but every
//! network costs a walk through its flows, and Open vSwitch ends a packet after 4,096 steps. So the
//! first networks hear everything, and the later ones hear what is meant for them: over IPv6 each
//! asks from a link-local address of its own, to which the answer comes; for IPv4 the bridge
//! remembers the neighbours that answered anybody, and answers from memory.
//! The price for the later ones: an IPv4 neighbour that nobody on the node knows is found only at
//! the second question, and one that changes its MAC is followed when OVN's own memory of it ends,
//! after five minutes.
//! Invariant: the host comes first in every list, so that it never suffers from many networks.

use std::net::{IpAddr, Ipv6Addr};

use udn_model::{Family, MacAddress, NetworkId, Subnet};

use crate::facts::{NetworkFacts, NodeFacts, PortNumber};
use crate::flow::{Action, BridgePort, Flow, Match, Packet, Table};

/// How many networks hear everything; a broadcast takes about 115 steps in each (OVN 25.03).
pub(crate) const EVERYTHING: usize = 30;

const BROADCAST: MacAddress = MacAddress::new([0xff; 6]);
/// Where neighbours announce a new MAC address over IPv6.
const ALL_NODES: MacAddress = MacAddress::new([0x33, 0x33, 0, 0, 0, 1]);

/// A network that can be reached.
type Reachable<'a> = (&'a NetworkFacts, PortNumber);

/// The flows by which networks and the host find their neighbours.
pub(crate) fn flows(node: &NodeFacts, networks: &[NetworkFacts]) -> Vec<Flow> {
    let reachable: Vec<Reachable<'_>> =
        networks.iter().filter_map(|network| Some((network, network.patch?))).collect();
    let (early, late) = reachable.split_at(reachable.len().min(EVERYTHING));
    let output = |(_, patch): &Reachable<'_>| Action::Output(BridgePort::Number(*patch));
    let hearers: Vec<Action> = early.iter().map(output).collect();
    let mut flows = questions_for_us(node);
    flows.extend(answers(node, &hearers));
    flows.extend(early.iter().flat_map(|(_, patch)| early_questions(node, *patch)));
    flows.extend(late.iter().flat_map(|reachable| late_flows(node, *reachable)));
    flows.push(answer_from_memory(node));
    flows
}

/// Questions for the node's own addresses are the host's to answer, though routers know them too.
fn questions_for_us(node: &NodeFacts) -> Vec<Flow> {
    let from_wire = Match::From(BridgePort::Number(node.uplink));
    let v4 = node.gateway.address(Family::V4).map(|ours| ours.addr());
    let v6 = node.gateway.address(Family::V6).map(|ours| ours.addr());
    let targets = v4.into_iter().chain(v6).map(|ip| match ip {
        IpAddr::V4(ip) => [Match::Packet(Packet::ArpRequest), Match::ArpTarget(ip)],
        IpAddr::V6(ip) => {
            [Match::Packet(Packet::NeighbourSolicitation), Match::NeighbourTarget(ip)]
        }
    });
    let purpose = "questions for the node's own addresses are the host's";
    let flow = |target: [Match; 2]| {
        let matches = [&[from_wire][..], &target[..]].concat();
        entry(12, matches, vec![Action::Normal], purpose)
    };
    targets.map(flow).collect()
}

/// Answers and announcements, to the host and then to the networks.
fn answers(node: &NodeFacts, hearers: &[Action]) -> Vec<Flow> {
    let from_wire = Match::From(BridgePort::Number(node.uplink));
    let (to_us, local) =
        (Match::DestinationMac(node.gateway.mac), Action::Output(BridgePort::Local));
    let arp = Match::Packet(Packet::Arp);
    let advertisement = Match::Packet(Packet::NeighbourAdvertisement);
    let host_and = |host: Action| [&[host][..], hearers].concat();
    let purpose = "announcements of neighbours are heard by the host and by networks";
    let announcements = [
        vec![from_wire, Match::DestinationMac(BROADCAST), arp],
        vec![from_wire, Match::DestinationMac(ALL_NODES), advertisement],
    ];
    let mut flows: Vec<Flow> = announcements
        .into_iter()
        .map(|matches| entry(11, matches, host_and(Action::Normal), purpose))
        .collect();
    let purpose = "answers of neighbours are heard by the host and by networks, and remembered";
    let reply = vec![from_wire, to_us, Match::Packet(Packet::ArpReply)];
    flows.push(entry(11, reply, [host_and(local), vec![Action::Remember]].concat(), purpose));
    let purpose = "what else is for the shared MAC is for the host";
    flows.push(entry(10, vec![from_wire, to_us], vec![local], purpose));
    let purpose = "answers of neighbours are heard by the host and by networks";
    // Conntrack does not follow neighbour discovery, so its packets come out as strangers.
    let (table, matches) = (Table::Tracked, vec![advertisement]);
    flows.push(Flow { table, priority: 14, matches, actions: host_and(local), purpose });
    flows
}

/// Questions of a gateway router that hears everything.
fn early_questions(node: &NodeFacts, patch: PortNumber) -> Vec<Flow> {
    [Packet::ArpRequest, Packet::NeighbourSolicitation]
        .map(|packet| question(node, patch, packet, vec![Action::Flood]))
        .into()
}

/// Questions of a gateway router that does not, and the answers for it alone.
fn late_flows(node: &NodeFacts, (network, patch): Reachable<'_>) -> Vec<Flow> {
    let asker = asker(node.gateway.mac, network.id);
    let answer = vec![
        Match::From(BridgePort::Number(node.uplink)),
        Match::DestinationMac(node.gateway.mac),
        Match::Packet(Packet::NeighbourAdvertisement),
        Match::Destination(Subnet::of(IpAddr::V6(asker).into())),
    ];
    let to_network = vec![Action::Output(BridgePort::Number(patch))];
    let four = vec![Action::Flood, Action::AnswerFromMemory];
    let six = vec![Action::SourceAddress(asker), Action::Flood];
    vec![
        question(node, patch, Packet::ArpRequest, four),
        question(node, patch, Packet::NeighbourSolicitation, six),
        entry(51, answer, to_network, "answers for late networks tell by the address who asked"),
    ]
}

/// A question of a gateway router, which goes to whoever may be the neighbour.
fn question(node: &NodeFacts, patch: PortNumber, packet: Packet, actions: Vec<Action>) -> Flow {
    let matches = vec![
        Match::From(BridgePort::Number(patch)),
        Match::SourceMac(node.gateway.mac),
        Match::Packet(packet),
    ];
    // Not as an ordinary switch would: it would look for the shared MAC at this port later on.
    entry(13, matches, actions, "questions of gateway routers go to all neighbours")
}

fn answer_from_memory(node: &NodeFacts) -> Flow {
    Flow {
        table: Table::Answer,
        priority: 10,
        matches: vec![Match::Packet(Packet::Arp), Match::Remembered],
        actions: vec![Action::Answer(node.gateway.mac)],
        purpose: "a remembered neighbour answers at once",
    }
}

/// The link-local address from which a late network asks.
///
/// The network's number stands where an address made from a MAC has `ff:fe`, so it is nobody's, and
/// no two nodes share it. A number of 65,534 would be `ff:fe`; networks end long before.
fn asker(mac: MacAddress, network: NetworkId) -> Ipv6Addr {
    let [.., high, low] = u128::from(network.get()).to_be_bytes();
    let mut octets = mac.link_local().octets();
    octets[11..13].copy_from_slice(&[high, low]);
    octets.into()
}

fn entry(priority: u16, matches: Vec<Match>, actions: Vec<Action>, purpose: &'static str) -> Flow {
    Flow { table: Table::Entry, priority, matches, actions, purpose }
}
