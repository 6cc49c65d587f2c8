//! Conditions of a webhook: expressions that a request must meet.
//!
//! Reads `matchConditions` and a [`Review`]; says whether they hold.
//! Invariant: one that does not hold outweighs any that fails.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube_schema::cel::{self, Budget, Declared, Env, Key, Program};
use serde_json::Value;

use super::{Review, request};

#[cfg(test)]
mod tests;

/// How many compiled expressions are kept.
const KEPT: usize = 256;
/// The most that all conditions of a webhook may cost. (compat: apiserver/pkg/apis/cel/config.go)
const BUDGET: u64 = 2_500_000;

/// Expressions that were compiled before.
#[derive(Debug)]
pub(super) struct Conditions {
    env: Env,
    compiled: Mutex<BTreeMap<String, Arc<Program>>>,
}

impl Conditions {
    pub(super) fn new() -> Self {
        let env = ["object", "oldObject", "request"];
        let env = env.iter().fold(Env::new(), |env, name| env.with(name, Declared::DYN));
        Self { env, compiled: Mutex::default() }
    }

    /// Whether the webhook is to be called; the error is that of an expression.
    pub(super) fn hold(&self, hook: &Value, review: &Review<'_>) -> Result<bool, String> {
        let Some(conditions) = hook["matchConditions"].as_array().filter(|all| !all.is_empty())
        else {
            return Ok(true);
        };
        let null = || cel::Value::Null;
        let mut variables = self.env.variables();
        variables.set("object", review.object.map_or_else(null, dynamic));
        variables.set("oldObject", review.old_object.map_or_else(null, dynamic));
        variables.set("request", dynamic(&seen(review)));
        let mut failures = Vec::new();
        let mut remaining = BUDGET;
        for condition in conditions {
            let source = condition["expression"].as_str().unwrap_or("");
            let mut budget = Budget::per_call();
            let result = self.program(source).and_then(|program| {
                program.run(&variables, &mut budget).map_err(|error| error.to_string())
            });
            remaining = remaining.checked_sub(budget.spent()).ok_or_else(|| {
                "validation failed due to running out of cost budget, \
                 no further validation rules will be run"
                    .to_owned()
            })?;
            match result {
                Ok(cel::Value::Bool(false)) => return Ok(false),
                Ok(_) => {}
                Err(why) => {
                    failures.push(format!("expression '{source}' resulted in error: {why}"));
                }
            }
        }
        match &failures[..] {
            [] => Ok(true),
            [failure] => Err(failure.clone()),
            _ => Err(format!("[{}]", failures.join(", "))),
        }
    }

    fn program(&self, source: &str) -> Result<Arc<Program>, String> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = compiled.get(source) {
            return Ok(Arc::clone(program));
        }
        let program = Program::compile(source, &self.env).map_err(|error| error.to_string())?;
        let program = Arc::new(program);
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        compiled.insert(source.to_owned(), Arc::clone(&program));
        Ok(program)
    }
}

/// The request without the objects, which are variables of their own.
fn seen(review: &Review<'_>) -> Value {
    let mut seen = request::request(review, None, "");
    if let Some(fields) = seen.as_object_mut() {
        fields.retain(|name, _| !matches!(name.as_str(), "object" | "oldObject" | "uid"));
    }
    seen
}

fn dynamic(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(flag) => cel::Value::Bool(*flag),
        Value::Number(number) => match number.as_i64() {
            Some(int) => cel::Value::Int(int),
            None => cel::Value::Double(number.as_f64().unwrap_or(f64::MAX)),
        },
        Value::String(text) => cel::Value::string(text.as_str()),
        Value::Array(items) => cel::Value::list(items.iter().map(dynamic).collect()),
        Value::Object(fields) => {
            let entries = fields.iter();
            let entries =
                entries.map(|(name, value)| (Key::String(name.as_str().into()), dynamic(value)));
            cel::Value::Map(Arc::new(cel::Map::new(entries)))
        }
    }
}
