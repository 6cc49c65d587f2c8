//! What the tests of real nodes have in common: a cluster on the bridge plugin, and kubectl.
//!
//! Reads texts of manifests; returns what kubectl says, or waits until it says so.
//! Invariant: every wait has a limit and fails with what the API server then told.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use udn_lab::real_cluster::{BUSYBOX_IMAGE, RealCluster};
use udn_lab::run::run;
use udn_lab::wait::wait_for;

pub(crate) const LIMIT: Duration = Duration::from_secs(120);

/// A cluster whose nodes have the bridge plugin as their only CNI and are Ready.
pub(crate) fn start(nodes: usize) -> RealCluster {
    let begun = Instant::now();
    let cluster = RealCluster::builder().nodes(nodes).start().expect("the cluster starts");
    let registered = begun.elapsed();
    for (place, node) in cluster.nodes().iter().enumerate() {
        node.install_bridge(&subnet(place)).expect("the plugins are there");
    }
    cluster.wait_ready().expect("the nodes become Ready");
    println!("{nodes} nodes registered after {registered:?}, Ready after {:?}", begun.elapsed());
    cluster
}

/// The subnet of a node's pods.
pub(crate) fn subnet(place: usize) -> String {
    format!("10.200.{place}.0/24")
}

pub(crate) fn kubectl(cluster: &RealCluster, arguments: &[&str]) -> String {
    run(cluster.kubectl().args(arguments)).expect("kubectl succeeds")
}

/// Applies manifests.
pub(crate) fn apply(cluster: &RealCluster, text: &str) {
    let mut command = cluster.kubectl();
    command.args(["apply", "-f", "-"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("kubectl starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("kubectl reads");
    drop(input);
    assert!(child.wait().expect("it is ours").success(), "kubectl refused\n{text}");
}

/// Applies a file of the repository.
pub(crate) fn apply_file(cluster: &RealCluster, path: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    kubectl(cluster, &["apply", "-f", &path.to_string_lossy()]);
}

/// Waits until kubectl prints something that suits.
pub(crate) fn wait_until(
    cluster: &RealCluster,
    what: &str,
    arguments: &[&str],
    suits: impl Fn(&str) -> bool,
) -> String {
    let mut last = String::new();
    let answer = wait_for(what, LIMIT, || {
        last = run(cluster.kubectl().args(arguments)).unwrap_or_else(|error| error.to_string());
        suits(&last).then(|| last.clone())
    });
    answer.unwrap_or_else(|error| {
        let pods = run(cluster.kubectl().args(["describe", "pods"])).unwrap_or_default();
        panic!("{error}; kubectl says {last}\n{pods}")
    })
}

/// Waits until so many pods with this label are Ready.
pub(crate) fn wait_pods_ready(cluster: &RealCluster, label: &str, count: usize) {
    let path = r#"jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}"#;
    let arguments = ["get", "pods", "-l", label, "-o", path];
    wait_until(cluster, "Ready pods", &arguments, |text| {
        text.split_whitespace().collect::<Vec<_>>() == vec!["True"; count]
    });
}

/// A Deployment of pods that serve a page over HTTP, which is also how kubelet probes them.
pub(crate) fn deployment(name: &str, replicas: usize) -> String {
    format!(
        r#"apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      terminationGracePeriodSeconds: 0
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: DoNotSchedule
        labelSelector: {{matchLabels: {{app: {name}}}}}
      containers:
      - name: web
        image: {BUSYBOX_IMAGE}
        imagePullPolicy: Never
        args:
        - -c
        - mkdir -p /www && hostname > /www/index.html && echo serving && exec httpd -f -p 8080 -h /www
        readinessProbe:
          httpGet: {{path: /, port: 8080}}
          periodSeconds: 1
        livenessProbe:
          exec: {{command: [test, -f, /www/index.html]}}
          periodSeconds: 1
"#
    )
}
