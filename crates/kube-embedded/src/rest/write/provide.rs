//! What admission gives a new pod: its account, its account's token, its priority.
//!
//! Reads accounts and priority classes; changes the pod, or refuses it.
//! Invariant: what a pod says itself is kept or refused, never changed.

use serde_json::{Value, json};

use crate::builtin;
use crate::core::Core;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::Key;

const CLASSES: &str = "priorityclasses.scheduling.k8s.io";
const PREEMPTION: &str = "PreemptLowerPriority";

/// Gives a new object of any kind what admission gives it.
pub(super) fn provide(
    core: &Core,
    kind: &Kind,
    namespace: &str,
    object: &mut Value,
) -> Result<(), Refusal> {
    if !kind.group.is_empty() || kind.plural != "pods" {
        return Ok(());
    }
    account(core, namespace, object)?;
    priority(core, object)
}

fn account(core: &Core, namespace: &str, pod: &mut Value) -> Result<(), Refusal> {
    if pod["metadata"]["annotations"]["kubernetes.io/config.mirror"].is_string() {
        return Ok(());
    }
    let given = pod["spec"]["serviceAccountName"].as_str().filter(|it| !it.is_empty());
    let name = given.unwrap_or("default").to_owned();
    let Some(account) = core.store.find(&Key::new("serviceaccounts", namespace, &name)) else {
        let why = format!(
            "error looking up service account {namespace}/{name}: serviceaccount {name:?} not found"
        );
        return Err(forbidden(pod, &why));
    };
    pod["spec"]["serviceAccountName"] = Value::from(name.as_str());
    pod["spec"]["serviceAccount"] = Value::from(name);
    builtin::take_account(pod, &account.object(), &core.new_suffix());
    Ok(())
}

/// What a priority class gives.
struct Class {
    name: String,
    value: i64,
    preemption: String,
}

fn priority(core: &Core, pod: &mut Value) -> Result<(), Refusal> {
    let wanted = pod["spec"]["priorityClassName"].as_str().unwrap_or("").to_owned();
    let class = match wanted.as_str() {
        "" => usual_class(core),
        name => class(core, name).ok_or_else(|| {
            forbidden(pod, &format!("no PriorityClass with name {name} was found"))
        })?,
    };
    if !class.name.is_empty() {
        pod["spec"]["priorityClassName"] = Value::from(class.name);
    }
    let spec = &pod["spec"];
    let given = spec["priority"].as_i64().filter(|given| *given != class.value);
    if let Some(given) = given {
        let why = format!(
            "the integer value of priority ({given}) must not be provided in pod spec; priority \
             admission controller computed {} from the given PriorityClass name",
            class.value
        );
        return Err(forbidden(pod, &why));
    }
    let given = spec["preemptionPolicy"].as_str().filter(|given| *given != class.preemption);
    if let Some(given) = given {
        let why = format!(
            "the string value of PreemptionPolicy ({given}) must not be provided in pod spec; \
             priority admission controller computed {} from the given PriorityClass name",
            class.preemption
        );
        return Err(forbidden(pod, &why));
    }
    pod["spec"]["priority"] = Value::from(class.value);
    pod["spec"]["preemptionPolicy"] = Value::from(class.preemption);
    Ok(())
}

fn class(core: &Core, name: &str) -> Option<Class> {
    if let Some(stored) = core.store.find(&Key::new(CLASSES, "", name)) {
        return Some(read(&stored.object()));
    }
    let value = match name {
        "system-node-critical" => 2_000_001_000,
        "system-cluster-critical" => 2_000_000_000,
        _ => return None,
    };
    Some(Class { name: name.to_owned(), value, preemption: PREEMPTION.to_owned() })
}

/// The class of pods that name none: of those meant for all, the one of the lowest value.
fn usual_class(core: &Core) -> Class {
    let classes = core.store.list(CLASSES, None).objects;
    let classes = classes.iter().map(|it| it.object()).filter(|it| it["globalDefault"] == true);
    classes.map(|it| read(&it)).min_by_key(|it| it.value).unwrap_or_else(|| Class {
        name: String::new(),
        value: 0,
        preemption: PREEMPTION.to_owned(),
    })
}

fn read(class: &Value) -> Class {
    Class {
        name: class["metadata"]["name"].as_str().unwrap_or("").to_owned(),
        value: class["value"].as_i64().unwrap_or(0),
        preemption: class["preemptionPolicy"].as_str().unwrap_or(PREEMPTION).to_owned(),
    }
}

fn forbidden(pod: &Value, why: &str) -> Refusal {
    let name = pod["metadata"]["name"].as_str().unwrap_or("");
    Refusal::new(403, "Forbidden", format!("pods {name:?} is forbidden: {why}"))
        .with_details(json!({"name": name, "kind": "pods"}))
}
