//! Checks kinds whose controllers run elsewhere.
//!
//! Reads their objects; returns errors in the server's words and order.
//! Invariant: what the server refuses for another reason than these is accepted here.

use kube_schema::selector::LabelSelector;
use kube_schema::{FieldError, Path, quoted};
use serde_json::Value;

use crate::builtin::checks::{self, not_negative, one_of, port_or_name};
use crate::builtin::fields::{entries, has, items, text};
use crate::builtin::pods;

const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' \
    (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// Checks an object with a selector and a template of pods.
pub(super) fn templated(object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let (spec, at) = (&object["spec"], Path::of_fields(["spec"]));
    let mut errors = Vec::new();
    if let Some(replicas) = spec["replicas"].as_i64() {
        errors.extend(not_negative(replicas, at.field("replicas")));
    }
    if !has(spec, "selector") {
        errors.push(FieldError::required(at.field("selector"), ""));
    }
    let is_empty = spec["selector"].as_object().is_some_and(serde_json::Map::is_empty);
    if is_empty {
        // compat: replica sets are called deployments here
        let word = match text(object, "/kind") {
            "ReplicaSet" => "deployment".to_owned(),
            kind => kind.to_lowercase(),
        };
        let why = format!("empty selector is invalid for {word}");
        errors.push(FieldError::invalid(at.field("selector"), spec["selector"].clone(), why));
    }
    errors.extend(LabelSelector::check(&spec["selector"], &at.field("selector")));
    let wanted = has(spec, "selector").then_some(&spec["selector"]["matchLabels"]);
    errors.extend(template(&spec["template"], wanted, &at.field("template")));
    if let Some(old) = old {
        let at = at.field("selector");
        errors.extend(checks::immutable(&spec["selector"], &old["spec"]["selector"], at));
    }
    errors
}

/// Checks an object whose selector is plain labels.
pub(super) fn controller(object: &Value, _: Option<&Value>) -> Vec<FieldError> {
    let (spec, at) = (&object["spec"], Path::of_fields(["spec"]));
    let mut errors = Vec::new();
    if entries(spec, "selector").next().is_none() {
        errors.push(FieldError::required(at.field("selector"), ""));
    }
    if let Some(replicas) = spec["replicas"].as_i64() {
        errors.extend(not_negative(replicas, at.field("replicas")));
    }
    let at = at.field("template");
    match has(spec, "template") {
        true => errors.extend(template(&spec["template"], Some(&spec["selector"]), &at)),
        false => errors.push(FieldError::required(at, "")),
    }
    errors
}

/// Checks a template of pods that run for ever; `wanted` are the labels it must have, and none
/// stands for a missing selector, which matches nothing.
fn template(template: &Value, wanted: Option<&Value>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let labels = &template["metadata"]["labels"];
    let is_matched = wanted.is_some_and(|wanted| {
        let mut wanted = wanted.as_object().into_iter().flatten();
        wanted.all(|(key, value)| labels.get(key) == Some(value))
    });
    if !is_matched {
        let why = "`selector` does not match template `labels`";
        let at = at.field("metadata").field("labels");
        errors.push(FieldError::invalid(at, labels.clone(), why));
    }
    let (spec, at) = (&template["spec"], at.field("spec"));
    errors.extend(pods::validate_spec(spec, &at));
    errors.extend(one_of(text(spec, "/restartPolicy"), &["Always"], at.field("restartPolicy")));
    errors
}

pub(super) fn claim(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    if items(spec, "accessModes").is_empty() {
        let why = "at least 1 access mode is required";
        errors.push(FieldError::required(at.field("accessModes"), why));
    }
    if spec.pointer("/resources/requests/storage").is_none() {
        errors.push(FieldError::required(at.field("resources").key("storage"), ""));
    }
    errors
}

pub(super) fn revision(revision: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if !has(revision, "data") {
        errors.push(FieldError::required(Path::of_fields(["data"]), "data is mandatory"));
    }
    if let Some(old) = old {
        let at = Path::of_fields(["data"]);
        errors.extend(checks::immutable(&revision["data"], &old["data"], at));
    }
    let number = revision["revision"].as_i64().unwrap_or(0);
    errors.extend(not_negative(number, Path::of_fields(["revision"])));
    errors
}

pub(super) fn priority_class(class: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let Some(old) = old else {
        let value = class["value"].as_i64().unwrap_or(0);
        if value > 1_000_000_000 && !text(class, "/metadata/name").starts_with("system-") {
            let why = "maximum allowed value of a user defined priority is 1000000000";
            errors.push(FieldError::forbidden(Path::of_fields(["value"]), why));
        }
        return errors;
    };
    if class["value"] != old["value"] {
        let why = "may not be changed in an update.";
        errors.push(FieldError::forbidden(Path::of_fields(["value"]), why));
    }
    let (name, at) = ("preemptionPolicy", Path::of_fields(["preemptionPolicy"]));
    errors.extend(checks::immutable(&class[name], &old[name], at));
    errors
}

pub(super) fn network_policy(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    errors.extend(LabelSelector::check(&spec["podSelector"], &at.field("podSelector")));
    for (rules, peers) in [("ingress", "from"), ("egress", "to")] {
        for (place, rule) in items(spec, rules).iter().enumerate() {
            let at = at.field(rules).index(place);
            for (place, port) in items(rule, "ports").iter().enumerate() {
                errors.extend(policy_port(port, &at.field("ports").index(place)));
            }
            for (place, peer) in items(rule, peers).iter().enumerate() {
                errors.extend(policy_peer(peer, &at.field(peers).index(place)));
            }
        }
    }
    for (place, kind) in items(spec, "policyTypes").iter().enumerate() {
        let at = at.field("policyTypes").index(place);
        errors.extend(one_of(kind.as_str().unwrap_or(""), &["Ingress", "Egress"], at));
    }
    errors
}

fn policy_port(port: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let protocols = ["TCP", "UDP", "SCTP"];
    errors.extend(one_of(text(port, "/protocol"), &protocols, at.field("protocol")));
    if has(port, "port") {
        errors.extend(port_or_name(&port["port"], &at.field("port")));
    }
    let Some(end) = port["endPort"].as_i64() else { return errors };
    let at = at.field("endPort");
    let why = match &port["port"] {
        Value::Null => Some("may not be specified when `port` is not specified"),
        Value::String(_) => Some("may not be specified when `port` is non-numeric"),
        start if start.as_i64().is_some_and(|start| end < start) => {
            Some("must be greater than or equal to `port`")
        }
        _ => None,
    };
    errors.extend(why.map(|why| FieldError::invalid(at, Value::from(end), why)));
    errors
}

fn policy_peer(peer: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let has_selector = has(peer, "podSelector") || has(peer, "namespaceSelector");
    let has_block = has(peer, "ipBlock");
    for name in ["podSelector", "namespaceSelector"] {
        errors.extend(LabelSelector::check(&peer[name], &at.field(name)));
    }
    if has_block {
        errors.extend(block(&peer["ipBlock"], &at.field("ipBlock")));
    }
    match (has_selector, has_block) {
        (false, false) => {
            errors.push(FieldError::required(at.clone(), "must specify a peer"));
        }
        (true, true) => {
            let why = "may not specify both ipBlock and another peer";
            errors.push(FieldError::forbidden(at.clone(), why));
        }
        (true, false) | (false, true) => {}
    }
    errors
}

fn block(block: &Value, at: &Path) -> Vec<FieldError> {
    let range = text(block, "/cidr");
    if range.is_empty() {
        return vec![FieldError::required(at.field("cidr"), "")];
    }
    let Some((whole, length)) = parse_range(range) else {
        let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
        return vec![FieldError::invalid(at.field("cidr"), range, why)];
    };
    let outside = items(block, "except").iter().enumerate().filter_map(|(place, except)| {
        let except = except.as_str().unwrap_or("");
        let is_inside = parse_range(except).is_some_and(|(address, inner)| {
            inner > length && address >> (128 - length) == whole >> (128 - length)
        });
        let at = at.field("except").index(place);
        let why = "must be a strict subset of `cidr`";
        (!is_inside).then(|| FieldError::invalid(at, except, why))
    });
    outside.collect()
}

/// The address of a range and the length of its prefix, both as of IPv6.
fn parse_range(range: &str) -> Option<(u128, u32)> {
    let (address, length) = range.split_once('/')?;
    let length: u32 = length.parse().ok()?;
    match address.parse().ok()? {
        std::net::IpAddr::V4(address) => {
            let length = Some(length + 96).filter(|_| length <= 32)?;
            Some((address.to_ipv6_mapped().into(), length))
        }
        std::net::IpAddr::V6(address) => {
            // A prefix of nothing cannot be shifted out, and no IPv4 range is inside of it.
            let length = Some(length.max(1)).filter(|it| *it <= 128)?;
            Some((address.into(), length))
        }
    }
}

pub(super) fn budget(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    if has(spec, "minAvailable") && has(spec, "maxUnavailable") {
        let part = |name: &str| match &spec[name] {
            Value::String(text) => quoted(text),
            other => other.to_string(),
        };
        let value = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\
             \"UnhealthyPodEvictionPolicy\":{}}}",
            part("minAvailable"),
            part("selector"),
            part("maxUnavailable"),
            part("unhealthyPodEvictionPolicy")
        );
        let why = "minAvailable and maxUnavailable cannot be both set";
        let value = kube_schema::BadValue::Rendered(value);
        errors.push(FieldError::new(kube_schema::ErrorKind::Invalid, at.clone(), value, why));
    }
    for name in ["minAvailable", "maxUnavailable"] {
        match &spec[name] {
            Value::String(text) => {
                let digits = text.strip_suffix('%').unwrap_or("");
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    errors.push(FieldError::invalid(at.field(name), text.as_str(), PERCENT));
                }
            }
            other => {
                let number = other.as_i64().unwrap_or(0);
                errors.extend(not_negative(number, at.field(name)));
            }
        }
    }
    errors
}

/// Checks a job that is to be created.
pub(super) fn job(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    for name in ["parallelism", "completions", "backoffLimit"] {
        let number = spec[name].as_i64().unwrap_or(0);
        errors.extend(not_negative(number, at.field(name)));
    }
    let template = at.field("template").field("spec");
    errors.extend(pods::validate_spec(&spec["template"]["spec"], &template));
    if text(spec, "/template/spec/restartPolicy") == "Always" {
        let why = "valid values: \"OnFailure\", \"Never\"";
        errors.push(FieldError::required(template.field("restartPolicy"), why));
    }
    errors
}
