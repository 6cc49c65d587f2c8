//! Checks the spec of a pod.
//!
//! Reads a pod or a template of pods; returns errors in the server's words and order.
//! Invariant: what the server refuses for another reason than these is accepted here.

mod container;

use std::collections::BTreeSet;

use kube_schema::selector::check_labels;
use kube_schema::{FieldError, Path, names};
use serde_json::Value;

use super::volumes;
use crate::builtin::checks::{self, all, label, one_of};
use crate::builtin::fields::{has, items, text};

const DNS_POLICIES: &[&str] = &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// Checks a pod that is to be created.
pub(super) fn pod(pod: &Value) -> Vec<FieldError> {
    let at = Path::of_fields(["spec"]);
    let mut errors = spec(&pod["spec"], &at);
    for list in ["containers", "initContainers"] {
        for (place, container) in items(&pod["spec"], list).iter().enumerate() {
            let image = text(container, "/image");
            if image.trim() != image {
                let why = "must not have leading or trailing whitespace";
                let at = at.field(list).index(place).field("image");
                errors.push(FieldError::invalid(at, image, why));
            }
        }
    }
    errors
}

/// Checks a spec at a path.
pub(in crate::builtin) fn spec(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut mountable = BTreeSet::new();
    for (place, volume) in items(spec, "volumes").iter().enumerate() {
        let at = at.field("volumes").index(place);
        let name = text(volume, "/name");
        let mut wrong = volumes::check(volume, &at);
        wrong.extend(match name {
            "" => vec![FieldError::required(at.field("name"), "")],
            _ if mountable.contains(name) => vec![FieldError::duplicate(at.field("name"), name)],
            _ => label(name, &at.field("name")),
        });
        if wrong.is_empty() {
            mountable.insert(name);
        }
        errors.extend(wrong);
    }
    if items(spec, "containers").is_empty() {
        errors.push(FieldError::required(at.field("containers"), ""));
    }
    let mut names = BTreeSet::new();
    for list in ["containers", "initContainers"] {
        for (place, container) in items(spec, list).iter().enumerate() {
            let at = at.field(list).index(place);
            errors.extend(container::check(container, &mountable, &at));
            let name = text(container, "/name");
            if !name.is_empty() && !names.insert(name) {
                errors.push(FieldError::duplicate(at.field("name"), name));
            }
        }
    }
    errors.extend(container::repeated_host_ports(spec, &at.field("containers")));
    errors.extend(policies(spec, at));
    errors.extend(places(spec, at));
    errors
}

/// Checks the ephemeral containers of a pod.
pub(in crate::builtin) fn ephemeral(spec: &Value, at: &Path) -> Vec<FieldError> {
    let list = "ephemeralContainers";
    let named = |list: &str| items(spec, list).iter().map(|it| text(it, "/name"));
    let volumes: BTreeSet<&str> = named("volumes").collect();
    let mut names: BTreeSet<&str> = named("containers").chain(named("initContainers")).collect();
    let mut errors = Vec::new();
    for (place, container) in items(spec, list).iter().enumerate() {
        let at = at.field(list).index(place);
        errors.extend(container::check(container, &volumes, &at));
        let name = text(container, "/name");
        if !name.is_empty() && !names.insert(name) {
            errors.push(FieldError::duplicate(at.field("name"), name));
        }
    }
    errors
}

fn policies(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let restart = text(spec, "/restartPolicy");
    let policies = ["Always", "OnFailure", "Never"];
    errors.extend(one_of(restart, &policies, at.field("restartPolicy")));
    errors.extend(one_of(text(spec, "/dnsPolicy"), DNS_POLICIES, at.field("dnsPolicy")));
    errors.extend(check_labels(&spec["nodeSelector"], &at.field("nodeSelector")));
    for name in ["runAsUser", "runAsGroup", "fsGroup"] {
        let number = spec["securityContext"][name].as_i64();
        if let Some(number) = number.filter(|it| !(0..=i64::from(i32::MAX)).contains(it)) {
            let why = "must be between 0 and 2147483647, inclusive";
            let at = at.field("securityContext").field(name);
            errors.push(FieldError::invalid(at, Value::from(number), why));
        }
    }
    errors.extend(nameservers(spec, &at.field("dnsConfig")));
    for (place, address) in items(&spec["dnsConfig"], "nameservers").iter().enumerate() {
        let at = at.field("dnsConfig").field("nameservers").index(place);
        errors.extend(checks::address(address.as_str().unwrap_or(""), &at));
    }
    for (place, gate) in items(spec, "readinessGates").iter().enumerate() {
        let at = at.field("readinessGates").index(place).field("conditionType");
        let kind = text(gate, "/conditionType");
        errors.extend(all(&at, kind, names::qualified(kind)));
    }
    errors
}

/// Who the pod is, where it runs and for how long.
fn places(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let subdomain = |name: &str| {
        let value = text(spec, &format!("/{name}"));
        let wrong = if value.is_empty() { Vec::new() } else { names::subdomain(value) };
        all(&at.field(name), value, wrong)
    };
    errors.extend(subdomain("serviceAccountName"));
    errors.extend(subdomain("nodeName"));
    if let Some(seconds) = spec["activeDeadlineSeconds"].as_i64()
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let why = "must be between 1 and 2147483647, inclusive";
        let at = at.field("activeDeadlineSeconds");
        errors.push(FieldError::invalid(at, Value::from(seconds), why));
    }
    for name in ["hostname", "subdomain"] {
        let value = text(spec, &format!("/{name}"));
        if !value.is_empty() {
            errors.extend(label(value, &at.field(name)));
        }
    }
    for (place, toleration) in items(spec, "tolerations").iter().enumerate() {
        let at = at.field("tolerations").index(place).field("key");
        let key = text(toleration, "/key");
        if !key.is_empty() {
            errors.extend(all(&at, key, names::qualified(key)));
        }
    }
    for (place, alias) in items(spec, "hostAliases").iter().enumerate() {
        let at = at.field("hostAliases").index(place).field("ip");
        errors.extend(checks::address(text(alias, "/ip"), &at));
    }
    errors.extend(subdomain("priorityClassName"));
    errors
}

fn nameservers(spec: &Value, at: &Path) -> Option<FieldError> {
    if text(spec, "/dnsPolicy") != "None" {
        return None;
    }
    if !has(spec, "dnsConfig") {
        let why = "must provide `dnsConfig` when `dnsPolicy` is None";
        return Some(FieldError::required(at.clone(), why));
    }
    let is_empty = items(&spec["dnsConfig"], "nameservers").is_empty();
    let why = "must provide at least one DNS nameserver when `dnsPolicy` is None";
    is_empty.then(|| FieldError::required(at.field("nameservers"), why))
}
