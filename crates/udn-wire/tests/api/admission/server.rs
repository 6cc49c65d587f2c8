//! A real kube-apiserver with our CRDs and policies, which all tests of the program share.
//!
//! Reads objects; returns what the server says to them. Invariant: only [`Server::create`] and
//! [`Server::apply`] change what it holds, and every test has names of its own.

use std::io::Write;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request as Path;
use kube::core::params::{ListParams, PostParams};
use kube::{Client, Config, Error};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use udn_lab::kubernetes::Cluster;
use udn_lab::wait::wait_for;

use super::requests::{Request, Verb};
use super::{agents, policies};

/// How long the server may take to read what it was given.
const LIMIT: Duration = Duration::from_secs(180);

/// The kinds of the test, and where they are served.
const PLACES: &[(&str, &str)] = &[
    ("UserDefinedNetwork", "/apis/k8s.ovn.org/v1/namespaces/ns/userdefinednetworks"),
    ("ClusterUserDefinedNetwork", "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks"),
    ("NodeNetworkReport", "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports"),
    ("IPAMClaim", "/apis/k8s.cni.cncf.io/v1alpha1/namespaces/ns/ipamclaims"),
    ("Pod", "/api/v1/namespaces/ns/pods"),
    ("Namespace", "/api/v1/namespaces"),
    ("Node", "/api/v1/nodes"),
    ("Lease", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"),
    (
        "NetworkAttachmentDefinition",
        "/apis/k8s.cni.cncf.io/v1/namespaces/ns/network-attachment-definitions",
    ),
];

/// How a token that was made for a pod tells the pod's node.
const NODE_NAME: &str = "Impersonate-Extra-authentication.kubernetes.io%2Fnode-name";

/// Who nodes' agents are.
pub(crate) const AGENT: &str = "system:serviceaccount:udn-system:udn-node";

/// Somebody whose token was made for a pod of a node, if one is named.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'a> {
    pub(crate) name: &'a str,
    pub(crate) node: Option<&'a str>,
}

impl<'a> Asker<'a> {
    /// The agent of a node.
    pub(crate) fn agent(node: &'a str) -> Self {
        Self { name: AGENT, node: Some(node) }
    }

    /// As a policy sees it.
    pub(crate) fn user(&self) -> Value {
        match self.node {
            Some(node) => json!({ "username": self.name,
                "extra": { "authentication.kubernetes.io/node-name": [node] } }),
            None => json!({ "username": self.name }),
        }
    }
}

pub(crate) struct Server {
    client: Client,
    runtime: Runtime,
    cluster: Cluster,
}

/// Started by the test that asks first; the janitor ends it with the program.
static SHARED: LazyLock<Server> = LazyLock::new(Server::start);

impl Server {
    /// The server of this program.
    pub(crate) fn shared() -> &'static Self {
        &SHARED
    }

    /// Starts it, and waits until our kinds and policies are in force.
    fn start() -> Self {
        let cluster = Cluster::builder().without_controllers().start().expect("a cluster starts");
        let deploy = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy");
        let run = |arguments: &[&str]| {
            let status = cluster.kubectl().args(arguments).status().expect("kubectl runs");
            assert!(status.success(), "kubectl {arguments:?} failed");
        };
        run(&["apply", "--server-side", "-f", &format!("{deploy}/crds")]);
        run(&["apply", "--server-side", "-f", &format!("{deploy}/policies")]);
        run(&["wait", "--for=condition=Established", "crd", "--all"]);
        run(&["create", "namespace", "ns"]);
        let runtime = Runtime::new().expect("a runtime starts");
        let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("the kubeconfig is read");
        let client = runtime.block_on(async {
            let options = KubeConfigOptions::default();
            let config = Config::from_custom_kubeconfig(config, &options).await;
            Client::try_from(config.expect("the kubeconfig is whole"))
        });
        let client = client.expect("a client is made");
        let server = Self { client, runtime, cluster };
        server.until_in_force();
        server
    }

    /// Waits until the server, which tells nobody when it has read them, serves our kinds and
    /// follows our policies.
    fn until_in_force(&self) {
        for (_, place) in PLACES {
            self.until(place, |it| {
                let list = Path::new(*place).list(&ListParams::default());
                let list = list.expect("the path is whole");
                it.runtime.block_on(it.client.request::<Value>(list)).is_ok()
            });
        }
        let changed = |object: Value, part: &str, key: &str| {
            let mut object = self.create(&object);
            object["metadata"][part][key] = "".into();
            object
        };
        let named = |mut object: Value| {
            object["metadata"]["name"] = "probe".into();
            object
        };
        let pod = changed(named(policies::pod(&json!({}))), "annotations", policies::ANNOTATION);
        let namespace = changed(named(policies::namespace(&json!({}))), "labels", policies::LABEL);
        let report = self.create(&policies::report("probe"));
        let agent = Some(Asker::agent("node-1"));
        let mut probes = vec![(pod, None), (namespace, None), (report, agent)];
        probes.extend(agents::probes().map(|it| (self.create(&it), agent)));
        for (object, asker) in probes {
            self.until("the policies", |it| {
                let refused = it.call_as(asker, Verb::Update, &object, true).err();
                refused.is_some_and(|it| it.to_string().contains("ValidatingAdmissionPolicy"))
            });
        }
    }

    fn until(&self, what: &str, is_done: impl Fn(&Self) -> bool) {
        wait_for(what, LIMIT, || is_done(self).then_some(())).unwrap_or_else(|it| panic!("{it}"));
    }

    /// Creates an object for good; returns it as it is stored.
    pub(crate) fn create(&self, object: &Value) -> Value {
        self.call(Verb::Create, object, false)
            .unwrap_or_else(|status| panic!("{object} was refused: {status}"))
    }

    /// What the server says to a request, as a dry run: the object or a `Status`.
    pub(crate) fn ask(&self, request: &Request, standing: Option<&Value>) -> Result<Value, Value> {
        let Some(old) = standing.filter(|_| request.verb != Verb::Create) else {
            return self.call(Verb::Create, &request.object, true);
        };
        let mut object = request.object.clone();
        follow(&mut object, old);
        self.call(request.verb, &object, true)
    }

    /// Sends an object, for good or as a dry run; returns the object or a `Status`.
    pub(crate) fn call(&self, verb: Verb, object: &Value, dry_run: bool) -> Result<Value, Value> {
        self.call_as(None, verb, object, dry_run)
    }

    /// The same by somebody else than the administrator.
    pub(crate) fn call_as(
        &self,
        asker: Option<Asker<'_>>,
        verb: Verb,
        object: &Value,
        dry_run: bool,
    ) -> Result<Value, Value> {
        let parameters = PostParams { dry_run, field_manager: Some("test".to_owned()) };
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let (path, bytes) = (Path::new(place(object)), object.to_string().into_bytes());
        let message = match verb {
            Verb::Create => path.create(&parameters, bytes),
            Verb::Update => path.replace(name, &parameters, bytes),
            Verb::UpdateStatus => path.replace_subresource("status", name, &parameters, bytes),
        };
        let mut message = message.expect("the path is whole");
        let strict = format!("{}&fieldValidation=Strict", message.uri());
        *message.uri_mut() = strict.parse().expect("the path is whole");
        if let Some(Asker { name, node }) = asker {
            let value = |text: &str| text.parse().expect("it is a plain text");
            let headers = message.headers_mut();
            headers.insert("Impersonate-User", value(name));
            // It is policies that are asked here, not roles.
            headers.insert("Impersonate-Group", value("system:masters"));
            if let Some(node) = node {
                headers.insert(NODE_NAME, value(node));
            }
        }
        match self.runtime.block_on(self.client.request::<Value>(message)) {
            Ok(object) => Ok(object),
            Err(Error::Api(status)) => Err(json!(status)),
            Err(error) => panic!("the server did not answer: {error}"),
        }
    }

    /// Applies an object of any kind for good, as a user would.
    pub(crate) fn apply(&self, object: &Value) -> Result<(), String> {
        let mut command = self.cluster.kubectl();
        command.args(["apply", "-f", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut kubectl = command.stdout(Stdio::null()).spawn().expect("kubectl runs");
        let mut input = kubectl.stdin.take().expect("its input is a pipe");
        input.write_all(object.to_string().as_bytes()).expect("kubectl reads");
        drop(input);
        let output = kubectl.wait_with_output().expect("kubectl ends");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(()) } else { Err(told) }
    }

    /// An object without what every server adds by itself.
    pub(crate) fn without_its_own(object: &Value) -> Value {
        let mut object = object.clone();
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            for key in
                ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"]
            {
                metadata.remove(key);
            }
        }
        object
    }
}

fn place(object: &Value) -> &'static str {
    let found = PLACES.iter().find(|(kind, _)| object["kind"] == *kind);
    found.expect("every template's kind has a place").1
}

/// Says which version of the standing object is replaced.
fn follow(object: &mut Value, old: &Value) {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.insert("resourceVersion".to_owned(), old["metadata"]["resourceVersion"].clone());
    }
}
