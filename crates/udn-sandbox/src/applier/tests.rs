//! Manifests at a server of their own, with the cluster controller but without nodes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use udn_cluster::Problem;
use udn_control::zone::Listing;
use udn_model::{ClusterSettings, ObjectName};
use udn_wire::Kind;

use super::Applier;
use crate::controller::Controller;
use crate::manifests::Manifests;
use crate::server::ApiServer;

const TENANT: &str = "
apiVersion: v1
kind: Namespace
metadata: {name: red, labels: {k8s.ovn.org/primary-user-defined-network: ''}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: red, namespace: red}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.10.0.0/16]}}
";

const POD: &str = "
apiVersion: v1
kind: Pod
metadata: {name: red-1, namespace: red}
spec: {nodeName: node-1, containers: [{name: main, image: any}]}
";

const NODE: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {capacity: {pods: '7'}}
";

/// A cluster without a lab.
struct Bench {
    controller: Controller,
    applier: Applier,
    server: ApiServer,
    folder: TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let server = ApiServer::start(folder.path()).await.expect("a server starts");
        let controller = Controller::start(server.client(), ClusterSettings::default());
        Self { controller, applier: Applier::new(server.client()), server, folder }
    }

    /// Applies one file of manifests; returns what is there once the controller is idle.
    async fn apply(&mut self, texts: &[&str]) -> (Listing, Vec<Problem>) {
        let path = self.folder.path().join("all.yaml");
        fs::write(&path, texts.join("\n---\n")).expect("a file can be written");
        let manifests = Manifests::read(&path).expect("the file can be read");
        let gone = self.applier.prune(&manifests).await.expect("what left goes");
        let problems = self.applier.apply(&manifests, &self.server).await.expect("it applies");
        let listing = self.controller.settled(&self.server, &gone).await;
        (listing.expect("the controller comes to rest"), problems)
    }
}

#[tokio::test]
async fn the_controller_has_done_everything_when_it_is_settled() {
    let mut bench = Bench::new().await;
    let (first, problems) = bench.apply(&[NODE, TENANT, POD]).await;
    assert_eq!(problems, []);
    let red = ObjectName::new("red", "red");
    assert!(first.world.nads.contains_key(&red), "{:?}", first.versions);
    let pod = &first.world.pods[&ObjectName::new("red", "red-1")];
    let annotation = pod.metadata.annotation("k8s.ovn.org/pod-networks");
    assert!(annotation.is_some_and(|it| it.contains("10.10.0.3")), "{annotation:?}");
    let (second, _) = bench.apply(&[NODE, TENANT, POD]).await;
    assert_eq!(second.versions, first.versions, "the same manifests change nothing");
}

#[tokio::test]
async fn what_left_is_gone_with_all_that_was_made_of_it() {
    let mut bench = Bench::new().await;
    bench.apply(&[NODE, TENANT, POD]).await;
    let (listing, _) = bench.apply(&[NODE]).await;
    let left: BTreeMap<_, _> = listing
        .versions
        .iter()
        .filter(|(it, _)| it.namespace == "red" || it.name == "red")
        .collect();
    assert_eq!(left, BTreeMap::new());
    // What the sandbox did not make is not its to delete.
    assert!(listing.world.namespaces.contains_key("default"));
    let (listing, problems) = bench.apply(&[NODE, TENANT, POD]).await;
    assert_eq!(problems, []);
    assert!(listing.world.nads.contains_key(&ObjectName::new("red", "red")));
}

#[tokio::test]
async fn a_refusal_names_file_object_and_the_servers_words_and_costs_no_other() {
    let mut bench = Bench::new().await;
    let bad = TENANT.replace("subnets: [10.10.0.0/16]", "subnets: [10.10.0.0/99]");
    let unknown = "apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: any}\n";
    let (listing, problems) = bench.apply(&[&bad, unknown, NODE]).await;
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let [first, second] = &told[..] else { panic!("{told:#?}") };
    assert!(first.contains("all.yaml:9: UserDefinedNetwork red/red is refused"), "{first}");
    assert!(first.contains("10.10.0.0/99") || first.contains("subnets"), "{first}");
    assert!(second.contains("Thing any is refused by the API server"), "{second}");
    assert!(listing.world.namespaces.contains_key("red"));
    let node = listing.versions.keys().find(|it| it.kind == Kind::Node);
    assert_eq!(node.map(|it| it.name.as_str()), Some("node-1"));
}

#[tokio::test]
async fn the_example_is_accepted_whole() {
    let mut bench = Bench::new().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/first-light");
    let manifests = Manifests::read(&folder).expect("the example can be read");
    let problems = bench.applier.apply(&manifests, &bench.server).await.expect("it applies");
    assert_eq!([manifests.problems, problems].concat(), []);
}
