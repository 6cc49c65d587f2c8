//! Nodes, and the services that all primary networks may reach.
//!
//! Invariant: a change of one node touches that node's parts, what else mentions its chassis, and
//! nothing more.

use std::collections::{BTreeMap, BTreeSet};

use udn_blueprint::names::Prefix;
use udn_blueprint::{has_nodes, services_part};
use udn_cluster::translate::{ZoneNode, allowed_services, zone_node};
use udn_ledger::{accept_node_subnets, accept_nodes};
use udn_model::{Network, NetworkName, Node, NodeId, NodeName, Part, PerFamily, Subnet, Told};

use super::Zone;
use super::nads::put;
use crate::dirty::Piece;
use crate::work::{Touched, WorkItem};

impl Zone {
    /// Reads a node again.
    pub(crate) fn renew_node(&mut self, name: &NodeName) -> Touched {
        let read = self.world.nodes.get(name).map(|object| zone_node(name, object));
        let Told { value: read, findings } = read.unwrap_or_default();
        let told = (!findings.is_empty()).then_some(findings);
        put(&mut self.told.nodes, name, told.as_ref());
        let before = self.intent.nodes.get(name).cloned();
        let (after, id, subnets) = match read {
            Some(ZoneNode { node, id, subnets }) => (Some(node), id, subnets),
            None => (None, None, BTreeMap::new()),
        };
        put(&mut self.intent.nodes, name, after.as_ref());
        put(&mut self.intent.published.nodes, name, id.as_ref());
        let is_own = *name == self.node;
        if is_own {
            self.note_own_node();
            if before != after {
                self.revisions.touch_host();
            }
        }
        let mut touched = Touched::default();
        let has_moved = before.is_some() != after.is_some();
        for network in self.exchange_subnets(name, &subnets, has_moved) {
            self.renew_node_subnets(&network, &mut touched);
        }
        let mut others = self.regrant_nodes();
        if before != after {
            touched.whole(WorkItem::Southbound);
            others.insert(name.clone());
            self.note_chassis(name, [before.as_ref(), after.as_ref()], &mut touched);
        }
        for network in self.with_nodes() {
            // The switch of a layer-3 network's pods is the own node's, and their ports come and go with it.
            if network.layer3().is_some() && others.contains(&self.node) {
                touched.whole(WorkItem::Network(Prefix::of(&network.name)));
            }
            others.iter().for_each(|it| touched.part(Part::Node(network.name.clone(), it.clone())));
        }
        touched
    }

    /// Reads the services again.
    pub(crate) fn renew_services(&mut self) -> Touched {
        let mut touched = Touched::default();
        let after = allowed_services(&self.world, &self.settings);
        if after != self.intent.allowed_services {
            self.intent.allowed_services = after;
            let networks = self.intent.networks.values();
            let parts = networks.filter_map(|it| services_part(it, &self.node));
            parts.for_each(|part| touched.part(part));
        }
        touched
    }

    /// Accepts the ids of nodes; returns the nodes that have another one now.
    fn regrant_nodes(&mut self) -> BTreeSet<NodeName> {
        let Told { value: ids, findings } = accept_nodes(&self.intent);
        let before = std::mem::replace(&mut self.grants.nodes, ids);
        self.told.node_ids = findings;
        let changed = |it: &BTreeMap<NodeName, NodeId>, other: &BTreeMap<NodeName, NodeId>| {
            let differ = it.iter().filter(|(node, id)| other.get(*node) != Some(*id));
            differ.map(|(node, _)| node.clone()).collect::<BTreeSet<_>>()
        };
        &changed(&before, &self.grants.nodes) | &changed(&self.grants.nodes, &before)
    }

    /// Ports of pods mention the chassis of their node, and backbones that of the zone's own.
    fn note_chassis(&mut self, name: &NodeName, states: [Option<&Node>; 2], touched: &mut Touched) {
        let [before, after] = states;
        if before.is_some() != after.is_some() {
            self.pods.on(name).for_each(|pod| self.dirty.add(Piece::Pod(pod.clone())));
        }
        let chassis = |it: Option<&Node>| it.map(|node| node.chassis.clone());
        if chassis(before) == chassis(after) {
            return;
        }
        for pod in self.pods.on(name) {
            for (network, key) in self.pods.attachments_of(pod) {
                touched.part(Part::Pod(network.clone(), key.clone()));
            }
        }
        if *name == self.node {
            self.with_nodes().for_each(|it| touched.part(Part::Backbone(it.name.clone())));
        }
    }

    /// Puts what a node carries now; returns the networks where that may matter.
    fn exchange_subnets(
        &mut self,
        name: &NodeName,
        after: &BTreeMap<NetworkName, PerFamily<Subnet>>,
        has_moved: bool,
    ) -> BTreeSet<NetworkName> {
        let before = self.node_networks.remove(name).unwrap_or_default();
        let all: BTreeSet<NetworkName> = before.into_iter().chain(after.keys().cloned()).collect();
        if !after.is_empty() {
            self.node_networks.insert(name.clone(), after.keys().cloned().collect());
        }
        let mut changed = BTreeSet::new();
        for network in all {
            let published = &mut self.intent.published.node_subnets;
            let of_network = published.entry(network.clone()).or_default();
            let is_same = of_network.get(name) == after.get(&network);
            put(of_network, name, after.get(&network));
            if of_network.is_empty() {
                published.remove(&network);
            }
            if !is_same || has_moved {
                changed.insert(network);
            }
        }
        changed
    }

    /// Accepts the subnets of nodes in a network again; touches what they are drawn in.
    fn renew_node_subnets(&mut self, network: &NetworkName, touched: &mut Touched) {
        let changed = self.regrant_node_subnets(network);
        if changed.contains(&self.node) {
            touched.whole(WorkItem::Network(Prefix::of(network)));
            self.note_own_pods(network);
        }
        for node in changed {
            touched.part(Part::Node(network.clone(), node));
        }
    }

    /// Accepts the subnets of nodes in a network; returns the nodes that have others now.
    pub(super) fn regrant_node_subnets(&mut self, network: &NetworkName) -> BTreeSet<NodeName> {
        let Told { value: after, findings } = accept_node_subnets(&self.intent, network);
        let told = (!findings.is_empty()).then_some(findings);
        put(&mut self.told.node_subnets, network, told.as_ref());
        let before = self.grants.node_subnets.remove(network).unwrap_or_default();
        let all: BTreeSet<&NodeName> = before.keys().chain(after.keys()).collect();
        let changed = all.into_iter().filter(|it| before.get(*it) != after.get(*it));
        let changed: BTreeSet<NodeName> = changed.cloned().collect();
        if changed.contains(&self.node) {
            self.revisions.touch_host();
        }
        if !after.is_empty() {
            self.grants.node_subnets.insert(network.clone(), after);
        }
        changed
    }

    /// The networks that have rows for each node.
    fn with_nodes(&self) -> impl Iterator<Item = &Network> {
        let all = self.intent.networks.values().map(|it| &**it);
        all.filter(|it| has_nodes(it))
    }
}
