//! Applies manifests to the API server, as `kubectl apply --prune` would.
//!
//! Reads manifests; writes objects and remembers which of them it made.
//! Invariant: what the server refuses costs no other object; only what was made here is deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use kube::core::{ApiResource, GroupVersionKind, Status};
use kube::discovery::{Scope, pinned_kind};
use serde_json::{Value, json};
use udn_cluster::Problem;
use udn_manifest::manifest::Step;
use udn_wire::Kind;

use crate::manifests::{Manifest, Manifests};
use crate::server::{ApiServer, ServerError};

mod prune;
#[cfg(test)]
mod tests;

pub(crate) use prune::PruneError;

/// Whose fields the manifests are.
const FIELD_MANAGER: &str = "udn-sandbox";

/// The label that says who applied an object.
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Where kubectl puts an object that names no namespace.
const DEFAULT_NAMESPACE: &str = "default";

/// A write that came to nothing, though nobody refused it.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    #[error("could not apply {object}")]
    Object { object: String, source: Box<kube::Error> },
    #[error("the API server did not do what follows from what was applied")]
    Server {
        #[from]
        source: ServerError,
    },
}

/// An object of any kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectKey {
    api_version: String,
    kind: String,
    /// Empty for objects of the whole cluster.
    namespace: String,
    name: String,
}

/// Who applies.
pub(crate) struct Applier {
    client: Client,
    served: BTreeMap<(String, String), Served>,
    /// The objects that were not there before.
    made: BTreeSet<ObjectKey>,
}

/// How a kind is served.
#[derive(Debug, Clone)]
struct Served {
    resource: ApiResource,
    is_namespaced: bool,
}

impl Applier {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, served: BTreeMap::new(), made: BTreeSet::new() }
    }

    /// Applies all objects; returns what the server refused, in its words.
    pub(crate) async fn apply(
        &mut self,
        manifests: &Manifests,
        server: &ApiServer,
    ) -> Result<Vec<Problem>, ApplyError> {
        let mut problems = Vec::new();
        let (first, rest) = manifests
            .objects
            .split_at(manifests.objects.iter().take_while(|it| it.comes_first()).count());
        for objects in [first, rest] {
            for manifest in objects {
                let (key, outcome) = self.apply_one(manifest).await;
                match outcome {
                    Ok(()) => {}
                    Err(kube::Error::Api(status)) if (400..500).contains(&status.code) => {
                        problems.push(refused(manifest, &key, &status));
                    }
                    Err(source) => {
                        return Err(ApplyError::Object {
                            object: key.to_string(),
                            source: Box::new(source),
                        });
                    }
                }
            }
            // A pod needs what the server makes in a new namespace.
            server.settled().await?;
        }
        Ok(problems)
    }

    async fn apply_one(&mut self, manifest: &Manifest) -> (ObjectKey, Result<(), kube::Error>) {
        let mut key = ObjectKey::of(manifest);
        let served = match self.serve(manifest).await {
            Ok(served) => served,
            Err(error) => return (key, Err(error)),
        };
        match (served.is_namespaced, key.namespace.is_empty()) {
            (true, true) => key.namespace = DEFAULT_NAMESPACE.to_owned(),
            (false, false) => key.namespace.clear(),
            (true, false) | (false, true) => {}
        }
        let api = self.api(&served, &key);
        let written = self.write(&api, &key, manifest.value.clone()).await;
        (key, written)
    }

    async fn write(
        &mut self,
        api: &Api<DynamicObject>,
        key: &ObjectKey,
        mut object: Value,
    ) -> Result<(), kube::Error> {
        let is_new = !self.made.contains(key) && api.get_opt(&key.name).await?.is_none();
        let status = object.as_object_mut().and_then(|fields| fields.remove("status"));
        mark(&mut object);
        let params = PatchParams::apply(FIELD_MANAGER).force();
        api.patch(&key.name, &params, &Patch::Apply(&object)).await?;
        if is_new {
            self.made.insert(key.clone());
        }
        let Some(status) = status.filter(|it| !it.is_null()) else { return Ok(()) };
        let status = json!({ "apiVersion": key.api_version, "kind": key.kind,
            "metadata": key.metadata(), "status": status });
        api.patch_status(&key.name, &params, &Patch::Apply(&status)).await.map(drop)
    }

    /// How the kind of an object is served; asked once for each kind.
    async fn serve(&mut self, manifest: &Manifest) -> Result<Served, kube::Error> {
        let kind = (manifest.api_version.clone(), manifest.kind.clone());
        if let Some(served) = self.served.get(&kind) {
            return Ok(served.clone());
        }
        let (group, version) = kind.0.split_once('/').unwrap_or(("", &kind.0));
        let asked = GroupVersionKind::gvk(group, version, &kind.1);
        let served = match Kind::find(&kind.0, &kind.1) {
            Some(known) => Served {
                resource: ApiResource::from_gvk_with_plural(&asked, known.plural()),
                is_namespaced: known.is_namespaced(),
            },
            None => {
                let (resource, facts) =
                    pinned_kind(&self.client, &asked).await.map_err(unserved)?;
                Served { resource, is_namespaced: facts.scope == Scope::Namespaced }
            }
        };
        self.served.insert(kind, served.clone());
        Ok(served)
    }

    fn api(&self, served: &Served, key: &ObjectKey) -> Api<DynamicObject> {
        let client = self.client.clone();
        match key.namespace.as_str() {
            "" => Api::all_with(client, &served.resource),
            namespace => Api::namespaced_with(client, namespace, &served.resource),
        }
    }
}

impl ObjectKey {
    fn of(manifest: &Manifest) -> Self {
        Self {
            api_version: manifest.api_version.clone(),
            kind: manifest.kind.clone(),
            namespace: manifest.namespace().to_owned(),
            name: manifest.name().to_owned(),
        }
    }

    fn metadata(&self) -> Value {
        match self.namespace.as_str() {
            "" => json!({ "name": self.name }),
            namespace => json!({ "name": self.name, "namespace": namespace }),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name, .. } = self;
        match namespace.as_str() {
            "" => write!(f, "{kind} {name}"),
            namespace => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}

impl fmt::Debug for Applier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Applier").field("made", &self.made).finish_non_exhaustive()
    }
}

/// Says who applied an object, unless its manifest says something else.
///
/// Of an object without any field of ours the server would not know that it was ever applied, and
/// would write that down the next time.
fn mark(object: &mut Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        let labels = metadata.entry("labels").or_insert_with(|| json!({}));
        if let Some(labels) = labels.as_object_mut() {
            labels.entry(MANAGED_BY).or_insert_with(|| FIELD_MANAGER.into());
        }
    }
}

/// A kind that discovery does not find is refused as an unknown path is.
fn unserved(error: kube::Error) -> kube::Error {
    match error {
        kube::Error::Discovery(error) => {
            let status = Status { code: 404, message: error.to_string(), ..Status::default() };
            kube::Error::Api(Box::new(status))
        }
        other => other,
    }
}

/// The server's words, told at the first field that they are about.
fn refused(manifest: &Manifest, key: &ObjectKey, status: &Status) -> Problem {
    let causes = status.details.as_ref().map(|it| it.causes.as_slice()).unwrap_or_default();
    let path = causes.first().map(|it| Step::parse_path(&it.field)).unwrap_or_default();
    manifest.problem(&path, format!("{key} is refused by the API server: {}", status.message))
}
