//! Rows of pods: readiness, what the pod is doing, restarts.
//!
//! Reads a pod; returns its cells.
//! Invariant: the status is that of the first init container that is not done, and only after
//! those of the containers.

use serde_json::{Value, json};

use super::age::Clock;
use super::columns::{AGE, Column, NAME, Printer, text as column};
use super::read::{condition, flag, list, number, text, text_or};

pub(super) const POD: Printer = Printer::new(&COLUMNS, cells);

const COLUMNS: [Column; 9] = [
    NAME,
    column("Ready", "How many containers are ready, of how many."),
    column("Status", "What the pod is doing, or why it cannot."),
    column("Restarts", "How often containers were restarted, and when one was last."),
    AGE,
    column("IP", "The first address of the pod.").wide(),
    column("Node", "The node the pod runs on.").wide(),
    column("Nominated Node", "The node where room is being made for the pod.").wide(),
    column("Readiness Gates", "How many readiness gates are open, of how many.").wide(),
];

/// What the containers of a pod add up to.
#[derive(Debug, Default)]
struct Summary<'a> {
    ready: usize,
    restarts: i64,
    /// When a container last ended before it was restarted; empty for never.
    last_restart: &'a str,
    reason: String,
}

impl<'a> Summary<'a> {
    fn count_restarts(&mut self, status: &'a Value) {
        self.restarts += number(status, "/restartCount");
        // Times of one spelling, all in UTC, sort as texts.
        let ended = text(status, "/lastState/terminated/finishedAt");
        self.last_restart = self.last_restart.max(ended);
    }
}

/// Conditions of a row whose pod has ended.
pub(super) fn conditions(pod: &Value) -> Option<Value> {
    let (reason, message) = match text(pod, "/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}

fn cells(pod: &Value, clock: &Clock) -> Vec<Value> {
    let summary = summarize(pod);
    let sidecars = list(pod, "/spec/initContainers").iter().filter(|one| is_sidecar(one));
    let total = list(pod, "/spec/containers").len() + sidecars.count();
    let restarts = match summary.last_restart {
        ended if summary.restarts != 0 && !ended.is_empty() => {
            let since = clock.since(&Value::from(ended));
            format!("{} ({since} ago)", summary.restarts)
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        Value::from(text(pod, "/metadata/name")),
        Value::from(format!("{}/{total}", summary.ready)),
        Value::from(final_reason(pod, summary.reason)),
        Value::from(restarts),
        clock.age(pod),
        Value::from(text_or(pod, "/status/podIPs/0/ip", "<none>")),
        Value::from(text_or(pod, "/spec/nodeName", "<none>")),
        Value::from(text_or(pod, "/status/nominatedNodeName", "<none>")),
        Value::from(gates(pod)),
    ]
}

// compat: pkg/printers/internalversion/printers.go, printPod
fn summarize(pod: &Value) -> Summary<'_> {
    let mut init = Summary { reason: first_reason(pod), ..Summary::default() };
    let mut sidecars = Summary::default();
    let mut is_initializing = false;
    for (index, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
        init.count_restarts(status);
        let is_sidecar = init_container(pod, status).is_some_and(is_sidecar);
        if is_sidecar {
            sidecars.count_restarts(status);
        }
        let ended = &status["state"]["terminated"];
        if !ended.is_null() && number(ended, "/exitCode") == 0 {
            continue;
        }
        if is_sidecar && flag(status, "/started") {
            init.ready += usize::from(flag(status, "/ready"));
            continue;
        }
        init.reason = init_reason(pod, status, index);
        is_initializing = true;
        break;
    }
    if is_initializing && condition(pod, "Initialized") != Some("True") {
        return init;
    }
    sidecars.ready = init.ready;
    sidecars.reason = init.reason;
    with_containers(pod, sidecars)
}

/// What is said of a pod before its containers are looked at.
fn first_reason(pod: &Value) -> String {
    let gated = list(pod, "/status/conditions").iter().any(|condition| {
        condition["type"] == "PodScheduled" && condition["reason"] == "SchedulingGated"
    });
    match gated {
        true => "SchedulingGated".to_owned(),
        false => text_or(pod, "/status/reason", text(pod, "/status/phase")).to_owned(),
    }
}

fn init_container<'a>(pod: &'a Value, status: &Value) -> Option<&'a Value> {
    list(pod, "/spec/initContainers").iter().find(|one| one["name"] == status["name"])
}

/// Whether an init container keeps running beside the others.
fn is_sidecar(container: &Value) -> bool {
    container["restartPolicy"] == "Always"
}

fn init_reason(pod: &Value, status: &Value, index: usize) -> String {
    let ended = &status["state"]["terminated"];
    let waiting = text(status, "/state/waiting/reason");
    match () {
        () if !ended.is_null() => format!("Init:{}", end_reason(ended)),
        () if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
        () => format!("Init:{index}/{}", list(pod, "/spec/initContainers").len()),
    }
}

fn end_reason(ended: &Value) -> String {
    match (text(ended, "/reason"), number(ended, "/signal")) {
        ("", 0) => format!("ExitCode:{}", number(ended, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn with_containers<'a>(pod: &'a Value, mut summary: Summary<'a>) -> Summary<'a> {
    let (mut has_running, mut failure) = (false, None);
    for status in list(pod, "/status/containerStatuses").iter().rev() {
        summary.count_restarts(status);
        let state = &status["state"];
        let (ended, waiting) = (&state["terminated"], text(state, "/waiting/reason"));
        if !waiting.is_empty() {
            summary.reason = waiting.to_owned();
        } else if !ended.is_null() {
            summary.reason = end_reason(ended);
            if number(ended, "/exitCode") != 0 {
                failure = Some(summary.reason.clone());
            }
        } else if flag(status, "/ready") && !state["running"].is_null() {
            has_running = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" {
        let is_ready = has_any_ready_condition(pod);
        summary.reason = match failure {
            _ if has_running && is_ready => "Running".to_owned(),
            Some(failure) => failure,
            None if has_running => "NotReady".to_owned(),
            None => summary.reason,
        };
    }
    summary
}

fn has_any_ready_condition(pod: &Value) -> bool {
    let mut conditions = list(pod, "/status/conditions").iter();
    conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// A pod that is being deleted says so, unless it has ended.
fn final_reason(pod: &Value, reason: String) -> String {
    if pod["metadata"]["deletionTimestamp"].is_null() {
        return reason;
    }
    match (text(pod, "/status/reason"), text(pod, "/status/phase")) {
        ("NodeLost", _) => "Unknown".to_owned(),
        (_, "Failed" | "Succeeded") => reason,
        _ => "Terminating".to_owned(),
    }
}

fn gates(pod: &Value) -> String {
    let gates = list(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let is_open = |gate: &&Value| condition(pod, text(gate, "/conditionType")) == Some("True");
    format!("{}/{}", gates.iter().filter(is_open).count(), gates.len())
}
