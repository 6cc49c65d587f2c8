//! Nodes, and the services that all primary networks may reach.
//!
//! Invariant: a change of one node touches that node's parts, what else mentions its chassis, and
//! nothing more.

use std::collections::{BTreeMap, BTreeSet};

use udn_cluster::translate::{ZoneNode, allowed_services, zone_node};
use udn_ledger::accept_nodes;
use udn_model::{Network, Node, NodeId, NodeName, Part, Told};

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
        let (after, id) = read.map(|ZoneNode { node, id }| (node, id)).unzip();
        put(&mut self.intent.nodes, name, after.as_ref());
        put(&mut self.intent.published.nodes, name, id.flatten().as_ref());
        let mut touched = Touched::default();
        let mut others = self.regrant_nodes();
        if before != after {
            touched.whole(WorkItem::Southbound);
            others.insert(name.clone());
            self.note_chassis(name, [before.as_ref(), after.as_ref()], &mut touched);
        }
        for network in self.primaries() {
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
            self.primaries().for_each(|it| touched.part(Part::Backbone(it.name.clone())));
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
            self.primaries().for_each(|it| touched.part(Part::Backbone(it.name.clone())));
        }
    }

    fn primaries(&self) -> impl Iterator<Item = &Network> {
        self.intent.networks.values().map(|it| &**it).filter(|it| it.is_primary())
    }
}
