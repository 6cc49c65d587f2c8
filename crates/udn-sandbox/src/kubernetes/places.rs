//! Where the pods of a real node are: the network namespaces that containerd made for them.
//!
//! Reads what containerd tells; returns ways into them from outside of the node.
//! Invariant: a pod whose sandbox was exchanged is found in the one that is there.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::{Deserializer, Value};
use udn_lab::namespaces::Entrance;
use udn_lab::real_cluster::RealNode;
use udn_lab::run::run;
use udn_model::ObjectName;

use super::error::KubernetesError;

#[cfg(test)]
mod tests;

/// Prints what containerd knows of every sandbox, one JSON object after the other.
const SANDBOXES: &str = "\
for id in $(ctr --namespace k8s.io containers list --quiet \
'labels.\"io.cri-containerd.kind\"==sandbox'); do \
ctr --namespace k8s.io containers info \"$id\" || true; done";

/// The ways into the pods of a node.
pub(super) fn pods(node: &RealNode) -> Result<BTreeMap<ObjectName, Entrance>, KubernetesError> {
    let name = || node.name().to_owned();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SANDBOXES]);
    let told = run(&mut node.enter(&command));
    let told = told.map_err(|source| KubernetesError::Places { node: name(), source })?;
    let sandboxes: Result<Vec<Value>, _> = Deserializer::from_str(&told).into_iter().collect();
    let sandboxes =
        sandboxes.map_err(|source| KubernetesError::Unreadable { node: name(), source })?;
    let root = node.root();
    let found = sandboxes.iter().filter_map(place);
    let paths = found.map(|(pod, path)| (pod, root.join(below_root(path))));
    let there = paths.filter(|(_, path)| path.exists());
    Ok(there.map(|(pod, path)| (pod, Entrance::at(&path))).collect())
}

/// A path of the node, as it goes on below the node's root.
///
/// `/var/run` is a link that says `/run`, which from outside would be ours.
fn below_root(path: &str) -> &str {
    path.strip_prefix("/var")
        .filter(|it| it.starts_with("/run/"))
        .unwrap_or(path)
        .trim_start_matches('/')
}

/// The pod of a sandbox, and the file of its network namespace on the node; none on the host's own.
fn place(sandbox: &Value) -> Option<(ObjectName, &str)> {
    let label = |key: &str| sandbox["Labels"][key].as_str();
    let name = label("io.kubernetes.pod.name")?;
    let pod = ObjectName::new(label("io.kubernetes.pod.namespace")?, name);
    let mut namespaces = sandbox["Spec"]["linux"]["namespaces"].as_array()?.iter();
    let network = namespaces.find(|it| it["type"] == "network")?;
    Some((pod, network["path"].as_str()?))
}
