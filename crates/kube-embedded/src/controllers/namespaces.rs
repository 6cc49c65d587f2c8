//! Namespaces: what a new one gets, and how an old one empties.
//!
//! Invariant: a namespace goes only when nothing is left in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::owners;
use crate::auth;
use crate::core::Core;
use crate::lifecycle::{self, DeleteOptions, Propagation, set_condition};
use crate::refusal::Refusal;
use crate::rest;
use crate::store::Key;

/// What the map of root certificates says of itself.
const DESCRIPTION: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when \
    using internal endpoints such as the internal service IP or kubernetes.default.svc. No other \
    usage is guaranteed across distributions of Kubernetes clusters.";

/// Looks after one namespace.
pub(super) async fn reconcile(core: &Arc<Core>, name: &str) -> Result<(), Refusal> {
    let Some(stored) = core.store.find(&Key::new("namespaces", "", name)) else {
        return Ok(());
    };
    match stored.facts.is_terminating {
        true => empty(core, name).await,
        false => populate(core, name).await,
    }
}

/// Makes a namespace unless it is there.
pub(super) async fn make(core: &Arc<Core>, name: &str) -> Result<(), Refusal> {
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}});
    put(core, "namespaces", namespace).await
}

/// Makes the roles that every cluster has.
pub(super) async fn make_roles(core: &Arc<Core>) -> Result<(), Refusal> {
    let served = core.served();
    for role in auth::bootstrap() {
        let text = |name: &str| role[name].as_str().unwrap_or("").to_owned();
        if let Some(kind) = served.named(&text("apiVersion"), &text("kind")) {
            put(core, &kind.storage(), role).await?;
        }
    }
    Ok(())
}

/// Makes the classes that parts of a cluster have.
pub(super) async fn make_priorities(core: &Arc<Core>) -> Result<(), Refusal> {
    const CLASSES: [(&str, u32, &str); 2] = [
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to \
             another node if necessary.",
        ),
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
    ];
    for (name, value, description) in CLASSES {
        let class = json!({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": {"name": name, "generation": 1}, "value": value,
            "description": description, "preemptionPolicy": "PreemptLowerPriority"});
        put(core, "priorityclasses.scheduling.k8s.io", class).await?;
    }
    Ok(())
}

/// Gives a namespace what every namespace has.
async fn populate(core: &Arc<Core>, namespace: &str) -> Result<(), Refusal> {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata":
        {"name": "default", "namespace": namespace}});
    put(core, "serviceaccounts", account).await?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "kube-root-ca.crt", "namespace": namespace,
            "annotations": {"kubernetes.io/description": DESCRIPTION}},
        "data": {"ca.crt": core.authority().pem()}});
    put(core, "configmaps", map).await
}

async fn put(core: &Arc<Core>, resource: &str, mut object: Value) -> Result<(), Refusal> {
    let metadata = &object["metadata"];
    let text = |name: &str| metadata[name].as_str().unwrap_or("").to_owned();
    let key = Key::new(resource, &text("namespace"), &text("name"));
    let served = core.served();
    let Some(kind) = served.stored_as(resource).filter(|_| core.store.find(&key).is_none()) else {
        return Ok(());
    };
    object["metadata"]["uid"] = Value::from(core.new_uid());
    object["metadata"]["creationTimestamp"] = Value::from(core.now_text());
    rest::insert(core, kind, key, object).await.map(drop)
}

/// Deletes what is in a namespace, and lets it go when that is done.
async fn empty(core: &Arc<Core>, namespace: &str) -> Result<(), Refusal> {
    let options =
        DeleteOptions { propagation: Some(Propagation::Background), ..DeleteOptions::default() };
    let served = core.served();
    for resource in core.store.resources_in(namespace) {
        let Some(kind) = served.stored_as(&resource) else {
            continue;
        };
        for stored in core.store.list(&resource, Some(namespace)).objects {
            if stored.facts.is_terminating {
                continue;
            }
            let key = Key { resource: resource.clone(), place: stored.place.clone() };
            owners::ignore_missing(rest::end(core, kind, &key, &options).await.map(drop))?;
        }
    }
    let left = Left::of(core, namespace);
    let key = Key::new("namespaces", "", namespace);
    let now = core.now_text();
    owners::change(core, &key, |object| {
        left.tell(object, &now);
        if left.is_empty() {
            let_go(object);
        }
    })
    .await
}

/// Takes the finalizer away that stands for what is in the namespace.
fn let_go(namespace: &mut Value) {
    let Some(spec) = namespace["spec"].as_object_mut() else { return };
    if let Some(list) = spec.get_mut("finalizers").and_then(Value::as_array_mut) {
        list.retain(|it| it != "kubernetes");
        if list.is_empty() {
            spec.remove("finalizers");
        }
    }
}

/// What keeps a namespace.
#[derive(Debug, Default)]
struct Left {
    /// How many objects of each resource.
    resources: BTreeMap<String, usize>,
    finalizers: BTreeMap<String, usize>,
}

impl Left {
    fn of(core: &Core, namespace: &str) -> Self {
        let mut left = Self::default();
        let served = core.served();
        for resource in core.store.resources_in(namespace) {
            let Some(kind) = served.stored_as(&resource) else {
                continue;
            };
            let objects = core.store.list(&resource, Some(namespace)).objects;
            // compat: namespaced_resources_deleter.go joins resource and group with a dot, always
            left.resources.insert(format!("{}.{}", kind.plural, kind.group), objects.len());
            for finalizer in objects.iter().flat_map(|it| lifecycle::finalizers(&it.object())) {
                *left.finalizers.entry(finalizer).or_default() += 1;
            }
        }
        left
    }

    fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// Says in the namespace's conditions what it waits for.
    fn tell(&self, namespace: &mut Value, now: &str) {
        let found = [
            "NamespaceDeletionDiscoveryFailure",
            "False",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ];
        let parsed = [
            "NamespaceDeletionGroupVersionParsingFailure",
            "False",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ];
        let deleted = [
            "NamespaceDeletionContentFailure",
            "False",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ];
        for condition in [found, parsed, deleted] {
            set_condition(namespace, condition, now);
        }
        let kind = "NamespaceContentRemaining";
        let text = joined(&self.resources, "has");
        match self.resources.is_empty() {
            true => {
                let why = "All content successfully removed";
                set_condition(namespace, [kind, "False", "ContentRemoved", why], now);
            }
            false => {
                let text = format!("Some resources are remaining: {text}");
                set_condition(namespace, [kind, "True", "SomeResourcesRemain", &text], now);
            }
        }
        let kind = "NamespaceFinalizersRemaining";
        let text = joined(&self.finalizers, "in");
        match self.finalizers.is_empty() {
            true => {
                let why = "All content-preserving finalizers finished";
                set_condition(namespace, [kind, "False", "ContentHasNoFinalizers", why], now);
            }
            false => {
                let text =
                    format!("Some content in the namespace has finalizers remaining: {text}");
                set_condition(namespace, [kind, "True", "SomeFinalizersRemain", &text], now);
            }
        }
    }
}

fn joined(counts: &BTreeMap<String, usize>, word: &str) -> String {
    let counts = counts.iter().map(|(it, count)| format!("{it} {word} {count} resource instances"));
    counts.collect::<Vec<_>>().join(", ")
}
