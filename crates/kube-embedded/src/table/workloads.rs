//! Rows of the kinds that make pods: deployments, sets and jobs.
//!
//! Reads an object; returns its cells.
//! Invariant: replicas that the status does not count are zero.

use kube_schema::LabelSelector;
use serde_json::Value;

use super::age::Clock;
use super::columns::{
    AGE, CONTAINERS, Column, IMAGES, NAME, Printer, SELECTOR, date, integer, text as column,
};
use super::read::{condition, list, number, text};
use crate::selector::labels_text;

pub(super) const DEPLOYMENT: Printer = Printer::new(&DEPLOYMENT_COLUMNS, deployment);
pub(super) const REPLICA_SET: Printer = Printer::new(&REPLICA_SET_COLUMNS, replica_set);
pub(super) const DAEMON_SET: Printer = Printer::new(&DAEMON_SET_COLUMNS, daemon_set);
pub(super) const STATEFUL_SET: Printer = Printer::new(&STATEFUL_SET_COLUMNS, stateful_set);
pub(super) const SCALE: Printer = Printer::new(&SCALE_COLUMNS, scale);
pub(super) const JOB: Printer = Printer::new(&JOB_COLUMNS, job);

const DEPLOYMENT_COLUMNS: [Column; 8] = [
    NAME,
    column("Ready", "How many replicas are ready, of how many."),
    column("Up-to-date", "How many replicas have the newest template."),
    column("Available", "How many replicas have been ready for long enough."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
pub(super) const REPLICA_SET_COLUMNS: [Column; 8] = [
    NAME,
    integer("Desired", "How many replicas are wanted."),
    integer("Current", "How many replicas there are."),
    integer("Ready", "How many replicas are ready."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const DAEMON_SET_COLUMNS: [Column; 11] = [
    NAME,
    integer("Desired", "How many nodes should run a pod."),
    integer("Current", "How many nodes that should run a pod have one."),
    integer("Ready", "How many nodes have a pod that is ready."),
    integer("Up-to-date", "How many nodes have a pod of the newest template."),
    integer("Available", "How many nodes have a pod that has been ready for long enough."),
    column("Node Selector", "The labels of the nodes that pods may run on."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const STATEFUL_SET_COLUMNS: [Column; 5] =
    [NAME, column("Ready", "How many replicas are ready, of how many."), AGE, CONTAINERS, IMAGES];
const SCALE_COLUMNS: [Column; 4] = [
    NAME,
    integer("Desired", "How many replicas are wanted."),
    integer("Available", "How many replicas there are."),
    date("Age", "How long ago the object was created."),
];
const JOB_COLUMNS: [Column; 8] = [
    NAME,
    column("Status", "Whether the job runs, and how it ended."),
    column("Completions", "How many pods succeeded, of how many."),
    column("Duration", "How long the job took, or has been running."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

fn deployment(object: &Value, clock: &Clock) -> Vec<Value> {
    let (ready, wanted) = (number(object, "/status/readyReplicas"), replicas(object));
    let mut cells = vec![
        name(object),
        Value::from(format!("{ready}/{wanted}")),
        counted(object, "updatedReplicas"),
        counted(object, "availableReplicas"),
        clock.age(object),
    ];
    cells.extend(containers(object));
    let selector = LabelSelector::read(&object["spec"]["selector"]);
    cells.push(Value::from(selector.map_or("<invalid>".to_owned(), |it| it.to_string())));
    cells
}

fn scale(object: &Value, clock: &Clock) -> Vec<Value> {
    vec![
        name(object),
        Value::from(number(object, "/spec/replicas")),
        counted(object, "replicas"),
        clock.age(object),
    ]
}

fn replica_set(object: &Value, clock: &Clock) -> Vec<Value> {
    let mut cells = vec![
        name(object),
        Value::from(replicas(object)),
        counted(object, "replicas"),
        counted(object, "readyReplicas"),
        clock.age(object),
    ];
    cells.extend(containers(object));
    cells.push(selector(&object["spec"]["selector"]));
    cells
}

fn daemon_set(object: &Value, clock: &Clock) -> Vec<Value> {
    let counts = [
        "desiredNumberScheduled",
        "currentNumberScheduled",
        "numberReady",
        "updatedNumberScheduled",
        "numberAvailable",
    ];
    let mut cells = vec![name(object)];
    cells.extend(counts.map(|count| counted(object, count)));
    cells.push(Value::from(labels_text(&object["spec"]["template"]["spec"]["nodeSelector"])));
    cells.push(clock.age(object));
    cells.extend(containers(object));
    cells.push(selector(&object["spec"]["selector"]));
    cells
}

fn stateful_set(object: &Value, clock: &Clock) -> Vec<Value> {
    let (ready, wanted) = (number(object, "/status/readyReplicas"), replicas(object));
    let mut cells = vec![name(object), Value::from(format!("{ready}/{wanted}")), clock.age(object)];
    cells.extend(containers(object));
    cells
}

fn job(object: &Value, clock: &Clock) -> Vec<Value> {
    let status = &object["status"];
    let mut cells = vec![
        name(object),
        Value::from(job_status(object)),
        Value::from(completions(object)),
        Value::from(clock.duration(&status["startTime"], &status["completionTime"])),
        clock.age(object),
    ];
    cells.extend(containers(object));
    cells.push(selector(&object["spec"]["selector"]));
    cells
}

fn job_status(object: &Value) -> &'static str {
    let is = |kind| condition(object, kind) == Some("True");
    match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if !object["metadata"]["deletionTimestamp"].is_null() => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn completions(object: &Value) -> String {
    let succeeded = number(object, "/status/succeeded");
    let wanted = object["spec"]["completions"].as_i64();
    match (wanted, number(object, "/spec/parallelism")) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

pub(super) fn name(object: &Value) -> Value {
    Value::from(text(object, "/metadata/name"))
}

fn replicas(object: &Value) -> i64 {
    number(object, "/spec/replicas")
}

pub(super) fn counted(object: &Value, field: &str) -> Value {
    Value::from(object["status"][field].as_i64().unwrap_or_default())
}

/// Names and images of the containers of the template.
fn containers(object: &Value) -> [Value; 2] {
    containers_at(object, "/spec/template/spec/containers")
}

pub(super) fn containers_at(object: &Value, pointer: &str) -> [Value; 2] {
    ["/name", "/image"].map(|field| {
        let containers = list(object, pointer).iter();
        Value::from(containers.map(|one| text(one, field)).collect::<Vec<_>>().join(","))
    })
}

pub(super) fn selector(selector: &Value) -> Value {
    let text = match LabelSelector::read(selector) {
        Err(_) => "<error>".to_owned(),
        Ok(selector) if selector.selects_everything() => "<none>".to_owned(),
        Ok(selector) => selector.to_string(),
    };
    Value::from(if text.is_empty() { "<none>".to_owned() } else { text })
}
