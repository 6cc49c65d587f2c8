//! Leases.
//!
//! Checks them.
//! Invariant: a lease that is held has a length.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::Strategy;
use super::checks::not_negative;
use super::fields::{below, has, remove, text};

pub(super) const LEASE: Strategy = Strategy {
    prepare_create: |lease| drop_election(lease, &Value::Null),
    prepare_update: drop_election,
    validate: |lease, _| check(&lease["spec"]),
    needs_version: true,
    creates_on_update: true,
    ..Strategy::PLAIN
};

/// Coordinated leader election is a feature that is off: its fields stay only where they are.
fn drop_election(lease: &mut Value, old: &Value) {
    let is_used = |name: &str| has(&old["spec"], name);
    if !is_used("strategy") && !is_used("preferredHolder") {
        let spec = below(lease, "spec");
        remove(spec, "strategy");
        remove(spec, "preferredHolder");
    }
}

fn check(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    if let Some(seconds) = spec["leaseDurationSeconds"].as_i64().filter(|it| *it <= 0) {
        let at = at.field("leaseDurationSeconds");
        errors.push(FieldError::invalid(at, Value::from(seconds), "must be greater than 0"));
    }
    if let Some(count) = spec["leaseTransitions"].as_i64() {
        errors.extend(not_negative(count, at.field("leaseTransitions")));
    }
    if has(spec, "strategy") && text(spec, "/strategy").is_empty() {
        errors.push(FieldError::required(at.field("strategy"), ""));
    }
    errors
}
