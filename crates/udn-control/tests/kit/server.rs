//! An API server with our CRDs, real or embedded, and what users do with it.
//!
//! Invariant: nothing below knows which of the two it is.

#![allow(dead_code, reason = "each test that uses the kit needs another part of it")]

use std::time::Duration;

use kube::api::{
    Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, WatchParams,
};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Error};
use kube_embedded::Authorization;
use serde_json::{Value, json};
use udn_lab::kubernetes::Cluster;
use udn_manifest::manifest::documents;
use udn_wire::Kind;
use udn_wire::deploy::{CRDS, Manifest, POLICIES, ROLES};

use super::workloads::kubevirt;

/// How long something that must come about may take.
pub(super) const LIMIT: Duration = Duration::from_secs(180);

/// How often it is looked for.
const PAUSE: Duration = Duration::from_millis(20);

/// A server, for one test.
pub(crate) struct Site {
    pub(crate) client: Client,
    embedded: Option<kube_embedded::Server>,
    cluster: Option<Cluster>,
}

impl Site {
    /// A real API server with the controllers that clusters have.
    pub(crate) async fn real() -> Self {
        let cluster = Cluster::start().expect("a cluster starts");
        let client = client_of(&cluster).await;
        let site = Self { client, embedded: None, cluster: Some(cluster) };
        site.install().await;
        site
    }

    pub(crate) async fn embedded() -> Self {
        let server = kube_embedded::Server::builder().authorization(Authorization::Rbac);
        let server = server.start().await.expect("the server starts");
        let site = Self { client: server.client(), embedded: Some(server), cluster: None };
        site.install().await;
        site
    }

    /// The embedded server, for its faults.
    pub(crate) fn server(&self) -> &kube_embedded::Server {
        self.embedded.as_ref().expect("the test asked for the embedded server")
    }

    pub(crate) fn cluster(&self) -> &Cluster {
        self.cluster.as_ref().expect("the test asked for a real server")
    }

    async fn install(&self) {
        self.until("the namespaces of the system", async || {
            self.read(Kind::Namespace, "", "kube-system").await.is_some()
        })
        .await;
        for object in CRDS.iter().chain(POLICIES).chain(ROLES).flat_map(objects) {
            self.create(object).await;
        }
        for kind in [
            Kind::UserDefinedNetwork,
            Kind::ClusterUserDefinedNetwork,
            Kind::Nad,
            Kind::Report,
            Kind::Claim,
        ] {
            self.until(&format!("{kind} to be served"), async || {
                let all = self.api(kind.api_version(), kind.as_str(), kind.plural(), None);
                all.list(&ListParams::default()).await.is_ok()
            })
            .await;
        }
    }

    /// Lets the server serve KubeVirt's kinds.
    pub(crate) async fn install_kubevirt(&self) {
        for object in kubevirt() {
            self.create(object).await;
        }
        self.until("virtual machines to be served", async || {
            let all = async |kind: &str, plural: &str| {
                let all = self.api(Kind::Machine.api_version(), kind, plural, None);
                all.list(&ListParams::default()).await.is_ok()
            };
            all("VirtualMachine", "virtualmachines").await
                && all(Kind::Machine.as_str(), Kind::Machine.plural()).await
        })
        .await;
    }

    fn api(
        &self,
        api_version: &str,
        kind: &str,
        plural: &str,
        namespace: Option<&str>,
    ) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource =
            ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(group, version, kind), plural);
        match namespace {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        }
    }

    /// The objects of a kind in one namespace, or of the whole cluster.
    fn of(&self, kind: Kind, namespace: &str) -> Api<DynamicObject> {
        let namespace = kind.is_namespaced().then_some(namespace);
        self.api(kind.api_version(), kind.as_str(), kind.plural(), namespace)
    }

    /// Creates an object of any kind; what may not be is a mistake of the test.
    pub(crate) async fn create(&self, object: Value) -> Value {
        self.until_ended(&object).await;
        loop {
            match self.try_create(object.clone()).await {
                Ok(made) => return made,
                // Pods need one, and a controller makes it some time after the namespace.
                Err(Error::Api(status))
                    if status.message.contains("looking up service account") =>
                {
                    // waits: for that controller
                    tokio::time::sleep(PAUSE).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// A namespace that an earlier scene had under the same name may take seconds to end.
    async fn until_ended(&self, object: &Value) {
        if object["kind"] == Kind::Namespace.as_str() {
            self.until("an earlier namespace to end", async || !self.is_ending(object).await).await;
        }
    }

    /// Whether an object of the same name is being deleted.
    pub(crate) async fn is_ending(&self, object: &Value) -> bool {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = Kind::find(text("/apiVersion"), text("/kind")) else { return false };
        let earlier = self.read(kind, text("/metadata/namespace"), text("/metadata/name")).await;
        earlier.is_some_and(|it| !it["metadata"]["deletionTimestamp"].is_null())
    }

    pub(crate) async fn try_create(&self, object: Value) -> Result<Value, Error> {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let (version, kind) = (text("/apiVersion"), text("/kind"));
        let (version, kind) = (version.unwrap_or_default(), kind.unwrap_or_default());
        let plural = match Kind::find(&version, &kind) {
            Some(kind) => kind.plural().to_owned(),
            None if kind.ends_with('y') => format!("{}ies", kind[..kind.len() - 1].to_lowercase()),
            None => format!("{}s", kind.to_lowercase()),
        };
        let api = self.api(&version, &kind, &plural, text("/metadata/namespace").as_deref());
        let status = object.get("status").cloned();
        let typed = serde_json::from_value(object).expect("it has a kind and metadata");
        let made = api.create(&PostParams::default(), &typed).await?;
        let name = made.metadata.name.clone().expect("the server names it");
        let made = match status {
            Some(status) => {
                let patch = Patch::Merge(json!({ "status": status }));
                api.patch_status(&name, &PatchParams::default(), &patch).await?
            }
            None => made,
        };
        Ok(serde_json::to_value(made).expect("it is JSON"))
    }

    /// Creates a CUDN past the rules of its CRD, as an object that was there before them.
    pub(crate) async fn create_unruled(&self, object: Value) {
        let name = "clusteruserdefinednetworks.k8s.ovn.org";
        let crds = self.api(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "customresourcedefinitions",
            None,
        );
        let ruled = crds.get(name).await.expect("our CRD is there");
        let mut bare = ruled.data["spec"].clone();
        without_rules(&mut bare);
        let replace = async |spec: Value| {
            let patch = Patch::Merge(json!({ "spec": spec }));
            crds.patch(name, &PatchParams::default(), &patch).await.expect("it is a CRD still");
        };
        replace(json!({ "versions": bare["versions"] })).await;
        self.until("the rules to be gone", async || {
            let object = object.clone();
            self.try_create(object).await.is_ok()
        })
        .await;
        replace(json!({ "versions": ruled.data["spec"]["versions"] })).await;
    }

    /// Whether people were told of an object by an event.
    pub(crate) async fn has_event(&self, kind: &str, name: &str) -> bool {
        self.events(kind, name).await > 0
    }

    /// How many events there are about an object.
    pub(crate) async fn events(&self, kind: &str, name: &str) -> usize {
        let all = self.all_events().await;
        let about = all.iter().map(|it| &it["regarding"]);
        about.filter(|it| it["kind"] == kind && it["name"] == name).count()
    }

    /// The events about an object.
    pub(crate) async fn events_of(&self, kind: Kind, namespace: &str, name: &str) -> Vec<Value> {
        let mut all = self.all_events().await;
        all.retain(|it| {
            let regarding = &it["regarding"];
            let place = regarding["namespace"].as_str().unwrap_or_default();
            regarding["kind"] == kind.as_str() && place == namespace && regarding["name"] == name
        });
        all
    }

    async fn all_events(&self) -> Vec<Value> {
        let events = self.api("events.k8s.io/v1", "Event", "events", None);
        let events = events.list(&ListParams::default()).await.expect("the server answers");
        events.into_iter().map(|it| serde_json::to_value(it).expect("it is JSON")).collect()
    }

    /// What people were told of an object, each with its reason.
    pub(crate) async fn notes(&self, kind: Kind, namespace: &str, name: &str) -> Vec<String> {
        let about = self.events_of(kind, namespace, name).await;
        let text = |it: &Value, field: &str| it[field].as_str().unwrap_or_default().to_owned();
        about.iter().map(|it| format!("{}: {}", text(it, "reason"), text(it, "note"))).collect()
    }

    /// Waits until people were told something of an object; returns how it was put.
    pub(crate) async fn until_told(
        &self,
        (kind, namespace, name): (Kind, &str, &str),
        words: &[&str],
    ) -> String {
        let (mut notes, mut told) = (Vec::new(), None);
        let wait = async {
            while told.is_none() {
                notes = self.notes(kind, namespace, name).await;
                let says = |it: &&String| words.iter().all(|word| it.contains(word));
                told = notes.iter().find(says).cloned();
                // waits: for what the test is about
                tokio::time::sleep(PAUSE).await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, wait).await;
        assert!(waited.is_ok(), "{kind} {namespace}/{name} is told {notes:#?}, not {words:?}");
        told.unwrap_or_default()
    }

    /// Reads an object, if it is there.
    pub(crate) async fn read(&self, kind: Kind, namespace: &str, name: &str) -> Option<Value> {
        let found = self.of(kind, namespace).get_opt(name).await.expect("the server answers");
        found.map(|it| serde_json::to_value(it).expect("it is JSON"))
    }

    /// All objects of a kind, in order of namespace and name.
    pub(crate) async fn all(&self, kind: Kind) -> Vec<Value> {
        let api = self.api(kind.api_version(), kind.as_str(), kind.plural(), None);
        let list = api.list(&ListParams::default()).await.expect("the server answers");
        let mut all: Vec<Value> =
            list.into_iter().map(|it| serde_json::to_value(it).expect("it is JSON")).collect();
        let place = |it: &Value| {
            let text = |key: &str| it["metadata"][key].as_str().unwrap_or("").to_owned();
            (text("namespace"), text("name"))
        };
        all.sort_by_key(place);
        all
    }

    pub(crate) async fn patch(&self, kind: Kind, namespace: &str, name: &str, patch: Value) {
        let done = self.try_patch(kind, namespace, name, patch).await;
        done.unwrap_or_else(|error| panic!("{kind} {namespace}/{name}: {error}"));
    }

    pub(crate) async fn try_patch(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        patch: Value,
    ) -> Result<(), Error> {
        let patch = Patch::Merge(patch);
        self.of(kind, namespace).patch(name, &PatchParams::default(), &patch).await.map(drop)
    }

    pub(crate) async fn patch_status(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        status: Value,
    ) {
        let patch = Patch::Merge(json!({ "status": status }));
        let api = self.of(kind, namespace);
        let done = api.patch_status(name, &PatchParams::default(), &patch).await;
        done.unwrap_or_else(|error| panic!("{kind} {namespace}/{name}: {error}"));
    }

    /// Applies a status with a field manager of its own.
    pub(crate) async fn apply_status(&self, kind: Kind, name: &str, manager: &str, status: Value) {
        let metadata = json!({ "name": name });
        let object = json!({ "apiVersion": kind.api_version(), "kind": kind.as_str(),
            "metadata": metadata, "status": status });
        let (params, patch) = (PatchParams::apply(manager), Patch::Apply(object));
        let done = self.of(kind, "").patch_status(name, &params, &patch).await;
        done.unwrap_or_else(|error| panic!("{kind} {name}: {error}"));
    }

    /// Deletes an object at once, as far as finalizers let it go.
    pub(crate) async fn delete(&self, kind: Kind, namespace: &str, name: &str) {
        let params = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::default() };
        match self.of(kind, namespace).delete(name, &params).await {
            Ok(_) => {}
            Err(Error::Api(status)) if status.code == 404 || status.code == 409 => {}
            Err(error) => panic!("{kind} {namespace}/{name}: {error}"),
        }
    }

    /// The version of the newest change.
    pub(crate) async fn version(&self) -> u64 {
        Self::fence(&self.client).await
    }

    /// The version of a write that is made now, as a new leader makes one; tried until it is done.
    pub(crate) async fn fence(client: &Client) -> u64 {
        let object = json!({ "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "generateName": "fence-", "namespace": "default" } });
        loop {
            let request = kube::core::Request::new("/api/v1/namespaces/default/configmaps");
            let request = request.create(&PostParams::default(), object.to_string().into_bytes());
            let request = request.expect("the path is whole");
            if let Ok(made) = client.request::<Value>(request).await {
                let version = made["metadata"]["resourceVersion"].as_str().unwrap_or_default();
                return version.parse().expect("versions are numbers");
            }
            // waits: a server that is made to fail answers sooner or later
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Every state of every object of a kind after a version, with what the watch calls it.
    pub(crate) async fn history(&self, kind: Kind, from: u64) -> Vec<(String, Value)> {
        let root = if kind.api_version().contains('/') { "apis" } else { "api" };
        let path = format!("/{root}/{}/{}", kind.api_version(), kind.plural());
        let params = WatchParams::default().timeout(1).disable_bookmarks();
        let request = kube::core::Request::new(path).watch(&params, &from.to_string());
        let request = request.expect("the path is whole");
        let text = self.client.request_text(request).await.expect("the server remembers");
        let lines = text.lines().map(|line| {
            let mut event: Value = serde_json::from_str(line).expect("a watch speaks JSON");
            let kind = event["type"].as_str().unwrap_or_default().to_owned();
            (kind, event["object"].take())
        });
        lines.collect()
    }

    /// Waits until something holds.
    pub(crate) async fn until(&self, what: &str, holds: impl AsyncFnMut() -> bool) {
        assert!(self.comes_about(holds).await, "waited for {what}");
    }

    /// Whether something comes to hold.
    pub(crate) async fn comes_about(&self, mut holds: impl AsyncFnMut() -> bool) -> bool {
        let wait = async {
            while !holds().await {
                // waits: for what the test is about; the server has no event for it
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(LIMIT, wait).await.is_ok()
    }

    /// Waits until an object is as wanted; returns it.
    pub(crate) async fn until_it(
        &self,
        (kind, namespace, name): (Kind, &str, &str),
        what: &str,
        is_so: impl Fn(&Value) -> bool,
    ) -> Value {
        let mut last = Value::Null;
        let wait = async {
            loop {
                last = self.read(kind, namespace, name).await.unwrap_or(Value::Null);
                if is_so(&last) {
                    return;
                }
                // waits: for what the test is about
                tokio::time::sleep(PAUSE).await;
            }
        };
        let waited = tokio::time::timeout(LIMIT, wait).await;
        assert!(waited.is_ok(), "waited for {kind} {namespace}/{name}: {what}; it is {last:#}");
        last
    }

    /// Waits until an object is gone.
    pub(crate) async fn until_gone(&self, kind: Kind, namespace: &str, name: &str) {
        self.until_it((kind, namespace, name), "to be gone", Value::is_null).await;
    }
}

/// Takes all rules out of a schema.
fn without_rules(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.remove("x-kubernetes-validations");
            fields.values_mut().for_each(without_rules);
        }
        Value::Array(items) => items.iter_mut().for_each(without_rules),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn objects(manifest: &Manifest) -> Vec<Value> {
    let mut all = Vec::new();
    for document in documents(manifest.text) {
        let objects = document.objects().expect("our manifests are well formed");
        all.extend(objects.into_iter().map(|it| it.value));
    }
    all
}

pub(crate) async fn client_of(cluster: &Cluster) -> Client {
    let config = kube::config::Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
    let options = kube::config::KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
    Client::try_from(config).expect("the configuration is usable")
}
