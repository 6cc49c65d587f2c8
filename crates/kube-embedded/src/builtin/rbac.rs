//! Roles and their bindings.
//!
//! Reads and changes them.
//! Invariant: a binding never changes the role it binds.

use kube_schema::{BadValue, ErrorKind, FieldError, NameRule, Path, names, quoted};
use serde_json::Value;

use super::Strategy;
use super::checks::{all, not_supported, one_of};
use super::fields::{fill, has, items, items_mut, text};

const GROUP: &str = "rbac.authorization.k8s.io";

const PLAIN: Strategy =
    Strategy { names: NameRule::PathSegment, creates_on_update: true, ..Strategy::PLAIN };

pub(super) const ROLE: Strategy = Strategy { validate: |role, _| rules(role, true), ..PLAIN };

pub(super) const CLUSTER_ROLE: Strategy =
    Strategy { validate: |role, _| check_cluster_role(role), ..PLAIN };

pub(super) const ROLE_BINDING: Strategy = Strategy {
    default,
    validate: |binding, old| check(binding, old, &["Role", "ClusterRole"]),
    ..PLAIN
};

pub(super) const CLUSTER_ROLE_BINDING: Strategy =
    Strategy { default, validate: |binding, old| check(binding, old, &["ClusterRole"]), ..PLAIN };

fn default(binding: &mut Value) {
    if has(binding, "roleRef") {
        fill(&mut binding["roleRef"], "apiGroup", GROUP);
    }
    for subject in items_mut(binding, "subjects") {
        if ["User", "Group"].contains(&text(subject, "/kind")) {
            fill(subject, "apiGroup", GROUP);
        }
    }
}

fn check_cluster_role(role: &Value) -> Vec<FieldError> {
    let mut errors = rules(role, false);
    let selectors = items(&role["aggregationRule"], "clusterRoleSelectors");
    if has(role, "aggregationRule") && selectors.is_empty() {
        let at = Path::of_fields(["aggregationRule", "clusterRoleSelectors"]);
        let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(FieldError::required(at, why));
    }
    errors
}

fn rules(role: &Value, is_namespaced: bool) -> Vec<FieldError> {
    let rules = items(role, "rules").iter().enumerate();
    rules
        .flat_map(|(place, rule)| {
            check_rule(rule, is_namespaced, &Path::of_fields(["rules"]).index(place))
        })
        .collect()
}

fn check_rule(rule: &Value, is_namespaced: bool, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let is_empty = |name: &str| items(rule, name).is_empty();
    if is_empty("verbs") {
        let why = "verbs must contain at least one value";
        errors.push(FieldError::required(at.field("verbs"), why));
    }
    if !is_empty("nonResourceURLs") {
        let is_mixed =
            !["apiGroups", "resources", "resourceNames"].iter().all(|name| is_empty(name));
        let why = match (is_namespaced, is_mixed) {
            (true, _) => Some("namespaced rules cannot apply to non-resource URLs"),
            (false, true) => {
                Some("rules cannot apply to both regular resources and non-resource URLs")
            }
            (false, false) => None,
        };
        let (at, value) = (at.field("nonResourceURLs"), rule["nonResourceURLs"].clone());
        errors.extend(why.map(|why| FieldError::invalid(at, value, why)));
        return errors;
    }
    if is_empty("apiGroups") {
        let why = "resource rules must supply at least one api group";
        errors.push(FieldError::required(at.field("apiGroups"), why));
    }
    if is_empty("resources") {
        let why = "resource rules must supply at least one resource";
        errors.push(FieldError::required(at.field("resources"), why));
    }
    errors
}

fn check(binding: &Value, old: Option<&Value>, kinds: &[&str]) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (role, at) = (&binding["roleRef"], Path::of_fields(["roleRef"]));
    errors.extend(one_of(text(role, "/apiGroup"), &[GROUP], at.field("apiGroup")));
    errors.extend(one_of(text(role, "/kind"), kinds, at.field("kind")));
    match text(role, "/name") {
        "" => errors.push(FieldError::required(at.field("name"), "")),
        name => errors.extend(all(&at.field("name"), name, names::path_segment(name, false))),
    }
    for (place, subject) in items(binding, "subjects").iter().enumerate() {
        let at = Path::of_fields(["subjects"]).index(place);
        errors.extend(check_subject(subject, kinds.len() > 1, &at));
    }
    if let Some(old) = old
        && *role != old["roleRef"]
    {
        let value = format!(
            "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
            quoted(text(role, "/apiGroup")),
            quoted(text(role, "/kind")),
            quoted(text(role, "/name"))
        );
        let value = BadValue::Rendered(value);
        errors.push(FieldError::new(ErrorKind::Invalid, at, value, "cannot change roleRef"));
    }
    errors
}

fn check_subject(subject: &Value, is_namespaced: bool, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = text(subject, "/name");
    if name.is_empty() {
        errors.push(FieldError::required(at.field("name"), ""));
    }
    let group = text(subject, "/apiGroup");
    match text(subject, "/kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                errors.extend(super::checks::subdomain(name, &at.field("name")));
            }
            errors.extend(one_of(group, &[""], at.field("apiGroup")));
            if !is_namespaced && text(subject, "/namespace").is_empty() {
                errors.push(FieldError::required(at.field("namespace"), ""));
            }
        }
        "User" | "Group" => errors.extend(one_of(group, &[GROUP], at.field("apiGroup"))),
        kind => {
            let kinds = ["ServiceAccount", "User", "Group"];
            errors.push(not_supported(kind, &kinds, at.field("kind")));
        }
    }
    errors
}
