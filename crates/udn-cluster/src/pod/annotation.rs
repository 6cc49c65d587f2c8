//! Entries of pods: what each attachment was granted, with the routes that go with it.
//!
//! Reads intent and grants; returns the write that adds what a pod's annotation lacks. The cluster
//! controller and the zone controllers write the same annotation, each its own entries.
//! Invariant: entries of other networks stay as they are, byte by byte; a write changes only a text
//! that is still as it was seen.

use serde_json::{Value, json};
use udn_model::{ClusterSettings, Grants, Intent, ObjectName};
use udn_wire::Target;
use udn_wire::keys::POD_NETWORKS;
use udn_wire::object::Pod;
use udn_wire::pod_networks::{PodNetwork, PodNetworks};

use crate::write::{Act, Write};
use routing::Routing;

mod routing;
#[cfg(test)]
mod tests;

type Entries = Vec<(String, PodNetwork)>;

/// Writes all that a pod was granted into its annotation; `None` where it stands.
pub fn annotation_write(
    name: &ObjectName,
    pod: &Pod,
    (intent, grants): (&Intent, &Grants),
    settings: &ClusterSettings,
) -> Option<Write> {
    let standing = pod.metadata.annotation(POD_NETWORKS);
    let text = merge(standing, &entries(name, (intent, grants), settings))?;
    let act = Act::TestedPatch(patch(pod, standing, &text));
    Some(Write { target: Target::pod(name), act })
}

fn entries(
    name: &ObjectName,
    (intent, grants): (&Intent, &Grants),
    settings: &ClusterSettings,
) -> Entries {
    let mut entries = Entries::new();
    for (network, granted) in &grants.attachments {
        let Some(network) = intent.networks.get(network) else { continue };
        for (key, grant) in granted.iter().filter(|(key, _)| key.pod == *name) {
            let Some(attachment) = intent.attachment(&network.name, key) else { continue };
            let routing = Routing::of(network, attachment, (intent, grants), settings);
            entries.push((key.nad_key(), routing.entry(grant)));
        }
    }
    entries
}

/// The annotation with these entries, if that makes it another.
fn merge(standing: Option<&str>, entries: &Entries) -> Option<String> {
    // A text that cannot be read was found by translate, and is not ours to lose.
    let mut networks = standing.map(PodNetworks::decode).transpose().ok()?.unwrap_or_default();
    let is_new = |(key, entry): &&(String, PodNetwork)| {
        let standing = networks.entry(key);
        standing.is_ok_and(|standing| standing.as_ref().is_none_or(|it| may_replace(it, entry)))
    };
    let new: Entries = entries.iter().filter(is_new).cloned().collect();
    if new.is_empty() {
        return None;
    }
    new.iter().for_each(|(key, entry)| networks.put(key, entry));
    Some(networks.encode())
}

/// Whether an entry is another, and leaves the addresses alone that a pod may have taken already.
// compat: pkg/util/pod_annotation.go, ErrOverridePodIPs
fn may_replace(standing: &PodNetwork, entry: &PodNetwork) -> bool {
    let keeps_addresses = standing.addresses.is_empty() || standing.addresses == entry.addresses;
    standing != entry && keeps_addresses
}

/// Writes the annotation, if the pod is the one that was seen and nobody wrote it since.
// compat: a test for null holds where there is no such field, in kube-apiserver too
fn patch(pod: &Pod, standing: Option<&str>, text: &str) -> Value {
    let uid = json!({"op": "test", "path": "/metadata/uid", "value": pod.metadata.uid});
    if pod.metadata.annotations.is_empty() {
        let path = "/metadata/annotations";
        return json!([
            uid,
            {"op": "test", "path": path, "value": null},
            {"op": "add", "path": path, "value": {POD_NETWORKS: text}},
        ]);
    }
    let path = format!("/metadata/annotations/{}", POD_NETWORKS.replace('/', "~1"));
    let verb = if standing.is_some() { "replace" } else { "add" };
    json!([
        uid,
        {"op": "test", "path": path, "value": standing},
        {"op": verb, "path": path, "value": text},
    ])
}
