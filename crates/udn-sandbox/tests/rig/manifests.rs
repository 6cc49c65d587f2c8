//! Manifests for tests: the example's directory, whole or in part, and documents made of few words.
//!
//! Invariant: what is left out of a copy is left out by whole documents.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// The example that comes with the product.
pub(crate) fn first_light() -> PathBuf {
    example("first-light")
}

/// A folder of examples.
pub(crate) fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// A copy of the example without one namespace, its network and its pods.
pub(crate) fn first_light_without(namespace: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut left_out = 0;
    for entry in fs::read_dir(first_light()).expect("the example is there") {
        let entry = entry.expect("the example can be listed");
        let text = fs::read_to_string(entry.path()).expect("the example can be read");
        let all: Vec<&str> = text.split("\n---\n").collect();
        let is_of = |document: &&&str| {
            let mut lines = document.lines().map(str::trim);
            lines.any(|it| {
                it == format!("name: {namespace}") || it == format!("namespace: {namespace}")
            })
        };
        left_out += all.iter().filter(is_of).count();
        let kept: Vec<&str> = all.iter().filter(|it| !is_of(it)).copied().collect();
        let path = folder.path().join(entry.file_name());
        fs::write(path, kept.join("\n---\n")).expect("a file can be written");
    }
    assert!(left_out >= 3, "{namespace} has only {left_out} documents");
    folder
}

/// A directory with one file of manifests.
pub(crate) fn folder_of(text: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("all.yaml"), text).expect("a file can be written");
    folder
}

/// Nodes called `node-1` and so on.
pub(crate) fn nodes(count: usize) -> String {
    let node = |number| {
        document(&format!("apiVersion: v1\nkind: Node\nmetadata: {{name: node-{number}}}"))
    };
    (1..=count).map(node).collect()
}

/// A namespace, whose pods have a main network of their own if it is said to be `primary`.
pub(crate) fn namespace(name: &str, is_primary: bool) -> String {
    namespace_of(name, name, is_primary)
}

/// The same for a namespace of some tenant.
pub(crate) fn namespace_of(tenant: &str, name: &str, is_primary: bool) -> String {
    let mut labels = format!("tenant: {tenant}");
    if is_primary {
        labels += ", k8s.ovn.org/primary-user-defined-network: \"\"";
    }
    document(&format!(
        "apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{{labels}}}}}"
    ))
}

/// A primary layer-2 network with its namespace, of the same name.
pub(crate) fn tenant(name: &str, subnets: &str) -> String {
    let spec = format!("{{topology: Layer2, layer2: {{role: Primary, subnets: [{subnets}]}}}}");
    namespace(name, true) + &cluster_network(name, &spec)
}

/// A layer-3 network's spec: its role, and ranges with the length of a node's part.
pub(crate) fn layer3(role: &str, subnets: &[(&str, u8)]) -> String {
    let entry = |(cidr, length): &(&str, u8)| format!("{{cidr: \"{cidr}\", hostSubnet: {length}}}");
    let subnets: Vec<String> = subnets.iter().map(entry).collect();
    format!("{{topology: Layer3, layer3: {{role: {role}, subnets: [{}]}}}}", subnets.join(", "))
}

/// A cluster network for the namespaces of a tenant of the same name.
pub(crate) fn cluster_network(name: &str, network: &str) -> String {
    cluster_network_for(name, name, network)
}

/// A cluster network for the namespace of some tenant.
pub(crate) fn cluster_network_for(tenant: &str, name: &str, network: &str) -> String {
    document(&format!(
        "apiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwork\n\
         metadata: {{name: {name}}}\n\
         spec:\n  namespaceSelector: {{matchLabels: {{tenant: {tenant}}}}}\n  network: {network}"
    ))
}

/// A pod of `namespace/name` that is on its main network, or on `networks` besides.
pub(crate) fn pod(name: &str, node: &str, networks: Option<&str>) -> String {
    annotated_pod(name, node, networks.map(|it| ("k8s.v1.cni.cncf.io/networks", it)))
}

/// A pod that asks for addresses on its main network.
pub(crate) fn asking_pod(name: &str, node: &str, ips: &[&str]) -> String {
    let ips = ips.join("\", \"");
    let asks = format!(
        "'{{\"name\": \"default\", \"namespace\": \"ovn-kubernetes\", \"ips\": [\"{ips}\"]}}'"
    );
    annotated_pod(name, node, Some(("v1.multus-cni.io/default-network", &asks)))
}

/// A pod with an annotation.
pub(crate) fn annotated_pod(name: &str, node: &str, annotation: Option<(&str, &str)>) -> String {
    let (namespace, name) = name.split_once('/').expect("namespace and name");
    let mut text =
        format!("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: {namespace}\n");
    if let Some((key, value)) = annotation {
        let _ = writeln!(text, "  annotations:\n    {key}: {value}");
    }
    let _ = write!(text, "spec:\n  nodeName: {node}\n  containers: [{{name: main, image: any}}]");
    document(&text)
}

/// A NAD as people write it by hand.
pub(crate) fn nad(name: &str, config: &str) -> String {
    let (namespace, name) = name.split_once('/').expect("namespace and name");
    document(&format!(
        "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\n\
         metadata: {{name: {name}, namespace: {namespace}}}\n\
         spec:\n  config: '{config}'"
    ))
}

fn document(text: &str) -> String {
    format!("{text}\n---\n")
}
