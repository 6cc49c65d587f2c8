//! The API servers at which scenes play: the sandbox's own, or a real kube-apiserver that the scenes
//! of the program share.
//!
//! Reads a scene; plays it at a server that no other scene uses meanwhile.
//! Invariant: a scene begins without objects of earlier ones: a failed scene takes its server with
//! it, so that one failure shows as one failure.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config, ResourceExt};
use serde_json::json;
use tokio::runtime::Runtime;
use udn_lab::kubernetes::Cluster;
use udn_sandbox::ApiSource;
use udn_wire::Kind;

/// How many real servers run side by side at most.
const MOST: usize = 2;

/// Where the sandbox expects services, in both families.
const SERVICES: &str = "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112";

/// What scenes leave behind, in the order in which it goes; namespaces are the last.
const KINDS: [Kind; 8] = [
    Kind::Pod,
    Kind::Claim,
    Kind::UserDefinedNetwork,
    Kind::ClusterUserDefinedNetwork,
    Kind::Nad,
    Kind::Report,
    Kind::Node,
    Kind::Namespace,
];

/// An API server for one scene.
#[derive(Debug, Default)]
pub(crate) struct Site {
    cluster: Option<Cluster>,
}

/// Plays a scene at the sandbox's own server.
pub(crate) fn embedded(scene: impl AsyncFnOnce(&Site)) {
    Runtime::new().expect("a runtime starts").block_on(scene(&Site::default()));
}

/// Plays a scene at a real server; a panic of the scene is the panic of its test.
pub(crate) fn real(scene: impl AsyncFnOnce(&Site)) {
    let mut loan = Loan::new();
    let site = loan.site.take().unwrap_or_else(Site::start);
    Runtime::new().expect("a runtime starts").block_on(async {
        scene(&site).await;
        site.clear().await;
    });
    loan.site = Some(site);
}

impl Site {
    fn start() -> Self {
        let cluster = Cluster::builder().api_server_flag(SERVICES).start();
        Self { cluster: Some(cluster.expect("a cluster starts")) }
    }

    pub(crate) fn api(&self) -> ApiSource {
        let running = |it: &Cluster| ApiSource::Running(it.kubeconfig().to_owned());
        self.cluster.as_ref().map_or(ApiSource::Own, running)
    }

    /// Deletes what a scene made. Nobody works here any more, so that finalizers wait in vain.
    async fn clear(&self) {
        let Some(cluster) = &self.cluster else { return };
        let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("the lab wrote it");
        let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await;
        let client = Client::try_from(config.expect("it is sound")).expect("a client can be made");
        for kind in KINDS {
            let objects = api(&client, kind, None).list(&ListParams::default()).await;
            for object in objects.expect("the server answers") {
                if kind != Kind::Namespace || !is_of_the_system(&object.name_any()) {
                    remove(&client, kind, &object).await;
                }
            }
        }
    }
}

async fn remove(client: &Client, kind: Kind, object: &DynamicObject) {
    let (api, name) = (api(client, kind, object.namespace().as_deref()), object.name_any());
    let now = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::background() };
    expect_done(&name, api.delete(&name, &now).await.map(drop));
    let nothing = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    expect_done(&name, api.patch(&name, &PatchParams::default(), &nothing).await.map(drop));
    if kind == Kind::Namespace {
        // Its controller would look into it after five seconds, and find nothing of ours.
        let mut end = object.clone();
        end.metadata.resource_version = None;
        end.data["spec"]["finalizers"] = json!([]);
        let params = PostParams::default();
        let ended = api.replace_subresource("finalize", &name, &params, &end).await;
        expect_done(&name, ended.map(drop));
    }
}

/// What is gone already needs nothing.
fn expect_done(name: &str, outcome: Result<(), kube::Error>) {
    match outcome {
        Ok(()) => {}
        Err(kube::Error::Api(status)) if status.code == 404 => {}
        Err(error) => panic!("{name} stays: {error}"),
    }
}

fn api(client: &Client, kind: Kind, namespace: Option<&str>) -> Api<DynamicObject> {
    let (group, version) = kind.api_version().split_once('/').unwrap_or(("", kind.api_version()));
    let of = GroupVersionKind::gvk(group, version, kind.as_str());
    let resource = ApiResource::from_gvk_with_plural(&of, kind.plural());
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    }
}

fn is_of_the_system(namespace: &str) -> bool {
    namespace == "default" || namespace.starts_with("kube-")
}

/// The real servers of the program. They are not dropped when it ends; the lab's janitor ends them.
struct Pool {
    idle: Vec<Site>,
    in_use: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: Vec::new(), in_use: 0 });
static FREED: Condvar = Condvar::new();

/// A place among the servers in use; the server is given back only if the scene put it back.
struct Loan {
    site: Option<Site>,
}

impl Loan {
    fn new() -> Self {
        let pool = FREED.wait_while(pool(), |it| it.in_use >= MOST);
        let mut pool = pool.unwrap_or_else(PoisonError::into_inner);
        pool.in_use += 1;
        Self { site: pool.idle.pop() }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let mut pool = pool();
        pool.in_use -= 1;
        pool.idle.extend(self.site.take());
        FREED.notify_one();
    }
}

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}
