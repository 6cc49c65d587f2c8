//! Nodes and what they report.
//!
//! Invariant: a kubelet's heartbeat reaches nobody, and makes no new list of nodes.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{NetworkName, NodeName};
use udn_wire::api::ReportStatus;
use udn_wire::kind::Kind;
use udn_wire::object::{Node, NodeNetworkReport};

use super::super::heartbeats::forget;
use super::super::summaries::Segment;
use super::{Cached, Change, Impact, Index};
use crate::translate::{ovn_prefix, read_node};
use crate::work_item::WorkItem;
use crate::world::{Objects, World};

impl Cached for Node {
    const KIND: Kind = Kind::Node;

    fn objects(world: &World) -> &Objects<NodeName, Self> {
        &world.nodes
    }

    fn objects_mut(world: &mut World) -> &mut Objects<NodeName, Self> {
        &mut world.nodes
    }

    fn impact(name: &NodeName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        if change.is_seen(|one, other| {
            let (one, other) = (&one.metadata, &other.metadata);
            (&one.labels, &one.annotations, one.is_leaving())
                == (&other.labels, &other.annotations, other.is_leaving())
        }) {
            impact.touch(&WorkItem::Node(name.clone()));
        }
        let staying = |it: Option<&Self>| {
            let node = it.filter(|it| !it.metadata.is_leaving()).map(|it| read_node(name, it));
            node.map(|it| (it.addresses, it.gateway))
        };
        if staying(change.before) != staying(change.after) {
            impact.all_manifests();
        }
    }

    fn reindex(name: &NodeName, before: Option<&Self>, world: &World, index: &mut Index) {
        index.node_subnets.change(before, world.nodes.get(name));
        if !world.nodes.contains_key(name) && index.cluster_nodes.agents.contains_key(name) {
            forget(&mut Arc::make_mut(&mut index.cluster_nodes).agents, name, world);
        }
        let staying = world.nodes.get(name).filter(|it| !it.metadata.is_leaving());
        let host = staying.map(|it| read_node(name, it));
        if index.cluster_nodes.hosts.get(name) == host.as_ref() {
            return;
        }
        let cluster_nodes = Arc::make_mut(&mut index.cluster_nodes);
        if let Some(host) = host {
            let report = world.reports.get(name).cloned().map(Arc::new);
            cluster_nodes.nodes.insert(name.clone(), report);
            cluster_nodes.hosts.insert(name.clone(), host);
        } else {
            cluster_nodes.nodes.remove(name);
            cluster_nodes.hosts.remove(name);
        }
    }
}

impl Cached for NodeNetworkReport {
    const KIND: Kind = Kind::Report;

    fn objects(world: &World) -> &Objects<NodeName, Self> {
        &world.reports
    }

    fn objects_mut(world: &mut World) -> &mut Objects<NodeName, Self> {
        &mut world.reports
    }

    fn impact(name: &NodeName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        if !change.is_seen(|one, other| one.status == other.status) {
            return;
        }
        impact.touch(&WorkItem::Node(name.clone()));
        let nothing = ReportStatus::default();
        let before = change.before.map_or(&nothing, |it| &it.status);
        let after = change.after.map_or(&nothing, |it| &it.status);
        if change.after.is_none() || programmed_up_to(after) < programmed_up_to(before) {
            return impact.all_manifests();
        }
        let index = impact.lookup.index;
        index.unready.iter().for_each(|it| impact.touch(it));
        for physical in changed_physical_networks(before, after) {
            let first = Segment { physical_network: physical.to_owned(), vlan: i64::MIN };
            let from = index.segments.from(first..);
            let there = from.take_while(|(place, _)| place.physical_network == physical);
            there.for_each(|(_, it)| impact.touch(it));
        }
        for network in changed_networks(before, after) {
            let named = index.prefixes.at(&ovn_prefix(&NetworkName::new(network)));
            named.for_each(|it| impact.touch(it));
        }
    }

    fn reindex(name: &NodeName, _: Option<&Self>, world: &World, index: &mut Index) {
        if index.cluster_nodes.nodes.contains_key(name) {
            let report = world.reports.get(name).cloned().map(Arc::new);
            Arc::make_mut(&mut index.cluster_nodes).nodes.insert(name.clone(), report);
        }
    }
}

fn programmed_up_to(status: &ReportStatus) -> u64 {
    let version = status.programmed_up_to.as_ref();
    version.and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn changed_physical_networks<'a>(
    before: &'a ReportStatus,
    after: &'a ReportStatus,
) -> BTreeSet<&'a str> {
    let usable = |status: &'a ReportStatus| {
        let all = status.physical_networks.iter().flatten();
        all.map(|it| (it.name.as_str(), it)).collect::<Vec<_>>()
    };
    let unusable = |status: &'a ReportStatus| {
        let all = status.unusable_physical_networks.iter().flatten();
        all.map(|it| (it.name.as_str(), it)).collect::<Vec<_>>()
    };
    let mut changed = names_of_others(&usable(before), &usable(after));
    changed.extend(names_of_others(&unusable(before), &unusable(after)));
    changed
}

/// The names under which two lists differ.
fn names_of_others<'a, T: PartialEq>(
    one: &[(&'a str, T)],
    other: &[(&'a str, T)],
) -> BTreeSet<&'a str> {
    let gone = one.iter().filter(|it| !other.contains(it));
    let new = other.iter().filter(|it| !one.contains(it));
    gone.chain(new).map(|(name, _)| *name).collect()
}

fn changed_networks<'a>(before: &'a ReportStatus, after: &'a ReportStatus) -> BTreeSet<&'a str> {
    let keyed = |status: &'a ReportStatus| {
        let all = status.not_programmed.iter().flatten();
        all.map(|it| (it.network.as_str(), (&it.reason, &it.message))).collect::<BTreeSet<_>>()
    };
    keyed(before).symmetric_difference(&keyed(after)).map(|(network, _)| *network).collect()
}
