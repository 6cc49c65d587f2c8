//! A claim: its addresses, its MAC, its status, and what people are told of it.
//!
//! Reads a [`View`] and the ledger; returns a [`Decision`] that writes the MAC, then the status.
//! Invariant: the MAC is durable before the addresses are, and both before any pod uses them;
//! addresses that stand are never changed.

use serde_json::{Map, Value, json};
use udn_ledger::{Ledger, Waiter, settle_claim};
use udn_model::{ClaimGrant, Finding, ObjectName, Reason, Severity, Subject, Topic};
use udn_wire::Target;
use udn_wire::api::{ClaimStatus, Condition, ConditionStatus, OwnerPod};
use udn_wire::keys::{CLAIM_MAC, IPS_ALLOCATED};
use udn_wire::object::IpamClaim;

use crate::bounded::{noted, stated};
use crate::decision::Decision;
use crate::status_update::{Outcome, StatusUpdate};
use crate::translate;
use crate::view::View;
use crate::write::{Act, Event, EventType, Write};

#[cfg(test)]
mod tests;

// compat: pkg/persistentips/allocator.go, the reasons of the condition
const SUCCESS: &str = "SuccessfulAllocation";
const SUCCESS_MESSAGE: &str = "IP addresses successfully allocated";
const EXHAUSTED: &str = "SubnetExhausted";
const ADDRESS_CONFLICT: &str = "IPAddressConflict";
const MAC_CONFLICT: &str = "MACAddressConflict";
const OUT_OF_RANGE: &str = "IPAddressOutOfRange";
const MISMATCH: &str = "ClaimMismatch";
/// What is wrong is not the user's to mend, or has no name on the wire.
pub(crate) const INTERNAL: &str = "InternalError";

/// Addresses for a claim, or their end; returns who need not wait any more.
pub(crate) fn decide(
    view: &View,
    name: &ObjectName,
    ledger: &mut Ledger,
    decision: &mut Decision,
) -> Vec<Waiter> {
    if !view.world.claims.contains_key(name) {
        return ledger.release_claim(name);
    }
    let settings = decision.settings.clone();
    let told = translate::pods(&view.world, &view.nad_states, &settings);
    (decision.intent, decision.findings) = (told.value, told.findings);
    let settled = settle_claim(&decision.intent, name, ledger, &settings);
    decision.grants.claims.extend(settled.value.map(|grant| (name.clone(), grant)));
    decision.found(view, settled.findings);
    settled.woken
}

/// The MAC that a claim keeps, if it does not stand there yet.
pub(crate) fn writes(view: &View, decision: &Decision, name: &ObjectName) -> Vec<Vec<Write>> {
    let Some(claim) = view.world.claims.get(name) else { return Vec::new() };
    let Some(grant) = decision.grants.claims.get(name) else { return Vec::new() };
    if has_mac(claim, grant) {
        return Vec::new();
    }
    let annotations = json!({CLAIM_MAC: grant.mac.to_string()});
    let metadata = Map::from_iter([("annotations".to_owned(), annotations)]);
    vec![vec![Write::patch(Target::claim(name), &claim.metadata, metadata)]]
}

/// The status of a claim, and what people are told.
pub(crate) fn status_update(
    view: &View,
    decision: &Decision,
    name: &ObjectName,
    outcome: &Outcome,
) -> StatusUpdate {
    let Some(claim) = view.world.claims.get(name) else { return StatusUpdate::default() };
    let standing = &claim.status;
    let state = judge(claim, decision, name, outcome);
    let before = condition(standing);
    let wanted = match &state {
        State::Unused => None,
        // A failure of ours is over when a reconcile ends well.
        State::Unknown => before.filter(|it| it.reason != INTERNAL).cloned(),
        State::Granted(_) | State::Failed { .. } => Some(state.condition(before, &outcome.now)),
    };
    let status = ClaimStatus {
        ips: ips(standing, &state),
        owner_pod: owner_pod(standing, decision, name),
        conditions: conditions(standing, wanted.as_ref()),
    };
    let change = change(name, claim, before, wanted.as_ref());
    let trouble = trouble(name, claim, decision, &state);
    let events = change.into_iter().chain(trouble).collect();
    StatusUpdate { write: patch(name, claim, &status), events }
}

/// How a claim fares.
enum State<'a> {
    /// It holds addresses.
    Granted(&'a ClaimGrant),
    /// It cannot get them, or others carry them too.
    Failed { reason: String, message: String },
    /// Nobody uses it, and it has none.
    Unused,
    /// Nothing is known that was not known before.
    Unknown,
}

fn judge<'a>(
    claim: &IpamClaim,
    decision: &'a Decision,
    name: &ObjectName,
    outcome: &Outcome,
) -> State<'a> {
    let grant = decision.grants.claims.get(name);
    if !outcome.failures.is_empty() {
        let message = stated(&outcome.failures.join("; "));
        return State::Failed { reason: INTERNAL.to_owned(), message };
    }
    if let Some(grant) = grant {
        // Without its MAC a claim would lose it to somebody while its machine is stopped.
        return if has_mac(claim, grant) { State::Granted(grant) } else { State::Unknown };
    }
    let subject = Subject::Claim(name.clone());
    let is_failure = |it: &&Finding| it.subject == subject && it.severity() == Severity::Error;
    if let Some(finding) = decision.findings.iter().find(is_failure) {
        let (reason, message) = (reason(finding.reason), stated(&finding.message));
        return State::Failed { reason, message };
    }
    let is_unused = decision.intent.claims.get(name).is_some_and(|it| it.users.is_empty());
    let has_none = claim.status.ips.iter().flatten().next().is_none();
    if is_unused && has_none { State::Unused } else { State::Unknown }
}

impl State<'_> {
    fn condition(&self, before: Option<&Condition>, now: &str) -> Condition {
        let (status, reason, message) = match self {
            Self::Failed { reason, message } => {
                (ConditionStatus::False, reason.as_str(), message.as_str())
            }
            Self::Granted(_) | Self::Unused | Self::Unknown => {
                (ConditionStatus::True, SUCCESS, SUCCESS_MESSAGE)
            }
        };
        let before = before.filter(|it| it.status == status);
        Condition {
            condition_type: IPS_ALLOCATED.to_owned(),
            reason: reason.to_owned(),
            message: message.to_owned(),
            last_transition_time: before.map_or(now, |it| &it.last_transition_time).to_owned(),
            observed_generation: before.and_then(|it| it.observed_generation),
            status,
        }
    }
}

fn ips(standing: &ClaimStatus, state: &State<'_>) -> Option<Vec<String>> {
    let has_some = standing.ips.iter().flatten().next().is_some();
    match state {
        State::Granted(grant) if !has_some => {
            Some(grant.addresses.iter().map(ToString::to_string).collect())
        }
        State::Failed { .. } if !has_some => Some(Vec::new()),
        State::Granted(_) | State::Failed { .. } | State::Unused | State::Unknown => {
            standing.ips.clone()
        }
    }
}

/// The pod whose request counts; as it stands where the claim's network is not known.
fn owner_pod(standing: &ClaimStatus, decision: &Decision, name: &ObjectName) -> Option<OwnerPod> {
    match decision.intent.claims.get(name) {
        Some(claim) => {
            let holder = claim.users.first();
            holder.map(|it| OwnerPod { name: it.pod.name.to_string() })
        }
        None => standing.owner_pod.clone(),
    }
}

/// All conditions; those of others stay where they are.
fn conditions(standing: &ClaimStatus, wanted: Option<&Condition>) -> Option<Vec<Condition>> {
    let mut all = standing.conditions.clone().unwrap_or_default();
    let place = all.iter().position(|it| it.condition_type == IPS_ALLOCATED);
    match (place, wanted) {
        (Some(place), Some(wanted)) => all[place] = wanted.clone(),
        (Some(place), None) => drop(all.remove(place)),
        (None, Some(wanted)) => all.push(wanted.clone()),
        (None, None) => {}
    }
    if all.is_empty() && standing.conditions.is_none() { None } else { Some(all) }
}

/// The status where it is another, if the claim is still as it was seen.
fn patch(name: &ObjectName, claim: &IpamClaim, status: &ClaimStatus) -> Option<Write> {
    let standing = &claim.status;
    let mut changed = Map::new();
    let mut put = |key: &str, value: Value| drop(changed.insert(key.to_owned(), value));
    if status.ips != standing.ips {
        put("ips", json!(status.ips));
    }
    if status.owner_pod != standing.owner_pod {
        put("ownerPod", json!(status.owner_pod));
    }
    if status.conditions != standing.conditions {
        put("conditions", json!(status.conditions));
    }
    if changed.is_empty() {
        return None;
    }
    let seen = &claim.metadata;
    let metadata = json!({"uid": seen.uid, "resourceVersion": seen.resource_version});
    let patch = json!({"metadata": metadata, "status": changed});
    Some(Write { target: Target::claim(name), act: Act::PatchStatus(patch) })
}

/// What was found about a claim that holds its addresses nevertheless.
fn trouble(
    name: &ObjectName,
    claim: &IpamClaim,
    decision: &Decision,
    state: &State<'_>,
) -> Vec<Event> {
    let subject = Subject::Claim(name.clone());
    let own = decision.findings.iter().filter(|it| it.subject == subject);
    let is_told =
        |it: &Finding| it.severity() == Severity::Error || it.reason.topic() == Topic::Remark;
    let own = own.filter(|it| matches!(state, State::Granted(_)) && is_told(it));
    let tell =
        |it: &Finding| event(name, claim, EventType::Warning, (&reason(it.reason), &it.message));
    own.map(tell).collect()
}

/// What is worth an event: a failure that is new, and its end.
fn change(
    name: &ObjectName,
    claim: &IpamClaim,
    before: Option<&Condition>,
    wanted: Option<&Condition>,
) -> Option<Event> {
    let wanted = wanted?;
    let said = |it: &Condition| (it.status.clone(), it.reason.clone(), it.message.clone());
    if before.map(said) == Some(said(wanted)) {
        return None;
    }
    let is_well = wanted.status == ConditionStatus::True;
    if is_well && before.is_none() {
        return None;
    }
    let kind = if is_well { EventType::Normal } else { EventType::Warning };
    Some(event(name, claim, kind, (&wanted.reason, &wanted.message)))
}

fn event(
    name: &ObjectName,
    claim: &IpamClaim,
    kind: EventType,
    (reason, message): (&str, &str),
) -> Event {
    let (about, uid) = (Target::claim(name), claim.metadata.uid.clone());
    Event { about, uid, kind, reason: reason.to_owned(), message: noted(message) }
}

fn condition(status: &ClaimStatus) -> Option<&Condition> {
    status.conditions.iter().flatten().find(|it| it.condition_type == IPS_ALLOCATED)
}

fn has_mac(claim: &IpamClaim, grant: &ClaimGrant) -> bool {
    claim.metadata.annotation(CLAIM_MAC) == Some(&grant.mac.to_string())
}

/// How the wire calls a failure; what is none has a name of ours.
pub(crate) fn reason(reason: Reason) -> String {
    let name = match reason.topic() {
        Topic::Exhaustion => EXHAUSTED,
        Topic::Address => ADDRESS_CONFLICT,
        Topic::Mac => MAC_CONFLICT,
        Topic::Range => OUT_OF_RANGE,
        Topic::Claim => MISMATCH,
        Topic::Refusal | Topic::Namespace | Topic::Waiting => INTERNAL,
        Topic::Remark => reason.as_str(),
    };
    name.to_owned()
}
