//! The Kubernetes rig against the real programs: two clusters at once, and controllers that work.

use std::path::Path;
use std::time::Duration;

use udn_lab::kubernetes::Cluster;
use udn_lab::kubernetes::programs::VERSION;
use udn_lab::run::run;
use udn_lab::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(60);

fn kubectl(cluster: &Cluster, arguments: &[&str]) -> String {
    run(cluster.kubectl().args(arguments)).expect("kubectl succeeds")
}

fn is_gone(pid: u32) -> bool {
    !Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn two_clusters_live_side_by_side() {
    let (red, blue) = std::thread::scope(|scope| {
        let red = scope.spawn(|| Cluster::start().expect("the first cluster starts"));
        let blue = scope.spawn(|| Cluster::start().expect("the second cluster starts"));
        (red.join().expect("no panic"), blue.join().expect("no panic"))
    });
    assert_ne!(red.address(), blue.address());
    kubectl(&red, &["create", "namespace", "only-red"]);
    kubectl(&red, &["-n", "only-red", "create", "configmap", "paint", "--from-literal=tone=7"]);
    let names = kubectl(&blue, &["get", "namespaces", "-o", "name"]);
    assert!(!names.contains("only-red"), "{names}");
    let tone = ["-n", "only-red", "get", "configmap", "paint", "-o", "jsonpath={.data.tone}"];
    assert_eq!(kubectl(&red, &tone), "7");
}

#[test]
fn a_namespace_terminates_with_what_is_in_it() {
    let cluster = Cluster::start().expect("the cluster starts");
    kubectl(&cluster, &["create", "namespace", "short-lived"]);
    kubectl(&cluster, &["-n", "short-lived", "create", "configmap", "thing"]);
    kubectl(&cluster, &["delete", "namespace", "short-lived", "--wait=false"]);
    wait_for("the namespace's end", LIMIT, || {
        let names = kubectl(&cluster, &["get", "namespaces", "-o", "name"]);
        (!names.contains("short-lived")).then_some(())
    })
    .expect("controllers finish the namespace");
}

#[test]
fn the_server_is_of_the_wanted_version_and_leaves_nothing() {
    let cluster = Cluster::builder().without_controllers().start().expect("the cluster starts");
    let version = kubectl(&cluster, &["get", "--raw", "/version"]);
    let minor = VERSION.rsplit_once('.').expect("a version has dots").0;
    assert!(version.contains(&format!("\"gitVersion\": \"{minor}.")), "{version}");
    let (pids, folder) = (cluster.pids(), cluster.folder().to_owned());
    drop(cluster);
    assert!(pids.iter().all(|pid| is_gone(*pid)));
    assert!(!folder.exists());
}
