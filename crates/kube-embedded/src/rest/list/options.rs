//! Whether the parameters of a list or a watch fit together.
//!
//! Reads the query; returns the refusal if they do not.
//! Invariant: everything that does not fit is told at once.

use serde_json::{Value, json};

use super::super::query::Query;
use crate::refusal::Refusal;

const FIELD: &str = "resourceVersionMatch";

/// What does not fit: the field, why, and the reason of the cause.
type Fault = (&'static str, String, &'static str);

// compat: apimachinery/pkg/apis/meta/internalversion/validation, ValidateListOptions
pub(super) fn check_list(query: &Query) -> Result<(), Refusal> {
    let version = query.given("resourceVersion");
    let mut faults = Vec::new();
    if let Some(wanted) = query.given(FIELD) {
        if version.is_none() {
            let why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
            faults.push(forbidden(FIELD, why));
        }
        if query.given("continue").is_some() {
            let why = "resourceVersionMatch is forbidden when continue is provided";
            faults.push(forbidden(FIELD, why));
        }
        if !["Exact", "NotOlderThan"].contains(&wanted) {
            faults.push(unsupported(wanted, "\"Exact\", \"NotOlderThan\", \"\""));
        }
        if wanted == "Exact" && version == Some("0") {
            let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
            faults.push(forbidden(FIELD, why));
        }
    }
    if query.first("sendInitialEvents").is_some() {
        let why = "sendInitialEvents is forbidden for list";
        faults.push(forbidden("sendInitialEvents", why));
    }
    refuse(&faults)
}

/// The same for a watch.
pub(crate) fn check_watch(query: &Query) -> Result<(), Refusal> {
    let wanted = query.given(FIELD);
    let wants_first = query.optional_flag("sendInitialEvents");
    let mut faults = Vec::new();
    if wants_first.is_some() && wanted != Some("NotOlderThan") {
        let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        faults.push(forbidden(FIELD, why));
    }
    if let Some(wanted) = wanted {
        if wants_first.is_none() {
            let why =
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
            faults.push(forbidden(FIELD, why));
        }
        if wanted != "NotOlderThan" {
            faults.push(unsupported(wanted, "\"NotOlderThan\""));
        }
    }
    if query.given("continue").is_some() {
        let why = "resourceVersionMatch is forbidden when continue is provided";
        faults.push(forbidden(FIELD, why));
    }
    refuse(&faults)
}

fn forbidden(field: &'static str, why: &str) -> Fault {
    (field, format!("Forbidden: {why}"), "FieldValueForbidden")
}

fn unsupported(wanted: &str, supported: &str) -> Fault {
    let why = format!("Unsupported value: {wanted:?}: supported values: {supported}");
    (FIELD, why, "FieldValueNotSupported")
}

fn refuse(faults: &[Fault]) -> Result<(), Refusal> {
    let texts: Vec<String> =
        faults.iter().map(|(field, why, _)| format!("{field}: {why}")).collect();
    let text = match &texts[..] {
        [] => return Ok(()),
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let cause =
        |(field, why, reason): &Fault| json!({"reason": reason, "message": why, "field": field});
    let causes: Vec<Value> = faults.iter().map(cause).collect();
    let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {text}");
    let details = json!({"group": "meta.k8s.io", "kind": "ListOptions", "causes": causes});
    Err(Refusal::new(422, "Invalid", message).with_details(details))
}
