//! What the server fills in of a container.
//!
//! Changes containers of pods and of templates.
//! Invariant: filling in twice changes nothing.

use serde_json::{Value, json};

use crate::builtin::fields::{entries, fill, fill_absent, has, items_mut, text};

/// Fills in a container; ports of a pod on the host's network are ports of the host.
pub(super) fn default(container: &mut Value, is_host: bool) {
    let policy = pull_policy(text(container, "/image"));
    fill(container, "imagePullPolicy", policy);
    fill(container, "terminationMessagePath", "/dev/termination-log");
    fill(container, "terminationMessagePolicy", "File");
    for port in items_mut(container, "ports") {
        fill(port, "protocol", "TCP");
        let number = port["containerPort"].clone();
        if is_host && number != 0 {
            fill_absent(port, "hostPort", number);
        }
    }
    for variable in items_mut(container, "env") {
        if has(variable, "valueFrom") && has(&variable["valueFrom"], "fieldRef") {
            fill(&mut variable["valueFrom"]["fieldRef"], "apiVersion", "v1");
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if has(container, name) {
            probe(&mut container[name]);
        }
    }
    if has(container, "lifecycle") {
        for name in ["postStart", "preStop"] {
            if has(&container["lifecycle"], name) {
                request(&mut container["lifecycle"][name]);
            }
        }
    }
}

fn probe(probe: &mut Value) {
    fill_absent(probe, "timeoutSeconds", 1);
    fill_absent(probe, "periodSeconds", 10);
    fill_absent(probe, "successThreshold", 1);
    fill_absent(probe, "failureThreshold", 3);
    request(probe);
    if has(probe, "grpc") {
        fill_absent(&mut probe["grpc"], "service", "");
    }
}

fn request(asker: &mut Value) {
    if has(asker, "httpGet") {
        fill(&mut asker["httpGet"], "path", "/");
        fill(&mut asker["httpGet"], "scheme", "HTTP");
    }
}

/// When an image is pulled: always if its tag is the moving one.
fn pull_policy(image: &str) -> &'static str {
    let (name, has_digest) = match image.split_once('@') {
        Some((name, _)) => (name, true),
        None => (image, false),
    };
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        _ if image.is_empty() => "IfNotPresent",
        Some((_, "latest")) => "Always",
        None if !has_digest => "Always",
        Some(_) | None => "IfNotPresent",
    }
}

/// Asks for as much as there may be, where a container does not ask.
pub(super) fn requests_from_limits(container: &mut Value) {
    let limits: Vec<(String, Value)> = entries(&container["resources"], "limits")
        .map(|(name, amount)| (name.clone(), amount.clone()))
        .collect();
    if limits.is_empty() {
        return;
    }
    let resources = &mut container["resources"];
    fill_absent(resources, "requests", json!({}));
    for (name, amount) in limits {
        fill_absent(&mut resources["requests"], &name, amount);
    }
}
