//! Who may do what with networks, as a real API server judges our roles.
//!
//! Alice edits namespace `a`, Bob administers it, Carol views it; nobody of them administers the
//! cluster, which has made a CUDN and its NAD in `a`.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use udn_lab::kubernetes::Cluster;
use udn_lab::wait::wait_for;

const LIMIT: Duration = Duration::from_secs(180);

const CUDN: &str = r#"
apiVersion: k8s.ovn.org/v1
kind: ClusterUserDefinedNetwork
metadata: {name: NAME}
spec:
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: a}}
  network:
    topology: Localnet
    localnet: {role: Secondary, physicalNetworkName: provider, ipam: {mode: Disabled}}
"#;

const UDN: &str = r#"
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: NAME, namespace: a}
spec:
  topology: Layer2
  layer2: {role: Secondary, subnets: [10.10.0.0/16]}
"#;

const NAD: &str = r#"
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: NAME, namespace: a}
spec: {config: '{"cniVersion": "1.1.0", "name": "x", "type": "ovn-k8s-cni-overlay"}'}
"#;

const POD: &str = r#"
apiVersion: v1
kind: Pod
metadata:
  name: NAME
  namespace: a
  annotations: {k8s.v1.cni.cncf.io/networks: red}
spec:
  containers: [{name: main, image: example.org/nothing}]
"#;

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

/// What `udn crds` prints, applied by the administrator.
fn deploy(cluster: &Cluster, only: &str) {
    let printed = fed(Command::new(env!("CARGO_BIN_EXE_udn")).args(["crds", "--only", only]), "");
    assert!(printed.status.success(), "{}", complaint(&printed));
    let text = String::from_utf8(printed.stdout).expect("YAML is text");
    admin(cluster, "apply --server-side -f -", &text);
}

#[track_caller]
fn admin(cluster: &Cluster, arguments: &str, input: &str) {
    let done = fed(cluster.kubectl().args(arguments.split_whitespace()), input);
    assert!(done.status.success(), "{arguments}: {}", complaint(&done));
}

/// Puts our kinds and roles into a cluster.
fn deployed(cluster: Cluster) -> Cluster {
    deploy(&cluster, "crds");
    deploy(&cluster, "rbac");
    admin(&cluster, "wait --for=condition=Established crd --all --timeout=60s", "");
    cluster
}

/// A cluster with three users, a CUDN and a NAD.
fn cluster() -> Cluster {
    let cluster = deployed(Cluster::start().expect("the cluster starts"));
    admin(&cluster, "create namespace a", "");
    for (role, user) in [("edit", "alice"), ("admin", "bob"), ("view", "carol")] {
        let binding = format!("create rolebinding {user} -n a --clusterrole={role} --user={user}");
        admin(&cluster, &binding, "");
    }
    admin(&cluster, "create -f -", &CUDN.replace("NAME", "red"));
    admin(&cluster, "create -f -", &NAD.replace("NAME", "red"));
    let is_set_up = || {
        let account =
            fed(cluster.kubectl().args(["get", "-n", "a", "serviceaccount", "default"]), "");
        let is_told = may(&cluster, "alice", "list userdefinednetworks.k8s.ovn.org").is_ok();
        let is_admin = may(&cluster, "bob", "create userdefinednetworks.k8s.ovn.org").is_ok();
        (account.status.success() && is_told && is_admin).then_some(())
    };
    wait_for("roles that are put together", LIMIT, is_set_up).expect("the controllers run");
    cluster
}

/// Whether a user may do something in namespace `a`, as the server says.
fn may(cluster: &Cluster, user: &str, what: &str) -> Result<(), String> {
    let mut asked = cluster.kubectl();
    asked.args(["auth", "can-i", "-n", "a", "--as", user, "--as-group", "system:authenticated"]);
    let answer = fed(asked.args(what.split_whitespace()), "");
    answer.status.success().then_some(()).ok_or_else(|| complaint(&answer))
}

/// Does something as a user; the complaint if it is forbidden.
fn try_as(cluster: &Cluster, user: &str, arguments: &str, input: &str) -> Result<(), String> {
    let mut command = cluster.kubectl();
    command.args(["-n", "a", "--as", user, "--as-group", "system:authenticated"]);
    let done = fed(command.args(arguments.split_whitespace()), input);
    done.status.success().then_some(()).ok_or_else(|| complaint(&done))
}

#[track_caller]
fn allowed(outcome: Result<(), String>) {
    outcome.expect("it is allowed");
}

#[track_caller]
fn forbidden(outcome: Result<(), String>) {
    let complaint = outcome.expect_err("it is not allowed");
    assert!(complaint.contains("forbidden"), "{complaint}");
}

// proves: L-22
#[test]
fn users_attach_workloads_but_only_the_clusters_admin_changes_its_networks() {
    let cluster = cluster();
    let create = "create -f -";
    allowed(try_as(&cluster, "alice", create, &POD.replace("NAME", "web")));
    allowed(try_as(&cluster, "alice", "get network-attachment-definition red", ""));
    allowed(try_as(&cluster, "alice", "get clusteruserdefinednetworks", ""));
    allowed(try_as(&cluster, "carol", "get userdefinednetworks", ""));
    allowed(try_as(&cluster, "carol", "get clusteruserdefinednetwork red -o yaml", ""));
    forbidden(try_as(&cluster, "carol", create, &POD.replace("NAME", "peek")));
    forbidden(try_as(&cluster, "alice", create, &UDN.replace("NAME", "own")));
    allowed(try_as(&cluster, "bob", create, &UDN.replace("NAME", "own")));
    allowed(try_as(&cluster, "bob", "label userdefinednetwork own tier=web", ""));
    allowed(try_as(&cluster, "bob", "delete userdefinednetwork own --wait=false", ""));
    for user in ["alice", "bob", "carol"] {
        forbidden(try_as(&cluster, user, create, &CUDN.replace("NAME", "blue")));
        forbidden(try_as(&cluster, user, "label clusteruserdefinednetwork red x=y", ""));
        forbidden(try_as(&cluster, user, "delete clusteruserdefinednetwork red", ""));
        forbidden(try_as(&cluster, user, create, &NAD.replace("NAME", "mine")));
        forbidden(try_as(&cluster, user, "label network-attachment-definition red x=y", ""));
        forbidden(try_as(&cluster, user, "delete network-attachment-definition red", ""));
    }
}
