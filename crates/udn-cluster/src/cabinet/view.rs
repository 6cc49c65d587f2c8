//! Questions to the world and its indexes.
//!
//! Reads both; returns who meets whom, and where.
//! Invariant: who meets whom is never left out; somebody who could meet but does not may be told.

use std::collections::BTreeSet;
use std::sync::Arc;

use udn_model::{FewSet, ObjectName};
use udn_wire::object::{Definition, Namespace};

use super::cards::{DefinitionCard, Segment};
use super::index::{Index, prefix_of};
use super::labels::Label;
use crate::affair::Affair;
use crate::spec::{Anchor, Selector};
use crate::world::World;

/// A look into the cabinet.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) world: &'a World,
    pub(super) index: &'a Index,
}

impl<'a> View<'a> {
    /// Other networks that would have the same name in OVN.
    pub(super) fn siblings(self, affair: &Affair) -> Vec<&'a Affair> {
        let Some(prefix) = prefix_of(affair) else { return Vec::new() };
        self.index.prefixes.at(&prefix).filter(|it| *it != affair).collect()
    }

    /// The segments that a network is on.
    pub(super) fn segments(self, affair: &Affair) -> BTreeSet<&'a Segment> {
        match affair {
            Affair::UserDefinedNetwork(_) | Affair::ClusterUserDefinedNetwork(_) => {
                let card = self.index.manifests.get(affair);
                card.and_then(|it| it.segment.as_ref()).into_iter().collect()
            }
            Affair::Written(_) => {
                self.cards_of(affair).filter_map(|(_, card)| card.segment.as_ref()).collect()
            }
            Affair::Node(_) | Affair::DefaultDefinition | Affair::Pod(_) | Affair::Claim(_) => {
                BTreeSet::new()
            }
        }
    }

    /// Whether a network could be a primary one.
    pub(super) fn is_primary(self, affair: &Affair) -> bool {
        match self.index.manifests.get(affair) {
            Some(card) => card.is_primary,
            None => self.cards_of(affair).any(|(_, card)| card.is_primary),
        }
    }

    /// The namespaces that a network wants, or has NADs in.
    pub(super) fn places(self, affair: &Affair) -> BTreeSet<Arc<str>> {
        let definitions = self.definitions_of(affair);
        let mut places: BTreeSet<Arc<str>> = definitions.map(|it| it.namespace.clone()).collect();
        if let Affair::UserDefinedNetwork(name) = affair {
            places.insert(name.namespace.clone());
        }
        let selector = self.index.manifests.get(affair).and_then(|it| it.selector.as_ref());
        places.extend(selector.into_iter().flat_map(|it| self.selected(it)).map(Arc::from));
        places
    }

    /// The UDN and the CUDN that want a NAD of the same name there.
    pub(super) fn namesakes(self, affair: &Affair, namespace: &str) -> BTreeSet<Affair> {
        match affair {
            Affair::UserDefinedNetwork(name) => self.namers(name),
            Affair::ClusterUserDefinedNetwork(name) => {
                self.namers(&ObjectName::new(namespace, name))
            }
            Affair::Written(_)
            | Affair::Node(_)
            | Affair::DefaultDefinition
            | Affair::Pod(_)
            | Affair::Claim(_) => BTreeSet::new(),
        }
    }

    /// The UDN and the CUDN that could want a NAD of this name.
    pub(super) fn namers(self, definition: &ObjectName) -> BTreeSet<Affair> {
        let udn = Affair::UserDefinedNetwork(definition.clone());
        let cudn = Affair::ClusterUserDefinedNetwork(definition.name.to_string());
        let mut namers = BTreeSet::from([udn, cudn]);
        namers.retain(|it| self.index.manifests.contains_key(it));
        namers
    }

    /// The networks that want to be, or are, a namespace's primary one.
    pub(super) fn primaries(self, namespace: &str) -> BTreeSet<Affair> {
        let mut all = self.askers(namespace);
        let is_primary = |it: &Affair| self.index.manifests.get(it).is_some_and(|it| it.is_primary);
        all.retain(is_primary);
        for (_, card) in self.cards_in(namespace) {
            if let Some(home) = &card.home
                && (card.is_primary || is_primary(home))
            {
                all.insert(home.clone());
            }
        }
        all
    }

    /// The UDNs and CUDNs that want a NAD in a namespace.
    pub(super) fn askers(self, namespace: &str) -> BTreeSet<Affair> {
        self.askers_of(namespace, self.world.namespaces.get(namespace))
    }

    /// The same if the namespace were like this, or not there.
    pub(super) fn askers_of(self, name: &str, namespace: Option<&Namespace>) -> BTreeSet<Affair> {
        let udns = self.world.networks.within(name);
        let mut all: BTreeSet<Affair> =
            udns.map(|(name, _)| Affair::UserDefinedNetwork(name.clone())).collect();
        let Some(object) = namespace else { return all };
        let labels = &object.metadata.labels;
        for name in self.index.selectors.candidates(labels) {
            let affair = Affair::ClusterUserDefinedNetwork(name.clone());
            let card = self.index.manifests.get(&affair);
            let selector = card.and_then(|it| it.selector.as_ref());
            if selector.is_some_and(|it| it.selects(labels)) {
                all.insert(affair);
            }
        }
        all
    }

    /// Everybody who wants or has a NAD in a namespace.
    pub(super) fn residents(self, namespace: &str) -> BTreeSet<Affair> {
        let mut all = self.askers(namespace);
        all.extend(self.cards_in(namespace).filter_map(|(_, card)| card.home.clone()));
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

    /// The NADs of an affair, as `translate` takes them.
    pub(super) fn definitions_of(self, affair: &Affair) -> impl Iterator<Item = &'a ObjectName> {
        self.index.by_home.get(affair).into_iter().flat_map(FewSet::iter).map(|(_, name)| name)
    }

    fn cards_of(
        self,
        affair: &Affair,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a DefinitionCard)> {
        self.definitions_of(affair)
            .filter_map(move |it| Some((it, self.index.definitions.get(it)?)))
    }

    /// The NADs in a namespace.
    pub(super) fn cards_in(
        self,
        namespace: &str,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a DefinitionCard)> {
        self.world
            .definitions
            .within(namespace)
            .filter_map(move |(name, _)| Some((name, self.index.definitions.get(name)?)))
    }

    /// The first NAD of a UDN or CUDN that is there: whether the network has a number stands on it.
    /// One that a predecessor left behind may come before it, and say which.
    pub(super) fn leader(self, affair: &Affair) -> Option<(&'a ObjectName, &'a DefinitionCard)> {
        let uid = self.index.manifests.get(affair).map(|it| it.uid.as_str());
        let is_own = |it: &Option<String>| it.is_none() || it.as_deref() == uid;
        self.cards_of(affair).find(|(_, card)| uid.is_some() && is_own(&card.maker_uid))
    }

    /// Whether a NAD is wanted and nobody is about to go, so that it does not matter which pods
    /// use it.
    pub(super) fn is_settled(self, name: &ObjectName) -> bool {
        let Some(card) = self.index.definitions.get(name) else { return true };
        let is_leaving = |it: &Definition| it.metadata.is_leaving();
        if self.world.definitions.get(name).is_some_and(is_leaving) {
            return false;
        }
        let home = card.home.as_ref();
        if matches!(home, Some(Affair::Written(_)) | None) {
            return true;
        }
        let Some(maker) = home.and_then(|it| self.index.manifests.get(it)) else { return false };
        let namespace = self.world.namespaces.get(&*name.namespace);
        let stays = namespace.is_none_or(|it| !it.metadata.is_leaving());
        let is_wanted = match home {
            Some(Affair::UserDefinedNetwork(udn)) => udn == name,
            Some(Affair::ClusterUserDefinedNetwork(cudn)) => {
                let labels = namespace.map(|it| &it.metadata.labels);
                let selector = maker.selector.as_ref();
                **cudn == *name.name
                    && labels.zip(selector).is_some_and(|(labels, it)| it.selects(labels))
            }
            Some(
                Affair::Written(_)
                | Affair::Node(_)
                | Affair::DefaultDefinition
                | Affair::Pod(_)
                | Affair::Claim(_),
            )
            | None => true,
        };
        let is_own = card.maker_uid.as_ref().is_none_or(|uid| *uid == maker.uid);
        stays && is_wanted && !maker.is_leaving && is_own
    }
}
