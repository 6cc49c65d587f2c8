//! Settles a whole intent item by item, as the cluster controller does in many reconciles.
//!
//! Reads an intent; returns all grants in force and everything that was found.
//! Invariant: the ledger sees only what the controller does with it.

use std::collections::BTreeSet;

use udn_ledger::{Ledger, settle_claim, settle_network, settle_node, settle_pod};
use udn_model::{
    AttachmentKey, ClusterSettings, Findings, Grants, Intent, NetworkName, ObjectName, Published,
    PublishedClaim, Told,
};

/// A controller between two intents.
#[derive(Debug)]
pub(crate) struct Controller {
    ledger: Ledger,
    settings: ClusterSettings,
    before: Intent,
}

impl Controller {
    /// Starts with what is published, as after a crash.
    pub(crate) fn start(published: &Published) -> Self {
        let settings = ClusterSettings::default();
        let ledger = Ledger::rebuild(published, &settings);
        let before = Intent { published: published.clone(), ..Intent::default() };
        Self { ledger, settings, before }
    }

    /// Releases what the intent no longer mentions, and grants what it needs.
    pub(crate) fn settle(&mut self, intent: &Intent) -> Told<Grants> {
        self.release_gone(intent);
        let (mut grants, mut findings) = (Grants::default(), Findings::new());
        for name in intent.nodes.keys() {
            let told =
                settle_node(name, intent.published.nodes.get(name).copied(), &mut self.ledger);
            grants.nodes.extend(told.value.map(|id| (name.clone(), id)));
            findings.extend(told.findings);
        }
        for name in intent.networks.keys() {
            let told = settle_network(intent, name, &mut self.ledger, &self.settings);
            if let Some(grant) = told.value {
                grants.networks.insert(name.clone(), grant);
                self.ledger.open_network(intent, name, &self.settings);
            }
            findings.extend(told.findings);
        }
        let mut holders = self.settle_holders(intent);
        (grants.claims, grants.attachments) = (holders.value.claims, holders.value.attachments);
        findings.append(&mut holders.findings);
        self.before = intent.clone();
        Told::new(grants, findings)
    }

    /// What claims and then pods have; a claim is published before its pods are settled.
    fn settle_holders(&mut self, intent: &Intent) -> Told<Grants> {
        let (mut grants, mut findings) = (Grants::default(), Findings::new());
        let mut intent = intent.clone();
        for name in intent.claims.clone().keys() {
            let settled = settle_claim(&intent, name, &mut self.ledger, &self.settings);
            findings.extend(settled.findings);
            let Some(grant) = settled.value else { continue };
            let (addresses, mac) = (grant.addresses.clone(), Some(grant.mac));
            intent.published.claims.insert(name.clone(), PublishedClaim { addresses, mac });
            grants.claims.insert(name.clone(), grant);
        }
        for pod in attachments(&intent).map(|(_, key)| &key.pod).collect::<BTreeSet<_>>() {
            let settled = settle_pod(&intent, pod, &mut self.ledger, &self.settings);
            findings.extend(settled.findings);
            for (network, granted) in settled.value.attachments {
                grants.attachments.entry(network).or_default().extend(granted);
            }
        }
        Told::new(grants, findings)
    }

    /// A network in disorder keeps its numbers as long as something carries them. A pod that lost an
    /// attachment is another one: the networks of a pod never change.
    fn release_gone(&mut self, intent: &Intent) {
        let before = &self.before;
        let nodes = before.nodes.keys().chain(before.published.nodes.keys());
        for node in nodes.filter(|it| !intent.nodes.contains_key(*it)) {
            self.ledger.release_node(node);
        }
        let is_known = |it: &NetworkName| {
            intent.networks.contains_key(it) || intent.published.networks.contains_key(it)
        };
        let networks = before.networks.keys().chain(before.published.networks.keys());
        for network in networks.filter(|it| !is_known(it)) {
            self.ledger.release_network(network);
        }
        for claim in before.claims.keys().filter(|it| !intent.claims.contains_key(*it)) {
            self.ledger.release_claim(claim);
        }
        let is_gone = |(network, key): &(&NetworkName, &AttachmentKey)| {
            intent.attachment(network, key).is_none()
        };
        let lost = attachments(before).filter(is_gone);
        for pod in lost.map(|(_, key)| &key.pod).collect::<BTreeSet<&ObjectName>>() {
            self.ledger.release_pod(pod);
        }
    }
}

fn attachments(intent: &Intent) -> impl Iterator<Item = (&NetworkName, &AttachmentKey)> {
    intent.attachments.iter().flat_map(|(network, of)| of.keys().map(move |key| (network, key)))
}
