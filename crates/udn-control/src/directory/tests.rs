//! What a directory keeps, and what it forgets.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use udn_cluster::{Change, Publication};
use udn_model::{ClusterSettings, NodeName, ObjectName};
use udn_wire::{Kind, Target};

use super::Directory;
use crate::cluster::{self, ClusterController};
use crate::registry::Registry;

const NODE: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n";

struct Case {
    folder: TempDir,
    directory: Directory,
}

impl Case {
    fn new(manifests: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let written = folder.path().join("manifests");
        fs::create_dir(&written).unwrap();
        for (name, text) in manifests {
            fs::write(written.join(name), text).unwrap();
        }
        let directory = Directory::new(&written).with_state(folder.path().join("state"));
        Self { folder, directory }
    }

    fn annotation(&self, key: &str) -> Option<String> {
        let world = self.directory.read().unwrap().world;
        let node = world.nodes.get(&NodeName::new("node-1"))?;
        node.metadata.annotation(key).map(str::to_owned)
    }

    fn state(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("state")) else { return Vec::new() };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

fn annotate(pairs: &[(&str, Option<&str>)]) -> Publication {
    let own = |text: &&str| (*text).to_owned();
    let annotations: BTreeMap<_, _> =
        pairs.iter().map(|(key, text)| (own(key), text.as_ref().map(own))).collect();
    let target = Target::node(&NodeName::new("node-1"));
    Publication { target, change: Change::Annotate(annotations) }
}

#[tokio::test]
async fn writers_of_one_object_do_not_overwrite_each_other() {
    let case = Case::new(&[("node.yaml", NODE)]);
    case.directory.publish(&[annotate(&[("a", Some("1")), ("b", Some("2"))])]).await.unwrap();
    case.directory.publish(&[annotate(&[("c", Some("3")), ("a", None)])]).await.unwrap();
    assert_eq!(case.annotation("a"), None);
    assert_eq!(case.annotation("b").as_deref(), Some("2"));
    assert_eq!(case.annotation("c").as_deref(), Some("3"));
    assert_eq!(case.state(), ["node_node-1.yaml"]);
    case.directory.publish(&[annotate(&[("b", None), ("c", None)])]).await.unwrap();
    assert_eq!(case.state(), [] as [&str; 0], "nothing is left to say");
}

#[tokio::test]
async fn what_is_published_about_a_gone_object_is_forgotten() {
    let case = Case::new(&[("node.yaml", NODE)]);
    case.directory.publish(&[annotate(&[("a", Some("1"))])]).await.unwrap();
    case.directory.prune().unwrap();
    assert_eq!(case.state(), ["node_node-1.yaml"]);
    fs::remove_file(case.folder.path().join("manifests/node.yaml")).unwrap();
    case.directory.prune().unwrap();
    assert_eq!(case.state(), [] as [&str; 0]);
}

#[tokio::test]
async fn deleting_what_is_not_there_is_no_error() {
    let case = Case::new(&[]);
    let target = Target { kind: Kind::Nad, namespace: "ns".to_owned(), name: "net".to_owned() };
    case.directory.publish(&[Publication { target, change: Change::Delete }]).await.unwrap();
}

#[test]
fn only_manifests_are_read_and_a_file_is_its_own_directory() {
    let case = Case::new(&[
        ("node.yaml", NODE),
        ("notes.txt", "no: {manifest"),
        ("broken.yaml", "kind: [Node\n"),
    ]);
    let observed = case.directory.read().unwrap();
    assert_eq!(observed.world.nodes.len(), 1);
    assert_eq!(observed.problems.len(), 1, "{:?}", observed.problems);
    let file = case.folder.path().join("manifests/node.yaml");
    assert_eq!(Directory::new(file).read().unwrap().world.nodes.len(), 1);
}

#[test]
fn a_missing_directory_is_named() {
    let error = Directory::new(Path::new("/nowhere/at/all")).read().unwrap_err();
    assert_eq!(error.to_string(), "could not read /nowhere/at/all");
}

const CLAIMED: &str = r"
{apiVersion: v1, kind: Node, metadata: {name: node-1}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {namespace: a, name: blue}
spec:
  topology: Layer2
  layer2: {role: Secondary, subnets: [10.9.0.0/29, 'fd09::/64'], ipam: {lifecycle: Persistent}}
---
apiVersion: k8s.cni.cncf.io/v1alpha1
kind: IPAMClaim
metadata: {namespace: a, name: disk}
spec: {network: a_blue, interface: ''}
";

fn pod_on_blue(name: &str, claim: &str) -> String {
    let selection = format!(r#"[{{"name":"blue"{claim}}}]"#);
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{namespace: a, name: {name}, annotations: \
         {{k8s.v1.cni.cncf.io/networks: '{selection}'}}}}, spec: {{nodeName: node-1}}}}"
    )
}

/// Turns of controllers that remember nothing; returns what a pod carries then.
async fn addresses_after_a_turn(case: &Case, pod: &str) -> String {
    let mut published = usize::MAX;
    for _ in 0..3 {
        let mut controller =
            ClusterController::new(case.directory.clone(), ClusterSettings::default());
        let turn = cluster::turn(&mut controller).await.unwrap();
        assert!(turn.problems.is_empty(), "{:?}", turn.problems);
        published = turn.published;
    }
    assert_eq!(published, 0, "all is said");
    let world = case.directory.read().unwrap().world;
    let pod = &world.pods[&ObjectName::new("a", pod)];
    pod.metadata.annotation("k8s.ovn.org/pod-networks").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_claim_keeps_its_addresses_while_nobody_uses_them() {
    let case = Case::new(&[("all.yaml", CLAIMED)]);
    let file = |name: &str| case.folder.path().join("manifests").join(name);
    let user = |name: &str| pod_on_blue(name, r#","ipam-claim-reference":"disk""#);
    fs::write(file("first.yaml"), user("first")).unwrap();
    let first = addresses_after_a_turn(&case, "first").await;
    assert!(first.contains("10.9.0.") && first.contains("fd09::"), "{first}");
    // The machine is stopped, and another pod comes: it gets others.
    fs::remove_file(file("first.yaml")).unwrap();
    fs::write(file("other.yaml"), pod_on_blue("other", "")).unwrap();
    case.directory.prune().unwrap();
    let other = addresses_after_a_turn(&case, "other").await;
    assert_ne!(first, other);
    fs::write(file("second.yaml"), user("second")).unwrap();
    let second = addresses_after_a_turn(&case, "second").await;
    let numbers = |text: &str| {
        let entry: serde_json::Value = serde_json::from_str(text).unwrap();
        let entry = &entry["a/blue"];
        (entry["ip_addresses"].clone(), entry["mac_address"].clone())
    };
    assert_eq!(numbers(&second), numbers(&first));
    let file_name = "ipamclaim_a_disk.yaml";
    assert!(case.state().iter().any(|it| it == file_name));
    let text = fs::read_to_string(case.folder.path().join("state").join(file_name)).unwrap();
    assert!(text.contains("name: second"), "{text}");
    fs::write(file("all.yaml"), CLAIMED.split("---\napiVersion: k8s.cni").next().unwrap()).unwrap();
    case.directory.prune().unwrap();
    assert!(!case.state().iter().any(|it| it == file_name));
}
