//! Addresses for one pod or claim at a time, from a ledger that knows all of them.
//!
//! Invariant: an address or MAC has one holder: a pod, all pods of one virtual machine, or a claim
//! with the pods that use it.

use std::collections::BTreeSet;

use udn_model::{
    Attachment, AttachmentGrant, AttachmentKey, ClaimGrant, ClusterSettings, Findings, Grants,
    Intent, NetworkName, ObjectName, PublishedClaim, Subject,
};

use crate::ledger::Ledger;
use crate::network_allocations::{ClaimState, Refused, Tally};
use crate::waiting::{Need, Waiting};

mod known;
mod open;
#[cfg(test)]
mod tests;

pub(crate) use known::KnownPod;
use open::adopt_claim;

/// Up to so many attachments are looked through one by one rather than searched.
const LINEAR_SEARCH: usize = 4;

/// Who waits for addresses that others hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiter {
    Pod(ObjectName),
    Claim(ObjectName),
}

/// What was settled, what was found, and who need no longer wait.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled<T> {
    pub value: T,
    pub findings: Findings,
    pub woken: Vec<Waiter>,
}

impl Ledger {
    /// Whether a network was opened here.
    pub fn has_network(&self, network: &NetworkName) -> bool {
        self.networks.contains_key(network)
    }

    /// How much of a network is held.
    pub fn tally(&self, network: &NetworkName) -> Tally {
        self.networks.get(network).map(|allocations| allocations.tally()).unwrap_or_default()
    }

    /// Who holds addresses or the MAC of a network that somebody carries.
    pub fn holders_of(
        &self,
        network: &NetworkName,
        carried: &AttachmentGrant,
    ) -> BTreeSet<AttachmentKey> {
        self.networks.get(network).map(|it| it.holders_of(carried)).unwrap_or_default()
    }

    /// Gives back what a pod holds; what a claim holds too stays with the claim.
    pub fn release_pod(&mut self, pod: &ObjectName) -> Vec<Waiter> {
        let mut woken = Vec::new();
        for network in self.pods.remove(pod).into_iter().flat_map(|known| known.networks) {
            if let Some(allocations) = self.networks.get_mut(&network) {
                allocations.release_pod(pod);
                woken.extend(allocations.woken());
            }
        }
        woken
    }

    /// Gives back what a claim holds; what a pod still uses stays with the pod.
    pub fn release_claim(&mut self, claim: &ObjectName) -> Vec<Waiter> {
        let network = self.claims.remove(claim);
        let Some(allocations) = network.and_then(|network| self.networks.get_mut(&network)) else {
            return Vec::new();
        };
        allocations.release_claim(claim);
        allocations.woken()
    }
}

/// What one pod of an intent has on each of its networks.
pub fn settle_pod(
    intent: &Intent,
    pod: &ObjectName,
    ledger: &mut Ledger,
    _settings: &ClusterSettings,
) -> Settled<Grants> {
    let mut settled = Settled::<Grants>::default();
    let wanted = attachments_of(intent, pod);
    settled.woken = ledger.register_pod(pod, &wanted);
    for attachment in &wanted {
        let durable = attachment.claim.as_ref().and_then(|it| intent.published.claims.get(it));
        let Some(verdict) = ledger.settle_attachment(attachment, intent, durable) else { continue };
        match verdict {
            Ok(grant) => {
                let of = settled.value.attachments.entry(attachment.network.clone()).or_default();
                of.insert(attachment.key.clone(), grant);
            }
            Err(findings) => settled.findings.extend(findings),
        }
    }
    for attachment in &wanted {
        let allocations = ledger.networks.get_mut(&attachment.network);
        settled
            .woken
            .extend(allocations.map(|allocations| allocations.woken()).unwrap_or_default());
    }
    settled
}

/// What one claim of an intent holds; nothing as long as nobody uses it.
pub fn settle_claim(
    intent: &Intent,
    claim: &ObjectName,
    ledger: &mut Ledger,
    _settings: &ClusterSettings,
) -> Settled<Option<ClaimGrant>> {
    let Some(claim) = intent.claims.get(claim) else { return Settled::default() };
    let mut woken = ledger.register_claim(claim);
    for user in claim.users.iter().filter_map(|key| intent.attachment(&claim.network, key)) {
        woken.extend(ledger.adopt_attachment(user, intent));
    }
    let Some(allocations) = ledger.networks.get_mut(&claim.network) else {
        return Settled { woken, ..Settled::default() };
    };
    let waiter = Waiter::Claim(claim.name.clone());
    allocations.waiting.withdraw(&waiter);
    adopt_claim(allocations, claim, intent);
    let user = claim.users.first().and_then(|key| intent.attachment(&claim.network, key));
    let durable = intent.published.claims.get(&claim.name).and_then(|it| it.mac);
    let (value, refused) = allocations.settle_claim(claim, user, durable);
    let subject = Subject::Claim(claim.name.clone());
    if let (None, Some(machine)) = (&value, &claim.machine) {
        allocations.waiting.put(&waiter, Need::Machine(machine.clone()));
    }
    let findings = told(refused, &subject, &mut allocations.waiting, &waiter);
    woken.extend(allocations.woken());
    Settled { value, findings, woken }
}

impl Ledger {
    /// What an attachment of a known pod has, in a network that was opened.
    pub(crate) fn settle_attachment(
        &mut self,
        attachment: &Attachment,
        intent: &Intent,
        durable: Option<&PublishedClaim>,
    ) -> Option<Result<AttachmentGrant, Findings>> {
        let Attachment { key, network, claim, machine, .. } = attachment;
        let allocations = self.networks.get_mut(network)?;
        let named = claim.as_ref().and_then(|it| intent.claims.get(it));
        let failure = named.and_then(|it| it.failure.as_deref());
        let carried = intent.published.attachments.get(network).and_then(|of| of.get(key));
        let claim_state = ClaimState { is_there: named.is_some(), durable, failure };
        let verdict = allocations.settle_attachment(attachment, carried, claim_state);
        Some(verdict.map_err(|refused| {
            let waiter = Waiter::Pod(key.pod.clone());
            if let (None, Some(machine)) = (claim, machine) {
                allocations.waiting.put(&waiter, Need::Machine(machine.clone()));
            }
            told(refused, &Subject::Pod(key.pod.clone()), &mut allocations.waiting, &waiter)
        }))
    }
}

/// The findings of who was refused, which waits for what would help.
fn told(
    refused: Vec<Refused>,
    subject: &Subject,
    waiting: &mut Waiting,
    waiter: &Waiter,
) -> Findings {
    let mut findings = Findings::new();
    for refused in refused {
        waiting.put(waiter, refused.need.clone());
        findings.extend(refused.findings(subject));
    }
    findings
}

/// The attachments of one pod, on all networks.
fn attachments_of<'i>(intent: &'i Intent, pod: &ObjectName) -> Vec<&'i Attachment> {
    let mut found = Vec::new();
    for all in intent.attachments.values() {
        // Most intents are about one pod alone.
        if all.len() <= LINEAR_SEARCH {
            found.extend(all.values().filter(|it| it.key.pod == *pod));
            continue;
        }
        let nad = ObjectName::new("", "");
        let first = AttachmentKey { pod: pod.clone(), nad, index: 0 };
        let behind = all.range(&first..).map(|(_, it)| it);
        found.extend(behind.take_while(|it| it.key.pod == *pod));
    }
    found
}
