//! Which requests a webhook wants to see.
//!
//! Reads a webhook and a [`Review`]; says whether its selectors and rules match.
//! Invariant: objects that configure admission are seen by no webhook.

use kube_schema::LabelSelector;
use serde_json::Value;

use super::Review;
use crate::kinds::{Judge, Kind};

#[cfg(test)]
mod tests;

const CONFIGURES: &[&str] = &[
    "mutatingwebhookconfigurations",
    "validatingwebhookconfigurations",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
];

/// Whether no webhook may see the request.
pub(super) fn is_exempt(review: &Review<'_>) -> bool {
    review.kind.group == "admissionregistration.k8s.io"
        && CONFIGURES.contains(&review.kind.plural.as_str())
}

/// The version of the kind in which the webhook wants to see the request; none if it does not.
///
/// Its conditions are not asked here.
pub(super) fn version<'a>(hook: &Value, review: &Review<'a>) -> Option<&'a str> {
    let is_selected = selects_namespace(&hook["namespaceSelector"], review)
        && selects_object(&hook["objectSelector"], review);
    if !is_selected {
        return None;
    }
    let matches = |version: &&str| {
        let mut rules = hook["rules"].as_array().into_iter().flatten();
        rules.any(|rule| rule_matches(rule, review, version))
    };
    let own = review.kind.version.as_str();
    let others = match hook["matchPolicy"].as_str() {
        Some("Exact") => Vec::new(),
        _ => other_versions(review.kind),
    };
    std::iter::once(own).chain(others).find(matches)
}

/// Versions in which the same objects are served as well.
fn other_versions(kind: &Kind) -> Vec<&str> {
    let definitions = match &kind.judge {
        Judge::BuiltIn(_) => return Vec::new(),
        Judge::Custom(catalog) => catalog.definitions(),
    };
    let own = definitions.filter(|it| it.group == kind.group && it.kind == kind.kind);
    let served = own.flat_map(|it| &it.versions).filter(|version| version.served);
    served.map(|version| version.name.as_str()).filter(|name| *name != kind.version).collect()
}

fn is_namespace(review: &Review<'_>) -> bool {
    review.kind.group.is_empty() && review.kind.plural == "namespaces"
}

/// What is in no namespace is always selected; a namespace is selected by its own labels.
fn selects_namespace(selector: &Value, review: &Review<'_>) -> bool {
    let own = match (is_namespace(review), review.namespace) {
        (true, _) => review.object.or(review.old_object),
        (false, "") => return true,
        (false, _) => review.namespace_object,
    };
    let selector = LabelSelector::read_or_everything(selector);
    selector.is_ok_and(|selector| selector.matches_object(own.unwrap_or(&Value::Null)))
}

/// One of the two objects is enough.
fn selects_object(selector: &Value, review: &Review<'_>) -> bool {
    let Ok(selector) = LabelSelector::read_or_everything(selector) else { return false };
    let mut objects = [review.object, review.old_object].into_iter().flatten();
    selector.selects_everything() || objects.any(|object| selector.matches_object(object))
}

fn rule_matches(rule: &Value, review: &Review<'_>, version: &str) -> bool {
    let holds = |field: &str, text: &str| {
        let mut items = rule[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        items.any(|item| item == "*" || item == text)
    };
    let mut resources = rule["resources"].as_array().into_iter().flatten();
    let is_namespaced = !review.namespace.is_empty() && !is_namespace(review);
    let is_in_scope = match rule["scope"].as_str() {
        Some("Namespaced") => is_namespaced,
        Some("Cluster") => !is_namespaced,
        _ => true,
    };
    is_in_scope
        && holds("operations", review.operation)
        && holds("apiGroups", &review.kind.group)
        && holds("apiVersions", version)
        && resources.any(|resource| resource_matches(resource.as_str().unwrap_or(""), review))
}

fn resource_matches(pattern: &str, review: &Review<'_>) -> bool {
    let (resource, subresource) = pattern.split_once('/').unwrap_or((pattern, ""));
    (resource == "*" || resource == review.kind.plural)
        && (subresource == "*" || subresource == review.subresource)
}
