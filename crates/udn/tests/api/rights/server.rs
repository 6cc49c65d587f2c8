//! A real kube-apiserver, or ours, with our kinds, roles and policies, and tokens as kubelets get them
//! for pods.
//!
//! Reads requests and whose token they carry; returns what the server says, word for word.
//! Invariant: a token is made by the server itself, so what it tells of its pod is the server's word.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kube::client::Body;
use kube::config::{AuthInfo, KubeConfigOptions, Kubeconfig};
use kube::core::Request;
use kube::{Client, Config};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use udn_lab::kubernetes::Cluster;
use udn_lab::kubernetes::programs::Programs;
use udn_lab::wait::wait_for;
use udn_wire::deploy::{CRDS, Manifest, POLICIES, ROLES};

use crate::program::Program;

/// How long the server may take to read what it was given.
const LIMIT: Duration = Duration::from_secs(60);

/// Where our own server leaves word of how it is reached.
const KUBECONFIG: &str = "kubeconfig";

/// The namespace of our accounts.
pub(crate) const OURS: &str = "udn-system";

/// A request, without who sends it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) body: Value,
    /// Who the sender pretends to be, as headers.
    pub(crate) pretence: &'static [(&'static str, &'static str)],
}

/// What the server said.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) object: Value,
}

/// A ServiceAccount, and the object that its token was made for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bearer<'a> {
    pub(crate) account: &'a str,
    /// The kind and the name of the object; none for a token that is made for nothing.
    pub(crate) bound: Option<(&'a str, &'a str)>,
}

impl Call {
    pub(crate) fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { method, path: path.into(), body, pretence: &[] }
    }

    pub(crate) fn read(path: impl Into<String>) -> Self {
        Self::new("GET", path, Value::Null)
    }
}

impl Answer {
    pub(crate) fn is_done(&self) -> bool {
        (200..300).contains(&self.code)
    }

    pub(crate) fn message(&self) -> &str {
        self.object["message"].as_str().unwrap_or_default()
    }

    /// Whether no role lets the sender do this, as the server puts it.
    pub(crate) fn is_for_want_of_a_role(&self, verb: &str, resource: &str, group: &str) -> bool {
        let words = format!("cannot {verb} resource \"{resource}\" in API group \"{group}\"");
        self.code == 403 && self.message().contains(&words)
    }
}

pub(crate) struct Server {
    runtime: Runtime,
    config: Config,
    admin: Client,
    running: Running,
}

/// What runs; it is ended with its value.
enum Running {
    Real(Box<Cluster>),
    Ours { _program: Program, programs: Programs, folder: TempDir },
}

/// Started by the test that asks first; the janitor ends it with the program.
static SHARED: LazyLock<Mutex<Server>> = LazyLock::new(|| Mutex::new(Server::real()));

impl Server {
    /// The server of this program, for one test at a time.
    pub(crate) fn turn() -> MutexGuard<'static, Self> {
        SHARED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn real() -> Self {
        let cluster = Cluster::builder().without_controllers().start().expect("a cluster starts");
        let kubeconfig = cluster.kubeconfig().to_owned();
        Self::with(Running::Real(Box::new(cluster)), &kubeconfig)
    }

    /// Our own API server, which makes tokens for accounts and not for pods.
    pub(crate) fn ours() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = Program::start(folder.path(), &["--rbac"]);
        let programs = Programs::find().expect("kubectl is there");
        let kubeconfig = folder.path().join(KUBECONFIG);
        Self::with(Running::Ours { _program: program, programs, folder }, &kubeconfig)
    }

    fn with(running: Running, kubeconfig: &Path) -> Self {
        let runtime = Runtime::new().expect("a runtime starts");
        let config = runtime.block_on(config(kubeconfig));
        let admin = client(&runtime, config.clone());
        let server = Self { runtime, config, admin, running };
        for manifests in [CRDS, ROLES, POLICIES] {
            server.apply(&texts(manifests));
        }
        server.kubectl(&["wait", "--for=condition=Established", "crd", "--all"], "");
        server
    }

    /// Applies manifests as the administrator.
    #[track_caller]
    pub(crate) fn apply(&self, manifests: &str) {
        self.kubectl(&["apply", "--server-side", "--force-conflicts", "-f", "-"], manifests);
    }

    #[track_caller]
    pub(crate) fn kubectl(&self, arguments: &[&str], input: &str) -> String {
        let mut command = self.running.kubectl();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut kubectl = command.spawn().expect("kubectl starts");
        let mut pipe = kubectl.stdin.take().expect("its input is a pipe");
        pipe.write_all(input.as_bytes()).expect("kubectl reads");
        drop(pipe);
        let output = kubectl.wait_with_output().expect("kubectl ends");
        assert!(output.status.success(), "kubectl {arguments:?} failed");
        String::from_utf8(output.stdout).expect("kubectl prints text")
    }

    /// What the administrator is answered.
    pub(crate) fn as_admin(&self, call: &Call) -> Answer {
        self.runtime.block_on(ask(&self.admin, call))
    }

    /// What the bearer of a token is answered.
    pub(crate) fn ask(&self, client: &Client, call: &Call) -> Answer {
        self.runtime.block_on(ask(client, call))
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// A client with a token that the server makes.
    #[track_caller]
    pub(crate) fn client(&self, bearer: Bearer<'_>) -> Client {
        let account = format!("/api/v1/namespaces/{OURS}/serviceaccounts/{}", bearer.account);
        let bound = bearer.bound.map(|(kind, name)| {
            let path = match kind {
                "Pod" => format!("/api/v1/namespaces/{OURS}/pods/{name}"),
                kind => format!("/api/v1/{}s/{name}", kind.to_lowercase()),
            };
            let uid = self.as_admin(&Call::read(path)).object["metadata"]["uid"].clone();
            json!({ "apiVersion": "v1", "kind": kind, "name": name, "uid": uid })
        });
        let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": { "audiences": [], "boundObjectRef": bound } });
        let made = self.as_admin(&Call::new("POST", format!("{account}/token"), request));
        let token = made.object["status"]["token"].as_str();
        let token = token.unwrap_or_else(|| panic!("no token for {bearer:?}: {made:?}"));
        let mut config = self.config.clone();
        config.auth_info = AuthInfo { token: Some(token.to_owned().into()), ..<_>::default() };
        client(&self.runtime, config)
    }

    /// Waits for what the server tells nobody: that it has read its roles and policies.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let outcome = wait_for(what, LIMIT, || is_so(self).then_some(()));
        outcome.unwrap_or_else(|late| panic!("{late}"));
    }
}

impl Running {
    fn kubectl(&self) -> Command {
        match self {
            Self::Real(cluster) => cluster.kubectl(),
            Self::Ours { programs, folder, .. } => {
                let mut command = programs.command("kubectl");
                command.arg("--kubeconfig").arg(folder.path().join(KUBECONFIG));
                command.arg("--cache-dir").arg(folder.path().join("kubectl-cache"));
                command
            }
        }
    }
}

async fn config(kubeconfig: &Path) -> Config {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("the kubeconfig is read");
    let options = KubeConfigOptions::default();
    Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("the kubeconfig is whole")
}

/// A client works on the runtime on which it was made.
fn client(runtime: &Runtime, config: Config) -> Client {
    let _context = runtime.enter();
    Client::try_from(config).expect("the configuration is whole")
}

/// Sends a call, and reads the answer unless it is a watch, which would last.
pub(crate) async fn ask(client: &Client, call: &Call) -> Answer {
    let body = if call.body.is_null() { Vec::new() } else { call.body.to_string().into_bytes() };
    let format = match call.method {
        "PATCH" if call.path.contains("fieldManager") => "application/apply-patch+yaml",
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    let mut message = Request::new("/").get("any", &<_>::default()).expect("it is replaced");
    *message.method_mut() = call.method.parse().expect("a method");
    *message.uri_mut() = call.path.parse().unwrap_or_else(|_| panic!("{} is no path", call.path));
    let headers = message.headers_mut();
    headers.insert("content-type", format.parse().expect("it is plain"));
    for (name, value) in call.pretence {
        headers.insert(*name, value.parse().expect("it is plain"));
    }
    *message.body_mut() = body;
    let answer = client.send(message.map(Body::from)).await;
    let answer = answer.unwrap_or_else(|error| panic!("{call:?}: no answer: {error}"));
    let code = answer.status().as_u16();
    let lasts = code == 200 && call.path.contains("watch=true");
    let object = if lasts { Value::Null } else { read(answer.into_body()).await };
    Answer { code, object }
}

/// The JSON of a body, or its text where it is none.
async fn read(body: Body) -> Value {
    let bytes = body.collect_bytes().await.expect("the answer is whole");
    let text = || json!({ "message": String::from_utf8_lossy(&bytes) });
    serde_json::from_slice(&bytes).unwrap_or_else(|_| text())
}

fn texts(manifests: &[Manifest]) -> String {
    manifests.iter().map(|it| format!("{}\n---\n", it.text)).collect()
}
