//! A node with its agent, an API server in this process, and the cluster controller.
//!
//! Reads manifests; returns a [`Site`] on which networks are built as in a cluster of one node.
//! Invariant: everything of the node but its machine is made by the agent alone.

use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube_embedded::Server;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{JoinHandle, block_in_place};
use udn_control::cluster::{self, ControllerSettings, Signals};
use udn_host::chassis::ChassisSettings;
use udn_lab::fabric::{Addresses, Fabric};
use udn_lab::host::Host as Outside;
use udn_lab::node::{EXTERNAL_BRIDGE, EXTERNAL_NETWORK, Node, NodeSettings};
use udn_lab::ovn_root::OvnRoot;
use udn_lab::wait::wait_for;
use udn_manifest::manifest::documents;
use udn_model::{ChassisName, ClusterSettings, NodeName};
use udn_node::agent::{AgentSettings, HostState, KubeletSettings};
use udn_node::{NodeAgent, Program};
use udn_wire::Kind;
use udn_wire::deploy::{CRDS, POLICIES};

/// How long something that must come about may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// The node's name.
pub(crate) const NODE: &str = "n1";

/// A primary network in both families, in a namespace of its own.
pub(crate) const RED: &str = r#"
apiVersion: v1
kind: Namespace
metadata: {name: red, labels: {k8s.ovn.org/primary-user-defined-network: ""}}
---
apiVersion: k8s.ovn.org/v1
kind: UserDefinedNetwork
metadata: {namespace: red, name: red}
spec:
  topology: Layer2
  layer2: {role: Primary, subnets: [10.10.0.0/16, "fd10::/64"]}
"#;

/// The fields are dropped from top to bottom.
pub(crate) struct Site {
    pub(crate) agent: Option<NodeAgent>,
    pub(crate) client: Client,
    pub(crate) settings: AgentSettings,
    controller: JoinHandle<()>,
    _stop: watch::Sender<bool>,
    _server: Server,
    pub(crate) node: Node,
    _outside: Outside,
    _fabric: Fabric,
}

impl Site {
    /// Starts everything but the agent.
    pub(crate) async fn without_agent() -> Self {
        Self::with(ClusterSettings::default()).await
    }

    /// The same with other settings of the cluster.
    pub(crate) async fn with(cluster: ClusterSettings) -> Self {
        // What the agent logs is shown where a test fails; another test may have begun with it.
        let log = tracing_subscriber::fmt().with_test_writer().with_max_level(tracing::Level::INFO);
        let _ = log.with_ansi(false).try_init();
        let (fabric, outside, node) = block_in_place(machine);
        let server = Server::builder().dual_stack(true).start().await.expect("the server starts");
        let client = server.client();
        for manifest in CRDS.iter().chain(POLICIES) {
            apply(&client, manifest.text).await;
        }
        apply(
            &client,
            &json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": NODE } })
                .to_string(),
        )
        .await;
        let (stop, stopped) = watch::channel(false);
        let controller = tokio::spawn(cluster::run(
            client.clone(),
            ControllerSettings::new(cluster.clone()),
            Arc::default(),
            Signals::new(watch::Sender::default(), stopped),
        ));
        let settings = settings(&node, cluster);
        Self {
            agent: None,
            client,
            settings,
            controller,
            _stop: stop,
            _server: server,
            node,
            _outside: outside,
            _fabric: fabric,
        }
    }

    pub(crate) async fn start() -> Self {
        let mut site = Self::without_agent().await;
        site.start_agent().await;
        site
    }

    pub(crate) async fn start_agent(&mut self) {
        let agent = NodeAgent::start(self.client.clone(), self.settings.clone()).await;
        self.agent = Some(agent.expect("the agent starts"));
    }

    pub(crate) async fn stop_agent(&mut self) {
        self.agent.take().expect("it runs").stop().await;
    }

    /// Waits until the host stands as all that the zone controller knows asks for, including a network.
    pub(crate) async fn until_whole(&self, network: &str) {
        let agent = self.agent.as_ref().expect("it runs");
        let mut state = agent.state();
        let zone = agent.zone().clone();
        let wait = async {
            loop {
                let HostState { revision, is_whole, .. } = state.borrow_and_update().clone();
                let newest = zone.host_news().borrow().revision;
                let view = zone.host_view().await.expect("it runs");
                let is_known = view.intent.networks.keys().any(|it| it.as_str() == network);
                if is_known && is_whole && revision == Some(newest) {
                    return;
                }
                state.changed().await.expect("the host loop runs");
            }
        };
        let waited = tokio::time::timeout(LIMIT, wait).await;
        waited.unwrap_or_else(|_| panic!("{:#?}", *agent.state().borrow()));
    }

    pub(crate) async fn apply(&self, manifests: &str) {
        apply(&self.client, manifests).await;
    }

    pub(crate) async fn delete(&self, kind: Kind, namespace: &str, name: &str) {
        let api = self.objects(kind, namespace);
        api.delete(name, &DeleteParams::default()).await.expect("it is there");
    }

    /// An object as it stands.
    pub(crate) async fn read(&self, kind: Kind, name: &str) -> Option<Value> {
        let object = self.objects(kind, "").get_opt(name).await.expect("the server answers");
        object.map(|it| serde_json::to_value(it).expect("it is JSON"))
    }

    /// An object in a namespace, which must be there.
    pub(crate) async fn read_in(&self, kind: Kind, namespace: &str, name: &str) -> Value {
        let object = self.objects(kind, namespace).get(name).await.expect("it is there");
        serde_json::to_value(object).expect("it is JSON")
    }

    pub(crate) async fn patch(&self, kind: Kind, name: &str, patch: Value) {
        let patch = Patch::Merge(patch);
        let patched = self.objects(kind, "").patch(name, &PatchParams::default(), &patch).await;
        patched.expect("it may be changed");
    }

    /// Waits until an object is as a test wants it; returns what it then is.
    pub(crate) async fn until<T>(
        &self,
        kind: Kind,
        name: &str,
        check: impl Fn(&Value) -> Option<T>,
    ) -> T {
        let deadline = tokio::time::Instant::now() + LIMIT;
        loop {
            let object = self.read(kind, name).await.unwrap_or_default();
            if let Some(found) = check(&object) {
                return found;
            }
            assert!(tokio::time::Instant::now() < deadline, "{object:#}");
            // waits: for what another program writes
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn objects(&self, kind: Kind, namespace: &str) -> Api<DynamicObject> {
        let (group, version) =
            kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
        let gvk = GroupVersionKind::gvk(group, version, kind.as_str());
        let resource = ApiResource::from_gvk_with_plural(&gvk, kind.plural());
        match namespace {
            "" => Api::all_with(self.client.clone(), &resource),
            namespace => Api::namespaced_with(self.client.clone(), namespace, &resource),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

/// Waits until something that programs outside of this one tell is as a test wants it.
pub(crate) fn until<T>(what: &str, check: impl FnMut() -> Option<T>) -> T {
    block_in_place(|| wait_for(what, LIMIT, check)).unwrap_or_else(|late| panic!("{late}"))
}

fn machine() -> (Fabric, Outside, Node) {
    let root = OvnRoot::find().expect("the OVN root is set up");
    let fabric = Fabric::create().expect("a fabric can be made");
    let six = |last| Ipv6Addr::from([0xfd18, 0, 0, 0, 0, 0, 0, last]);
    let outside = Addresses::dual([172, 18, 0, 1], six(1));
    let mut settings = NodeSettings::new(NODE, Addresses::dual([172, 18, 0, 11], six(11)));
    settings.next_hops = outside.iter().collect();
    let outside = fabric.host(&root, outside).expect("a host can be made");
    let node = Node::start_with(&root, &fabric, settings).expect("the node starts");
    (fabric, outside, node)
}

fn settings(node: &Node, cluster: ClusterSettings) -> AgentSettings {
    let remote = |text: String| text.parse().expect("the rig's own remotes are sound");
    AgentSettings {
        chassis: ChassisSettings {
            node: NodeName::new(NODE),
            identity: ChassisName::new("never-used"),
            southbound: node.southbound().remote(),
            integration_bridge: "br-int".to_owned(),
            external_bridge: EXTERNAL_BRIDGE.to_owned(),
            uplink: None,
            physical_network: EXTERNAL_NETWORK.to_owned(),
            tunnel_addresses: Vec::new(),
            masquerade: cluster.masquerade,
        },
        cluster: Arc::new(cluster),
        northbound: remote(node.northbound().remote()),
        southbound: remote(node.southbound().remote()),
        open_vswitch: vec![remote(node.open_vswitch().remote())],
        namespace: node.namespace().path().to_owned(),
        ofctl: Program::from(&node.ofctl()),
        ethtool: Program::from(&node.workplace().root.command("ethtool")),
        kubelet: KubeletSettings::default(),
        cni: None,
    }
}

async fn apply(client: &Client, manifests: &str) {
    let documents = documents(manifests);
    for object in documents.flat_map(|it| it.objects().expect("it is YAML")) {
        let object: DynamicObject = serde_json::from_value(object.value).expect("it is an object");
        let types = object.types.as_ref().expect("it has a kind");
        let kind = GroupVersionKind::try_from(types).expect("it has a version");
        let name = object.metadata.name.clone().expect("it has a name");
        let resource = ApiResource::from_gvk(&kind);
        let api: Api<DynamicObject> = match object.metadata.namespace.as_deref() {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        };
        let params = PatchParams::apply("test").force();
        api.patch(&name, &params, &Patch::Apply(&object)).await.expect("the server takes it");
    }
}
