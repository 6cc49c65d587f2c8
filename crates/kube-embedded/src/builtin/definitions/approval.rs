//! Groups of the Kubernetes community: their CRDs carry an approval.
//!
//! Reads the annotations of a CRD; returns what is wrong with them, or the condition they bring.
//! Invariant: an update that leaves the approval as good as it was is never refused for it.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::super::fields::text;

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Invalid,
    Bypassed,
    Approved,
}

pub(super) fn check(definition: &Value, old: Option<&Value>) -> Option<FieldError> {
    if !is_protected(text(definition, "/spec/group")) {
        return None;
    }
    let state = approval(definition);
    if old.is_some_and(|old| approval(old) == state) {
        return None;
    }
    let at = Path::of_fields(["metadata", "annotations"]).key(ANNOTATION);
    let must = format!("protected groups must have approval annotation {ANNOTATION:?}");
    match state {
        Approval::Missing => Some(FieldError::required(at, format!("{must}, {SEE}"))),
        Approval::Invalid => {
            let why =
                format!("{must} with either a URL or a reason starting with \"unapproved\", {SEE}");
            Some(FieldError::invalid(at, annotation(definition), why))
        }
        Approval::Bypassed | Approval::Approved => None,
    }
}

/// The condition of a CRD of such a group: type, status, reason and message.
pub(crate) fn approval_condition(definition: &Value) -> Option<[String; 4]> {
    if !is_protected(text(definition, "/spec/group")) {
        return None;
    }
    let given = annotation(definition);
    let (status, reason, message) = match approval(definition) {
        Approval::Approved => ("True", "ApprovedAnnotation", format!("approved in {given}")),
        Approval::Bypassed => ("False", "UnapprovedAnnotation", format!("not approved: {given:?}")),
        Approval::Missing | Approval::Invalid => return None,
    };
    let texts = ["KubernetesAPIApprovalPolicyConformant", status, reason];
    let [kind, status, reason] = texts.map(str::to_owned);
    Some([kind, status, reason, message])
}

fn is_protected(group: &str) -> bool {
    let domains = ["k8s.io", "kubernetes.io"];
    domains.iter().any(|domain| {
        group == *domain || group.strip_suffix(domain).is_some_and(|it| it.ends_with('.'))
    })
}

fn annotation(definition: &Value) -> &str {
    definition["metadata"]["annotations"][ANNOTATION].as_str().unwrap_or("")
}

fn approval(definition: &Value) -> Approval {
    let given = annotation(definition);
    let is_address = given.split_once("://").is_some_and(|(scheme, rest)| {
        !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/')
    });
    match () {
        () if given.is_empty() => Approval::Missing,
        () if given.starts_with("unapproved") => Approval::Bypassed,
        () if is_address => Approval::Approved,
        () => Approval::Invalid,
    }
}
