//! The flows of the external bridge: who may send what to whom, and under which address.
//!
//! All gateway routers of a node share the node's MAC and IP addresses, so the bridge tells their
//! packets apart: outwards by the port they come from, inwards by the mark of the connection.
//! The numbers of tables and their priorities are the wire's; gaps are where the flows of node ports
//! and of egress addresses go.
//! Invariant: no packet of a network leaves with an address of its own; only its masquerade
//! address, rewritten to the node's, and the node's own pass.

use std::net::IpAddr;

use udn_model::{Family, GatewayMode, MacAddress, Subnet};

use crate::facts::{NetworkFacts, NodeFacts, PortNumber};
use crate::flow::{Action, BridgePort, Connection, Flow, Flows, Match, Packet, Table};
use crate::neighbours;

/// The mark of the default network's connections.
// compat: pkg/node/bridgeconfig, CtMarkOVN
const DEFAULT_MARK: u32 = 1;
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
            if network.is_default() {
                drawing.services(BridgePort::Number(patch));
            }
        }
        drawing.through_host(network);
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
        for range in &network.ranges {
            let ip = Match::Packet(Packet::Ip(range.family()));
            let matches = vec![from, ip, Match::Source(*range)];
            self.entry(103, matches, &[], "addresses of pods never leave the node");
        }
        for family in Family::BOTH {
            self.network_egress(network, family, patch);
            self.answers(family, mark(network), patch);
        }
        let purpose = "what else a gateway router says goes to the wire, if it says it as the node";
        self.entry(10, vec![from, genuine], &[Action::Output(wire)], purpose);
        self.entry(9, vec![from], &[], purpose);
    }

    fn network_egress(&mut self, network: &NetworkFacts, family: Family, patch: BridgePort) {
        let Some(ours) = self.address(family) else { return };
        // The default network's gateway router puts the node's address itself.
        let masquerade = network.masquerade.of(family).map(|it| it.gateway_router);
        let Some(sender) = masquerade.or(network.is_default().then_some(ours)) else { return };
        let matches = vec![
            Match::From(patch),
            Match::SourceMac(self.mac()),
            Match::Packet(Packet::Ip(family)),
            Match::Source(Subnet::of(sender.into())),
        ];
        let commit = Action::Commit { mark: mark(network), source: Some(ours) };
        let wire = Action::Output(BridgePort::Number(self.node.uplink));
        let purpose = "pods go out under the node's address; the mark remembers their network";
        self.entry(100, matches, &[commit, wire], purpose);
    }

    /// Where pods leave through the host, it forwards their packets under the addresses that OVN
    /// let them have.
    // compat: pkg/node/gateway_nftables.go, ovn-kube-local-gw-masq; here the bridge does it, which
    // sees such packets anyway
    fn through_host(&mut self, network: &NetworkFacts) {
        match self.node.gateway_mode {
            GatewayMode::Shared => return,
            GatewayMode::Local => {}
        }
        for own in network.addresses.iter().map(|it| it.subnet) {
            let Some(ours) = self.address(own.family()) else { continue };
            let masquerade = network.masquerade.of(own.family()).map(|it| it.management);
            let sender = masquerade.map(|it| Subnet::of(it.into()));
            let Some(sender) = sender.or(network.is_default().then_some(own)) else { continue };
            let ip = Match::Packet(Packet::Ip(own.family()));
            let matches = vec![Match::From(BridgePort::Local), ip, Match::Source(sender)];
            let commit = Action::Commit { mark: HOST_MARK, source: Some(ours) };
            let wire = Action::Output(BridgePort::Number(self.node.uplink));
            let purpose = "pods go out through the host under the node's address";
            self.entry(101, matches, &[commit, wire], purpose);
        }
    }

    /// The host's own packets for services go to the default network's gateway router.
    fn services(&mut self, patch: BridgePort) {
        match self.node.gateway_mode {
            GatewayMode::Shared => {}
            GatewayMode::Local => return,
        }
        let (local, to_us) = (BridgePort::Local, Action::DestinationMac(self.mac()));
        let purpose = "the host reaches services through the default network's gateway router";
        for service in &self.node.service_subnets {
            let Some(masquerade) = self.node.masquerade.of(service.family()) else { continue };
            let (ip, host) = (Match::Packet(Packet::Ip(service.family())), masquerade.host);
            let matches = vec![Match::From(local), ip, Match::Destination(*service)];
            let commit = Action::CommitService { source: host, table: Table::ToServices };
            self.entry(500, matches, &[commit], purpose);
            let host = Match::Destination(Subnet::of(host.into()));
            let matches = vec![Match::From(patch), ip, Match::Source(*service), host];
            self.entry(500, matches, &[Action::TrackService(Table::FromServices)], purpose);
        }
        let actions = [to_us, Action::Output(patch)];
        self.flow(Table::ToServices, 100, Vec::new(), &actions, purpose);
        let actions = [to_us, Action::Output(local)];
        self.flow(Table::FromServices, 100, Vec::new(), &actions, purpose);
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

    fn address(&self, family: Family) -> Option<IpAddr> {
        self.node.gateway.address(family).map(|ours| ours.addr())
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

/// The mark by which the bridge remembers a network's connections.
fn mark(network: &NetworkFacts) -> u32 {
    if network.is_default() { DEFAULT_MARK } else { network.id.conntrack_mark() }
}
