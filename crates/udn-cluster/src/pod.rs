//! A pod: its addresses, the annotation that carries them, and what people are told of it.
//!
//! Reads a [`View`] and the ledger; returns a [`Decision`] with one patch, then events.
//! Invariant: entries of other networks and of the zone controller stay as they are, byte by byte.

use udn_ledger::{Ledger, Waiter, settle_pod};
use udn_model::{AttachmentKey, Finding, ObjectName, Reason, Subject, Topic};
use udn_wire::Target;
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::Pod;
use udn_wire::pod_networks::PodNetworks;

use crate::bounded::noted;
use crate::claim::INTERNAL;
use crate::decision::Decision;
use crate::nad_states::NadStates;
use crate::status_update::{Outcome, StatusUpdate};
use crate::translate;
use crate::view::View;
use crate::write::{Event, EventType, Write};

mod annotation;
mod view;

pub use annotation::annotation_write;
pub(crate) use view::{carriers, view_of_claim, view_of_pod};

#[cfg(test)]
mod tests;

/// The reason of events about pods that do not get what they ask for.
// compat: pkg/clustermanager/network_cluster_controller.go, recordPodErrorEvent
const NOT_ALLOCATED: &str = "ErrorAllocatingPod";

/// Addresses for a pod, or their end; returns who need not wait any more.
pub(crate) fn decide(
    view: &View,
    name: &ObjectName,
    ledger: &mut Ledger,
    decision: &mut Decision,
) -> Vec<Waiter> {
    if !view.world.pods.get(name).is_some_and(Pod::is_on_networks) {
        return ledger.release_pod(name);
    }
    let settings = decision.settings.clone();
    let told = translate::pods(&view.world, &view.nad_states, &settings);
    (decision.intent, decision.findings) = (told.value, told.findings);
    let settled = settle_pod(&decision.intent, name, ledger, &settings);
    decision.grants = settled.value;
    decision.found(view, settled.findings);
    settled.woken
}

/// The annotation with the pod's addresses, if it lacks some.
pub(crate) fn writes(view: &View, decision: &Decision, name: &ObjectName) -> Vec<Write> {
    let Decision { intent, grants, settings, .. } = decision;
    let Some(pod) = view.world.pods.get(name).filter(|it| it.is_on_networks()) else {
        return Vec::new();
    };
    annotation_write(name, pod, (intent, grants), settings).into_iter().collect()
}

/// What people are told of a pod: what was found, and what kept the controller from acting.
pub(crate) fn status_update(
    view: &View,
    decision: &Decision,
    name: &ObjectName,
    outcome: &Outcome,
) -> StatusUpdate {
    let pod = view.world.pods.get(name).filter(|it| it.is_on_networks());
    let Some(pod) = pod.filter(|it| !it.metadata.is_leaving()) else {
        return StatusUpdate::default();
    };
    let subject = Subject::Pod(name.clone());
    let own = decision.findings.iter().filter(|it| it.subject == subject);
    let found = own.filter_map(|it| words(view, decision, (name, pod), it));
    let failed = outcome.failures.iter();
    let failed = failed.map(|it| (NOT_ALLOCATED.to_owned(), format!("{INTERNAL}: {it}")));
    let tell = |(reason, message): (String, String)| {
        let (about, uid) = (Target::pod(name), pod.metadata.uid.clone());
        let (kind, message) = (EventType::Warning, noted(&message));
        Event { about, uid, kind, reason, message }
    };
    StatusUpdate { write: None, events: found.chain(failed).map(tell).collect() }
}

/// The reason and the message of the event that a finding is worth.
fn words(
    view: &View,
    decision: &Decision,
    (name, pod): (&ObjectName, &Pod),
    finding: &Finding,
) -> Option<(String, String)> {
    let reason = finding.reason.as_str();
    let failure = || (NOT_ALLOCATED.to_owned(), format!("{reason}: {}", finding.message));
    match finding.reason.topic() {
        Topic::Waiting => is_waiting_for_somebody(view, name, finding).then(failure),
        // They hold as long as the pod lives, and are worth a word at its beginning.
        Topic::Remark => {
            is_beginning(decision, name, pod).then(|| (reason.to_owned(), finding.message.clone()))
        }
        Topic::Refusal
        | Topic::Namespace
        | Topic::Exhaustion
        | Topic::Address
        | Topic::Mac
        | Topic::Range
        | Topic::Claim => Some(failure()),
    }
}

/// Whether a user must act before the pod can have its addresses: on a claim, or on a namespace
/// that has no primary network. A network that is being built needs nobody.
fn is_waiting_for_somebody(view: &View, name: &ObjectName, finding: &Finding) -> bool {
    let is_claim = matches!(finding.waits_for.as_deref(), Some(Subject::Claim(_)));
    let is_selected = matches!(finding.waits_for.as_deref(), Some(Subject::Nad(_)));
    let NadStates { primary, awaited, .. } = &view.nad_states;
    let is_coming = primary.contains_key(&name.namespace) || awaited.contains_key(&name.namespace);
    let is_placed = finding.reason != Reason::NotScheduled;
    is_claim || is_placed && !is_selected && !is_coming
}

/// Whether the pod gets its first addresses in this reconcile, or has none yet.
fn is_beginning(decision: &Decision, name: &ObjectName, pod: &Pod) -> bool {
    let is_own = |it: &&AttachmentKey| it.pod == *name;
    let published = decision.intent.published.attachments.values().flatten().map(|(key, _)| key);
    let before: Vec<&AttachmentKey> = published.filter(is_own).collect();
    let annotation = pod.metadata.annotation(POD_NETWORKS);
    let carried = annotation.and_then(|text| PodNetworks::decode(text).ok()).unwrap_or_default();
    let stands = |it: &AttachmentKey| carried.keys().any(|key| key == it.nad_key());
    let granted = decision.grants.attachments.values().flatten().map(|(key, _)| key);
    let mut new = granted.filter(is_own).filter(|it| !before.contains(it));
    // What its node gave it stands there too, and is nobody's business here.
    let has_none = before.is_empty() && !carried.keys().any(|key| key.contains('/'));
    has_none || new.any(stands)
}
