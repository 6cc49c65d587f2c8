//! Where sandboxes are, as containerd tells of them.

use serde_json::{Value, json};

use super::{below_root, place};

fn check(namespaces: &Value, want: Option<(&str, &str)>) {
    let labels = json!({ "io.kubernetes.pod.namespace": "office", "io.kubernetes.pod.name": "a" });
    let sandbox = json!({ "Labels": labels, "Spec": { "linux": { "namespaces": namespaces } } });
    let found = place(&sandbox).map(|(pod, path)| (pod.to_string(), path));
    let found = found.as_ref().map(|(pod, path)| (pod.as_str(), *path));
    assert_eq!(found, want);
}

#[test]
fn a_sandbox_is_where_its_network_namespace_is() {
    let network = json!({ "type": "network", "path": "/var/run/netns/cni-1" });
    check(&json!([{ "type": "pid" }, network]), Some(("office/a", "/var/run/netns/cni-1")));
    // On the host's own network.
    check(&json!([{ "type": "pid" }]), None);
    check(&json!(null), None);
    assert_eq!(place(&json!({ "ID": "1" })), None);
}

#[test]
fn a_path_of_the_node_never_leads_to_ours() {
    let check = |path, want| assert_eq!(below_root(path), want);
    check("/var/run/netns/cni-1", "run/netns/cni-1");
    check("/run/netns/cni-1", "run/netns/cni-1");
    check("/var/running", "var/running");
}
