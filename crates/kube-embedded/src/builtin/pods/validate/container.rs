//! Checks a container of a pod.
//!
//! Reads a container; returns errors in the server's words and order.
//! Invariant: what the server refuses for another reason than these is accepted here.

use std::collections::BTreeSet;

use kube_schema::{ErrorKind, FieldError, Path, Quantity};
use serde_json::Value;

use crate::builtin::checks::{self, all, label, one_of, port, port_name};
use crate::builtin::fields::{entries, has, items, text};

const SOURCES: &str = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or \
     `fileKeyRef`";

/// Checks a container; volumes are those it may mount.
pub(super) fn check(container: &Value, volumes: &BTreeSet<&str>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    match text(container, "/name") {
        "" => errors.push(FieldError::required(at.field("name"), "")),
        name => errors.extend(label(name, &at.field("name"))),
    }
    if text(container, "/image").is_empty() {
        errors.push(FieldError::required(at.field("image"), ""));
    }
    let policy = text(container, "/terminationMessagePolicy");
    let policies = ["File", "FallbackToLogsOnError"];
    errors.extend(one_of(policy, &policies, at.field("terminationMessagePolicy")));
    errors.extend(ports(container, &at.field("ports")));
    for (place, variable) in items(container, "env").iter().enumerate() {
        errors.extend(self::variable(variable, &at.field("env").index(place)));
    }
    errors.extend(mounts(container, volumes, &at.field("volumeMounts")));
    for (place, device) in items(container, "volumeDevices").iter().enumerate() {
        let (at, name) =
            (at.field("volumeDevices").index(place).field("name"), text(device, "/name"));
        if !volumes.contains(name) {
            errors.push(FieldError::new(ErrorKind::NotFound, at, name, ""));
        }
    }
    let policies = ["Always", "IfNotPresent", "Never"];
    let policy = text(container, "/imagePullPolicy");
    errors.extend(one_of(policy, &policies, at.field("imagePullPolicy")));
    errors.extend(resources(&container["resources"], &at.field("resources")));
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let asks = ["exec", "httpGet", "tcpSocket", "grpc"];
        if has(container, name) && !asks.iter().any(|ask| has(&container[name], ask)) {
            let why = "must specify a handler type";
            errors.push(FieldError::required(at.field(name), why));
        }
    }
    errors
}

/// Two containers may not share a port of the host.
pub(super) fn repeated_host_ports(spec: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut seen = BTreeSet::new();
    for (place, container) in items(spec, "containers").iter().enumerate() {
        let at = at.index(place).field("ports");
        for (place, entry) in items(container, "ports").iter().enumerate() {
            let Some(number) = entry["hostPort"].as_i64().filter(|it| *it != 0) else { continue };
            let (protocol, address) = (text(entry, "/protocol"), text(entry, "/hostIP"));
            let key = format!("{protocol}/{address}/{number}");
            if !seen.insert(key.clone()) {
                let at = at.index(place).field("hostPort");
                errors.push(FieldError::duplicate(at, key.as_str()));
            }
        }
    }
    errors
}

fn ports(container: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names = BTreeSet::new();
    for (place, entry) in items(container, "ports").iter().enumerate() {
        let at = at.index(place);
        let name = text(entry, "/name");
        if !name.is_empty() {
            let wrong = port_name(name);
            match wrong.is_empty() && !names.insert(name) {
                true => errors.push(FieldError::duplicate(at.field("name"), name)),
                false => errors.extend(all(&at.field("name"), name, wrong)),
            }
        }
        match entry["containerPort"].as_i64().unwrap_or(0) {
            0 => errors.push(FieldError::required(at.field("containerPort"), "")),
            number => errors.extend(port(number, at.field("containerPort"))),
        }
        if let Some(number) = entry["hostPort"].as_i64().filter(|number| *number != 0) {
            errors.extend(port(number, at.field("hostPort")));
        }
        let protocol = text(entry, "/protocol");
        errors.extend(one_of(protocol, checks::PROTOCOLS, at.field("protocol")));
    }
    errors
}

fn variable(variable: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = text(variable, "/name");
    let is_printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=');
    match name {
        "" => errors.push(FieldError::required(at.field("name"), "")),
        _ if !is_printable => {
            let why = "a valid environment variable name must consist only of printable ASCII \
                       characters other than '='";
            errors.push(FieldError::invalid(at.field("name"), name, why));
        }
        _ => {}
    }
    if has(variable, "valueFrom") {
        let at = at.field("valueFrom");
        let count = variable["valueFrom"].as_object().map_or(0, serde_json::Map::len);
        let why = match count {
            0 => Some(SOURCES),
            _ if !text(variable, "/value").is_empty() => {
                Some("may not be specified when `value` is not empty")
            }
            1 => None,
            _ => Some("may not have more than one field specified at a time"),
        };
        errors.extend(why.map(|why| FieldError::invalid(at, "", why)));
    }
    errors
}

fn mounts(container: &Value, volumes: &BTreeSet<&str>, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut paths = BTreeSet::new();
    for (place, mount) in items(container, "volumeMounts").iter().enumerate() {
        let at = at.index(place);
        let (name, path) = (text(mount, "/name"), text(mount, "/mountPath"));
        match name {
            "" => errors.push(FieldError::required(at.field("name"), "")),
            _ if !volumes.contains(name) => {
                errors.push(FieldError::new(ErrorKind::NotFound, at.field("name"), name, ""));
            }
            _ => {}
        }
        match path {
            "" => errors.push(FieldError::required(at.field("mountPath"), "")),
            _ if !paths.insert(path) => {
                let why = "must be unique";
                errors.push(FieldError::invalid(at.field("mountPath"), path, why));
            }
            _ => {}
        }
    }
    errors
}

fn resources(resources: &Value, at: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for list in ["limits", "requests"] {
        for (name, _) in entries(resources, list) {
            let is_known = ["cpu", "memory", "ephemeral-storage"].contains(&name.as_str())
                || name.starts_with("hugepages-")
                || name.contains('/');
            if !is_known {
                let at = at.field(list).key(name);
                let whys = [
                    "must be a standard resource type or fully qualified",
                    "must be a standard resource for containers",
                ];
                let wrong = whys.map(|why| FieldError::invalid(at.clone(), name.as_str(), why));
                errors.extend(wrong);
            }
        }
    }
    for (name, request) in entries(resources, "requests") {
        let request = request.as_str().unwrap_or("");
        let limit = resources["limits"].get(name.as_str()).and_then(Value::as_str);
        let wanted = Quantity::parse(request).ok();
        if wanted.as_ref().is_some_and(|wanted| wanted.sign() < 0) {
            let why = "must be greater than or equal to 0";
            let at = at.field("requests").key(name);
            errors.push(FieldError::invalid(at, request, why));
        }
        if let Some(limit) = limit
            && let (Some(wanted), Ok(most)) = (&wanted, Quantity::parse(limit))
            && wanted.compare(&most).is_gt()
        {
            let why = format!("must be less than or equal to {name} limit of {limit}");
            errors.push(FieldError::invalid(at.field("requests"), request, why));
        }
    }
    errors
}
