//! Reviews: objects that are answered and never stored.
//!
//! Checks what is asked.
//! Invariant: a review has neither a name nor a place to be.

use kube_schema::{FieldError, Path};
use serde_json::Value;

use super::Strategy;
use super::fields::{has, text};

pub(super) const REVIEW: Strategy =
    Strategy { validate: |review, _| check(review), ..Strategy::PLAIN };

fn check(review: &Value) -> Vec<FieldError> {
    let kind = text(review, "/kind");
    let is_access = kind.ends_with("AccessReview");
    if !is_access {
        return Vec::new();
    }
    let (spec, at) = (&review["spec"], Path::of_fields(["spec"]));
    let mut errors = Vec::new();
    let why = match (has(spec, "resourceAttributes"), has(spec, "nonResourceAttributes")) {
        (true, true) => Some((
            at.field("nonResourceAttributes"),
            "cannot be specified in combination with resourceAttributes",
        )),
        (false, false) => Some((
            at.field("resourceAttributes"),
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
        )),
        (true, false) | (false, true) => None,
    };
    errors.extend(why.map(|(at, why)| FieldError::invalid(at, Value::Null, why)));
    let is_nobody = text(spec, "/user").is_empty() && !has(spec, "groups");
    if !kind.starts_with("Self") && is_nobody {
        let why = "at least one of user or group must be specified";
        errors.push(FieldError::invalid(at.field("user"), "", why));
    }
    errors
}
