//! Admission policies: rules of the cluster for objects of any kind.
//!
//! Reads `ValidatingAdmissionPolicy` manifests and their bindings; returns denials.
//! Invariant: a policy without a binding that denies denies nothing.

mod evaluate;
mod kinds;
mod matching;
mod question;
mod read;

use serde_json::{Value, json};

use crate::catalog::Catalog;
use crate::cel::{Env, Program};
use crate::go_text;
use crate::judge::Operation;
use crate::verdict::{Subject, Verdict, failure};
use evaluate::Evaluation;
use matching::{Attempt, Constraints};
pub use question::{Opinion, Question};

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
    warns: bool,
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
        // compat: the server makes up a word for an object whose name it was not told
        let name = if subject.name.is_empty() { "Unknown" } else { subject.name.as_str() };
        let message =
            format!("{} {} is forbidden: {text}", subject.resource(), go_text::quoted(name));
        let details = json!({
            "name": name,
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
    collect(catalog, &Attempt::new(catalog, verdict, attributes)).0
}

/// What policies deny, and what they warn of.
fn collect(catalog: &Catalog, attempt: &Attempt<'_>) -> (Vec<Denial>, Vec<String>) {
    let (mut denials, mut warnings) = (Vec::new(), Vec::new());
    for policy in catalog.policies().filter(|policy| policy.constraints.matches(attempt)) {
        let mut evaluation = Evaluation::new(policy, attempt);
        let bindings = catalog.bindings().filter(|it| it.policy == policy.name);
        for binding in bindings.filter(|binding| binding.matches(attempt)) {
            if !binding.denies && !binding.warns {
                continue;
            }
            for (message, reason) in evaluation.refusals() {
                let (policy, binding_name) = (&policy.name, &binding.name);
                if binding.warns {
                    warnings.push(format!(
                        "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding \
                         '{binding_name}': {message}"
                    ));
                }
                if binding.denies {
                    denials.push(Denial {
                        policy: policy.clone(),
                        binding: binding_name.clone(),
                        message: message.clone(),
                        reason: reason.clone(),
                    });
                }
            }
        }
    }
    (denials, warnings)
}

#[cfg(test)]
mod tests;
