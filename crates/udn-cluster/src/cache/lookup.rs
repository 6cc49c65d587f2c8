//! Questions to the world and its indexes.
//!
//! Reads both; returns who meets whom, and where.
//! Invariant: who meets whom is never left out; somebody who could meet but does not may be told.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{Manifest, ObjectName, SmallSet};
use udn_wire::object::{Nad, Namespace};

use super::index::{Index, prefix_of};
use super::labels::Label;
use super::summaries::{NadSummary, Segment};
use crate::spec::{Anchor, Selector};
use crate::work_item::WorkItem;
use crate::world::World;

/// A look into the cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) world: &'a World,
    pub(crate) index: &'a Index,
}

impl<'a> Lookup<'a> {
    /// Other networks that would have the same name in OVN.
    pub(crate) fn siblings(self, item: &WorkItem) -> Vec<&'a WorkItem> {
        let Some(prefix) = prefix_of(item) else { return Vec::new() };
        self.index.prefixes.at(&prefix).filter(|it| *it != item).collect()
    }

    /// The segments that a network is on.
    pub(crate) fn segments(self, item: &WorkItem) -> BTreeSet<&'a Segment> {
        match item {
            WorkItem::Network(_) => {
                let summary = self.index.manifests.get(item);
                summary.and_then(|it| it.segment.as_ref()).into_iter().collect()
            }
            WorkItem::HandWritten(_) => self
                .summaries_of(item)
                .filter_map(|(_, summary)| summary.segment.as_ref())
                .collect(),
            WorkItem::Node(_) | WorkItem::DefaultNad | WorkItem::Pod(_) | WorkItem::Claim(_) => {
                BTreeSet::new()
            }
        }
    }

    /// Whether a network could be a primary one.
    pub(crate) fn is_primary(self, item: &WorkItem) -> bool {
        match self.index.manifests.get(item) {
            Some(summary) => summary.is_primary,
            None => self.summaries_of(item).any(|(_, summary)| summary.is_primary),
        }
    }

    /// The namespaces that a network wants, or has NADs in.
    pub(crate) fn places(self, item: &WorkItem) -> BTreeSet<Arc<str>> {
        let nads = self.nads_of(item);
        let mut places: BTreeSet<Arc<str>> = nads.map(|it| it.namespace.clone()).collect();
        if let WorkItem::Network(Manifest::Udn(name)) = item {
            places.insert(name.namespace.clone());
        }
        let selector = self.index.manifests.get(item).and_then(|it| it.selector.as_ref());
        places.extend(selector.into_iter().flat_map(|it| self.selected(it)).map(Arc::from));
        places
    }

    /// The UDN and the CUDN that want a NAD of the same name there.
    pub(crate) fn namesakes(self, item: &WorkItem, namespace: &str) -> BTreeSet<WorkItem> {
        match item {
            WorkItem::Network(Manifest::Udn(name)) => self.namers(name),
            WorkItem::Network(Manifest::Cudn(name)) => {
                self.namers(&ObjectName::new(namespace, name))
            }
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_) => BTreeSet::new(),
        }
    }

    /// The UDN and the CUDN that could want a NAD of this name.
    pub(crate) fn namers(self, nad: &ObjectName) -> BTreeSet<WorkItem> {
        let udn = WorkItem::Network(Manifest::Udn(nad.clone()));
        let cudn = WorkItem::Network(Manifest::Cudn(nad.name.to_string()));
        let mut namers = BTreeSet::from([udn, cudn]);
        namers.retain(|it| self.index.manifests.contains_key(it));
        namers
    }

    /// The networks that want to be, or are, a namespace's primary one.
    pub(crate) fn primaries(self, namespace: &str) -> BTreeSet<WorkItem> {
        let mut all = self.askers(namespace);
        let is_primary =
            |it: &WorkItem| self.index.manifests.get(it).is_some_and(|it| it.is_primary);
        all.retain(is_primary);
        for (_, summary) in self.summaries_in(namespace) {
            if let Some(home) = &summary.home
                && (summary.is_primary || is_primary(home))
            {
                all.insert(home.clone());
            }
        }
        all
    }

    /// The UDNs and CUDNs that want a NAD in a namespace.
    pub(crate) fn askers(self, namespace: &str) -> BTreeSet<WorkItem> {
        self.askers_of(namespace, self.world.namespaces.get(namespace))
    }

    /// The same if the namespace were like this, or not there.
    pub(crate) fn askers_of(self, name: &str, namespace: Option<&Namespace>) -> BTreeSet<WorkItem> {
        let udns = self.world.networks.within(name);
        let mut all: BTreeSet<WorkItem> =
            udns.map(|(name, _)| WorkItem::Network(Manifest::Udn(name.clone()))).collect();
        let Some(object) = namespace else { return all };
        let labels = &object.metadata.labels;
        for name in self.index.selectors.candidates(labels) {
            let item = WorkItem::Network(Manifest::Cudn(name.clone()));
            let summary = self.index.manifests.get(&item);
            let selector = summary.and_then(|it| it.selector.as_ref());
            if selector.is_some_and(|it| it.selects(labels)) {
                all.insert(item);
            }
        }
        all
    }

    /// Everybody who wants or has a NAD in a namespace.
    pub(crate) fn residents(self, namespace: &str) -> BTreeSet<WorkItem> {
        let mut all = self.askers(namespace);
        all.extend(self.summaries_in(namespace).filter_map(|(_, summary)| summary.home.clone()));
        all
    }

    fn selected(self, selector: &'a Selector) -> BTreeSet<&'a str> {
        let index = &self.index.namespaces;
        let names: BTreeSet<&String> = match selector.anchor() {
            Anchor::Values(key, values) => {
                values.iter().flat_map(|value| index.under(Label { key, value })).collect()
            }
            Anchor::Key(key) => index.under_key(key).collect(),
            Anchor::Nothing => self.world.namespaces.keys().collect(),
        };
        let objects = names.into_iter().filter_map(|it| self.world.namespaces.get_key_value(it));
        let selected = objects.filter(|(_, it)| selector.selects(&it.metadata.labels));
        selected.map(|(name, _)| name.as_str()).collect()
    }

    /// The NADs of a work item, as `translate` takes them.
    pub(crate) fn nads_of(self, item: &WorkItem) -> impl Iterator<Item = &'a ObjectName> {
        self.index.by_home.get(item).into_iter().flat_map(SmallSet::iter).map(|(_, name)| name)
    }

    fn summaries_of(
        self,
        item: &WorkItem,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a NadSummary)> {
        self.nads_of(item).filter_map(move |it| Some((it, self.index.nads.get(it)?)))
    }

    /// The NADs in a namespace.
    pub(crate) fn summaries_in(
        self,
        namespace: &str,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a NadSummary)> {
        self.world
            .nads
            .within(namespace)
            .filter_map(move |(name, _)| Some((name, self.index.nads.get(name)?)))
    }

    /// The first NAD of a UDN or CUDN that is there: whether the network has a number stands on it.
    /// One that a predecessor left behind may come before it, and say which.
    pub(crate) fn leader(self, item: &WorkItem) -> Option<(&'a ObjectName, &'a NadSummary)> {
        let uid = self.index.manifests.get(item).map(|it| it.uid.as_str());
        let is_own = |it: &Option<String>| it.is_none() || it.as_deref() == uid;
        self.summaries_of(item).find(|(_, summary)| uid.is_some() && is_own(&summary.maker_uid))
    }

    /// Whether a NAD is wanted and nobody is about to go, so that it does not matter which pods
    /// use it.
    pub(crate) fn is_settled(self, name: &ObjectName) -> bool {
        let Some(summary) = self.index.nads.get(name) else { return true };
        let is_leaving = |it: &Nad| it.metadata.is_leaving();
        if self.world.nads.get(name).is_some_and(is_leaving) {
            return false;
        }
        let home = summary.home.as_ref();
        if matches!(home, Some(WorkItem::HandWritten(_)) | None) {
            return true;
        }
        let Some(maker) = home.and_then(|it| self.index.manifests.get(it)) else { return false };
        let namespace = self.world.namespaces.get(&*name.namespace);
        let stays = namespace.is_none_or(|it| !it.metadata.is_leaving());
        let is_wanted = match home {
            Some(WorkItem::Network(Manifest::Udn(udn))) => udn == name,
            Some(WorkItem::Network(Manifest::Cudn(cudn))) => {
                let labels = namespace.map(|it| &it.metadata.labels);
                let selector = maker.selector.as_ref();
                **cudn == *name.name
                    && labels.zip(selector).is_some_and(|(labels, it)| it.selects(labels))
            }
            Some(
                WorkItem::HandWritten(_)
                | WorkItem::Node(_)
                | WorkItem::DefaultNad
                | WorkItem::Pod(_)
                | WorkItem::Claim(_),
            )
            | None => true,
        };
        let is_own = summary.maker_uid.as_ref().is_none_or(|uid| *uid == maker.uid);
        stays && is_wanted && !maker.is_leaving && is_own
    }
}
