//! A real kube-apiserver that holds everything before a zone controller starts.
//!
//! Invariant: whoever gets it finds all present objects and none of the late ones.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use kube::Client;
use kube::api::{ListParams, PostParams};
use kube::core::Request;
use serde_json::Value;
use udn_lab::kubernetes::Cluster;
use udn_manifest::manifest::documents;
use udn_wire::Kind;
use udn_wire::deploy::CRDS;

use crate::Outcome;
use crate::manifests::Objects;
use crate::shape::Shape;

/// How many requests are under way at a time.
const SIDE_BY_SIDE: usize = 32;

/// Which state of each kind must have been heard of.
pub(crate) type Versions = BTreeMap<Kind, u64>;

/// The server, its objects, and a client.
pub(crate) struct Ground {
    pub(crate) cluster: Cluster,
    pub(crate) objects: Objects,
    pub(crate) shape: Shape,
    pub(crate) versions: Versions,
    pub(crate) client: Client,
}

impl Ground {
    /// Starts a server and fills it.
    pub(crate) async fn prepare(shape: Shape) -> Outcome<Self> {
        let objects = Objects::new(shape)?;
        let cluster = Cluster::builder().without_controllers().start()?;
        let client = client(cluster.kubeconfig()).await?;
        let mut ground = Self { cluster, objects, shape, versions: Versions::new(), client };
        ground.define_kinds().await?;
        // Pods need their namespaces, and everything else is found by name.
        let (first, rest): (Vec<&Value>, Vec<&Value>) =
            ground.objects.present.iter().partition(|it| it["kind"] == "Namespace");
        let mut versions = ground.post_all(&first).await?;
        for (kind, version) in ground.post_all(&rest).await? {
            versions.insert(kind, version);
        }
        ground.versions = versions;
        Ok(ground)
    }

    /// Creates an object; returns its kind and version.
    pub(crate) async fn post(&self, object: &Value) -> Outcome<(Kind, u64)> {
        let text = |key: &str| object[key].as_str().unwrap_or_default();
        let kind = Kind::find(text("apiVersion"), text("kind")).ok_or("an unknown kind")?;
        let path = collection(kind, object["metadata"]["namespace"].as_str());
        let created = self.create(&path, object).await?;
        let version = created["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        Ok((kind, version.parse()?))
    }

    async fn create(&self, path: &str, object: &Value) -> Outcome<Value> {
        let bytes = object.to_string().into_bytes();
        let request = Request::new(path).create(&PostParams::default(), bytes)?;
        Ok(self.client.request(request).await?)
    }

    async fn post_all(&self, objects: &[&Value]) -> Outcome<Versions> {
        let each: Vec<_> = objects.iter().map(|object| self.post(object)).collect();
        let posted = stream::iter(each).buffer_unordered(SIDE_BY_SIDE);
        let posted: Vec<(Kind, u64)> = posted.try_collect().await?;
        let mut versions = Versions::new();
        for (kind, version) in posted {
            let newest = versions.entry(kind).or_default();
            *newest = version.max(*newest);
        }
        Ok(versions)
    }

    async fn define_kinds(&self) -> Outcome<()> {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        for document in CRDS.iter().flat_map(|manifest| documents(manifest.text)) {
            for object in document.objects().map_err(|error| error.to_string())? {
                self.create(path, &object.value).await?;
            }
        }
        for kind in [Kind::Nad, Kind::Report] {
            let path = collection(kind, None);
            let list = || Request::new(path.as_str()).list(&ListParams::default());
            while self.client.request_text(list()?).await.is_err() {
                // waits: the server tells nobody when a kind is served
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }
}

fn collection(kind: Kind, namespace: Option<&str>) -> String {
    let version = kind.api_version();
    let root = if version.contains('/') { "apis" } else { "api" };
    let within = namespace.map(|it| format!("/namespaces/{it}")).unwrap_or_default();
    format!("/{root}/{version}{within}/{}", kind.plural())
}

/// A client of the server that a kubeconfig names.
pub(crate) async fn client(kubeconfig: &std::path::Path) -> Outcome<Client> {
    let config = kube::config::Kubeconfig::read_from(kubeconfig)?;
    let options = kube::config::KubeConfigOptions::default();
    Ok(Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?)
}
