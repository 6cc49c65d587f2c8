//! Rows of kinds whose controllers run elsewhere: volumes, budgets, quotas, schedules.
//!
//! Reads an object; returns its cells.
//! Invariant: what a controller has not said yet is shown as unset, never guessed.

use serde_json::Value;

use super::age::Clock;
use super::columns::{
    AGE, CONTAINERS, Column, IMAGES, NAME, Printer, SELECTOR, boolean, integer, text as column,
};
use super::read::{count, list, number, text, text_or};
use super::workloads::{REPLICA_SET_COLUMNS, containers_at, counted, name, selector};
use crate::selector::labels_text;

pub(super) const REPLICATION_CONTROLLER: Printer =
    Printer::new(&REPLICA_SET_COLUMNS, replication_controller);
pub(super) const CRON_JOB: Printer = Printer::new(&CRON_JOB_COLUMNS, cron_job);
pub(super) const BUDGET: Printer = Printer::new(&BUDGET_COLUMNS, budget);
pub(super) const QUOTA: Printer = Printer::new(&QUOTA_COLUMNS, quota);
pub(super) const VOLUME: Printer = Printer::new(&VOLUME_COLUMNS, volume);
pub(super) const CLAIM: Printer = Printer::new(&CLAIM_COLUMNS, claim);
pub(super) const POD_TEMPLATE: Printer = Printer::new(&POD_TEMPLATE_COLUMNS, |object, _| {
    let [names, images] = containers_at(object, "/template/spec/containers");
    let labels = labels_text(&object["template"]["metadata"]["labels"]);
    vec![name(object), names, images, Value::from(labels)]
});
pub(super) const REVISION: Printer = Printer::new(&REVISION_COLUMNS, revision);
pub(super) const PRIORITY_CLASS: Printer = Printer::new(&PRIORITY_COLUMNS, |object, clock| {
    let is_default = object["globalDefault"].as_bool().unwrap_or(false);
    let policy = Value::from(text(object, "/preemptionPolicy"));
    vec![
        name(object),
        number(object, "/value").into(),
        is_default.into(),
        clock.age(object),
        policy,
    ]
});
pub(super) const NETWORK_POLICY: Printer = Printer::new(&NETWORK_COLUMNS, |object, clock| {
    vec![name(object), selector(&object["spec"]["podSelector"]), clock.age(object)]
});

const CRON_JOB_COLUMNS: [Column; 10] = [
    NAME,
    column("Schedule", "When jobs are made, as cron writes it."),
    column("Timezone", "Whose time the schedule is in."),
    boolean("Suspend", "Whether no jobs are made for now."),
    integer("Active", "How many of its jobs run."),
    column("Last Schedule", "How long ago a job was made."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];
const BUDGET_COLUMNS: [Column; 5] = [
    NAME,
    column("Min Available", "How many pods must stay available."),
    column("Max Unavailable", "How many pods may be unavailable."),
    integer("Allowed Disruptions", "How many pods may be evicted now."),
    AGE,
];
const QUOTA_COLUMNS: [Column; 4] = [
    NAME,
    column("Request", "What is requested, of how much."),
    column("Limit", "What limits add up to, of how much."),
    AGE,
];
const VOLUME_COLUMNS: [Column; 11] = [
    NAME,
    column("Capacity", "How much it holds."),
    column("Access Modes", "How it may be mounted."),
    column("Reclaim Policy", "What becomes of it when its claim is gone."),
    column("Status", "Whether it is free, bound or on its way out."),
    column("Claim", "Who has it."),
    column("StorageClass", "The class it belongs to."),
    column("VolumeAttributesClass", "The class of its attributes."),
    column("Reason", "Why it is in this state."),
    AGE,
    column("VolumeMode", "Whether it has a file system.").wide(),
];
const CLAIM_COLUMNS: [Column; 9] = [
    NAME,
    column("Status", "Whether it waits, is bound or on its way out."),
    column("Volume", "The volume it has."),
    column("Capacity", "How much the volume holds."),
    column("Access Modes", "How the volume may be mounted."),
    column("StorageClass", "The class it wants."),
    column("VolumeAttributesClass", "The class of attributes it wants."),
    AGE,
    column("VolumeMode", "Whether it wants a file system.").wide(),
];
const POD_TEMPLATE_COLUMNS: [Column; 4] = [
    NAME,
    column("Containers", "The names of the containers."),
    column("Images", "The images the containers run."),
    column("Pod Labels", "The labels its pods get."),
];
const REVISION_COLUMNS: [Column; 4] = [
    NAME,
    column("Controller", "Whose revision it is."),
    column("Revision", "Which revision it is."),
    AGE,
];
const PRIORITY_COLUMNS: [Column; 5] = [
    NAME,
    integer("Value", "How important its pods are."),
    boolean("Global-Default", "Whether pods without a class have it."),
    AGE,
    column("PreemptionPolicy", "Whether its pods push others out."),
];
const NETWORK_COLUMNS: [Column; 3] =
    [NAME, column("Pod-Selector", "The labels of the pods it is about."), AGE];

fn replication_controller(object: &Value, clock: &Clock) -> Vec<Value> {
    let mut cells = vec![
        name(object),
        number(object, "/spec/replicas").into(),
        counted(object, "replicas"),
        counted(object, "readyReplicas"),
        clock.age(object),
    ];
    cells.extend(containers_at(object, "/spec/template/spec/containers"));
    cells.push(Value::from(labels_text(&object["spec"]["selector"])));
    cells
}

fn cron_job(object: &Value, clock: &Clock) -> Vec<Value> {
    let suspend = match object["spec"]["suspend"].as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let last = match &object["status"]["lastScheduleTime"] {
        Value::Null => "<none>".to_owned(),
        time => clock.since(time),
    };
    let mut cells = vec![
        name(object),
        text(object, "/spec/schedule").into(),
        text_or(object, "/spec/timeZone", "<none>").into(),
        suspend.into(),
        count(object, "/status/active").into(),
        last.into(),
        clock.age(object),
    ];
    cells.extend(containers_at(object, "/spec/jobTemplate/spec/template/spec/containers"));
    cells.push(selector(&object["spec"]["jobTemplate"]["spec"]["selector"]));
    cells
}

fn budget(object: &Value, clock: &Clock) -> Vec<Value> {
    let limit = |name: &str| match &object["spec"][name] {
        Value::Null => "N/A".to_owned(),
        Value::String(percent) => percent.clone(),
        number => number.to_string(),
    };
    vec![
        name(object),
        limit("minAvailable").into(),
        limit("maxUnavailable").into(),
        counted(object, "disruptionsAllowed"),
        clock.age(object),
    ]
}

fn quota(object: &Value, clock: &Clock) -> Vec<Value> {
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (resource, hard) in object["status"]["hard"].as_object().into_iter().flatten() {
        let used = object["status"]["used"][resource].as_str().unwrap_or("0");
        let shown = format!("{resource}: {used}/{}", hard.as_str().unwrap_or("0"));
        let column = if resource.starts_with("limits.") { &mut limits } else { &mut requests };
        column.push(shown);
    }
    vec![name(object), requests.join(", ").into(), limits.join(", ").into(), clock.age(object)]
}

fn volume(object: &Value, clock: &Clock) -> Vec<Value> {
    let claim =
        match (text(object, "/spec/claimRef/namespace"), text(object, "/spec/claimRef/name")) {
            (_, "") => String::new(),
            (namespace, name) => format!("{namespace}/{name}"),
        };
    vec![
        name(object),
        text(object, "/spec/capacity/storage").into(),
        access_modes(object, "/spec/accessModes").into(),
        text(object, "/spec/persistentVolumeReclaimPolicy").into(),
        phase(object),
        claim.into(),
        text(object, "/spec/storageClassName").into(),
        text_or(object, "/spec/volumeAttributesClassName", "<unset>").into(),
        text(object, "/status/reason").into(),
        clock.age(object),
        text_or(object, "/spec/volumeMode", "<unset>").into(),
    ]
}

fn claim(object: &Value, clock: &Clock) -> Vec<Value> {
    let volume = text(object, "/spec/volumeName");
    let (capacity, modes) = match volume {
        "" => ("", String::new()),
        _ => {
            let modes = access_modes(object, "/status/accessModes");
            (text(object, "/status/capacity/storage"), modes)
        }
    };
    vec![
        name(object),
        phase(object),
        volume.into(),
        capacity.into(),
        modes.into(),
        text(object, "/spec/storageClassName").into(),
        text_or(object, "/spec/volumeAttributesClassName", "<unset>").into(),
        clock.age(object),
        text_or(object, "/spec/volumeMode", "<unset>").into(),
    ]
}

fn phase(object: &Value) -> Value {
    match object["metadata"]["deletionTimestamp"].is_null() {
        true => text(object, "/status/phase").into(),
        false => "Terminating".into(),
    }
}

/// Modes in short, in the server's order.
fn access_modes(object: &Value, pointer: &str) -> String {
    const MODES: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let given = list(object, pointer);
    let has = |mode: &str| given.iter().any(|it| it == mode);
    let modes = MODES.iter().filter(|(mode, _)| has(mode)).map(|(_, short)| *short);
    modes.collect::<Vec<_>>().join(",")
}

fn revision(object: &Value, clock: &Clock) -> Vec<Value> {
    let owners = list(object, "/metadata/ownerReferences").iter();
    let owner = owners.into_iter().find(|owner| owner["controller"] == true);
    let owner = owner.map_or("<none>".to_owned(), |owner| {
        let kind = text(owner, "/kind").to_lowercase();
        match text(owner, "/apiVersion").split_once('/') {
            Some((group, _)) => format!("{kind}.{group}/{}", text(owner, "/name")),
            None => format!("{kind}/{}", text(owner, "/name")),
        }
    });
    vec![name(object), owner.into(), number(object, "/revision").into(), clock.age(object)]
}
