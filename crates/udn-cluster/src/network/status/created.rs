//! `NetworkCreated`: whether the NADs are where they should be.
//!
//! Reads a [`Case`] and what could not be written; returns a [`ConditionDraft`].
//! Invariant: it is true only if every NAD that is wanted stands and stays.

use std::collections::BTreeSet;

use udn_model::ObjectName;
use udn_wire::api::ConditionStatus;

use super::case::Case;
use super::draft::{ConditionDraft, NETWORK_CREATED};
use super::reasons::{CREATED, CUDN_FAILED, DELETED, UDN_FAILED};
use crate::bounded::list;

/// How many bytes of a message each list may take.
const NAMES: usize = 12_000;
const PODS: usize = 4_000;
const SENTENCES: usize = 14_000;

pub(super) fn judge(case: &Case<'_>, failures: &[String]) -> ConditionDraft {
    if case.is_leaving() {
        return going(case, case.nads.keys().copied().collect(), failures);
    }
    let objections = objections(case, failures);
    if !objections.is_empty() {
        return failed(case, &objections);
    }
    if is_unwanted(case) {
        return going(case, case.nads.keys().copied().collect(), failures);
    }
    let deleted_by_others = leaving(case);
    if !deleted_by_others.is_empty() {
        return going(case, deleted_by_others, failures);
    }
    let absent = absent(case);
    if !absent.is_empty() {
        let names = list(&absent, ", ", NAMES);
        let message =
            format!("not there yet, and tried again: NetworkAttachmentDefinition {names}");
        return failed(case, &[message]);
    }
    ConditionDraft::new(NETWORK_CREATED, ConditionStatus::True, CREATED, created(case))
}

/// The pods that keep NADs from going; also used by what tells of namespaces that were left.
pub(super) fn in_use(users: &[String]) -> Option<String> {
    // compat: pkg/clustermanager/userdefinednetwork/nad.go, networkInUseError
    let tell = || format!("network in use by the following pods: [{}]", list(users, " ", PODS));
    (!users.is_empty()).then(tell)
}

/// NADs are being deleted; pods may be in the way.
fn going(case: &Case<'_>, nads: BTreeSet<&ObjectName>, failures: &[String]) -> ConditionDraft {
    let names: Vec<String> = nads.iter().map(ToString::to_string).collect();
    let mut sentences = vec![if case.is_for_many_namespaces() {
        format!("NetworkAttachmentDefinition are being deleted: [{}]", list(&names, " ", NAMES))
    } else {
        "NetworkAttachmentDefinition is being deleted".to_owned()
    }];
    let in_use = in_use(&case.users(&nads));
    let is_held = in_use.is_some() || !failures.is_empty();
    sentences.extend(in_use);
    sentences.extend_from_slice(failures);
    let message = list(&sentences, "; ", NAMES + PODS + SENTENCES);
    let draft = ConditionDraft::new(NETWORK_CREATED, ConditionStatus::False, DELETED, message);
    if is_held { draft.alarming() } else { draft }
}

/// What is in the way, one sentence each.
fn objections(case: &Case<'_>, failures: &[String]) -> Vec<String> {
    let found = case.about_nads().map(|it| it.message.clone());
    let mut sentences: Vec<String> = found.collect();
    if !absent(case).is_empty() {
        sentences.extend(case.about_numbers().map(|it| it.message.clone()));
    }
    sentences.extend_from_slice(failures);
    let mut seen = BTreeSet::new();
    sentences.retain(|it| seen.insert(it.clone()));
    sentences
}

fn failed(case: &Case<'_>, objections: &[String]) -> ConditionDraft {
    let is_wide = case.is_for_many_namespaces();
    let made = (is_wide && !made_in(case).is_empty()).then(|| created(case));
    let why = list(objections, "; ", SENTENCES);
    let message = made.map_or_else(|| why.clone(), |made| format!("{made}; {why}"));
    let reason = if is_wide { CUDN_FAILED } else { UDN_FAILED };
    ConditionDraft::new(NETWORK_CREATED, ConditionStatus::False, reason, message).alarming()
}

// compat: pkg/clustermanager/userdefinednetwork/controller.go, the texts of NetworkCreated
fn created(case: &Case<'_>) -> String {
    if !case.is_for_many_namespaces() {
        return "NetworkAttachmentDefinition has been created".to_owned();
    }
    let namespaces = list(&made_in(case), ", ", NAMES);
    format!("NetworkAttachmentDefinition has been created in following namespaces: [{namespaces}]")
}

/// The namespaces with a NAD that stays.
fn made_in<'a>(case: &Case<'a>) -> Vec<&'a str> {
    case.staying().map(|(name, _)| &*name.namespace).collect()
}

/// NADs of the network that should stand and do not.
fn absent(case: &Case<'_>) -> Vec<String> {
    let wanted = case.network.iter().flat_map(|it| &it.nads);
    let absent = wanted.filter(|name| !case.nads.contains_key(name));
    absent.map(ToString::to_string).collect()
}

/// NADs that are wanted, and that somebody deleted.
fn leaving<'a>(case: &Case<'a>) -> BTreeSet<&'a ObjectName> {
    let all = case.nads.iter().filter(|(_, it)| it.metadata.is_leaving());
    let is_told = |name: &ObjectName, it| !case.is_for_many_namespaces() || case.wants(name, it);
    all.filter(|(name, it)| is_told(name, it)).map(|(name, _)| *name).collect()
}

/// Whether the network's only namespace is being deleted, and the network with it.
fn is_unwanted(case: &Case<'_>) -> bool {
    let namespace = case.world.namespaces.get(&case.target.namespace);
    namespace.is_some_and(|it| it.metadata.is_leaving())
}
