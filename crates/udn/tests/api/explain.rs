//! `udn explain` of a cluster: it says what it says of the manifests, and writes nothing.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::config::{KubeConfigOptions, Kubeconfig};
use serde_json::{Value, json};
use tempfile::TempDir;
use udn_control::ZoneController;
use udn_control::zone::{Listing, Remotes, ZoneSettings};
use udn_lab::kubernetes::Cluster;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::OvsdbServer;
use udn_lab::run::run;
use udn_lab::wait::wait_for;
use udn_model::{ClusterSettings, NodeName, Subnet};
use udn_wire::Kind;

const LIMIT: Duration = Duration::from_secs(120);

/// Where the cluster's services live, which manifests do not tell.
const SERVICES: &str = "10.96.0.0/16";

const MANIFESTS: &str = r#"
apiVersion: v1
kind: Node
metadata:
  name: node-1
  annotations:
    k8s.ovn.org/node-chassis-id: chassis-1
    k8s.ovn.org/layer2-topology-version: "2.0"
    k8s.ovn.org/node-encap-ips: '["172.18.0.11"]'
    k8s.ovn.org/host-cidrs: '["172.18.0.11/24"]'
    k8s.ovn.org/l3-gateway-config: '{"default":{"mode":"shared","bridge-id":"br-ex",
      "mac-address":"02:42:ac:12:00:0b","ip-addresses":["172.18.0.11/24"],
      "next-hops":["172.18.0.1"],"node-port-enable":"true"}}'
---
apiVersion: v1
kind: Namespace
metadata: {name: red, labels: {k8s.ovn.org/primary-user-defined-network: ""}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {name: net, namespace: red}
spec: {topology: Layer2, layer2: {role: Primary, subnets: [10.10.0.0/16]}}
---
apiVersion: v1
kind: Pod
metadata: {name: red-1, namespace: red}
spec: {nodeName: node-1, containers: [{name: main, image: web}]}
"#;

/// What the server makes by itself.
const SERVICE: &str = "
apiVersion: v1
kind: Service
metadata: {name: kubernetes, namespace: default}
spec: {clusterIP: 10.96.0.1, clusterIPs: [10.96.0.1]}
";

/// A user who may get and list, and an API server that writes down what everybody asks for.
const READER: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: User, name: reader}]
"#;

const AUDIT: &str = "
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
";

/// An API server that has the manifests.
struct Ground {
    cluster: Cluster,
    folder: TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (policy, log) = (folder.path().join("policy.yaml"), folder.path().join("audit.log"));
        std::fs::write(&policy, AUDIT).expect("it can be written");
        let cluster = Cluster::builder()
            .without_controllers()
            .api_server_flag(format!("--audit-policy-file={}", policy.display()))
            .api_server_flag(format!("--audit-log-path={}", log.display()))
            .start();
        let ground = Self { cluster: cluster.expect("the cluster starts"), folder };
        let crds = udn(&["crds", "--only", "crds"]);
        ground.apply("crds.yaml", &text(&crds));
        let wait = ["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"];
        run(ground.cluster.kubectl().args(wait)).expect("the kinds are served");
        ground.apply("manifests.yaml", MANIFESTS);
        ground
    }

    fn apply(&self, name: &str, manifests: &str) {
        let path = self.folder.path().join(name);
        std::fs::write(&path, manifests).expect("it can be written");
        let mut kubectl = self.cluster.kubectl();
        run(kubectl.args(["apply", "--server-side", "-f"]).arg(path)).expect("it is taken");
    }

    /// `udn explain` of the cluster.
    fn of_cluster(&self, arguments: &[&str]) -> Output {
        explain("--kubeconfig", self.cluster.kubeconfig(), arguments)
    }

    /// `udn explain` of the manifests that the cluster was made from.
    fn of_manifests(&self, arguments: &[&str]) -> String {
        let path = self.folder.path().join("all.yaml");
        std::fs::write(&path, format!("{MANIFESTS}---{SERVICE}")).expect("it can be written");
        let services = ["--service-cidrs", SERVICES];
        text(&explain("-f", &path, &[&services, arguments].concat()))
    }

    /// A kubeconfig of the user who may only read.
    fn reader(&self) -> PathBuf {
        let own = std::fs::read_to_string(self.cluster.kubeconfig()).expect("it can be read");
        let path = self.folder.path().join("reader");
        let as_reader = own.replace("    token:", "    as: reader\n    token:");
        std::fs::write(&path, as_reader).expect("it can be written");
        path
    }

    /// The verbs of the requests of a user, as the server wrote them down.
    fn verbs(&self, user: &str) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("audit.log"));
        let log = log.expect("the server writes it");
        let lines = log.lines().map(|line| serde_json::from_str(line).expect("well-formed JSON"));
        let own = lines.filter(|it: &Value| it["impersonatedUser"]["username"] == user);
        own.map(|it| it["verb"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Lets the cluster controller write everything, and ends it.
    fn let_controller_work(&self) {
        let kubeconfig = self.cluster.kubeconfig();
        let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
        command.args(["controller", "--no-leader-election", "--kubeconfig"]).arg(kubeconfig);
        let _controller = Running(command.stderr(Stdio::null()).spawn().expect("it starts"));
        let has_nothing_left = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
            command.args(["controller", "--dry-run", "--kubeconfig"]).arg(kubeconfig);
            text(&command.output().ok()?).starts_with("# nothing to do").then_some(())
        };
        wait_for("a controller that has written everything", LIMIT, has_nothing_left)
            .expect("it comes to rest");
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn udn(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(arguments).output().expect("the program starts")
}

fn explain(source: &str, path: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_udn"));
    command.args(["explain", source]).arg(path).args(arguments);
    command.output().expect("the program starts")
}

#[track_caller]
fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", complaint(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A text in which every pod has the same uid: a cluster gives its own.
fn without_uids(text: &str) -> String {
    let uid = regex::Regex::new("iface-id-ver\\W+[0-9a-f-]{36}").expect("a pattern");
    uid.replace_all(text, "iface-id-ver").into_owned()
}

#[test]
fn who_may_only_read_is_told_what_a_cluster_asks_for() {
    let ground = Ground::new();
    ground.apply("reader.yaml", READER);
    let reader = ground.reader();
    let explain_as_reader = |arguments: &[&str]| explain("--kubeconfig", &reader, arguments);
    let may_read = || explain_as_reader(&["--stage", "intent"]).status.success().then_some(());
    wait_for("the right to read", LIMIT, may_read).expect("it is given");
    let intent = text(&explain_as_reader(&["--stage", "intent"]));
    let want = "network red_net: primary layer 2\n    \
        subnets 10.10.0.0/16\n    \
        gateway 10.10.0.1, management 10.10.0.2\n    \
        attached through red/net\n    \
        pod red/red-1 on node-1\n\
        node node-1: chassis chassis-1, addresses 172.18.0.11/24\n\
        service default/kubernetes: 10.96.0.1\n";
    assert_eq!(intent, want);
    assert_eq!(intent, ground.of_manifests(&["--stage", "intent"]));
    let before = everything(&ground);
    for stage in ["intent", "grants", "sheet", "plan"] {
        text(&explain_as_reader(&["--stage", stage]));
    }
    assert_eq!(everything(&ground), before);
    let verbs = ground.verbs("reader");
    assert!(verbs.len() > 40, "{verbs:?}");
    let others: Vec<&String> = verbs.iter().filter(|it| *it != "list" && *it != "get").collect();
    assert!(others.is_empty(), "{others:?}");
}

/// All objects that we know the kinds of, in the states that they are in.
fn everything(ground: &Ground) -> String {
    let mut kubectl = ground.cluster.kubectl();
    let kinds = "namespaces,nodes,pods,services,userdefinednetworks,clusteruserdefinednetworks,\
        network-attachment-definitions,nodenetworkreports,ipamclaims";
    kubectl.args(["get", kinds, "--all-namespaces", "-o", "json"]);
    run(&mut kubectl).expect("they can be listed")
}

#[test]
fn before_the_controller_has_written_zones_draw_nothing_and_it_is_said_why() {
    let ground = Ground::new();
    let output = ground.of_cluster(&["--node", "node-1"]);
    let want = "note: zones draw what the cluster controller has written, and 8 writes are left to \
        it; --stage grants shows them\n";
    assert_eq!(complaint(&output), want);
    assert!(!text(&output).contains("red_net"), "{}", text(&output));
    let grants = text(&ground.of_cluster(&["--stage", "grants"]));
    assert!(grants.contains("\n# create NetworkAttachmentDefinition red/net\n"), "{grants}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_everything_is_written_a_cluster_is_explained_like_its_manifests() {
    let ground = Ground::new();
    ground.let_controller_work();
    let grants = text(&ground.of_cluster(&["--stage", "grants"]));
    let want = "node node-1: id 2\n\
        network red_net: id 1\n    \
        tunnel keys 16711684 16715779\n    \
        transit 100.88.0.0/16\n    \
        pod red/red-1: 10.10.0.3/16, 0a:58:0a:0a:00:03, port key 10\n\
        network default\n    \
        node node-1: subnets 10.128.0.0/23 fd01:0:0:1::/64\n\
        \n# what would be written\n";
    assert_eq!(grants, want);
    assert!(ground.of_manifests(&["--stage", "grants"]).starts_with(want));
    for stage in ["sheet", "plan"] {
        for output in ["text", "json"] {
            let arguments = ["--stage", stage, "--output", output, "--node", "node-1"];
            let shown = ground.of_cluster(&arguments);
            assert_eq!(complaint(&shown), "");
            let (shown, want) = (text(&shown), ground.of_manifests(&arguments));
            assert!(shown.contains("red.net_red_red-1"), "{shown}");
            assert_eq!(without_uids(&shown), without_uids(&want), "{stage} as {output}");
        }
    }
    let wrong = ground.of_cluster(&["--node", "node-9"]);
    assert_eq!(complaint(&wrong), "error: there is no node node-9; the cluster has node-1\n");
    a_database_is_compared_with(&ground).await;
}

/// The zone has done its work: nothing is left to do. Then a port is lost, or the network unwanted:
/// that is left to do.
async fn a_database_is_compared_with(ground: &Ground) {
    let root = OvnRoot::find().expect("OVN is there");
    let start = |database| OvsdbServer::start(&root, database).expect("the server starts");
    let (northbound, southbound) = (start(Database::Northbound), start(Database::Southbound));
    let plan = |northbound: &OvsdbServer, output: &str| {
        let arguments = ["--node", "node-1", "--stage", "plan", "--output", output];
        let remote = northbound.remote();
        text(&ground.of_cluster(&[&arguments[..], &["--northbound", &remote]].concat()))
    };
    assert!(plan(&northbound, "text").contains("+ Logical_Switch red_net_ovn_layer2_switch\n"));
    let_zone_work(ground, &northbound, &southbound).await;
    let dump = || {
        let mut client = root.command_in(northbound.folder(), "ovsdb-client");
        run(client.arg("dump").arg(northbound.remote())).expect("the server answers")
    };
    let before = dump();
    let want = "# node-1\n# nothing to do: the database stands as it is drawn\n";
    assert_eq!(plan(&northbound, "text"), want);
    let shown: Value = serde_json::from_str(&plan(&northbound, "json")).expect("JSON");
    assert_eq!(shown, json!({ "node-1": { "rows": [], "findings": [] } }));
    assert_eq!(dump(), before);
    let mut nbctl = root.command_in(northbound.folder(), "ovn-nbctl");
    nbctl.arg(format!("--db={}", northbound.remote())).args(["lsp-del", "red.net_red_red-1"]);
    run(&mut nbctl).expect("the port is there");
    let before = dump();
    let left = plan(&northbound, "text");
    let port =
        "+ Logical_Switch_Port red.net_red_red-1 in Logical_Switch red_net_ovn_layer2_switch";
    assert!(left.starts_with(&format!("# node-1\n{port}")), "{left}");
    assert_eq!(left.matches("\n+ ").count(), 1, "{left}");
    let path = ground.folder.path().join("node.yaml");
    let node = MANIFESTS.split("---").next().expect("the node comes first");
    std::fs::write(&path, node).expect("it can be written");
    let arguments = ["--node", "node-1", "--stage", "plan", "--northbound", &northbound.remote()];
    let gone = text(&explain("-f", &path, &arguments));
    assert!(gone.contains("\n- Logical_Switch red_net_ovn_layer2_switch"), "{gone}");
    assert_eq!(dump(), before);
}

/// Lets a zone controller commit everything, and ends it.
async fn let_zone_work(ground: &Ground, northbound: &OvsdbServer, southbound: &OvsdbServer) {
    let kubeconfig = Kubeconfig::read_from(ground.cluster.kubeconfig()).expect("it is one");
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("usable");
    let client = Client::try_from(config).expect("a client");
    let listing = Listing::read(&client, &[Kind::Pod, Kind::Nad]).await.expect("it is listed");
    let services = Subnet::parse(SERVICES).expect("it is one");
    let settings = ClusterSettings {
        service_subnets: vec![services],
        builds_default_network: true,
        ..<_>::default()
    };
    let settings = ZoneSettings::new(NodeName::new("node-1"), Arc::new(settings));
    let remote = |server: &OvsdbServer| server.remote().parse().expect("it is a remote");
    let remotes = Remotes { northbound: remote(northbound), southbound: remote(southbound) };
    let mut zone =
        ZoneController::start(client, settings, remotes, Box::new(())).expect("it starts");
    let settled = tokio::time::timeout(LIMIT, zone.handle.settled(&listing.newest())).await;
    let findings = settled.expect("in time").expect("it runs").findings;
    assert_eq!(findings, []);
    zone.stop().await;
}
