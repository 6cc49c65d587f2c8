//! The flows of the external bridge: who may send what to whom, and under which address.
//!
//! All gateway routers of a node share the node's MAC and IP addresses, so the bridge tells their
//! packets apart: outwards by the port they come from, inwards by the mark of the connection.
//! The numbers of tables and their priorities are the wire's; gaps are where the flows of the
//! default network, of services and of egress addresses go.
//! Invariant: no packet of a network leaves with an address of its own; only its masquerade
//! address, rewritten to the node's, and the node's own pass.

use udn_model::{Family, MacAddress, Subnet};

use crate::facts::{NetworkFacts, NodeFacts, PortNumber};
use crate::flow::{Action, BridgePort, Connection, Flow, Flows, Match, Packet, Table};
use crate::neighbours;

/// The mark of the host's own connections.
// compat: pkg/node/bridgeconfig, CtMarkHost
const HOST_MARK: u32 = 2;

/// Everything the bridge does; networks are in the order of their ids.
// compat: pkg/node/bridgeconfig/bridgeflows.go
pub(crate) fn flows(node: &NodeFacts, networks: &[NetworkFacts]) -> Flows {
    let mut drawing = Drawing { node, flows: Vec::new() };
    drawing.host();
    for network in networks {
        if let Some(patch) = network.patch {
            drawing.network(network, patch);
        }
    }
    let mut flows = drawing.flows;
    flows.extend(neighbours::flows(node, networks));
    Flows::new(flows)
}

struct Drawing<'a> {
    node: &'a NodeFacts,
    flows: Vec<Flow>,
}

impl Drawing<'_> {
    /// What the host itself needs, whatever networks there are.
    fn host(&mut self) {
        let (local, wire) = (BridgePort::Local, BridgePort::Number(self.node.uplink));
        let to_us = [Match::From(wire), Match::DestinationMac(self.mac())];
        for family in Family::BOTH {
            let ip = Match::Packet(Packet::Ip(family));
            let geneve = Match::Packet(Packet::Geneve(family));
            let commit = Action::Commit { mark: HOST_MARK, source: None };
            let track = Action::Track(Table::Tracked);
            let purpose = "tunnels pass without conntrack, or it would follow each of them twice";
            self.entry(205, [&to_us[..], &[geneve]].concat(), &[Action::Output(local)], purpose);
            self.entry(200, vec![Match::From(local), geneve], &[Action::Output(wire)], purpose);
            let purpose = "the host's own connections are marked, so that answers find the host";
            self.entry(100, vec![Match::From(local), ip], &[commit, Action::Output(wire)], purpose);
            let purpose = "what comes for the shared MAC goes to whom its connection belongs";
            self.entry(50, [&to_us[..], &[ip]].concat(), &[track], purpose);
            self.answers(family, HOST_MARK, local);
        }
        let normal = &[Action::Normal];
        self.entry(0, Vec::new(), normal, "anything else as an ordinary switch would");
        let purpose = "what belongs to no known connection is for the host";
        let ours = vec![Match::DestinationMac(self.mac())];
        self.flow(Table::Tracked, 10, ours, &[Action::Output(local)], purpose);
        self.flow(Table::Tracked, 0, Vec::new(), normal, purpose);
    }

    /// What one network's gateway router may send, and what comes back to it.
    fn network(&mut self, network: &NetworkFacts, patch: PortNumber) {
        let (patch, wire) = (BridgePort::Number(patch), BridgePort::Number(self.node.uplink));
        let (from, genuine) = (Match::From(patch), Match::SourceMac(self.mac()));
        for service in &self.node.service_subnets {
            let ip = Match::Packet(Packet::Ip(service.family()));
            let matches = vec![from, ip, Match::Destination(*service)];
            self.entry(115, matches, &[], "packets for services never leave the node");
        }
        for addresses in &network.addresses {
            let ip = Match::Packet(Packet::Ip(addresses.subnet.family()));
            let matches = vec![from, ip, Match::Source(addresses.subnet)];
            self.entry(103, matches, &[], "addresses of pods never leave the node");
        }
        for family in Family::BOTH {
            self.network_egress(network, family, patch);
            self.answers(family, network.id.conntrack_mark(), patch);
        }
        let purpose = "what else a gateway router says goes to the wire, if it says it as the node";
        self.entry(10, vec![from, genuine], &[Action::Output(wire)], purpose);
        self.entry(9, vec![from], &[], purpose);
    }

    fn network_egress(&mut self, network: &NetworkFacts, family: Family, patch: BridgePort) {
        let (Some(masquerade), Some(ours)) =
            (network.masquerade.of(family), self.node.gateway.address(family))
        else {
            return;
        };
        let matches = vec![
            Match::From(patch),
            Match::SourceMac(self.mac()),
            Match::Packet(Packet::Ip(family)),
            Match::Source(Subnet::of(masquerade.gateway_router.into())),
        ];
        let commit =
            Action::Commit { mark: network.id.conntrack_mark(), source: Some(ours.addr()) };
        let wire = Action::Output(BridgePort::Number(self.node.uplink));
        let purpose = "pods go out under the node's address; the mark remembers their network";
        self.entry(100, matches, &[commit, wire], purpose);
    }

    /// Packets of known connections, by their mark.
    fn answers(&mut self, family: Family, mark: u32, port: BridgePort) {
        for state in [Connection::Established, Connection::Related] {
            let matches = vec![
                Match::Packet(Packet::Ip(family)),
                Match::Connection(state),
                Match::ConnectionMark(mark),
            ];
            let purpose = "answers go to whom the connection belongs";
            self.flow(Table::Tracked, 100, matches, &[Action::Output(port)], purpose);
        }
    }

    fn mac(&self) -> MacAddress {
        self.node.gateway.mac
    }

    fn entry(
        &mut self,
        priority: u16,
        matches: Vec<Match>,
        actions: &[Action],
        purpose: &'static str,
    ) {
        self.flow(Table::Entry, priority, matches, actions, purpose);
    }

    fn flow(
        &mut self,
        table: Table,
        priority: u16,
        matches: Vec<Match>,
        actions: &[Action],
        purpose: &'static str,
    ) {
        self.flows.push(Flow { table, priority, matches, actions: actions.to_vec(), purpose });
    }
}
