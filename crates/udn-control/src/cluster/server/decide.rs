//! What a turn decides, before anything is written.
//!
//! Reads a slice and the ledger; returns a [`Decision`].
//! Invariant: whoever need not wait any more is noted while the ledger is still held, so that no
//! panic and no crash of a turn forgets them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use udn_cluster::office::{self, Slice, Verdict, Write};
use udn_cluster::{Affair, translate};
use udn_ledger::{Ledger, Waiter, settle_claim, settle_network, settle_node, settle_pod};
use udn_model::{ClusterSettings, Findings, Grants, Intent, Network, NodeName, ObjectName};

use super::turn::Workroom;

/// What was decided before anything is written.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) intent: Intent,
    pub(super) grants: Grants,
    pub(super) findings: Findings,
    /// What was found about pods and claims that are not the affair's own.
    pub(super) others: Findings,
    pub(super) waves: Vec<Vec<Write>>,
    pub(super) releases: u64,
    pub(super) standing: Standing,
}

/// What pods may know of the affair's network once everything is written.
#[derive(Debug, Default)]
pub(super) enum Standing {
    /// What they know already, or the affair has no network.
    #[default]
    Unchanged,
    /// It has its numbers.
    Built(Arc<Network>),
    /// It may not be, or not yet.
    Shut,
}

impl Decision {
    pub(super) fn verdict<'a>(&'a self, settings: &'a ClusterSettings) -> Verdict<'a> {
        let Self { intent, grants, findings, .. } = self;
        Verdict { intent, grants, findings, settings }
    }

    /// Takes in what the ledger found, also about those who hold what this one carries.
    fn found(&mut self, slice: &Slice, findings: Findings) {
        self.others.extend(office::about_others(&slice.affair, &findings).cloned());
        self.findings.extend(findings);
    }
}

impl Workroom {
    /// Translates, settles and renders.
    pub(super) fn decide(&self, slice: &Slice) -> Decision {
        if let Some(mishap) = self.rehearsed_mishap {
            mishap(&slice.affair);
        }
        let releases = self.releases.load(Ordering::SeqCst);
        let mut decision = Decision { releases, ..Decision::default() };
        match &slice.affair {
            Affair::Node(name) => self.settle_node(slice, name, &mut decision),
            Affair::DefaultDefinition => {}
            Affair::Pod(name) => self.settle_pod(slice, name, &mut decision),
            Affair::Claim(name) => self.settle_claim(slice, name, &mut decision),
            Affair::UserDefinedNetwork(_)
            | Affair::ClusterUserDefinedNetwork(_)
            | Affair::Written(_) => self.settle_network(slice, &mut decision),
        }
        decision.findings = office::concerning(slice, std::mem::take(&mut decision.findings));
        decision.waves = office::writes(slice, decision.verdict(&self.settings));
        decision
    }

    /// A number for a node, or its end.
    fn settle_node(&self, slice: &Slice, name: &NodeName, decision: &mut Decision) {
        let node = slice.world.nodes.get(name);
        let (id, findings) = office::published_node_id(node);
        decision.findings = findings;
        if self.settings.features.node_labels {
            let report = slice.world.reports.get(name);
            let told = report.map(|it| office::unlabelled_physical_networks(name, it));
            decision.findings.extend(told.into_iter().flatten());
        }
        let mut ledger = self.ledger();
        if node.is_none() {
            ledger.release_node(name);
            self.releases.fetch_add(1, Ordering::SeqCst);
            return;
        }
        let told = settle_node(name, id, &mut ledger);
        decision.findings.extend(told.findings);
        decision.grants.nodes.extend(told.value.map(|id| (name.clone(), id)));
    }

    /// Numbers for a network, or their end.
    fn settle_network(&self, slice: &Slice, decision: &mut Decision) {
        let told = translate::cluster(&slice.world, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        decision.findings.extend(office::remarks(slice, &decision.intent));
        let Some(name) = slice.affair.network() else { return };
        let mut ledger = self.ledger();
        decision.standing = Standing::Shut;
        if office::is_over(slice, &decision.intent) {
            ledger.release_network(&name);
            self.releases.fetch_add(1, Ordering::SeqCst);
        } else if office::has_network(slice, &decision.intent) {
            let told = settle_network(&decision.intent, &name, &mut ledger, &self.settings);
            decision.findings.extend(told.findings);
            if let Some(grant) = told.value {
                let network = decision.intent.networks.get(&name).cloned();
                decision.standing = network.map_or(Standing::Shut, Standing::Built);
                decision.grants.networks.insert(name, grant);
            }
        } else if decision.intent.networks.contains_key(&name) {
            // Another affair has the network of this name.
            decision.standing = Standing::Unchanged;
        }
    }

    /// Addresses for a pod, or their end.
    fn settle_pod(&self, slice: &Slice, name: &ObjectName, decision: &mut Decision) {
        let pod = slice.world.pods.get(name);
        if !pod.is_some_and(udn_wire::object::Pod::is_on_networks) {
            return self.with_books(|ledger| ((), ledger.release_pod(name)));
        }
        let told = translate::pods(&slice.world, &slice.doors, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        let settled = self.with_books(|ledger| {
            let settled = settle_pod(&decision.intent, name, ledger, &self.settings);
            ((settled.value, settled.findings), settled.woken)
        });
        decision.grants = settled.0;
        decision.found(slice, settled.1);
    }

    /// Addresses for a claim, or their end.
    fn settle_claim(&self, slice: &Slice, name: &ObjectName, decision: &mut Decision) {
        if !slice.world.claims.contains_key(name) {
            return self.with_books(|ledger| ((), ledger.release_claim(name)));
        }
        let told = translate::pods(&slice.world, &slice.doors, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        let settled = self.with_books(|ledger| {
            let settled = settle_claim(&decision.intent, name, ledger, &self.settings);
            ((settled.value, settled.findings), settled.woken)
        });
        decision.grants.claims.extend(settled.0.map(|grant| (name.clone(), grant)));
        decision.found(slice, settled.1);
    }

    /// Works on the ledger, and notes who need not wait any more.
    pub(super) fn with_books<T>(&self, work: impl FnOnce(&mut Ledger) -> (T, Vec<Waiter>)) -> T {
        let mut ledger = self.ledger();
        let (done, woken) = work(&mut ledger);
        if !woken.is_empty() {
            self.woken().extend(woken.into_iter().map(affair_of));
        }
        done
    }
}

fn affair_of(waiter: Waiter) -> Affair {
    match waiter {
        Waiter::Pod(name) => Affair::Pod(name),
        Waiter::Claim(name) => Affair::Claim(name),
    }
}
