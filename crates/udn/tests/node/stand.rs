//! A real cluster whose network is ours: `udn controller`, and `udn node` on each node.
//!
//! Reads manifests; returns what kubectl and commands in pods say.
//! Invariant: only the programs that people install act here; the test looks and asks.

use std::collections::BTreeMap;
use std::fs;
use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use udn_lab::progress::Silent;
use udn_lab::real_cluster::{Builder, RealCluster, RealNode};
use udn_lab::run::{RunError, run};
use udn_lab::wait::wait_for;
use udn_model::{ClusterSettings, Family, GatewayMode};
use udn_sandbox::kubernetes::{NetworkPrograms, ProgramFiles, cluster_settings};

/// How long a pod may take to be ready, or a state to be reached.
pub(crate) const LIMIT: Duration = Duration::from_secs(90);
/// The same, as kubectl is told.
const PATIENCE: &str = "--timeout=90s";

/// What a test that starts and ends programs of the network itself relies on.
const OWN_PROGRAMS: &str = "the test started the programs";

/// A machine with two cores carries one cluster at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Waits until no other cluster of this program runs.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cluster in which pods can be started; its fields are dropped from top to bottom.
pub(crate) struct Stand {
    /// Those that the test itself started; none where the cluster runs them.
    programs: Option<NetworkPrograms>,
    pub(crate) cluster: RealCluster,
    _turn: MutexGuard<'static, ()>,
}

impl Stand {
    /// Starts a cluster with so many nodes, and returns once all are ready for pods.
    pub(crate) fn start(nodes: usize) -> Self {
        Self::with_flags(nodes, &[])
    }

    /// The same, with flags of kube-apiserver.
    pub(crate) fn with_flags(nodes: usize, flags: &[String]) -> Self {
        let turn = turn();
        let builder = RealCluster::builder().nodes(nodes);
        let cluster = flags.iter().fold(builder, Builder::api_server_flag).start();
        let cluster = cluster.unwrap_or_else(|error| panic!("no cluster: {}", chain(&error)));
        let settings = cluster_settings(&Family::BOTH, GatewayMode::Shared);
        Self::with_programs(cluster, settings, turn)
    }

    /// Starts our programs on a cluster, and returns once its nodes are Ready.
    pub(crate) fn with_programs(
        cluster: RealCluster,
        settings: ClusterSettings,
        turn: MutexGuard<'static, ()>,
    ) -> Self {
        let files = ProgramFiles::beside(Path::new(env!("CARGO_BIN_EXE_udn")));
        let programs = NetworkPrograms::start(files, settings, &cluster, &Silent);
        let programs = programs.unwrap_or_else(|error| panic!("no network: {}", chain(&error)));
        Self { programs: Some(programs), cluster, _turn: turn }
    }

    /// Takes a cluster that somebody else makes a network for.
    pub(crate) fn around(cluster: RealCluster, turn: MutexGuard<'static, ()>) -> Self {
        Self { programs: None, cluster, _turn: turn }
    }

    /// What kubectl prints; it must succeed.
    #[track_caller]
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        let said = run(self.cluster.kubectl().args(arguments));
        said.unwrap_or_else(|error| panic!("{error}\n{}", self.logs()))
    }

    /// The same as JSON.
    #[track_caller]
    pub(crate) fn objects(&self, arguments: &[&str]) -> Value {
        let text = self.kubectl(&[arguments, &["-o", "json"]].concat());
        serde_json::from_str(&text).expect("kubectl prints JSON")
    }

    /// Applies manifests by server-side apply.
    #[track_caller]
    pub(crate) fn apply(&self, manifests: &str) {
        let file = self.cluster.nodes()[0].folder().join("applied.yaml");
        fs::write(&file, manifests).expect("a file can be written");
        self.kubectl(&["apply", "--server-side", "-f", text(&file)]);
    }

    /// Deletes what such manifests name, and waits until it is gone.
    #[track_caller]
    pub(crate) fn delete(&self, manifests: &str) {
        let file = self.cluster.nodes()[0].folder().join("deleted.yaml");
        fs::write(&file, manifests).expect("a file can be written");
        self.kubectl(&["delete", "--ignore-not-found", PATIENCE, "-f", text(&file)]);
    }

    /// Waits until everything of this kind and namespace has a condition.
    #[track_caller]
    pub(crate) fn wait(&self, condition: &str, what: &[&str]) {
        let condition = format!("--for={condition}");
        let arguments = [&["wait", PATIENCE, &condition][..], what].concat();
        if let Err(error) = run(self.cluster.kubectl().args(arguments)) {
            panic!("{error}\n{}\n{}", self.events(), self.logs());
        }
    }

    /// Runs a command in a pod, named `namespace/pod`.
    pub(crate) fn exec(&self, pod: &str, words: &[&str]) -> Result<String, RunError> {
        let (namespace, pod) = pod.split_once('/').expect("a namespace and a name");
        let mut command = self.cluster.kubectl();
        run(command.args(["exec", "-n", namespace, pod, "--"]).args(words))
    }

    /// The pods of a namespace, with what the network granted them.
    pub(crate) fn pods(&self, namespace: &str) -> Vec<Pod> {
        let list = self.objects(&["get", "pods", "-n", namespace]);
        let items = list["items"].as_array().expect("a list").iter();
        let mut pods: Vec<Pod> = items.map(Pod::of).collect();
        pods.sort_by(|one, other| one.name.cmp(&other.name));
        pods
    }

    /// A node by its name.
    pub(crate) fn node(&self, name: &str) -> &RealNode {
        let found = self.cluster.nodes().iter().find(|node| node.name() == name);
        found.unwrap_or_else(|| panic!("no node {name}"))
    }

    /// What a command on a node prints; it must succeed.
    #[track_caller]
    pub(crate) fn on_node(&self, node: &str, program: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(arguments);
        run(&mut self.node(node).enter(&command)).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Ends an agent as a crash would.
    pub(crate) fn kill_agent(&mut self, node: &str) {
        self.programs().kill_agent(node).expect("it runs");
    }

    /// Ends an agent as systemd and kubelets do.
    pub(crate) fn stop_agent(&mut self, node: &str) {
        self.programs().stop_agent(node).expect("it runs");
    }

    /// Starts an agent, again or for the first time.
    pub(crate) fn start_agent(&mut self, node: &str) {
        let node = self.cluster.nodes().iter().find(|it| it.name() == node).expect("a node");
        let programs = self.programs.as_mut().expect(OWN_PROGRAMS);
        programs.start_agent(node).expect("it starts");
    }

    /// The same, with a namespace of control groups of its own, as an agent in a container has it.
    pub(crate) fn start_contained_agent(&mut self, node: &str) {
        let node = self.cluster.nodes().iter().find(|it| it.name() == node).expect("a node");
        let programs = self.programs.as_mut().expect(OWN_PROGRAMS);
        programs.start_contained_agent(node).expect("it starts");
    }

    fn programs(&mut self) -> &mut NetworkPrograms {
        self.programs.as_mut().expect(OWN_PROGRAMS)
    }

    /// Waits until a check answers; what failed is shown with events and logs.
    #[track_caller]
    pub(crate) fn eventually<T>(&self, what: &str, check: impl FnMut() -> Option<T>) -> T {
        let answer = wait_for(what, LIMIT, check);
        answer.unwrap_or_else(|late| panic!("{late}\n{}\n{}", self.events(), self.logs()))
    }

    /// What the cluster complains of, the newest last.
    fn events(&self) -> String {
        let template = "{range .items[*]}{.involvedObject.namespace}/{.involvedObject.name} {.reason}: \
                        {.message}{\"\\n\"}{end}";
        let arguments = ["get", "events", "-A", "--sort-by=.lastTimestamp"];
        let said = run(self
            .cluster
            .kubectl()
            .args(arguments)
            .args(["--field-selector=type=Warning", &format!("-o=jsonpath={template}")]));
        let said = said.unwrap_or_else(|error| error.to_string());
        last_lines(&said, 12)
    }

    fn logs(&self) -> String {
        let tail = |(name, file): (&str, &Path)| {
            let log = fs::read_to_string(file).unwrap_or_default();
            format!("── {name}\n{}\n", last_lines(&log, 25))
        };
        match &self.programs {
            Some(programs) => programs.logs().map(tail).collect(),
            None => self.pod_logs(),
        }
    }

    /// The same of programs that the cluster runs.
    fn pod_logs(&self) -> String {
        let ours = ["-n", "udn-system", "-l", "app.kubernetes.io/part-of=udn"];
        let ask = |words: &[&str]| {
            let said = run(self.cluster.kubectl().args(words).args(ours));
            said.unwrap_or_else(|error| error.to_string())
        };
        let words = ["logs", "--all-containers", "--prefix", "--tail=12", "--ignore-errors"];
        format!("{}\n{}", ask(&["get", "pods", "-o", "wide"]), ask(&words))
    }
}

/// A pod that runs, as the API shows it.
#[derive(Debug, Clone)]
pub(crate) struct Pod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) node: String,
    pub(crate) restarts: u64,
    /// What `k8s.ovn.org/pod-networks` grants, by NAD key.
    pub(crate) networks: BTreeMap<String, Vec<IpAddr>>,
    /// What Multus wrote.
    pub(crate) status: Vec<Value>,
}

impl Pod {
    fn of(object: &Value) -> Self {
        let metadata = &object["metadata"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let annotation = |key: &str| -> Value {
            let text = metadata["annotations"][key].as_str().unwrap_or("null");
            serde_json::from_str(text).expect("the annotation is JSON")
        };
        let networks = match annotation("k8s.ovn.org/pod-networks") {
            Value::Object(entries) => {
                entries.iter().map(|(key, entry)| (key.clone(), addresses(entry))).collect()
            }
            _ => BTreeMap::new(),
        };
        let statuses = object["status"]["containerStatuses"].as_array().into_iter().flatten();
        Self {
            namespace: text(&metadata["namespace"]),
            name: text(&metadata["name"]),
            node: text(&object["spec"]["nodeName"]),
            restarts: statuses.filter_map(|it| it["restartCount"].as_u64()).sum(),
            networks,
            status: match annotation("k8s.v1.cni.cncf.io/network-status") {
                Value::Array(entries) => entries,
                _ => Vec::new(),
            },
        }
    }

    /// The name by which commands are run in it.
    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// Its addresses on the network of a NAD key.
    pub(crate) fn on(&self, key: &str) -> &[IpAddr] {
        self.networks.get(key).unwrap_or_else(|| panic!("{} has no {key}: {self:?}", self.name))
    }
}

fn addresses(entry: &Value) -> Vec<IpAddr> {
    let texts = entry["ip_addresses"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let address = |text: &str| text.split('/').next().and_then(|it| it.parse().ok());
    texts.map(|text| address(text).expect("an address")).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the lab's paths are text")
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        said += &format!(": {source}");
        next = source.source();
    }
    said
}
