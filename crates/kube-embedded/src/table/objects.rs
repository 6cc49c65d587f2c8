//! Rows of the other built-in kinds.
//!
//! Reads an object; returns its cells.
//! Invariant: a kind without a row of its own shows name and creation.

use std::collections::BTreeSet;

use serde_json::Value;

use super::age::Clock;
use super::columns::{AGE, Column, NAME, Printer, date, integer, text as column};
use super::read::{condition, count, flag, list, number, text, text_or};

/// For kinds that have no columns of their own.
pub(super) const PLAIN: Printer = Printer { is_plain: true, ..Printer::new(&PLAIN_COLUMNS, plain) };
pub(super) const NAMESPACE: Printer = Printer::new(&NAMESPACE_COLUMNS, |object, clock| {
    vec![name(object), string(object, "/status/phase"), clock.age(object)]
});
pub(super) const NODE: Printer = Printer::new(&NODE_COLUMNS, node);
pub(super) const EVENT: Printer = Printer::new(&EVENT_COLUMNS, event);
pub(super) const CONFIG_MAP: Printer = Printer::new(&CONFIG_MAP_COLUMNS, |object, clock| {
    let entries = count(object, "/data") + count(object, "/binaryData");
    vec![name(object), Value::from(entries), clock.age(object)]
});
pub(super) const SECRET: Printer = Printer::new(&SECRET_COLUMNS, |object, clock| {
    let entries = Value::from(count(object, "/data"));
    vec![name(object), string(object, "/type"), entries, clock.age(object)]
});
pub(super) const SERVICE_ACCOUNT: Printer =
    Printer::new(&[NAME, AGE], |object, clock| vec![name(object), clock.age(object)]);
pub(super) const LEASE: Printer = Printer::new(&LEASE_COLUMNS, |object, clock| {
    vec![name(object), string(object, "/spec/holderIdentity"), clock.age(object)]
});
pub(super) const BINDING: Printer = Printer::new(&BINDING_COLUMNS, binding);
pub(super) const WEBHOOKS: Printer = Printer::new(&WEBHOOKS_COLUMNS, |object, clock| {
    vec![name(object), Value::from(count(object, "/webhooks")), clock.age(object)]
});
pub(super) const VALIDATING_POLICY: Printer =
    Printer::new(&VALIDATING_COLUMNS, |object, clock| policy(object, clock, "/spec/validations"));
pub(super) const MUTATING_POLICY: Printer =
    Printer::new(&MUTATING_COLUMNS, |object, clock| policy(object, clock, "/spec/mutations"));
pub(super) const POLICY_BINDING: Printer = Printer::new(&POLICY_BINDING_COLUMNS, policy_binding);
pub(super) const API_SERVICE: Printer = Printer::new(&API_SERVICE_COLUMNS, api_service);

const PLAIN_COLUMNS: [Column; 2] =
    [NAME, date("Created At", "When the object was created, in RFC 3339.")];
const NAMESPACE_COLUMNS: [Column; 3] =
    [NAME, column("Status", "Whether the namespace is in use or on its way out."), AGE];
const NODE_COLUMNS: [Column; 10] = [
    NAME,
    column("Status", "Whether the node is ready, and whether pods may come."),
    column("Roles", "The roles its labels give it."),
    AGE,
    column("Version", "The version of its kubelet."),
    column("Internal-IP", "Its first address inside the cluster.").wide(),
    column("External-IP", "Its first address outside the cluster.").wide(),
    column("OS-Image", "Its operating system.").wide(),
    column("Kernel-Version", "The version of its kernel.").wide(),
    column("Container-Runtime", "What runs its containers.").wide(),
];
const EVENT_COLUMNS: [Column; 10] = [
    column("Last Seen", "How long ago it last happened."),
    column("Type", "Whether it is normal or a warning."),
    column("Reason", "What happened, in one word."),
    column("Object", "The object it happened to."),
    column("Subobject", "The part of the object it happened to.").wide(),
    column("Source", "Who reported it.").wide(),
    column("Message", "What happened."),
    column("First Seen", "How long ago it first happened.").wide(),
    column("Count", "How often it happened.").wide(),
    column("Name", "The name of the event.").wide().naming(),
];
const CONFIG_MAP_COLUMNS: [Column; 3] = [NAME, column("Data", "How many entries it has."), AGE];
const SECRET_COLUMNS: [Column; 4] = [
    NAME,
    column("Type", "What the secret is for."),
    column("Data", "How many entries it has."),
    AGE,
];
const LEASE_COLUMNS: [Column; 3] = [NAME, column("Holder", "Who holds the lease."), AGE];
const BINDING_COLUMNS: [Column; 6] = [
    NAME,
    column("Role", "The role that is given."),
    AGE,
    column("Users", "The users it is given to.").wide(),
    column("Groups", "The groups it is given to.").wide(),
    column("ServiceAccounts", "The service accounts it is given to.").wide(),
];
const WEBHOOKS_COLUMNS: [Column; 3] =
    [NAME, integer("Webhooks", "How many webhooks it registers."), AGE];
const PARAM_KIND: Column = column("ParamKind", "The kind of its parameters.");
const VALIDATING_COLUMNS: [Column; 4] =
    [NAME, integer("Validations", "How many rules it checks."), PARAM_KIND, AGE];
const MUTATING_COLUMNS: [Column; 4] =
    [NAME, integer("Mutations", "How many changes it makes."), PARAM_KIND, AGE];
const POLICY_BINDING_COLUMNS: [Column; 4] = [
    NAME,
    column("PolicyName", "The policy that is bound."),
    column("ParamRef", "Where its parameters are."),
    AGE,
];
const API_SERVICE_COLUMNS: [Column; 4] = [
    NAME,
    column("Service", "The service that answers, or `Local`."),
    column("Available", "Whether it answers, and why not."),
    AGE,
];

fn plain(object: &Value, _: &Clock) -> Vec<Value> {
    let created = text_or(object, "/metadata/creationTimestamp", "0001-01-01T00:00:00Z");
    vec![name(object), Value::from(created)]
}

fn node(object: &Value, clock: &Clock) -> Vec<Value> {
    let mut status = match condition(object, "Ready") {
        Some("True") => "Ready".to_owned(),
        Some(_) => "NotReady".to_owned(),
        None => "Unknown".to_owned(),
    };
    if flag(object, "/spec/unschedulable") {
        status.push_str(",SchedulingDisabled");
    }
    let address = |kind: &str| {
        let mut addresses = list(object, "/status/addresses").iter();
        let found = addresses.find(|address| address["type"] == kind);
        Value::from(found.map_or("<none>", |address| text(address, "/address")))
    };
    let told = |field: &str| {
        let pointer = format!("/status/nodeInfo/{field}");
        Value::from(text_or(object, &pointer, "<unknown>"))
    };
    vec![
        name(object),
        Value::from(status),
        Value::from(roles(object)),
        clock.age(object),
        string(object, "/status/nodeInfo/kubeletVersion"),
        address("InternalIP"),
        address("ExternalIP"),
        told("osImage"),
        told("kernelVersion"),
        told("containerRuntimeVersion"),
    ]
}

fn roles(object: &Value) -> String {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None => value.as_str().filter(|_| key == "kubernetes.io/role"),
        })
        .filter(|role| !role.is_empty())
        .collect();
    match roles.is_empty() {
        true => "<none>".to_owned(),
        false => roles.into_iter().collect::<Vec<_>>().join(","),
    }
}

/// Events of the core group, and the same ones as `events.k8s.io` spells them.
fn event(object: &Value, clock: &Clock) -> Vec<Value> {
    let either = |old: &str, new: &str| match object.pointer(old) {
        Some(value) if !value.is_null() => value.clone(),
        _ => object.pointer(new).cloned().unwrap_or_default(),
    };
    let start = either("/firstTimestamp", "/deprecatedFirstTimestamp");
    let first = clock.since(if start.is_null() { &object["eventTime"] } else { &start });
    let end = either("/lastTimestamp", "/deprecatedLastTimestamp");
    let series = &object["series"];
    let (last, times) = match (series.is_null(), end.is_null()) {
        (false, _) => (clock.since(&series["lastObservedTime"]), number(series, "/count")),
        (true, is_single) => {
            let last = if is_single { first.clone() } else { clock.since(&end) };
            let times = either("/count", "/deprecatedCount").as_i64().unwrap_or_default();
            (last, if times == 0 { 1 } else { times })
        }
    };
    let about = either("/involvedObject", "/regarding");
    let kind = text(&about, "/kind").to_lowercase();
    let target = match text(&about, "/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    };
    let message = either("/message", "/note");
    vec![
        Value::from(last),
        string(object, "/type"),
        string(object, "/reason"),
        Value::from(target),
        string(&about, "/fieldPath"),
        Value::from(reporter(object)),
        Value::from(message.as_str().unwrap_or_default().trim()),
        Value::from(first),
        Value::from(times),
        name(object),
    ]
}

fn reporter(object: &Value) -> String {
    let first = |pointers: &[&str]| {
        let mut texts = pointers.iter().map(|pointer| text(object, pointer));
        texts.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    };
    let component = first(&[
        "/source/component",
        "/deprecatedSource/component",
        "/reportingComponent",
        "/reportingController",
    ]);
    match first(&["/source/host", "/deprecatedSource/host", "/reportingInstance"]).as_str() {
        "" => component,
        instance => format!("{component}, {instance}"),
    }
}

fn binding(object: &Value, clock: &Clock) -> Vec<Value> {
    let role = format!("{}/{}", text(object, "/roleRef/kind"), text(object, "/roleRef/name"));
    let subjects = |kind: &str| {
        let of_kind = list(object, "/subjects").iter().filter(|subject| subject["kind"] == kind);
        let names = of_kind.map(|subject| match kind {
            "ServiceAccount" => {
                format!("{}/{}", text(subject, "/namespace"), text(subject, "/name"))
            }
            _ => text(subject, "/name").to_owned(),
        });
        Value::from(names.collect::<Vec<_>>().join(", "))
    };
    vec![
        name(object),
        Value::from(role),
        clock.age(object),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}

fn policy(object: &Value, clock: &Clock, rules: &str) -> Vec<Value> {
    let params = &object["spec"]["paramKind"];
    let params = match params.is_null() {
        true => "<unset>".to_owned(),
        false => format!("{}/{}", text(params, "/apiVersion"), text(params, "/kind")),
    };
    let rules = Value::from(count(object, rules));
    vec![name(object), rules, Value::from(params), clock.age(object)]
}

fn policy_binding(object: &Value, clock: &Clock) -> Vec<Value> {
    let params = &object["spec"]["paramRef"];
    let shown = match (text(params, "/name"), &params["selector"]) {
        ("", Value::Null) => "<unset>".to_owned(),
        ("", selector) => go_selector(selector),
        (name, _) => format!("{}/{name}", text_or(params, "/namespace", "*")),
    };
    vec![name(object), string(object, "/spec/policyName"), Value::from(shown), clock.age(object)]
}

/// A selector as the server prints it in this one place: the structure of Go.
fn go_selector(selector: &Value) -> String {
    let labels = selector["matchLabels"].as_object().into_iter().flatten();
    let labels: String = labels
        .map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default()))
        .collect();
    let expressions: String = list(selector, "/matchExpressions")
        .iter()
        .map(|expression| {
            let (key, operator) = (text(expression, "/key"), text(expression, "/operator"));
            let values = list(expression, "/values").iter().filter_map(Value::as_str);
            let values = values.collect::<Vec<_>>().join(" ");
            format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
        })
        .collect();
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{labels}}},\
         MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
}

fn api_service(object: &Value, clock: &Clock) -> Vec<Value> {
    let service = &object["spec"]["service"];
    let service = match service.is_null() {
        true => "Local".to_owned(),
        false => format!("{}/{}", text(service, "/namespace"), text(service, "/name")),
    };
    let available =
        list(object, "/status/conditions").iter().find(|one| one["type"] == "Available");
    let available = available.map_or_else(
        || "Unknown".to_owned(),
        |condition| match text(condition, "/status") {
            "True" => "True".to_owned(),
            status => format!("{status} ({})", text(condition, "/reason")),
        },
    );
    vec![name(object), Value::from(service), Value::from(available), clock.age(object)]
}

fn name(object: &Value) -> Value {
    string(object, "/metadata/name")
}

fn string(object: &Value, pointer: &str) -> Value {
    Value::from(text(object, pointer))
}
