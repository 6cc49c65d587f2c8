//! What is asked of a deletion.
//!
//! Read from the body of a request, or from its query where there is no body.
//! Invariant: options that contradict each other are refused, never guessed.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::builtin;
use crate::refusal::Refusal;
use crate::rest::Query;

/// What the options of a deletion are called among schemas.
const SCHEMA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

/// What happens to those whom the object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    Orphan,
    Background,
    Foreground,
}

/// `DeleteOptions`, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_seconds: Option<i64>,
    pub(crate) propagation: Option<Propagation>,
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
    pub(crate) is_dry_run: bool,
    /// Whether the old `orphanDependents` was used.
    pub(crate) orphan_dependents: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Wire {
    grace_period_seconds: Option<i64>,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    dry_run: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl DeleteOptions {
    /// Reads the body if there is one, the query otherwise.
    pub(crate) fn read(body: Option<Value>, query: &Query) -> Result<Self, Refusal> {
        let wire = match body {
            Some(body) => from_body(body)?,
            None => from_query(query)?,
        };
        check(wire)
    }
}

fn from_body(body: Value) -> Result<Wire, Refusal> {
    let text = |name: &str| body[name].as_str().filter(|it| !it.is_empty());
    let kind = text("kind").unwrap_or("DeleteOptions");
    if kind != "DeleteOptions" {
        let version = text("apiVersion").unwrap_or("v1");
        return Err(Refusal::bad_request(format!(
            "no kind {kind:?} is registered for version {version:?} in scheme \
             \"pkg/runtime/scheme.go:111\""
        )));
    }
    let options = builtin::decode_named(&body, SCHEMA).map_err(Refusal::bad_request)?;
    serde_json::from_value(options).map_err(|why| Refusal::bad_request(why.to_string()))
}

fn from_query(query: &Query) -> Result<Wire, Refusal> {
    let number = |text: &str| {
        let why = || format!("strconv.ParseInt: parsing {text:?}: invalid syntax");
        text.parse().map_err(|_| Refusal::bad_request(why()))
    };
    let dry_run: Vec<String> = query.all("dryRun").map(str::to_owned).collect();
    Ok(Wire {
        grace_period_seconds: query.first("gracePeriodSeconds").map(number).transpose()?,
        propagation_policy: query.first("propagationPolicy").map(str::to_owned),
        orphan_dependents: query.optional_flag("orphanDependents"),
        dry_run: (!dry_run.is_empty()).then_some(dry_run),
        ..Wire::default()
    })
}

fn check(wire: Wire) -> Result<DeleteOptions, Refusal> {
    let mut causes = Vec::new();
    let mut wrong = |reason: &str, field: &str, message: String| {
        causes.push(json!({"reason": reason, "field": field, "message": message}));
    };
    if wire.propagation_policy.is_some() && wire.orphan_dependents.is_some() {
        let policy = wire.propagation_policy.as_deref().unwrap_or("");
        let message = format!(
            "Invalid value: {policy:?}: orphanDependents and deletionPropagation cannot be both set"
        );
        wrong("FieldValueInvalid", "propagationPolicy", message);
    }
    let propagation = match wire.propagation_policy.as_deref() {
        None => None,
        Some("Orphan") => Some(Propagation::Orphan),
        Some("Background") => Some(Propagation::Background),
        Some("Foreground") => Some(Propagation::Foreground),
        Some(other) => {
            let message = format!(
                "Unsupported value: {other:?}: supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\""
            );
            wrong("FieldValueNotSupported", "propagationPolicy", message);
            None
        }
    };
    let dry_run = wire.dry_run.unwrap_or_default();
    if dry_run.iter().any(|it| it != "All") {
        let message = format!("Unsupported value: {}: supported values: \"All\"", json!(dry_run));
        wrong("FieldValueNotSupported", "dryRun", message);
    }
    if !causes.is_empty() {
        return Err(invalid(causes));
    }
    let orphans = |orphan| if orphan { Propagation::Orphan } else { Propagation::Background };
    let preconditions = wire.preconditions.unwrap_or_default();
    Ok(DeleteOptions {
        grace_seconds: wire.grace_period_seconds,
        propagation: propagation.or(wire.orphan_dependents.map(orphans)),
        uid: preconditions.uid,
        resource_version: preconditions.resource_version,
        is_dry_run: !dry_run.is_empty(),
        orphan_dependents: wire.orphan_dependents,
    })
}

fn invalid(causes: Vec<Value>) -> Refusal {
    let texts: Vec<String> = causes
        .iter()
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap_or("").to_owned();
            format!("{}: {}", text("field"), text("message"))
        })
        .collect();
    let all = match &texts[..] {
        [text] => text.clone(),
        _ => format!("[{}]", texts.join(", ")),
    };
    let message = format!("DeleteOptions.meta.k8s.io \"\" is invalid: {all}");
    let details = json!({"group": "meta.k8s.io", "kind": "DeleteOptions", "causes": causes});
    Refusal::new(422, "Invalid", message).with_details(details)
}
