//! The cluster controller: one in a cluster; grants numbers and publishes them.
//!
//! Invariant: its ledger can be lost; a reconcile rebuilds it from what was published.

use udn_cluster::{Publication, World, render};
use udn_ledger::{Ledger, settle};
use udn_model::{ClusterSettings, Grants, Intent, Told};

use crate::registry::Registry;

pub mod server;
mod turn;

pub use turn::{ClusterPass, turn};

/// The controller and what it remembers between turns.
#[derive(Debug)]
pub struct ClusterController<R> {
    pub registry: R,
    pub settings: ClusterSettings,
    ledger: Option<Ledger>,
}

impl<R: Registry> ClusterController<R> {
    pub fn new(registry: R, settings: ClusterSettings) -> Self {
        Self { registry, settings, ledger: None }
    }

    /// Settles an intent with the ledger of the last reconcile.
    pub fn settle(&mut self, intent: &Intent) -> Told<Grants> {
        let ledger = self.ledger.take().unwrap_or_else(|| Ledger::new(&self.settings));
        let (ledger, told) = settle(intent, ledger, &self.settings);
        self.ledger = Some(ledger);
        told
    }

    /// What the world lacks of the grants.
    pub fn publications(
        &self,
        world: &World,
        intent: &Intent,
        grants: &Grants,
    ) -> Vec<Publication> {
        render::publications(world, intent, grants, &self.settings)
    }
}
