//! What a reconcile decides, before anything is written.
//!
//! Reads a view and the ledger; returns a [`Decision`].
//! Invariant: whoever need not wait any more is noted while the ledger is still held, so that no
//! panic and no crash of a reconcile forgets them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use udn_cluster::controller::{self, Decided, View, Write};
use udn_cluster::{WorkItem, translate};
use udn_ledger::{Ledger, Waiter, settle_claim, settle_network, settle_node, settle_pod};
use udn_model::{ClusterSettings, Findings, Grants, Intent, Network, NodeName, ObjectName};

use super::reconcile::Context;

/// What was decided before anything is written.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) intent: Intent,
    pub(super) grants: Grants,
    pub(super) findings: Findings,
    /// What was found about pods and claims that are not the work item's own.
    pub(super) others: Findings,
    pub(super) waves: Vec<Vec<Write>>,
    pub(super) releases: u64,
    pub(super) network_state: NetworkState,
}

/// What pods may know of the work item's network once everything is written.
#[derive(Debug, Default)]
pub(super) enum NetworkState {
    /// What they know already, or the work item has no network.
    #[default]
    Unchanged,
    /// It has its numbers.
    Ready(Arc<Network>),
    /// It may not be, or not yet.
    Pending,
}

impl Decision {
    pub(super) fn decided<'a>(&'a self, settings: &'a ClusterSettings) -> Decided<'a> {
        let Self { intent, grants, findings, .. } = self;
        Decided { intent, grants, findings, settings }
    }

    /// Takes in what the ledger found, also about those who hold what this one carries.
    fn found(&mut self, view: &View, findings: Findings) {
        self.others.extend(controller::about_others(&view.item, &findings).cloned());
        self.findings.extend(findings);
    }
}

impl Context {
    /// Translates, settles and renders.
    pub(super) fn decide(&self, view: &View) -> Decision {
        if let Some(mishap) = self.rehearsed_mishap {
            mishap(&view.item);
        }
        let releases = self.releases.load(Ordering::SeqCst);
        let mut decision = Decision { releases, ..Decision::default() };
        match &view.item {
            WorkItem::Node(name) => self.settle_node(view, name, &mut decision),
            WorkItem::DefaultNad => {}
            WorkItem::Pod(name) => self.settle_pod(view, name, &mut decision),
            WorkItem::Claim(name) => self.settle_claim(view, name, &mut decision),
            WorkItem::UserDefinedNetwork(_)
            | WorkItem::ClusterUserDefinedNetwork(_)
            | WorkItem::HandWritten(_) => self.settle_network(view, &mut decision),
        }
        decision.findings = controller::concerning(view, std::mem::take(&mut decision.findings));
        decision.waves = controller::writes(view, decision.decided(&self.settings));
        decision
    }

    /// A number for a node, or its end.
    fn settle_node(&self, view: &View, name: &NodeName, decision: &mut Decision) {
        let node = view.world.nodes.get(name);
        let (id, findings) = controller::published_node_id(node);
        decision.findings = findings;
        if self.settings.features.node_labels {
            let report = view.world.reports.get(name);
            let told = report.map(|it| controller::unlabelled_physical_networks(name, it));
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
    fn settle_network(&self, view: &View, decision: &mut Decision) {
        let told = translate::cluster(&view.world, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        decision.findings.extend(controller::remarks(view, &decision.intent));
        let Some(name) = view.item.network() else { return };
        let mut ledger = self.ledger();
        decision.network_state = NetworkState::Pending;
        if controller::is_over(view, &decision.intent) {
            ledger.release_network(&name);
            self.releases.fetch_add(1, Ordering::SeqCst);
        } else if controller::has_network(view, &decision.intent) {
            let told = settle_network(&decision.intent, &name, &mut ledger, &self.settings);
            decision.findings.extend(told.findings);
            if let Some(grant) = told.value {
                let network = decision.intent.networks.get(&name).cloned();
                decision.network_state = network.map_or(NetworkState::Pending, NetworkState::Ready);
                decision.grants.networks.insert(name, grant);
            }
        } else if decision.intent.networks.contains_key(&name) {
            // Another work item has the network of this name.
            decision.network_state = NetworkState::Unchanged;
        }
    }

    /// Addresses for a pod, or their end.
    fn settle_pod(&self, view: &View, name: &ObjectName, decision: &mut Decision) {
        let pod = view.world.pods.get(name);
        if !pod.is_some_and(udn_wire::object::Pod::is_on_networks) {
            return self.with_books(|ledger| ((), ledger.release_pod(name)));
        }
        let told = translate::pods(&view.world, &view.nad_states, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        let settled = self.with_books(|ledger| {
            let settled = settle_pod(&decision.intent, name, ledger, &self.settings);
            ((settled.value, settled.findings), settled.woken)
        });
        decision.grants = settled.0;
        decision.found(view, settled.1);
    }

    /// Addresses for a claim, or their end.
    fn settle_claim(&self, view: &View, name: &ObjectName, decision: &mut Decision) {
        if !view.world.claims.contains_key(name) {
            return self.with_books(|ledger| ((), ledger.release_claim(name)));
        }
        let told = translate::pods(&view.world, &view.nad_states, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        let settled = self.with_books(|ledger| {
            let settled = settle_claim(&decision.intent, name, ledger, &self.settings);
            ((settled.value, settled.findings), settled.woken)
        });
        decision.grants.claims.extend(settled.0.map(|grant| (name.clone(), grant)));
        decision.found(view, settled.1);
    }

    /// Works on the ledger, and notes who need not wait any more.
    pub(super) fn with_books<T>(&self, work: impl FnOnce(&mut Ledger) -> (T, Vec<Waiter>)) -> T {
        let mut ledger = self.ledger();
        let (done, woken) = work(&mut ledger);
        if !woken.is_empty() {
            self.woken().extend(woken.into_iter().map(item_of));
        }
        done
    }
}

fn item_of(waiter: Waiter) -> WorkItem {
    match waiter {
        Waiter::Pod(name) => WorkItem::Pod(name),
        Waiter::Claim(name) => WorkItem::Claim(name),
    }
}
