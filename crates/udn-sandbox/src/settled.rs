//! What all zones together read of the API: networks, and the pods of every node on them.
//!
//! Reads a listing; returns what the matrix, pictures and places are made from.
//! Invariant: each zone knows the pods of its own node best, and what it knows of them stands here.

use udn_cluster::translate;
use udn_control::zone::Listing;
use udn_ledger::accept;
use udn_model::{ClusterSettings, Grants, Intent, NodeName};

/// What zones read of the API.
pub(crate) struct Settled {
    pub(crate) listing: Listing,
    pub(crate) intent: Intent,
    pub(crate) grants: Grants,
}

impl Settled {
    pub(crate) fn of(listing: Listing, settings: &ClusterSettings) -> Self {
        let intent = translate::zone(&listing.world, settings).value;
        let grants = accept(&intent, settings).value;
        let nodes: Vec<NodeName> = intent.nodes.keys().cloned().collect();
        let mut settled = Self { listing, intent, grants };
        for node in nodes {
            let own = translate::zone_of(&settled.listing.world, &node, settings).value;
            settled.add(&own, accept(&own, settings).value);
        }
        settled
    }

    /// Adds the pods that a zone knows.
    fn add(&mut self, zone: &Intent, grants: Grants) {
        for (network, attachments) in &zone.attachments {
            let known = self.intent.attachments.entry(network.clone()).or_default();
            known.extend(attachments.iter().map(|(key, it)| (key.clone(), it.clone())));
        }
        for (network, attachments) in grants.attachments {
            self.grants.attachments.entry(network).or_default().extend(attachments);
        }
    }
}
