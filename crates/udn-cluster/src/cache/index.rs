//! The cache's indexes: which objects a name, a label, a place or a work item leads to.
//!
//! Reads objects as they come and go; [`Lookup`](super::lookup::Lookup) asks.
//! Invariant: the indexes say the same as indexes that are built anew from the world; only which
//! networks were built is told by their reconciles, and which agents are heard by their heartbeats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{Manifest, NetworkName, NodeName, ObjectName, SmallSet};
use udn_wire::object::Namespace;
use udn_wire::texts::Texts;

use super::built::Built;
use super::group_index::GroupIndex;
use super::labels::{Label, LabelIndex};
use super::node_subnet_index::NodeSubnetIndex;
use super::pod_index::{PodIndex, take_from};
use super::summaries::{NadSummary, NetworkSummary, Segment};
use crate::spec::{Anchor, Selector};
use crate::translate::ovn_prefix;
use crate::view::ClusterNodes;
use crate::work_item::WorkItem;

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// Namespaces by their labels.
    pub(crate) namespaces: LabelIndex,
    /// CUDNs by what their selectors need.
    pub(crate) selectors: SelectorIndex,
    /// UDNs and CUDNs.
    pub(crate) manifests: BTreeMap<WorkItem, NetworkSummary>,
    /// Those of them that are not `Ready`.
    pub(crate) unready: BTreeSet<WorkItem>,
    /// Those of them whose status says of a node that its agent does not respond.
    pub(crate) called_silent: GroupIndex<NodeName>,
    pub(crate) nads: BTreeMap<ObjectName, NadSummary>,
    /// The NADs of a work item, by the number on them, then by name, as `translate` takes them.
    pub(crate) by_home: BTreeMap<WorkItem, SmallSet<(u16, ObjectName)>>,
    /// The NADs that are about a network, whosever they are.
    pub(crate) by_network: BTreeMap<NetworkName, SmallSet<ObjectName>>,
    /// Networks by their name in OVN.
    pub(crate) prefixes: GroupIndex<String>,
    pub(crate) segments: GroupIndex<Segment>,
    pub(crate) pods: PodIndex,
    pub(crate) built: Built,
    pub(crate) node_subnets: NodeSubnetIndex,
    pub(crate) cluster_nodes: Arc<ClusterNodes>,
}

/// CUDNs by what a namespace must have to be selected by them.
#[derive(Debug, Default)]
pub(crate) struct SelectorIndex {
    by_label: LabelIndex,
    by_key: BTreeMap<String, SmallSet<String>>,
    /// Those that any namespace might meet.
    always: BTreeSet<String>,
}

impl Index {
    pub(crate) fn add_namespace(&mut self, namespace: &Namespace) {
        for (key, value) in &namespace.metadata.labels {
            self.namespaces.insert(Label { key, value }, &namespace.metadata.name);
        }
    }

    pub(crate) fn drop_namespace(&mut self, namespace: &Namespace) {
        for (key, value) in &namespace.metadata.labels {
            self.namespaces.remove(Label { key, value }, &namespace.metadata.name);
        }
    }

    pub(crate) fn add_manifest(&mut self, item: WorkItem, summary: NetworkSummary) {
        if let Some(prefix) = prefix_of(&item) {
            self.prefixes.join(prefix, item.clone());
        }
        if let Some(segment) = &summary.segment {
            self.segments.join(segment.clone(), item.clone());
        }
        if let (WorkItem::Network(Manifest::Cudn(name)), Some(selector)) =
            (&item, &summary.selector)
        {
            self.selectors.add(selector, name);
        }
        if !summary.is_ready {
            self.unready.insert(item.clone());
        }
        for node in &summary.silent {
            self.called_silent.join(node.clone(), item.clone());
        }
        self.manifests.insert(item, summary);
    }

    pub(crate) fn drop_manifest(&mut self, item: &WorkItem) {
        let Some(summary) = self.manifests.remove(item) else { return };
        if let Some(prefix) = prefix_of(item) {
            self.prefixes.leave(&prefix, item);
        }
        if let Some(segment) = &summary.segment {
            self.segments.leave(segment, item);
        }
        if let (WorkItem::Network(Manifest::Cudn(name)), Some(selector)) = (item, &summary.selector)
        {
            self.selectors.drop(selector, name);
        }
        self.unready.remove(item);
        for node in &summary.silent {
            self.called_silent.leave(node, item);
        }
    }

    pub(crate) fn add_nad(&mut self, name: &ObjectName, summary: NadSummary) {
        if let Some(network) = &summary.network {
            self.by_network.entry(network.clone()).or_default().insert(name.clone());
        }
        if let Some(home) = &summary.home {
            let place = self.by_home.entry(home.clone()).or_default();
            place.insert((summary.rank, name.clone()));
            if let Some(prefix) = prefix_of(home) {
                self.prefixes.join(prefix, home.clone());
            }
            if let Some(segment) = &summary.segment {
                self.segments.join(segment.clone(), home.clone());
            }
        }
        self.nads.insert(name.clone(), summary);
    }

    pub(crate) fn drop_nad(&mut self, name: &ObjectName) {
        let Some(summary) = self.nads.remove(name) else { return };
        if let Some(network) = &summary.network {
            take_from(&mut self.by_network, network, name);
        }
        if let Some(home) = &summary.home {
            take_from(&mut self.by_home, home, &(summary.rank, name.clone()));
            if let Some(prefix) = prefix_of(home) {
                self.prefixes.leave(&prefix, home);
            }
            if let Some(segment) = &summary.segment {
                self.segments.leave(segment, home);
            }
        }
    }
}

impl SelectorIndex {
    fn add(&mut self, selector: &Selector, name: &str) {
        match selector.anchor() {
            Anchor::Values(key, values) => {
                values.iter().for_each(|value| self.by_label.insert(Label { key, value }, name));
            }
            Anchor::Key(key) => {
                self.by_key.entry(key.to_owned()).or_default().insert(name.to_owned());
            }
            Anchor::Nothing => {
                self.always.insert(name.to_owned());
            }
        }
    }

    fn drop(&mut self, selector: &Selector, name: &str) {
        match selector.anchor() {
            Anchor::Values(key, values) => {
                values.iter().for_each(|value| self.by_label.remove(Label { key, value }, name));
            }
            Anchor::Key(key) => take_from(&mut self.by_key, &key.to_owned(), &name.to_owned()),
            Anchor::Nothing => {
                self.always.remove(name);
            }
        }
    }

    /// The CUDNs that may select a namespace with these labels.
    pub(crate) fn candidates<'a>(&'a self, labels: &'a Texts) -> impl Iterator<Item = &'a String> {
        let met = labels.iter().flat_map(|(key, value)| {
            let by_key = self.by_key.get(key).into_iter().flat_map(SmallSet::iter);
            self.by_label.under(Label { key, value }).chain(by_key)
        });
        met.chain(&self.always)
    }
}

/// How the network of a work item is known in OVN.
pub(crate) fn prefix_of(item: &WorkItem) -> Option<String> {
    item.network().map(|network| ovn_prefix(&network))
}
