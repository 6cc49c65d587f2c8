//! A container runtime as the CNI server meets it: sandboxes with namespaces, and requests.
//!
//! Reads pods by their numbers; returns what the server answers. Real are the kernel, Open vSwitch
//! and OVN, into whose northbound database ports are written by hand.
//! Invariant: a namespace of a pod goes with its [`Sandbox`], whatever a test forgot to delete.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use udn_cni::http::{Limits, post};
use udn_cni::request::encode;
use udn_cni::{CniError, CniResult};
use udn_host::Datapath;
use udn_host::guard::GUARD_COOKIE;
use udn_lab::namespaces::Namespace;
use udn_lab::node::{Fabric, Node};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::run::run;
use udn_node::cni::{CniServer, CniSettings};
use udn_node::host::HostSettings;
use udn_node::{Host, Program};

use crate::pods::{KnownPods, On, PodNumber, settings};

/// The default configuration, and that of the secondary network's NAD.
pub(crate) const DEFAULT: &str =
    r#"{"cniVersion":"1.1.0","name":"ovn-kubernetes","type":"ovn-k8s-cni-overlay","ipam":{}}"#;
pub(crate) const FLAT: &str = r#"{"cniVersion":"1.1.0","name":"flat","type":"ovn-k8s-cni-overlay",
    "topology":"layer2","netAttachDefName":"a/flat","role":"secondary"}"#;

/// What ports of the northbound database are of: a switch for each network.
const SWITCHES: [&str; 3] = ["n1", "red", "flat"];

/// A node with a CNI server.
pub(crate) struct Runtime {
    pub(crate) server: Option<CniServer<KnownPods>>,
    pub(crate) pods: Arc<KnownPods>,
    pub(crate) host: Host,
    pub(crate) node: Node,
    _fabric: Fabric,
}

/// A sandbox of a pod.
pub(crate) struct Sandbox {
    pub(crate) pod: PodNumber,
    pub(crate) id: String,
    pub(crate) namespace: Namespace,
}

impl Runtime {
    /// A node whose server runs.
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| ()).await
    }

    /// The same with other limits.
    pub(crate) async fn start_with(change: impl FnOnce(&mut CniSettings)) -> Self {
        let root = OvnRoot::find().expect("the OVN root is set up");
        let fabric = Fabric::create().expect("a fabric can be made");
        let node = Node::start(&root, &fabric, "n1", [172, 18, 0, 11].into());
        let node = node.expect("the node starts");
        let mut command = node.nbctl();
        for switch in SWITCHES {
            command.args(["--", "ls-add", switch]);
        }
        run(&mut command).expect("the zone takes switches");
        let host = host(&node, &node.open_vswitch().remote()).await;
        let mut runtime = Self { server: None, pods: Arc::default(), host, node, _fabric: fabric };
        runtime.serve(change);
        runtime.host.switch().wait_synced().await.expect("the switch's database answers");
        runtime
    }

    /// Stops the server; the next one finds no switch.
    pub(crate) async fn lose_switch(&mut self) {
        self.server.take().expect("it runs").stop().await;
        self.host = host(&self.node, "unix:/nowhere/db.sock").await;
    }

    /// Starts a server, in the place of the one before.
    pub(crate) fn serve(&mut self, change: impl FnOnce(&mut CniSettings)) {
        let mut settings =
            CniSettings::new(self.socket(), settings(), "br-int".to_owned(), Datapath::Userspace);
        change(&mut settings);
        let server = CniServer::start(settings, self.host.clone(), Arc::clone(&self.pods));
        self.server = Some(server.expect("the server listens"));
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.node.workplace().folder.join("cni/cni.sock")
    }

    /// A sandbox of a pod, which the runtime knows by the pod's usual name for it.
    pub(crate) fn sandbox(&self, pod: PodNumber) -> Sandbox {
        let namespace = Namespace::create(&self.node.workplace().janitor, "pod");
        let namespace = namespace.expect("a namespace can be made");
        Sandbox { pod, id: pod.sandbox(), namespace }
    }

    /// Writes the ports of pods into OVN, and tells the server all about them.
    pub(crate) fn introduce(&self, pods: &[PodNumber], on: &[On]) {
        let mut command = self.node.nbctl();
        for pod in pods {
            for on in on {
                self.draw(&mut command, *pod, *on);
            }
            self.pods.tell(&pod.name(), Some(pod.known(on, on)));
        }
        run(&mut command).expect("the zone takes ports");
    }

    fn draw(&self, command: &mut std::process::Command, pod: PodNumber, on: On) {
        let (switch, port) = (
            match on {
                On::Default => "n1",
                On::Red => "red",
                On::Flat(_) => "flat",
            },
            pod.logical_port(on),
        );
        let ips: Vec<String> = pod.ips(on).iter().map(ToString::to_string).collect();
        let addresses = format!("{} {}", pod.mac(on), ips.join(" "));
        command.args(["--", "--may-exist", "lsp-add", switch, &port]);
        command.args(["--", "lsp-set-addresses", &port, &addresses]);
        let version = format!("iface-id-ver={}", pod.uid());
        command.args(["--", "lsp-set-options", &port, "requested-chassis=n1", &version]);
    }

    /// Sends a request, as the shim does.
    pub(crate) async fn ask(
        &self,
        command: &str,
        sandbox: &Sandbox,
        (interface, conf): (&str, &str),
    ) -> Result<Option<CniResult>, CniError> {
        self.send(sandbox.variables(command, interface), conf).await
    }

    /// Sends any variables and configuration.
    pub(crate) async fn send(
        &self,
        variables: BTreeMap<String, String>,
        conf: &str,
    ) -> Result<Option<CniResult>, CniError> {
        let body = encode(&variables, conf.as_bytes()).expect("the test's requests are small");
        send(self.socket(), body).await
    }

    /// ADD of the link into the default network.
    pub(crate) async fn add(&self, sandbox: &Sandbox) -> Result<CniResult, CniError> {
        let answer = self.ask("ADD", sandbox, ("eth0", DEFAULT)).await;
        answer.map(|result| result.expect("an ADD has a result"))
    }

    /// The same, by a server that does not live to answer.
    pub(crate) async fn send_unheard(&self, sandbox: &Sandbox) {
        let variables = sandbox.variables("ADD", "eth0");
        let body = encode(&variables, DEFAULT.as_bytes()).expect("it is small");
        let socket = self.socket();
        let asked = move || drop(post(&socket, "/", &body, Limits::default()));
        tokio::task::spawn_blocking(asked).await.expect("no panic");
    }

    /// DEL of the link into the default network.
    pub(crate) async fn del(&self, sandbox: &Sandbox) {
        self.ask("DEL", sandbox, ("eth0", DEFAULT)).await.expect("a DEL succeeds");
    }

    /// Everything of pods that can be seen on the node, as text.
    pub(crate) fn traces(&self) -> String {
        let mut ports = self.node.vsctl();
        ports.args(["--columns=name,external_ids", "--bare", "list", "Interface"]);
        let ports = run(&mut ports).expect("the switch answers");
        let mut ports: Vec<&str> = ports.lines().filter(|it| it.contains("sandbox=")).collect();
        ports.sort_unstable();
        let mut limits = self.node.vsctl();
        limits.args(["--bare", "list", "QoS"]);
        let limits = run(&mut limits).expect("the switch answers");
        let links = self.node.namespace().ip(&["-brief", "link"]).expect("ip answers");
        let links: Vec<&str> = links.lines().filter_map(|it| it.split('@').next()).collect();
        let mut links: Vec<&str> = links.into_iter().filter(|it| it.starts_with("5a")).collect();
        links.sort_unstable();
        let mut guards = self.node.ofctl();
        guards.args(["--protocols=OpenFlow15", "--no-stats", "dump-flows", "br-int"]);
        guards.arg(format!("cookie={GUARD_COOKIE:#x}/-1"));
        let guards = run(&mut guards).expect("the switch answers");
        let mut guards: Vec<&str> =
            guards.lines().filter(|it| it.contains("icmp_type=134")).collect();
        guards.sort_unstable();
        [ports.join("\n"), limits, links.join("\n"), guards.join("\n")].join("\n--\n")
    }
}

async fn host(node: &Node, open_vswitch: &str) -> Host {
    let settings = HostSettings {
        namespace: node.namespace().path().to_owned(),
        open_vswitch: vec![open_vswitch.parse().expect("the address is well formed")],
        ofctl: Program::from(&node.ofctl()),
        ethtool: Program::new("no-such-ethtool"),
    };
    Host::new(settings).await.expect("the host can be served")
}

/// Sends a body to a server.
pub(crate) async fn send(socket: PathBuf, body: Vec<u8>) -> Result<Option<CniResult>, CniError> {
    let asked = tokio::task::spawn_blocking(move || post(&socket, "/", &body, Limits::default()));
    asked.await.expect("no panic").expect("the server answers").read()
}

impl Sandbox {
    pub(crate) fn variables(&self, command: &str, interface: &str) -> BTreeMap<String, String> {
        let (pod, path) = (self.pod, self.namespace.path().display().to_string());
        let arguments = format!(
            "IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME={};K8S_POD_UID={}",
            pod.name().name,
            pod.uid()
        );
        [
            ("CNI_COMMAND", command.to_owned()),
            ("CNI_CONTAINERID", self.id.clone()),
            ("CNI_NETNS", path),
            ("CNI_IFNAME", interface.to_owned()),
            ("CNI_ARGS", arguments),
            ("CNI_PATH", "/opt/cni/bin".to_owned()),
        ]
        .map(|(key, text)| (key.to_owned(), text))
        .into()
    }
}
