//! What the reconcile of a pod or a claim could tell apart, found without the cache.
//!
//! Invariant: two worlds that look the same here are the same to `translate`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use udn_cluster::{NadState, NadStates, WorkItem, World};
use udn_model::{Manifest, Network, NetworkName, ObjectName};
use udn_wire::object::{IpamClaim, Metadata, Pod};
use udn_wire::{NadConfig, PodNetworks, Texts, keys};

/// The networks that were built.
pub(crate) type Built = BTreeMap<NetworkName, Arc<Network>>;

/// Where all NADs of a world lead.
pub(crate) fn nad_states(world: &World, built: &Built) -> NadStates {
    let mut nad_states = NadStates::default();
    for (name, nad) in &world.nads {
        let mut all = built.values().filter(|it| it.nads.contains(name));
        let metadata = &nad.metadata;
        let is_open = !metadata.is_leaving() && metadata.annotation(keys::NETWORK_ID).is_some();
        let nad_state = match (all.next().filter(|_| is_open), NadConfig::decode(&nad.spec.config))
        {
            (Some(network), _) => {
                if network.is_primary() {
                    let first = nad_states.primary.entry(name.namespace.clone());
                    first.or_insert_with(|| name.clone());
                }
                NadState::Ready(network.clone())
            }
            (None, Ok(NadConfig::Foreign | NadConfig::DefaultNetwork)) => NadState::Foreign,
            (None, Ok(NadConfig::Network(_)) | Err(_)) => NadState::Pending,
        };
        nad_states.at.insert(name.clone(), nad_state);
    }
    for namespace in
        world.namespaces.keys().filter(|it| !nad_states.primary.contains_key(it.as_str()))
    {
        let awaited = awaited(world, namespace);
        nad_states.awaited.extend(awaited.map(|it| (namespace.as_str().into(), it)));
    }
    nad_states
}

/// Who is to be the primary network of a namespace.
fn awaited(world: &World, namespace: &str) -> Option<WorkItem> {
    let is_primary =
        |network: &Value| ["layer2", "layer3"].iter().any(|it| network[it]["role"] == "Primary");
    let is_here = |name: &ObjectName| *name.namespace == *namespace;
    let udns = world.networks.iter().filter(|(name, it)| {
        is_here(name) && is_primary(&it.spec.value()) && !it.metadata.is_leaving()
    });
    let labels = &world.namespaces[namespace].metadata.labels;
    let cudns = world.cluster_networks.iter().filter(|(_, it)| {
        let spec = it.spec.value();
        let is_coming = is_primary(&spec["network"]) && !it.metadata.is_leaving();
        is_coming && selects(&spec["namespaceSelector"], labels)
    });
    let written = world.nads.iter().filter(|(name, it)| {
        is_here(name) && it.metadata.controller().is_none() && !it.metadata.is_leaving()
    });
    let written =
        written.filter_map(|(name, it)| match NadConfig::decode(&it.spec.config).ok()? {
            NadConfig::Network(config) if config.role == "primary" => {
                let told =
                    if config.name.is_empty() { name.to_string() } else { config.name.clone() };
                Some(WorkItem::HandWritten(NetworkName::new(&told)))
            }
            NadConfig::Network(_) | NadConfig::Foreign | NadConfig::DefaultNetwork => None,
        });
    let udns = udns.map(|(name, _)| WorkItem::Network(Manifest::Udn(name.clone())));
    let cudns = cudns.map(|(name, _)| WorkItem::Network(Manifest::Cudn(name.clone())));
    udns.chain(cudns).chain(written).min()
}

/// Whether a selector, as drafts write them, is met; one that cannot be read is not.
fn selects(selector: &Value, labels: &Texts) -> bool {
    let mut exact = selector["matchLabels"].as_object().into_iter().flatten();
    let mut others = selector["matchExpressions"].as_array().into_iter().flatten();
    exact.all(|(key, value)| labels.get(key).is_some_and(|it| value == it))
        && others.all(|it| {
            let value = it["key"].as_str().and_then(|key| labels.get(key));
            let is_listed = value.is_some_and(|value| {
                it["values"].as_array().is_some_and(|all| all.iter().any(|it| it == value))
            });
            match it["operator"].as_str() {
                Some("In") => is_listed,
                Some("NotIn") => !is_listed,
                Some("Exists") => value.is_some(),
                Some("DoesNotExist") => value.is_none(),
                Some(_) | None => false,
            }
        })
}

/// A pod or a claim, and all around it that it can see.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sight {
    lines: BTreeSet<String>,
}

/// What a pod or a claim sees; `None` for work items of other kinds.
pub(crate) fn sight(world: &World, nad_states: &NadStates, item: &WorkItem) -> Option<Sight> {
    let mut lines = BTreeSet::new();
    match item {
        WorkItem::Pod(name) => {
            let pod = world.pods.get(name)?;
            lines.extend(look_at_pod(world, nad_states, name, pod));
            lines.extend(look_ahead(world, nad_states, name, pod));
            for claim in claims(name, pod) {
                lines.extend(look_at_claim(world, nad_states, &claim));
            }
        }
        WorkItem::Claim(name) => {
            let claim = world.claims.get(name)?;
            lines.extend(look_at_claim(world, nad_states, name));
            let mut open = nad_states.at.values().filter_map(|nad_state| match nad_state {
                NadState::Ready(network) => Some(network),
                NadState::Pending | NadState::Foreign => None,
            });
            let network = open.find(|it| it.name.as_str() == claim.spec.network);
            lines.extend(network.map(|it| likeness(it)));
        }
        WorkItem::Network(_)
        | WorkItem::HandWritten(_)
        | WorkItem::Node(_)
        | WorkItem::DefaultNad => return None,
    }
    Some(Sight { lines })
}

fn look_at_claim(world: &World, nad_states: &NadStates, name: &ObjectName) -> Vec<String> {
    let users = world.pods.iter().filter(|(pod_name, pod)| claims(pod_name, pod).contains(name));
    let mut lines: Vec<String> =
        users.flat_map(|(name, pod)| look_at_pod(world, nad_states, name, pod)).collect();
    let claim = world.claims.get(name).map(|IpamClaim { metadata, spec, status }| {
        format!("claim {name}: {} {spec:?} {status:?}", marks(metadata))
    });
    lines.extend(claim);
    lines
}

fn look_at_pod(world: &World, nad_states: &NadStates, name: &ObjectName, pod: &Pod) -> Vec<String> {
    let mut lines =
        vec![format!("pod {name}: {} {:?} {}", marks(&pod.metadata), pod.spec, pod.is_completed())];
    if !pod.is_on_networks() {
        return lines;
    }
    let namespace = world.namespaces.get(&*name.namespace);
    let is_labelled =
        namespace.is_some_and(|it| it.metadata.labels.contains_key(keys::PRIMARY_LABEL));
    lines.push(format!("namespace of {name}: labelled {is_labelled}"));
    let used = used(pod);
    // Who is on the main network stays there whatever becomes of it.
    let main = nad_states.primary.get(&name.namespace).filter(|it| !used.contains(*it));
    lines.extend(
        main.map(|it| format!("main network of {name}: {it} {}", nad_state(nad_states, it))),
    );
    for nad in elements(pod, keys::SELECTION).iter().filter_map(|it| named(name, it)) {
        let is_there = world.namespaces.contains_key(&*nad.namespace);
        let nad_state = nad_state(nad_states, &nad);
        lines.push(format!("{nad} for {name}: {nad_state}, in a namespace {is_there}"));
    }
    let machine = pod.metadata.controller().filter(|it| it.kind == "VirtualMachineInstance");
    let machine = machine.map(|it| ObjectName::new(&name.namespace, &it.name));
    if let Some((name, machine)) = machine.and_then(|it| world.machines.get_key_value(&it)) {
        let Metadata { uid, owner_references, .. } = &machine.metadata;
        lines.push(format!("machine {name}: {uid} {owner_references:?}"));
    }
    lines
}

/// Whom the pod itself waits for, unless it is somewhere in its namespace.
fn look_ahead(
    world: &World,
    nad_states: &NadStates,
    name: &ObjectName,
    pod: &Pod,
) -> Option<String> {
    let labels = &world.namespaces.get(&*name.namespace)?.metadata.labels;
    let is_at_home = used(pod).iter().any(|it| it.namespace == name.namespace);
    let is_waiting = labels.contains_key(keys::PRIMARY_LABEL) && pod.is_on_networks();
    let awaited = nad_states.awaited.get(&name.namespace).filter(|_| is_waiting && !is_at_home);
    awaited.map(|it| format!("{name} waits for {it}"))
}

/// The NADs that a pod has entries for.
pub(crate) fn used(pod: &Pod) -> BTreeSet<ObjectName> {
    let annotation = pod.metadata.annotation(keys::POD_NETWORKS);
    let networks = annotation.and_then(|text| PodNetworks::decode(text).ok());
    networks.iter().flat_map(PodNetworks::nads).collect()
}

fn claims(name: &ObjectName, pod: &Pod) -> BTreeSet<ObjectName> {
    if !pod.is_on_networks() {
        return BTreeSet::new();
    }
    let claim = |it: &Value| it["ipam-claim-reference"].as_str().map(ToOwned::to_owned);
    let own = |it: String| ObjectName::new(&name.namespace, &it);
    let chosen = elements(pod, keys::SELECTION);
    let chosen = chosen
        .iter()
        .filter_map(|it| Some(ObjectName::new(&named(name, it)?.namespace, &claim(it)?)));
    let main = elements(pod, keys::DEFAULT_SELECTION);
    let main = main.iter().filter_map(claim).map(own);
    let deprecated = pod.metadata.annotation(keys::PRIMARY_CLAIM).map(ToOwned::to_owned).map(own);
    chosen.chain(main).chain(deprecated).collect()
}

fn named(pod: &ObjectName, element: &Value) -> Option<ObjectName> {
    let namespace = element["namespace"].as_str().unwrap_or(&pod.namespace);
    Some(ObjectName::new(namespace, element["name"].as_str()?))
}

/// The elements of a selection, as drafts write them.
fn elements(pod: &Pod, key: &str) -> Vec<Value> {
    let Some(text) = pod.metadata.annotation(key) else { return Vec::new() };
    if text.starts_with(['[', '{']) {
        return match serde_json::from_str(text) {
            Ok(Value::Array(all)) => all,
            Ok(one) => vec![one],
            Err(_) => Vec::new(),
        };
    }
    let element = |text: &str| match text.trim().split_once('/') {
        Some((namespace, name)) => serde_json::json!({"name": name, "namespace": namespace}),
        None => serde_json::json!({"name": text.trim()}),
    };
    text.split(',').map(element).collect()
}

fn nad_state(nad_states: &NadStates, name: &ObjectName) -> String {
    match nad_states.at.get(name) {
        Some(NadState::Ready(network)) => {
            format!("open to {}, main {}", likeness(network), nad_states.is_primary(name))
        }
        Some(NadState::Pending) => "shut".to_owned(),
        Some(NadState::Foreign) => "elsewhere".to_owned(),
        None => "not there".to_owned(),
    }
}

/// A network, but for where it is.
fn likeness(network: &Network) -> String {
    format!("{:?}", Network { nads: Vec::new(), ..network.clone() })
}

fn marks(metadata: &Metadata) -> String {
    let Metadata { uid, creation_timestamp, owner_references, annotations, .. } = metadata;
    let is_leaving = metadata.is_leaving();
    let annotations: Vec<_> = annotations.iter().filter(|(key, _)| *key != "other").collect();
    format!("{uid} {creation_timestamp} {owner_references:?} {is_leaving} {annotations:?}")
}
