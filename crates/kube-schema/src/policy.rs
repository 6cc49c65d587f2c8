//! Admission policies: rules of the cluster for objects of any kind.
//!
//! Reads `ValidatingAdmissionPolicy` manifests and their bindings; returns denials.
//! Invariant: a policy without a binding that denies denies nothing.

mod evaluate;
mod kinds;
mod matching;
mod read;

use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::cel::{Env, Program};
use crate::go_text;
use crate::judge::Operation;
use crate::verdict::{Subject, Verdict, failure};
use evaluate::Evaluation;
use matching::{Attempt, Constraints};

pub(crate) const API_VERSION: &str = "admissionregistration.k8s.io/v1";

/// One policy, compiled.
#[derive(Debug, Clone)]
pub struct Policy {
    name: String,
    constraints: Constraints,
    env: Env,
    variables: Vec<(String, Program)>,
    conditions: Vec<Program>,
    validations: Vec<Validation>,
    is_forgiving: bool,
}

/// One thing a policy wants to be true.
#[derive(Debug, Clone)]
struct Validation {
    program: Program,
    message: String,
    message_expression: Option<Program>,
    reason: String,
}

/// Where a policy is in force, and what comes of it.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    name: String,
    policy: String,
    constraints: Option<Constraints>,
    denies: bool,
}

/// What a policy says no to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Denial {
    pub policy: String,
    pub binding: String,
    /// The reason alone, as the policy's author worded it.
    pub message: String,
    reason: String,
}

/// What is known of a request beside its object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes<'a> {
    pub(crate) operation: Operation<'a>,
    pub(crate) old: Option<&'a Value>,
    pub(crate) namespace: Option<&'a Value>,
    pub(crate) user: Option<&'a Value>,
}

impl Policy {
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Binding {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Denial {
    /// The denial in the server's words, without what was asked for.
    pub fn text(&self) -> String {
        let Self { policy, binding, message, .. } = self;
        format!(
            "ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {message}"
        )
    }

    pub(crate) fn status(&self, subject: &Subject) -> Value {
        let text = self.text();
        let message = match subject.name.as_str() {
            "" => format!("{} is forbidden: {text}", subject.resource()),
            name => {
                let name = go_text::quoted(name);
                format!("{} {name} is forbidden: {text}", subject.resource())
            }
        };
        let details = json!({
            "name": subject.name,
            "group": subject.group,
            "kind": subject.plural,
            "causes": [{"message": text}],
        });
        failure(&message, &self.reason, code_of(&self.reason), Some(details))
    }
}

fn code_of(reason: &str) -> u16 {
    match reason {
        "Forbidden" => 403,
        "RequestEntityTooLarge" => 413,
        _ => 422,
    }
}

/// What messages call a kind that has no definition.
pub(crate) fn subject(api_version: &str, kind: &str) -> Subject {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    Subject {
        group: group.to_owned(),
        version: version.to_owned(),
        kind: kind.to_owned(),
        plural: kinds::plural(kind),
        name: String::new(),
    }
}

/// Asks all policies about an object that is otherwise fine.
pub(crate) fn ask(
    catalog: &Catalog,
    verdict: &Verdict,
    attributes: &Attributes<'_>,
) -> Vec<Denial> {
    let attempt = Attempt::new(catalog, verdict, attributes);
    let mut denials = Vec::new();
    for policy in catalog.policies() {
        if !policy.constraints.matches(&attempt) {
            continue;
        }
        let mut evaluation = Evaluation::new(policy, &attempt);
        let bindings = catalog.bindings().filter(|it| it.policy == policy.name && it.denies);
        for binding in bindings.filter(|binding| binding.matches(&attempt)) {
            denials.extend(evaluation.refusals().iter().map(|(message, reason)| Denial {
                policy: policy.name.clone(),
                binding: binding.name.clone(),
                message: message.clone(),
                reason: reason.clone(),
            }));
        }
    }
    denials
}

#[cfg(test)]
mod tests;
