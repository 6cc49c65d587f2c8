//! `udn validate` beside kubectl and a real API server with our CRDs: they say the same.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use udn_lab::kubernetes::Cluster;
use udn_lab::wait::wait_for;
use udn_manifest::manifest::{Object, documents};

mod lines;

const LIMIT: Duration = Duration::from_secs(180);

/// What kubectl never tells, as it does not send it to the server.
const NEVER_SENT: &str = "DuplicateField";

/// A cluster with our CRDs and policies, as `udn crds` prints them.
fn cluster(namespaces: &[&str]) -> Cluster {
    let cluster = Cluster::builder().without_controllers().start().expect("the cluster starts");
    let crds = udn(&["crds"], "");
    assert!(crds.status.success());
    let crds = String::from_utf8(crds.stdout).expect("YAML is text");
    let applied = kubectl(&cluster, &["apply", "-f", "-"], &crds);
    assert!(applied.status.success(), "{}", complaint(&applied));
    let wait = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"];
    let established = kubectl(&cluster, &wait, "");
    assert!(established.status.success(), "{}", complaint(&established));
    for name in namespaces {
        let made = kubectl(&cluster, &["create", "namespace", name], "");
        assert!(made.status.success(), "{}", complaint(&made));
    }
    cluster
}

fn udn(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    fed(command.args(arguments), input)
}

fn kubectl(cluster: &Cluster, arguments: &[&str], input: &str) -> Output {
    fed(cluster.kubectl().args(arguments), input)
}

/// Runs a program with a text on its standard input.
fn fed(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(input.as_bytes()).expect("the program reads");
    drop(pipe);
    child.wait_with_output().expect("the program ends")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The documents of all manifests below a folder, each as a text of its own.
fn texts(folder: &Path) -> Vec<String> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            all.extend(texts(&path));
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "json") {
            let text = std::fs::read_to_string(&path).expect("a text");
            all.extend(documents(&text).map(|document| document.text.to_owned()));
        }
    }
    all
}

fn findings(output: &Output) -> Vec<Value> {
    let report: Value = serde_json::from_slice(&output.stdout).expect("well-formed JSON");
    report["findings"].as_array().expect("a list").clone()
}

fn word(finding: &Value, field: &str) -> String {
    finding[field].as_str().unwrap_or_default().to_owned()
}

/// What a server would say, as the lines that kubectl makes of it.
fn expected(findings: &[Value]) -> BTreeSet<String> {
    let of_server =
        findings.iter().filter(|it| it["source"] != "cluster" && it["reason"] != NEVER_SENT);
    let mut lines: Vec<(String, String)> =
        of_server.map(|it| (word(it, "reason"), line(it))).collect();
    // The server decodes first; of what it cannot decode it says nothing more.
    if lines.iter().any(|(reason, _)| reason == "UnknownField") {
        lines.retain(|(reason, _)| reason == "UnknownField");
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

fn line(finding: &Value) -> String {
    let (path, message) = (word(finding, "path"), word(finding, "message"));
    match (word(finding, "reason").starts_with("FieldValue"), path.is_empty()) {
        (true, true) => format!("<nil>: {message}"),
        (true, false) => format!("{path}: {message}"),
        (false, _) => message,
    }
}

/// The same lines out of what kubectl printed.
fn printed(complaint: &str) -> BTreeSet<String> {
    if complaint.is_empty() {
        return BTreeSet::new();
    }
    if let Some((_, unknown)) = complaint.split_once("strict decoding error: ") {
        return unknown.split(", ").map(str::to_owned).collect();
    }
    let (_, causes) = complaint.split_once(" is invalid: ").unwrap_or(("", complaint));
    // A denial is about no field, which leaves a colon behind.
    let causes = causes.split("\n* ").map(|cause| cause.trim_start_matches(": ").trim());
    causes.filter(|cause| !cause.is_empty()).map(str::to_owned).collect()
}

/// The object in a text.
fn object(text: &str) -> Object {
    let mut objects = documents(text).next().expect("a document").objects().expect("an object");
    objects.pop().expect("one object")
}

/// Whether a kind has a CRD of ours; built-in kinds have no schema offline.
fn is_ours(text: &str) -> bool {
    let api_version = object(text).api_version;
    ["k8s.ovn.org/", "k8s.cni.cncf.io/"].iter().any(|group| api_version.starts_with(group))
}

/// The namespace in which an object wants to be made.
fn namespace(text: &str) -> Option<String> {
    object(text).value["metadata"]["namespace"].as_str().map(str::to_owned)
}

#[test]
fn offline_and_online_say_the_same_to_a_creation() {
    let cluster = cluster(&[]);
    let mut texts = texts(&folder("tests/validate/bad"));
    texts.extend(self::texts(&folder("../../examples")));
    let ours: Vec<&String> = texts.iter().filter(|text| is_ours(text)).collect();
    for name in ours.iter().filter_map(|text| namespace(text)).collect::<BTreeSet<_>>() {
        let made = kubectl(&cluster, &["create", "namespace", &name], "");
        assert!(made.status.success(), "{}", complaint(&made));
    }
    let (mut accepted, mut refused) = (0, 0);
    for text in ours {
        let offline = expected(&findings(&udn(&["validate", "-f", "-", "-o", "json"], text)));
        let online = kubectl(&cluster, &["create", "--dry-run=server", "-f", "-"], text);
        assert_eq!(offline, printed(&complaint(&online)), "{text}\n{}", complaint(&online));
        if offline.is_empty() { accepted += 1 } else { refused += 1 }
    }
    assert!(accepted >= 10 && refused >= 20, "{accepted} accepted, {refused} refused");
}

#[test]
fn offline_and_online_say_the_same_to_an_update() {
    let cluster = cluster(&[]);
    let old = folder("tests/validate/update/old.yaml");
    let made = kubectl(&cluster, &["apply", "-f", old.to_str().expect("plain")], "");
    assert!(made.status.success(), "{}", complaint(&made));
    let old = old.to_str().expect("a plain path");
    let replace = ["replace", "--dry-run=server", "-f", "-"];
    let mut refused = 0;
    for text in &texts(&folder("tests/validate/update")) {
        let judged = udn(&["validate", "-f", "-", "--old", old, "-o", "json"], text);
        let offline = expected(&findings(&judged));
        // Policies come into force a moment after they were made.
        let agreed = wait_for("the server's answer to be ours", LIMIT, || {
            let online = kubectl(&cluster, &replace, text);
            (printed(&complaint(&online)) == offline).then_some(())
        });
        let online = complaint(&kubectl(&cluster, &replace, text));
        agreed.unwrap_or_else(|error| panic!("{error}\n{text}\n{offline:#?}\n{online}"));
        refused += usize::from(!offline.is_empty());
    }
    assert_eq!(refused, 4);
}

const CLUSTER: &str = "
{apiVersion: v1, kind: Namespace, metadata: {name: team,
 labels: {k8s.ovn.org/primary-user-defined-network: ''}}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: first, namespace: team}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.10.0.0/16]}}
---
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: idle}
spec:
  namespaceSelector: {matchLabels: {team: nobody}}
  network: {topology: Layer2, layer2: {role: Secondary, subnets: [10.20.0.0/16]}}
";

const RIVAL: &str = "
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: second, namespace: team}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.30.0.0/16]}}
";

#[test]
fn a_clusters_objects_are_taken_into_account() {
    let cluster = cluster(&["green"]);
    let applied = kubectl(&cluster, &["apply", "-f", "-"], CLUSTER);
    assert!(applied.status.success(), "{}", complaint(&applied));
    let kubeconfig = cluster.kubeconfig().to_str().expect("a plain path").to_owned();
    let against = |text: &str| {
        let judged = udn(&["validate", "-f", "-", "--against", &kubeconfig, "-o", "json"], text);
        assert_eq!(complaint(&judged), "");
        findings(&judged)
    };
    let reasons = |text: &str| -> Vec<(String, String)> {
        against(text).iter().map(|it| (word(it, "object"), word(it, "reason"))).collect()
    };
    let about = |object: &str, reason: &str| (object.to_owned(), reason.to_owned());
    // Alone the file is sound; the namespace has a primary network in the cluster.
    let rival = about("UserDefinedNetwork team/second", "PrimaryConflict");
    assert_eq!(reasons(RIVAL), [rival]);
    // The cluster's services live in 10.96.0.0/16, which no default of ours knows.
    let overlapping =
        RIVAL.replace("10.30", "10.96").replace("namespace: team", "namespace: green");
    let found = reasons(&overlapping);
    let overlap = about("UserDefinedNetwork green/second", "SubnetOverlap");
    assert!(found.contains(&overlap), "{found:?}");
    // What stands in the cluster is changed, not made.
    let changed = RIVAL.replace("second", "first");
    let found = against(&changed);
    assert_eq!(word(&found[0], "message"), "Invalid value: Layer2 is immutable");
    // What is wrong in the cluster by itself is not told.
    let sound = RIVAL.replace("Primary", "Secondary");
    assert_eq!(reasons(&sound), []);
}
