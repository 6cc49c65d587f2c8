//! The object that a create or an update sends: whether it is of the kind its path names.
//!
//! Reads the body of a request; returns the object with its kind and version.
//! Invariant: what the server's decoder refuses is refused here, in its words.

use kube_schema::quoted;
use serde_json::{Map, Value, json};

use super::asked::{Asked, WriteOptions};
use super::intake::{self, Fault, Written};
use crate::core::Core;
use crate::kinds::{FieldValidation, Kind};
use crate::refusal::Refusal;

/// Versions that the server can decode though it does not serve them.
// compat: the groups of k8s.io/api
const OLD_VERSIONS: [(&str, &[&str]); 14] = [
    ("admissionregistration.k8s.io", &["v1alpha1", "v1beta1"]),
    ("apiextensions.k8s.io", &["v1beta1"]),
    ("apps", &["v1beta1", "v1beta2"]),
    ("authentication.k8s.io", &["v1alpha1", "v1beta1"]),
    ("authorization.k8s.io", &["v1beta1"]),
    ("batch", &["v1beta1"]),
    ("coordination.k8s.io", &["v1alpha2", "v1beta1"]),
    ("discovery.k8s.io", &["v1beta1"]),
    ("events.k8s.io", &["v1beta1"]),
    ("networking.k8s.io", &["v1beta1"]),
    ("policy", &["v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1alpha1", "v1beta1"]),
    ("scheduling.k8s.io", &["v1alpha1", "v1beta1"]),
    ("storage.k8s.io", &["v1alpha1", "v1beta1"]),
];

/// Reads the object of a request; complaints about how it is written go with the options.
pub(crate) fn object(asked: &Asked, options: &mut WriteOptions) -> Result<Value, Refusal> {
    let Asked { kind, headers, body, .. } = asked;
    let (is_yaml, written) = match intake::content_type(headers).as_str() {
        "application/yaml" => (true, intake::yaml(body)),
        "application/json" => (false, intake::json(body)),
        "" if !intake::has_content_type(headers) => (false, intake::json(body)),
        _ => return Err(intake::unsupported(kind.built_in().is_some())),
    };
    let Written { value, complaints } = written.map_err(|fault| match fault {
        Fault::Syntax(why) => unrecognized(kind, body, &why),
        Fault::Number(number) => {
            let why =
                format!("json: cannot unmarshal number {number} into Go value of type float64");
            handled(kind, &kind.kind, &kind.version, &why)
        }
    })?;
    let is_strict = options.field_validation == FieldValidation::Strict;
    options.complaints = match is_yaml && is_strict && !complaints.is_empty() {
        true => vec![format!("yaml: unmarshal errors:\n  {}", complaints.join("\n  "))],
        false => complaints,
    };
    let mut fields = match value {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => {
            let into = "Go value of type struct { APIVersion string \
                        \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
                        \"json:\\\"kind,omitempty\\\"\" }";
            return Err(unrecognized(kind, body, &mismatch(&other, into)));
        }
    };
    check(asked, &fields)?;
    fields.insert("apiVersion".to_owned(), Value::from(kind.api_version()));
    fields.insert("kind".to_owned(), Value::from(kind.kind.as_str()));
    Ok(Value::Object(fields))
}

fn mismatch(value: &Value, into: &str) -> String {
    let found = kube_schema::json_type(value);
    let why = format!("json: cannot unmarshal {found} into {into}");
    format!("couldn't get version/kind; json parse error: {why}")
}

/// Whether an object is of the kind of its path; a built-in one may leave that open.
fn check(asked: &Asked, fields: &Map<String, Value>) -> Result<(), Refusal> {
    let Asked { core, kind, body, .. } = asked;
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(other) => {
            let into = format!("Go struct field .{name} of type string");
            Err(unrecognized(kind, body, &mismatch(other, &into)))
        }
    };
    let (api_version, name) = (text("apiVersion")?, text("kind")?);
    if api_version.matches('/').count() > 1 {
        let why = format!("unexpected GroupVersion string: {api_version}");
        return Err(unrecognized(kind, body, &why));
    }
    match kind.built_in() {
        Some(_) => check_built_in(core, kind, api_version, name),
        None if name.is_empty() => {
            let body_text = String::from_utf8_lossy(body);
            let why = format!("Object 'Kind' is missing in '{body_text}'");
            Err(unrecognized(kind, body, &why))
        }
        None if api_version != kind.api_version() => Err(other_version(kind, api_version)),
        None if name != kind.kind => Err(other_kind(kind, name, fields)),
        None => Ok(()),
    }
}

fn check_built_in(core: &Core, kind: &Kind, api_version: &str, name: &str) -> Result<(), Refusal> {
    let own = kind.api_version();
    let api_version = if api_version.is_empty() { own.as_str() } else { api_version };
    let name = if name.is_empty() { kind.kind.as_str() } else { name };
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    if name == kind.kind && api_version == own {
        return Ok(());
    }
    if !is_registered(core, api_version, name) {
        let why = format!(
            "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
            quoted(name),
            quoted(api_version)
        );
        return Err(handled(kind, name, version, &why));
    }
    if name == kind.kind && group == kind.group {
        return Err(other_version(kind, api_version));
    }
    let why = format!(
        "converting ({version}.{name}) to ({}.{}): unknown conversion",
        kind.go_package(),
        kind.kind
    );
    Err(handled(kind, name, version, &why))
}

/// Whether the server knows such a type at all.
fn is_registered(core: &Core, api_version: &str, name: &str) -> bool {
    let served = core.served();
    let is_known = |api_version: &str, name: &str| {
        served.named(api_version, name).is_some_and(|kind| kind.built_in().is_some())
    };
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let old = OLD_VERSIONS.iter().find(|(known, _)| *known == group);
    let is_old = old.is_some_and(|(_, versions)| versions.contains(&version));
    let names = [name, name.strip_suffix("List").unwrap_or(name)];
    names.iter().any(|it| is_known(api_version, it))
        || is_old && names.iter().any(|it| is_known(&format!("{group}/v1"), it))
        || api_version == "v1" && ["List", "Status"].contains(&name)
}

/// The server does not know what it was sent.
fn unrecognized(kind: &Kind, body: &[u8], why: &str) -> Refusal {
    let (kind, start) = (&kind.kind, intake::summary(body));
    Refusal::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {why} ({start})"
    ))
}

/// The server knows what it was sent, and that it is not what the path takes.
fn handled(kind: &Kind, name: &str, version: &str, why: &str) -> Refusal {
    let (kind, version) = (&kind.kind, quoted(version));
    Refusal::bad_request(format!(
        "{name} in version {version} cannot be handled as a {kind}: {why}"
    ))
}

fn other_version(kind: &Kind, given: &str) -> Refusal {
    let want = kind.api_version();
    Refusal::bad_request(format!(
        "the API version in the data ({given}) does not match the expected API version ({want})"
    ))
}

fn other_kind(kind: &Kind, given: &str, fields: &Map<String, Value>) -> Refusal {
    let Kind { kind: want, group, .. } = kind;
    let name = fields.get("metadata").and_then(|it| it["name"].as_str()).unwrap_or("");
    let why = format!("Invalid value: {}: must be {want}", quoted(given));
    // compat: the refusal is about the object, under the kind it claims
    let message = format!("{given}.{group} {} is invalid: kind: {why}", quoted(name));
    let causes = json!([{"reason": "FieldValueInvalid", "message": why, "field": "kind"}]);
    let mut details = json!({"group": group, "kind": given, "causes": causes});
    if !name.is_empty() {
        details["name"] = Value::from(name);
    }
    Refusal::new(422, "Invalid", message).with_details(details)
}
