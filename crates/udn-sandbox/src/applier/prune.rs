//! Deletes what earlier manifests made and the new ones no longer have.
//!
//! Reads manifests; returns the versions at which objects went, by kind.
//! Invariant: when it returns, everything that was deleted is gone, with all finalizers.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::try_join_all;
use kube::api::{Api, DeleteParams, DynamicObject, WatchEvent, WatchParams};
use kube::core::ObjectMeta;
use tokio::time::timeout;
use udn_cluster::WorkItem;
use udn_model::{Manifest, ObjectName};
use udn_wire::Kind;

use super::{Applier, DEFAULT_NAMESPACE, ObjectKey};
use crate::leaving::Leaving;
use crate::manifests::Manifests;

/// How long finalizers may keep an object.
const LIMIT: Duration = Duration::from_secs(60);

/// Why an object is still there.
#[derive(Debug, thiserror::Error)]
pub enum PruneError {
    #[error("could not delete {object}")]
    Delete { object: String, source: Box<kube::Error> },
    #[error(
        "{object} was deleted but is still there after {LIMIT:?}; see its finalizers and status"
    )]
    Stays { object: String },
}

impl Applier {
    /// Deletes pods first, then what they were on, and namespaces and nodes last.
    pub(crate) async fn prune(
        &mut self,
        manifests: &Manifests,
    ) -> Result<BTreeMap<Kind, u64>, PruneError> {
        let gone = self.surplus(manifests);
        let mut versions = BTreeMap::new();
        for wave in 0..=LAST_WAVE {
            let objects = gone.iter().filter(|it| it.wave() == wave);
            let removed = try_join_all(objects.map(|it| self.remove(it))).await?;
            for (object, version) in removed {
                if let Some(kind) = Kind::find(&object.api_version, &object.kind) {
                    let newest = versions.entry(kind).or_default();
                    *newest = version.max(*newest);
                }
                self.made.remove(object);
            }
        }
        Ok(versions)
    }

    /// The pods and networks that go when the manifests are applied.
    pub(crate) fn leaving(&self, manifests: &Manifests) -> Leaving {
        let mut leaving = Leaving::default();
        for ObjectKey { api_version, kind, namespace, name } in self.surplus(manifests) {
            let full = ObjectName::new(&namespace, &name);
            let manifest = match Kind::find(&api_version, &kind) {
                Some(Kind::Pod) => {
                    leaving.pods.insert(full);
                    continue;
                }
                Some(Kind::UserDefinedNetwork) => Manifest::Udn(full),
                Some(Kind::ClusterUserDefinedNetwork) => Manifest::Cudn(name),
                Some(_) | None => continue,
            };
            leaving.networks.extend(WorkItem::Network(manifest).network());
        }
        leaving
    }

    /// What earlier manifests made and these do not have.
    fn surplus(&self, manifests: &Manifests) -> Vec<ObjectKey> {
        let wanted: BTreeSet<ObjectKey> =
            manifests.objects.iter().map(|it| self.placed(ObjectKey::of(it))).collect();
        self.made.difference(&wanted).cloned().collect()
    }

    /// The same object in the namespace where it was put.
    fn placed(&self, mut key: ObjectKey) -> ObjectKey {
        let kind = (key.api_version.clone(), key.kind.clone());
        match self.served.get(&kind).map(|it| it.is_namespaced) {
            Some(true) if key.namespace.is_empty() => key.namespace = DEFAULT_NAMESPACE.to_owned(),
            Some(false) => key.namespace.clear(),
            Some(true) | None => {}
        }
        key
    }

    /// Deletes an object and waits until it is gone; returns the version of its end.
    async fn remove<'a>(&self, key: &'a ObjectKey) -> Result<(&'a ObjectKey, u64), PruneError> {
        let failed =
            |source| PruneError::Delete { object: key.to_string(), source: Box::new(source) };
        let served = &self.served[&(key.api_version.clone(), key.kind.clone())];
        let api = self.api(served, key);
        let Some(found) = api.get_opt(&key.name).await.map_err(failed)? else {
            return Ok((key, 0));
        };
        let params = DeleteParams { grace_period_seconds: Some(0), ..DeleteParams::background() };
        match api.delete(&key.name, &params).await {
            Ok(_) => {}
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(failed(error)),
        }
        let gone = timeout(LIMIT, until_gone(&api, found.metadata)).await;
        let gone = gone.map_err(|_| PruneError::Stays { object: key.to_string() })?;
        Ok((key, gone.map_err(failed)?))
    }
}

/// The number of the last wave of deletions.
const LAST_WAVE: usize = 2;

impl ObjectKey {
    /// In which wave of deletions an object goes.
    fn wave(&self) -> usize {
        match Kind::find(&self.api_version, &self.kind) {
            Some(Kind::Pod) => 0,
            Some(Kind::Namespace | Kind::Node) => LAST_WAVE,
            _ => 1,
        }
    }
}

/// Watches an object from the state that was seen until its end; returns the version of that.
async fn until_gone(api: &Api<DynamicObject>, seen: ObjectMeta) -> Result<u64, kube::Error> {
    let ObjectMeta { name, uid, resource_version, .. } = seen;
    let (name, mut from) = (name.unwrap_or_default(), resource_version.unwrap_or_default());
    let params = WatchParams::default().fields(&format!("metadata.name={name}"));
    loop {
        let mut events = Box::pin(api.watch(&params, &from).await?);
        while let Some(event) = events.try_next().await? {
            match event {
                WatchEvent::Deleted(object) if object.metadata.uid == uid => {
                    return Ok(version(&object.metadata));
                }
                // The server no longer remembers so far back.
                WatchEvent::Error(_) => break,
                WatchEvent::Added(_)
                | WatchEvent::Modified(_)
                | WatchEvent::Deleted(_)
                | WatchEvent::Bookmark(_) => {}
            }
        }
        match api.get_opt(&name).await? {
            Some(object) if object.metadata.uid == uid => {
                from = object.metadata.resource_version.unwrap_or_default();
            }
            Some(_) | None => return Ok(0),
        }
    }
}

fn version(metadata: &ObjectMeta) -> u64 {
    metadata.resource_version.as_deref().and_then(|it| it.parse().ok()).unwrap_or(0)
}
