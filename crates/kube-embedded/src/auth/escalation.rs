//! Nobody may grant what they do not hold.
//!
//! Reads a role or binding that is to be stored and the rules of whoever stores it; returns the
//! server's refusal.
//! Invariant: who holds everything, or may `escalate` or `bind`, is never refused here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rbac::{Rule, go_list};
use super::{Attributes, MASTERS, Rules, User};
use crate::refusal::Refusal;

#[cfg(test)]
mod tests;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Refuses a role or binding that gives more than its author holds; other kinds pass.
pub(crate) fn confirm_no_escalation(
    rules: &Rules,
    user: &User,
    object: &Value,
    old: Option<&Value>,
) -> Result<(), Refusal> {
    if user.is_in(MASTERS) {
        return Ok(());
    }
    let is_same = |field: &str| old.is_some_and(|old| is_equal(&old[field], &object[field]));
    match object["kind"].as_str() {
        Some("Role" | "ClusterRole") if is_same("rules") && is_same("aggregationRule") => Ok(()),
        Some("Role") => confirm_role(rules, user, &place(object, "roles"), object),
        Some("ClusterRole") => confirm_role(rules, user, &place(object, "clusterroles"), object),
        Some("RoleBinding" | "ClusterRoleBinding") if is_same("roleRef") && is_same("subjects") => {
            Ok(())
        }
        Some("RoleBinding") => confirm_binding(rules, user, &place(object, "rolebindings"), object),
        Some("ClusterRoleBinding") => {
            confirm_binding(rules, user, &place(object, "clusterrolebindings"), object)
        }
        _ => Ok(()),
    }
}

/// An absent list is an empty one.
fn is_equal(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| value.is_null() || *value == json!([]);
    one == other || (is_empty(one) && is_empty(other))
}

fn place<'a>(object: &'a Value, resource: &'a str) -> Attributes<'a> {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or("");
    Attributes {
        group: GROUP,
        version: "v1",
        resource,
        namespace: text("namespace"),
        name: text("name"),
        ..Attributes::default()
    }
}

fn confirm_role(
    rules: &Rules,
    user: &User,
    place: &Attributes<'_>,
    role: &Value,
) -> Result<(), Refusal> {
    if rules.allows(user, &Attributes { verb: "escalate", ..*place }) {
        return Ok(());
    }
    let is_aggregating = !role["aggregationRule"].is_null();
    if is_aggregating && !missing(rules, user, "", &Rule::everything()).is_empty() {
        return Err(place.refused("must have cluster-admin privileges to use the aggregationRule"));
    }
    confirm(rules, user, place, &Rule::of_role(role))
}

fn confirm_binding(
    rules: &Rules,
    user: &User,
    place: &Attributes<'_>,
    binding: &Value,
) -> Result<(), Refusal> {
    let reference = &binding["roleRef"];
    let name = reference["name"].as_str().unwrap_or("");
    let resource = if reference["kind"] == "Role" { "roles" } else { "clusterroles" };
    let bind = Attributes { verb: "bind", resource, name, ..*place };
    if rules.allows(user, &bind) {
        return Ok(());
    }
    match rules.role(reference, place.namespace) {
        Some(granted) => confirm(rules, user, place, &granted),
        // The server speaks of the binding's kind and the role's name.
        None => Err(not_found(place.resource, name)),
    }
}

fn not_found(resource: &str, name: &str) -> Refusal {
    let message = format!("{resource}.{GROUP} {name:?} not found");
    let details = json!({"name": name, "group": GROUP, "kind": resource});
    Refusal::new(404, "NotFound", message).with_details(details)
}

fn confirm(
    rules: &Rules,
    user: &User,
    place: &Attributes<'_>,
    granted: &[Rule],
) -> Result<(), Refusal> {
    let missing = missing(rules, user, place.namespace, granted);
    if missing.is_empty() {
        return Ok(());
    }
    let lines: BTreeSet<String> = compact(missing).iter().map(Rule::describe).collect();
    let lines: Vec<String> = lines.into_iter().collect();
    Err(place.refused(&format!(
        "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}{}",
        user.name,
        go_list(&user.groups),
        lines.join("\n"),
        unresolved(rules, user, place),
    )))
}

/// Roles that would have helped if they were there; the server gives them the wrong kind.
fn unresolved(rules: &Rules, user: &User, place: &Attributes<'_>) -> String {
    let lost = rules.lost_roles(user, place.namespace).into_iter();
    let lost: Vec<String> =
        lost.map(|role| format!("{}.{GROUP} {:?} not found", place.resource, role.name)).collect();
    match lost.is_empty() {
        true => String::new(),
        false => format!("; resolution errors: [{}]", lost.join(" ")),
    }
}

/// What of the granted rules the user does not hold, in the smallest rules.
fn missing(rules: &Rules, user: &User, namespace: &str, granted: &[Rule]) -> Vec<Rule> {
    let held = rules.rules_of(user, namespace);
    let small = granted.iter().flat_map(Rule::split);
    small.filter(|small| !held.iter().any(|rule| rule.covers(small))).collect()
}

/// Puts the verbs on one resource together.
fn compact(small: Vec<Rule>) -> Vec<Rule> {
    let mut together: BTreeMap<[Vec<String>; 3], Rule> = BTreeMap::new();
    let mut paths = Vec::new();
    for rule in small {
        if !rule.paths.is_empty() {
            paths.push(rule);
            continue;
        }
        let key = [rule.groups.clone(), rule.resources.clone(), rule.names.clone()];
        match together.get_mut(&key) {
            Some(known) => known.verbs.extend(rule.verbs),
            None => {
                together.insert(key, rule);
            }
        }
    }
    together.into_values().chain(paths).collect()
}
