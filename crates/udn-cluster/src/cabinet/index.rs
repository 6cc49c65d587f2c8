//! The cabinet's indexes: which objects a name, a label, a place or an affair leads to.
//!
//! Reads objects as they come and go; [`View`](super::view::View) asks.
//! Invariant: the indexes say the same as indexes that are built anew from the world; only which
//! networks were built is told by their turns.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{FewSet, NetworkName, ObjectName};
use udn_wire::object::Namespace;
use udn_wire::texts::Texts;

use super::built::Built;
use super::cards::{DefinitionCard, ManifestCard, Segment};
use super::crowd::Crowd;
use super::labels::{Label, LabelIndex};
use super::pod_index::{PodIndex, take_from};
use crate::affair::Affair;
use crate::office::Roster;
use crate::spec::{Anchor, Selector};
use crate::translate::ovn_prefix;

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Namespaces by their labels.
    pub(super) namespaces: LabelIndex,
    /// CUDNs by what their selectors need.
    pub(super) selectors: SelectorIndex,
    /// UDNs and CUDNs.
    pub(super) manifests: BTreeMap<Affair, ManifestCard>,
    /// Those of them that are not `Ready`.
    pub(super) unready: BTreeSet<Affair>,
    pub(super) definitions: BTreeMap<ObjectName, DefinitionCard>,
    /// The NADs of an affair, by the number on them, then by name, as `translate` takes them.
    pub(super) by_home: BTreeMap<Affair, FewSet<(u16, ObjectName)>>,
    /// The NADs that are about a network, whosever they are.
    pub(super) by_network: BTreeMap<NetworkName, FewSet<ObjectName>>,
    /// Networks by their name in OVN.
    pub(super) prefixes: Crowd<String>,
    pub(super) segments: Crowd<Segment>,
    pub(super) pods: PodIndex,
    pub(super) built: Built,
    pub(super) roster: Arc<Roster>,
}

/// CUDNs by what a namespace must have to be selected by them.
#[derive(Debug, Default)]
pub(super) struct SelectorIndex {
    by_label: LabelIndex,
    by_key: BTreeMap<String, FewSet<String>>,
    /// Those that any namespace might meet.
    always: BTreeSet<String>,
}

impl Index {
    pub(super) fn add_namespace(&mut self, namespace: &Namespace) {
        for (key, value) in &namespace.metadata.labels {
            self.namespaces.insert(Label { key, value }, &namespace.metadata.name);
        }
    }

    pub(super) fn drop_namespace(&mut self, namespace: &Namespace) {
        for (key, value) in &namespace.metadata.labels {
            self.namespaces.remove(Label { key, value }, &namespace.metadata.name);
        }
    }

    pub(super) fn add_manifest(&mut self, affair: Affair, card: ManifestCard) {
        if let Some(prefix) = prefix_of(&affair) {
            self.prefixes.join(prefix, affair.clone());
        }
        if let Some(segment) = &card.segment {
            self.segments.join(segment.clone(), affair.clone());
        }
        if let (Affair::ClusterUserDefinedNetwork(name), Some(selector)) = (&affair, &card.selector)
        {
            self.selectors.add(selector, name);
        }
        if !card.is_ready {
            self.unready.insert(affair.clone());
        }
        self.manifests.insert(affair, card);
    }

    pub(super) fn drop_manifest(&mut self, affair: &Affair) {
        let Some(card) = self.manifests.remove(affair) else { return };
        if let Some(prefix) = prefix_of(affair) {
            self.prefixes.leave(&prefix, affair);
        }
        if let Some(segment) = &card.segment {
            self.segments.leave(segment, affair);
        }
        if let (Affair::ClusterUserDefinedNetwork(name), Some(selector)) = (affair, &card.selector)
        {
            self.selectors.drop(selector, name);
        }
        self.unready.remove(affair);
    }

    pub(super) fn add_definition(&mut self, name: &ObjectName, card: DefinitionCard) {
        if let Some(network) = &card.network {
            self.by_network.entry(network.clone()).or_default().insert(name.clone());
        }
        if let Some(home) = &card.home {
            let place = self.by_home.entry(home.clone()).or_default();
            place.insert((card.rank, name.clone()));
            if let Some(prefix) = prefix_of(home) {
                self.prefixes.join(prefix, home.clone());
            }
            if let Some(segment) = &card.segment {
                self.segments.join(segment.clone(), home.clone());
            }
        }
        self.definitions.insert(name.clone(), card);
    }

    pub(super) fn drop_definition(&mut self, name: &ObjectName) {
        let Some(card) = self.definitions.remove(name) else { return };
        if let Some(network) = &card.network {
            take_from(&mut self.by_network, network, name);
        }
        if let Some(home) = &card.home {
            take_from(&mut self.by_home, home, &(card.rank, name.clone()));
            if let Some(prefix) = prefix_of(home) {
                self.prefixes.leave(&prefix, home);
            }
            if let Some(segment) = &card.segment {
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
    pub(super) fn candidates<'a>(&'a self, labels: &'a Texts) -> impl Iterator<Item = &'a String> {
        let met = labels.iter().flat_map(|(key, value)| {
            let by_key = self.by_key.get(key).into_iter().flat_map(FewSet::iter);
            self.by_label.under(Label { key, value }).chain(by_key)
        });
        met.chain(&self.always)
    }
}

/// How the network of an affair is known in OVN.
pub(super) fn prefix_of(affair: &Affair) -> Option<String> {
    affair.network().map(|network| ovn_prefix(&network))
}
