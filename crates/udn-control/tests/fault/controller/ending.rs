//! How the world is at the end of a story, without what may differ; and whether numbers were kept.
//!
//! Invariant: two endings are equal exactly if nothing but free numbers, uids and times differs.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use udn_wire::Kind;
use udn_wire::keys::{
    CLAIM_MAC, FINALIZER, NETWORK_ID, NETWORK_NAME, NODE_ID, NODE_SUBNETS, POD_NETWORKS,
    TUNNEL_KEYS, cudn_network, udn_network,
};

use super::{holders, node_holders};
use crate::kit::server::Site;

/// The first tunnel key that goes with a network id.
const FIRST_KEY: u64 = 16_711_683;

/// On an object whose numbers a user changed by hand; the audit looks at what the controller makes of it.
pub(crate) const MEDDLED: &str = "meddled";

/// Everything that the controller wrote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ending(pub(crate) Vec<Value>);

impl Ending {
    pub(crate) async fn of(site: &Site) -> Self {
        let mut all = Vec::new();
        for kind in [
            Kind::Namespace,
            Kind::Node,
            Kind::UserDefinedNetwork,
            Kind::ClusterUserDefinedNetwork,
            Kind::Nad,
            Kind::Pod,
            Kind::Claim,
        ] {
            all.extend(site.all(kind).await.into_iter().map(plain));
        }
        Self(all)
    }

    /// Where the two differ.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let only = |left: &Self, right: &Self, mark: &str| {
            let lone = left.0.iter().filter(|it| !right.0.contains(it));
            lone.map(|it| format!("{mark} {it}\n")).collect::<String>()
        };
        only(self, other, "undisturbed") + &only(other, self, "disturbed  ")
    }

    /// Objects that are being deleted and cannot go, and nodes that have subnets of networks that are
    /// gone.
    pub(crate) fn leftovers(&self) -> Vec<&Value> {
        let names = self.0.iter().map(|it| &it["metadata"]["annotations"][NETWORK_NAME]);
        let names: Vec<&str> = names.filter_map(Value::as_str).chain(["default"]).collect();
        let is_left = |it: &&Value| {
            let metadata = &it["metadata"];
            let subnets = metadata["annotations"][NODE_SUBNETS].as_object();
            let mut networks = subnets.into_iter().flat_map(|it| it.keys());
            metadata.get("deletionTimestamp").is_some()
                || networks.any(|it| !names.contains(&it.as_str()))
        };
        self.0.iter().filter(is_left).collect()
    }
}

/// An object without what may differ.
fn plain(mut object: Value) -> Value {
    // Whether a pod was served before it ended is its own hurry.
    let has_ended = object["status"]["phase"] == "Succeeded";
    let metadata = object["metadata"].as_object_mut().expect("every object has metadata");
    for key in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
        metadata.remove(key);
    }
    if let Some(time) = metadata.get_mut("deletionTimestamp") {
        *time = json!("set");
    }
    for owner in
        metadata.get_mut("ownerReferences").and_then(Value::as_array_mut).into_iter().flatten()
    {
        owner["uid"] = json!("set");
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        for key in [NETWORK_ID, NODE_ID, "k8s.ovn.org/node-transit-switch-port-ifaddr"] {
            if annotations.contains_key(key) {
                annotations[key] = json!("set");
            }
        }
        if let Some(keys) = annotations.get_mut(TUNNEL_KEYS) {
            let count = keys.as_str().and_then(|it| serde_json::from_str::<Vec<u64>>(it).ok());
            *keys = json!(count.map(|it| it.len()));
        }
        if annotations.contains_key(CLAIM_MAC) {
            annotations[CLAIM_MAC] = json!("set");
        }
        if let Some(subnets) = annotations.get_mut(NODE_SUBNETS) {
            *subnets = plain_subnets(subnets.as_str().unwrap_or_default());
        }
        if has_ended {
            annotations.remove(POD_NETWORKS);
        } else if let Some(networks) = annotations.get_mut(POD_NETWORKS) {
            *networks = plain_networks(networks.as_str().unwrap_or_default());
        }
    }
    if object["metadata"]["annotations"] == json!({})
        && let Some(metadata) = object["metadata"].as_object_mut()
    {
        metadata.remove("annotations");
    }
    if object["spec"].get("containers").is_some() {
        // The server names volumes at random, and the controller writes nothing here.
        object["spec"] = json!({ "nodeName": object["spec"]["nodeName"] });
    }
    if let Some(status) = object.get_mut("status").and_then(Value::as_object_mut) {
        if status.contains_key("networkID") {
            status.insert("networkID".to_owned(), json!("set"));
        }
        if let Some(keys) = status.get_mut("tunnelKeys") {
            *keys = json!(keys.as_array().map(Vec::len));
        }
        if let Some(ips) = status.get_mut("ips") {
            *ips = json!(ips.as_array().map(Vec::len));
        }
        for condition in
            status.get_mut("conditions").and_then(Value::as_array_mut).into_iter().flatten()
        {
            condition["lastTransitionTime"] = json!("set");
        }
    }
    object
}

/// What a pod has on its networks, without the numbers.
fn plain_networks(text: &str) -> Value {
    let mut networks: Value = serde_json::from_str(text).unwrap_or_default();
    for entry in networks.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        entry["ip_addresses"] = json!(entry["ip_addresses"].as_array().map(Vec::len));
        for key in ["ip_address", "mac_address", "tunnel_id"] {
            if entry.get(key).is_some() {
                entry[key] = json!("set");
            }
        }
    }
    networks
}

/// How many subnets a node has of each network.
fn plain_subnets(text: &str) -> Value {
    let mut networks: Value = serde_json::from_str(text).unwrap_or_default();
    for entry in networks.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
        *entry = json!(entry.as_array().map(Vec::len));
    }
    networks
}

/// What a NAD carries.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbers {
    network: String,
    id: String,
    keys: Vec<u64>,
}

/// Looks at every state that any object ever had: a number never changes, is never used twice, and
/// no status tells one that no NAD carried before.
pub(crate) async fn audit(site: &Site, start: u64) -> Result<(), String> {
    let carried = audit_nads(site, start).await?;
    audit_statuses(site, start, &carried).await?;
    node_holders::audit(site, start).await?;
    holders::audit(site, start).await
}

/// When each network's NADs first carried an id.
type Carried = BTreeMap<(String, String), u64>;

/// A number that a status tells was on a NAD before, and stays as long as the object.
async fn audit_statuses(site: &Site, start: u64, carried: &Carried) -> Result<(), String> {
    let mut told: BTreeMap<String, String> = BTreeMap::new();
    let mut states = site.history(Kind::ClusterUserDefinedNetwork, start).await;
    states.extend(site.history(Kind::UserDefinedNetwork, start).await);
    for (_, object) in states {
        let Some(id) = object["status"]["networkID"].as_u64().map(|it| it.to_string()) else {
            continue;
        };
        let text = |key: &str| object["metadata"][key].as_str().unwrap_or_default().to_owned();
        let network = match text("namespace").as_str() {
            "" => cudn_network(&text("name")),
            namespace => udn_network(namespace, &text("name")),
        };
        let first = carried.get(&(network.clone(), id.clone()));
        if first.is_none_or(|first| *first > version(&object)) {
            return Err(format!("{network}: the status told id {id} before any NAD carried it"));
        }
        let before = told.entry(text("uid")).or_insert_with(|| id.clone());
        if *before != id {
            return Err(format!("{network}: the id was {before} and is {id}"));
        }
    }
    Ok(())
}

pub(super) fn version(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.and_then(|it| it.parse().ok()).expect("versions are numbers")
}

async fn audit_nads(site: &Site, start: u64) -> Result<Carried, String> {
    let mut standing: BTreeMap<String, Numbers> = BTreeMap::new();
    let mut carried = Carried::new();
    for (kind, object) in site.history(Kind::Nad, start).await {
        let metadata = &object["metadata"];
        let place = format!("{}/{}", metadata["namespace"], metadata["name"]);
        if kind == "DELETED" {
            standing.remove(&place);
            continue;
        }
        let text = |key: &str| metadata["annotations"][key].as_str().map(str::to_owned);
        let (Some(network), Some(id)) = (text(NETWORK_NAME), text(NETWORK_ID)) else { continue };
        let keys = text(TUNNEL_KEYS).unwrap_or_default();
        let keys: Vec<u64> = serde_json::from_str(&keys).unwrap_or_default();
        carried.entry((network.clone(), id.clone())).or_insert_with(|| version(&object));
        if text(MEDDLED).is_some() {
            continue;
        }
        let is_ours =
            metadata["finalizers"].as_array().is_some_and(|it| it.contains(&json!(FINALIZER)));
        let numbers = Numbers { network, id, keys };
        if is_ours {
            compare(&standing, &place, &numbers)?;
        }
        standing.insert(place, numbers);
    }
    Ok(carried)
}

fn compare(
    standing: &BTreeMap<String, Numbers>,
    place: &str,
    numbers: &Numbers,
) -> Result<(), String> {
    if let Some(first) = numbers.keys.first()
        && Ok(first.wrapping_sub(FIRST_KEY)) != numbers.id.parse()
    {
        return Err(format!("{place}: the first key does not go with the id: {numbers:?}"));
    }
    for (other, theirs) in standing {
        let is_same = theirs.network == numbers.network;
        if is_same && theirs != numbers {
            return Err(format!("{place} {numbers:?} differs from {other} {theirs:?}"));
        }
        let shares_key = theirs.keys.iter().any(|key| numbers.keys.contains(key));
        if !is_same && (theirs.id == numbers.id || shares_key) {
            return Err(format!("{place} {numbers:?} has a number of {other} {theirs:?}"));
        }
    }
    Ok(())
}
