//! Runs the expressions of a policy on a request.
//!
//! Reads a policy and an [`Attempt`]; returns the messages of what it refuses.
//! Invariant: an expression that fails refuses, unless the policy forgives failures.

use std::sync::Arc;

use serde_json::{Value, json};

use super::matching::Attempt;
use super::{Policy, Validation};
use crate::cel::{self, Budget, Key, Program, Variables};
use crate::rules::dynamic;

/// The most that all validations of a policy may cost. (compat: apiserver/pkg/apis/cel/config.go)
const VALIDATIONS_BUDGET: u64 = 10_000_000;

/// The most that all conditions of a policy may cost.
const CONDITIONS_BUDGET: u64 = 2_500_000;

/// The most bytes a `messageExpression` may yield.
const MESSAGE_LIMIT: usize = 5 * 1024;

/// A policy at work on one request; it is run once, whatever the number of bindings.
pub(super) struct Evaluation<'a> {
    policy: &'a Policy,
    attempt: &'a Attempt<'a>,
    refusals: Option<Vec<(String, String)>>,
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(policy: &'a Policy, attempt: &'a Attempt<'a>) -> Self {
        Self { policy, attempt, refusals: None }
    }

    /// What the policy refuses: messages and reasons.
    pub(super) fn refusals(&mut self) -> &[(String, String)] {
        let (policy, attempt) = (self.policy, self.attempt);
        self.refusals.get_or_insert_with(|| run(policy, attempt))
    }
}

fn run(policy: &Policy, attempt: &Attempt<'_>) -> Vec<(String, String)> {
    let failed = |message: String| match policy.is_forgiving {
        true => Vec::new(),
        false => vec![(message, "Invalid".to_owned())],
    };
    if !policy.conditions.is_empty() {
        let mut run = Run::new(policy, attempt, None, CONDITIONS_BUDGET);
        match run.conditions(&policy.conditions) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(message) => return failed(message),
        }
    }
    let namespace = attempt.namespace_object.as_ref();
    let mut run = Run::new(policy, attempt, namespace, VALIDATIONS_BUDGET);
    match run.validations(policy) {
        Ok(refusals) => refusals,
        Err(message) => failed(message),
    }
}

struct Run {
    variables: Variables,
    remaining: u64,
}

impl Run {
    fn new(
        policy: &Policy,
        attempt: &Attempt<'_>,
        namespace: Option<&Value>,
        remaining: u64,
    ) -> Self {
        let null = || cel::Value::Null;
        let mut variables = policy.env.variables();
        variables.set("object", dynamic(attempt.object));
        variables.set("oldObject", attempt.old.map_or_else(null, dynamic));
        variables.set("request", dynamic(&request(attempt)));
        variables.set("namespaceObject", namespace.map_or_else(null, dynamic));
        let mut run = Self { variables, remaining };
        run.set_variables(&policy.variables);
        run
    }

    /// Gives `variables` its fields; one that fails is an error only for whoever reads it.
    fn set_variables(&mut self, named: &[(String, Program)]) {
        let mut fields: Vec<(Key, cel::Value)> = Vec::with_capacity(named.len());
        for (name, program) in named {
            let so_far = cel::Map::new(fields.iter().cloned());
            self.variables.set("variables", cel::Value::Map(Arc::new(so_far)));
            let mut budget = Budget::per_call();
            let value = program.run(&self.variables, &mut budget).unwrap_or_else(|error| {
                let name = crate::go_text::quoted(name);
                let text = format!("composited variable {name} fails to evaluate: {error}");
                cel::Value::Error(Arc::new(cel::Error::new(text)))
            });
            self.remaining = self.remaining.saturating_sub(budget.spent());
            fields.push((Key::String(name.as_str().into()), value));
        }
        self.variables.set("variables", cel::Value::Map(Arc::new(cel::Map::new(fields))));
    }

    /// Runs an expression; the outer error means that the budget is spent.
    fn evaluate(&mut self, program: &Program) -> Result<Result<cel::Value, String>, String> {
        let mut budget = Budget::per_call();
        let result = program.run(&self.variables, &mut budget);
        self.remaining = self.remaining.checked_sub(budget.spent()).ok_or_else(|| {
            "validation failed due to running out of cost budget, \
             no further validation rules will be run"
                .to_owned()
        })?;
        let source = program.source();
        Ok(result.map_err(|error| format!("expression '{source}' resulted in error: {error}")))
    }

    /// Whether all conditions hold; one that does not outweighs any that fails.
    fn conditions(&mut self, conditions: &[Program]) -> Result<bool, String> {
        let mut failures = Vec::new();
        let mut is_met = true;
        for condition in conditions {
            match self.evaluate(condition)? {
                Ok(cel::Value::Bool(false)) => is_met = false,
                Ok(_) => {}
                Err(message) => failures.push(message),
            }
        }
        match &failures[..] {
            _ if !is_met => Ok(false),
            [] => Ok(true),
            [message] => Err(message.clone()),
            _ => Err(format!("[{}]", failures.join(", "))),
        }
    }

    fn validations(&mut self, policy: &Policy) -> Result<Vec<(String, String)>, String> {
        let mut results = Vec::with_capacity(policy.validations.len());
        for validation in &policy.validations {
            results.push(self.evaluate(&validation.program)?);
        }
        let mut refusals = Vec::new();
        for (validation, result) in policy.validations.iter().zip(results) {
            match result {
                Ok(value) if value.is_true() => {}
                Ok(_) => {
                    refusals.push((self.message(validation)?, validation.reason.clone()));
                }
                Err(_) if policy.is_forgiving => {}
                Err(message) => refusals.push((message, "Invalid".to_owned())),
            }
        }
        Ok(refusals)
    }

    fn message(&mut self, validation: &Validation) -> Result<String, String> {
        if let Some(program) = &validation.message_expression {
            let result = self
                .evaluate(program)
                .map_err(|error| format!("failed messageExpression: {error}"))?;
            if let Ok(cel::Value::String(text)) = result {
                let text = text.trim();
                let is_usable = text.len() <= MESSAGE_LIMIT && !text.contains('\n');
                if is_usable && !text.is_empty() {
                    return Ok(text.to_owned());
                }
            }
        }
        Ok(match validation.message.trim() {
            "" => format!("failed expression: {}", validation.program.source().trim()),
            message => message.to_owned(),
        })
    }
}

/// The `request` variable.
fn request(attempt: &Attempt<'_>) -> Value {
    let subject = attempt.subject;
    let kind = json!({"group": subject.group, "version": subject.version, "kind": subject.kind});
    let resource =
        json!({"group": subject.group, "version": subject.version, "resource": subject.plural});
    let options = match attempt.operation {
        "CREATE" => "CreateOptions",
        "DELETE" => "DeleteOptions",
        _ => "UpdateOptions",
    };
    let mut request = json!({
        "uid": "",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "operation": attempt.operation,
        "userInfo": attempt.user,
        "dryRun": attempt.is_dry_run,
        "options": {"kind": options, "apiVersion": "meta.k8s.io/v1"},
    });
    let optional = [
        ("subResource", attempt.subresource),
        ("requestSubResource", attempt.subresource),
        ("name", subject.name.as_str()),
        ("namespace", attempt.namespace.as_str()),
    ];
    for (name, text) in optional.into_iter().filter(|(_, text)| !text.is_empty()) {
        request[name] = Value::from(text);
    }
    request
}
