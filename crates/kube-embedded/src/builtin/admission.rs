//! Configurations of admission webhooks.
//!
//! Reads and changes them.
//! Invariant: a stored webhook has every field that callers of webhooks read.

use kube_schema::selector::LabelSelector;
use kube_schema::{FieldError, Path};
use serde_json::{Value, json};

use super::Strategy;
use super::checks::{self, one_of};
use super::fields::{fill, fill_absent, has, items, items_mut, text};

pub(super) const VALIDATING: Strategy = Strategy {
    default: |configuration| items_mut(configuration, "webhooks").iter_mut().for_each(default),
    validate: |configuration, _| check(configuration),
    has_generation: true,
    needs_version: true,
    ..Strategy::PLAIN
};

pub(super) const MUTATING: Strategy = Strategy {
    default: |configuration| {
        for webhook in items_mut(configuration, "webhooks") {
            default(webhook);
            fill(webhook, "reinvocationPolicy", "Never");
        }
    },
    ..VALIDATING
};

fn default(webhook: &mut Value) {
    fill(webhook, "failurePolicy", "Fail");
    fill(webhook, "matchPolicy", "Equivalent");
    fill_absent(webhook, "namespaceSelector", json!({}));
    fill_absent(webhook, "objectSelector", json!({}));
    fill_absent(webhook, "timeoutSeconds", 10);
    rules(webhook, "rules");
    if has(webhook, "clientConfig") && has(&webhook["clientConfig"], "service") {
        fill_absent(&mut webhook["clientConfig"]["service"], "port", 443);
    }
}

/// Fills in the scope of rules.
pub(super) fn rules(holder: &mut Value, name: &str) {
    items_mut(holder, name).iter_mut().for_each(|rule| fill(rule, "scope", "*"));
}

fn check(configuration: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for (place, webhook) in items(configuration, "webhooks").iter().enumerate() {
        let at = Path::of_fields(["webhooks"]).index(place);
        errors.extend(check_webhook(webhook, &at));
        let name = text(webhook, "/name");
        if !name.is_empty() && !names.insert(name) {
            errors.push(FieldError::duplicate(at.field("name"), name));
        }
    }
    errors
}

fn check_webhook(webhook: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = qualified(text(webhook, "/name"), &at.field("name"));
    for (place, rule) in items(webhook, "rules").iter().enumerate() {
        errors.extend(check_rule(rule, &at.field("rules").index(place)));
    }
    let choice = |name: &str, supported: &[&str]| {
        one_of(text(webhook, &format!("/{name}")), supported, at.field(name))
    };
    errors.extend(choice("failurePolicy", &["Fail", "Ignore"]));
    errors.extend(choice("matchPolicy", &["Equivalent", "Exact"]));
    match text(webhook, "/sideEffects") {
        "" => {
            let why = "must specify one of None, NoneOnDryRun";
            errors.push(FieldError::required(at.field("sideEffects"), why));
        }
        _ => errors.extend(choice("sideEffects", &["None", "NoneOnDryRun"])),
    }
    for name in ["namespaceSelector", "objectSelector"] {
        errors.extend(LabelSelector::check(&webhook[name], &at.field(name)));
    }
    if let Some(seconds) = webhook["timeoutSeconds"].as_i64().filter(|it| !(1..=30).contains(it)) {
        let why = "the timeout value must be between 1 and 30 seconds";
        let at = at.field("timeoutSeconds");
        errors.push(FieldError::invalid(at, Value::from(seconds), why));
    }
    if has(webhook, "reinvocationPolicy") {
        errors.extend(choice("reinvocationPolicy", &["IfNeeded", "Never"]));
    }
    errors.extend(check_client(&webhook["clientConfig"], &at.field("clientConfig")));
    errors.extend(check_versions(webhook, &at.field("admissionReviewVersions")));
    errors
}

fn qualified(name: &str, at: &Path) -> Vec<FieldError> {
    match name {
        "" => return vec![FieldError::required(at.clone(), "")],
        _ if name.split('.').count() < 3 => {
            let why = "should be a domain with at least three segments separated by dots";
            return vec![FieldError::invalid(at.clone(), name, why)];
        }
        _ => {}
    }
    checks::subdomain(name, at)
}

/// Checks a rule of a webhook or of a policy.
pub(super) fn check_rule(rule: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    for name in ["operations", "apiGroups", "apiVersions", "resources"] {
        if items(rule, name).is_empty() {
            errors.push(FieldError::required(at.field(name), ""));
        }
        let others = match name {
            "operations" => "operations",
            "apiGroups" => "API groups",
            "apiVersions" => "API versions",
            _ => continue,
        };
        if items(rule, name).len() > 1 && items(rule, name).iter().any(|it| it == "*") {
            let why = format!("if '*' is present, must not specify other {others}");
            errors.push(FieldError::invalid(at.field(name), rule[name].clone(), why));
        }
        if name == "operations" {
            for (place, operation) in items(rule, name).iter().enumerate() {
                let at = at.field(name).index(place);
                errors.extend(one_of(operation.as_str().unwrap_or(""), &operations, at));
            }
        }
    }
    errors.extend(one_of(text(rule, "/scope"), &["*", "Cluster", "Namespaced"], at.field("scope")));
    errors
}

fn check_client(client: &Value, at: &Path) -> Vec<FieldError> {
    match (has(client, "url"), has(client, "service")) {
        (true, false) => check_url(text(client, "/url"), &at.field("url")).into_iter().collect(),
        (false, true) => check_service(&client["service"], &at.field("service")),
        (true, true) | (false, false) => {
            let why = "exactly one of url or service is required";
            vec![FieldError::required(at.clone(), why)]
        }
    }
}

fn check_service(service: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for name in ["name", "namespace"] {
        if text(service, &format!("/{name}")).is_empty() {
            errors.push(FieldError::required(at.field(name), ""));
        }
    }
    let port = service["port"].as_i64().unwrap_or(0);
    if !(1..=65535).contains(&port) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(at.field("port"), Value::from(port), why));
    }
    let path = text(service, "/path");
    if !path.is_empty() && !path.starts_with('/') {
        errors.push(FieldError::invalid(at.field("path"), path, "must start with a '/'"));
    }
    errors
}

fn check_url(url: &str, at: &Path) -> Option<FieldError> {
    let form = "desired format: https://host[/path]";
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    if scheme != "https" {
        let why = format!("'https' is the only allowed URL scheme; {form}");
        return Some(FieldError::invalid(at.clone(), scheme, why));
    }
    let host = rest.split('/').next().unwrap_or("");
    let why = format!("host must be specified; {form}");
    host.is_empty().then(|| FieldError::invalid(at.clone(), host, why))
}

fn check_versions(webhook: &Value, at: &Path) -> Option<FieldError> {
    let versions = items(webhook, "admissionReviewVersions");
    if versions.is_empty() {
        return Some(FieldError::required(at.clone(), "must specify one of v1, v1beta1"));
    }
    let is_known = versions.iter().any(|it| *it == "v1" || *it == "v1beta1");
    let why = "must include at least one of v1, v1beta1";
    (!is_known).then(|| FieldError::invalid(at.clone(), Value::from(versions.to_vec()), why))
}
