//! Namespaces and nodes.
//!
//! Reads and changes namespaces and nodes.
//! Invariant: the finalizers of a namespace's spec change only through `finalize`.

use std::collections::BTreeSet;
use std::net::IpAddr;

use kube_schema::{BadValue, ErrorKind, FieldError, NameRule, Path};
use serde_json::{Value, json};

use super::Strategy;
use super::fields::{below, fill_absent, has, items, remove, text};
use super::pipeline::keep;

const NAME_LABEL: &str = "kubernetes.io/metadata.name";
const NOT_READY: &str = "node.kubernetes.io/not-ready";

pub(super) const NAMESPACE: Strategy = Strategy {
    default: |namespace| {
        let name = text(namespace, "/metadata/name").to_owned();
        if !name.is_empty() {
            below(below(namespace, "metadata"), "labels")[NAME_LABEL] = Value::from(name);
        }
    },
    prepare_create: |namespace| {
        let spec = below(namespace, "spec");
        fill_absent(spec, "finalizers", json!([]));
        if let Some(finalizers) = spec["finalizers"].as_array_mut()
            && !finalizers.iter().any(|it| it == "kubernetes")
        {
            finalizers.push(Value::from("kubernetes"));
        }
        namespace["status"] = json!({"phase": "Active"});
    },
    prepare_update: |namespace, old| keep(namespace, old, "spec"),
    validate: |namespace, old| match old {
        None => check_finalizers(namespace, |at, _| at),
        Some(_) => Vec::new(),
    },
    validate_status: |namespace, _| check_phase(namespace).into_iter().collect(),
    selectable: &["status.phase"],
    names: NameRule::Label,
    ..Strategy::PLAIN
};

pub(super) const NODE: Strategy = Strategy {
    default: default_node,
    prepare_create: prepare_node,
    validate: check_node,
    selectable: &["spec.unschedulable"],
    resets_status: false,
    ..Strategy::PLAIN
};

/// Checks the finalizers of a namespace's spec, as `finalize` sets them.
pub(crate) fn check_finalized(namespace: &Value) -> Vec<FieldError> {
    check_finalizers(namespace, |at, place| at.index(place))
}

fn check_finalizers(namespace: &Value, told: fn(Path, usize) -> Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (place, name) in items(&namespace["spec"], "finalizers").iter().enumerate() {
        let name = name.as_str().unwrap_or("");
        let at = told(Path::of_fields(["spec", "finalizers"]), place);
        let wrong = kube_schema::names::qualified(name);
        errors.extend(super::checks::all(&at, name, wrong));
        if !name.contains('/') && name != "kubernetes" {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid(at, name, why));
        }
    }
    errors
}

fn check_phase(namespace: &Value) -> Option<FieldError> {
    let phase = text(namespace, "/status/phase");
    let is_going = has(&namespace["metadata"], "deletionTimestamp");
    let (wanted, state) = if is_going { ("Terminating", "not ") } else { ("Active", "") };
    let why = format!("may only be '{wanted}' if `deletionTimestamp` is {state}empty");
    let at = Path::of_fields(["status", "Phase"]);
    (phase != wanted).then(|| FieldError::invalid(at, phase, why))
}

fn default_node(node: &mut Value) {
    // compat: a feature that is gone; its fields are known and never kept
    remove(below(node, "spec"), "configSource");
    remove(below(node, "status"), "config");
    let spec = below(node, "spec");
    let range = text(spec, "/podCIDR").to_owned();
    // The one range that old clients read is the first of all.
    if !range.is_empty() && text(spec, "/podCIDRs/0") != range {
        spec["podCIDRs"] = json!([range]);
    } else if range.is_empty() && !text(spec, "/podCIDRs/0").is_empty() {
        spec["podCIDR"] = spec["podCIDRs"][0].clone();
    }
    let status = below(node, "status");
    if has(status, "capacity") {
        let capacity = status["capacity"].clone();
        fill_absent(status, "allocatable", capacity);
    }
}

/// A node is not ready until its kubelet says so.
fn prepare_node(node: &mut Value) {
    let spec = below(node, "spec");
    let is_there = items(spec, "taints")
        .iter()
        .any(|taint| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule");
    if is_there {
        return;
    }
    fill_absent(spec, "taints", json!([]));
    if let Some(taints) = spec["taints"].as_array_mut() {
        taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
    }
}

fn check_node(node: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let at = Path::of_fields(["spec"]);
    let mut seen = BTreeSet::new();
    for (place, taint) in items(&node["spec"], "taints").iter().enumerate() {
        // compat: the server looks for taints below metadata
        let at = Path::of_fields(["metadata", "taints"]).index(place);
        let key = text(taint, "/key");
        errors.extend(super::checks::all(&at.field("key"), key, names(key)));
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        match text(taint, "/effect") {
            "" => errors.push(FieldError::required(at.field("effect"), "")),
            effect => errors.extend(super::checks::one_of(effect, &effects, at.field("effect"))),
        }
        if !seen.insert((key, text(taint, "/effect"))) {
            errors.push(repeated(taint, at));
        }
    }
    errors.extend(ranges(&node["spec"], &at.field("podCIDRs")));
    let Some(old) = old else { return errors };
    let (spec, old) = (&node["spec"], &old["spec"]);
    if has(old, "podCIDRs") && spec["podCIDRs"] != old["podCIDRs"] {
        let why = "node updates may not change podCIDR except from \"\" to valid";
        errors.push(FieldError::forbidden(at.field("podCIDRs"), why));
    }
    if has(old, "providerID") && spec["providerID"] != old["providerID"] {
        let why = "node updates may not change providerID except from \"\" to valid";
        errors.push(FieldError::forbidden(at.field("providerID"), why));
    }
    errors
}

/// A taint that is there twice, as the server shows its own struct.
fn repeated(taint: &Value, at: Path) -> FieldError {
    let shown = |name: &str| kube_schema::quoted(text(taint, name));
    let time = match taint.get("timeAdded").filter(|it| it.is_string()) {
        Some(time) => time.to_string(),
        None => "null".to_owned(),
    };
    let value = format!(
        "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{time}}}",
        shown("/key"),
        shown("/value"),
        shown("/effect"),
    );
    let why = "taints must be unique by key and effect pair";
    FieldError::new(ErrorKind::Duplicate, at, BadValue::Rendered(value), why)
}

/// At most one range of each family.
fn ranges(spec: &Value, at: &Path) -> Vec<FieldError> {
    let given: Vec<&str> = items(spec, "podCIDRs").iter().filter_map(Value::as_str).collect();
    let wrong = given.iter().enumerate().filter(|(_, range)| family(range).is_none());
    let why = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    let mut errors: Vec<FieldError> =
        wrong.map(|(place, range)| FieldError::invalid(at.index(place), *range, why)).collect();
    let families: BTreeSet<_> = given.iter().filter_map(|range| family(range)).collect();
    if errors.is_empty() && given.len() > families.len() {
        let why = "may specify no more than one CIDR for each IP family";
        errors.push(FieldError::invalid(at.clone(), spec["podCIDRs"].clone(), why));
    }
    errors
}

/// Whether a range is of IPv6; none if it is no range.
fn family(range: &str) -> Option<bool> {
    let (address, length) = range.split_once('/')?;
    let (address, length) = (address.parse::<IpAddr>().ok()?, length.parse::<u8>().ok()?);
    let limit = if address.is_ipv6() { 128 } else { 32 };
    (length <= limit).then_some(address.is_ipv6())
}

fn names(key: &str) -> Vec<String> {
    kube_schema::names::qualified(key)
}
