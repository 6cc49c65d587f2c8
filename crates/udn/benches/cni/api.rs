//! The API server, as the bench asks it.
//!
//! Reads and returns objects as JSON.
//! Invariant: nothing is written but what a user could write.

use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use kube::Client;
use kube::api::{DeleteParams, ListParams, PostParams, WatchParams};
use kube::core::{Request, WatchEvent};
use serde_json::Value;

use crate::Outcome;

/// How long anything may take to come about.
const LIMIT: Duration = Duration::from_secs(180);
/// How often something is asked that cannot be watched for.
const PAUSE: Duration = Duration::from_millis(50);

/// A client of the server.
#[derive(Clone)]
pub(crate) struct Api {
    client: Client,
}

impl Api {
    pub(crate) async fn connect(kubeconfig: &Path) -> Outcome<Self> {
        let config = kube::config::Kubeconfig::read_from(kubeconfig)?;
        let options = kube::config::KubeConfigOptions::default();
        let config = kube::Config::from_custom_kubeconfig(config, &options).await?;
        Ok(Self { client: Client::try_from(config)? })
    }

    pub(crate) async fn create(&self, path: &str, object: &Value) -> Outcome<Value> {
        let bytes = object.to_string().into_bytes();
        let request = Request::new(path).create(&PostParams::default(), bytes)?;
        Ok(self.client.request(request).await?)
    }

    /// Deletes an object at once, as far as kubelet lets it.
    pub(crate) async fn delete(&self, path: &str, name: &str) -> Outcome<()> {
        let params = DeleteParams::default().grace_period(0);
        self.client.request_text(Request::new(path).delete(name, &params)?).await?;
        Ok(())
    }

    /// Deletes a pod, and leaves it to kubelet when it is gone.
    pub(crate) async fn release(&self, path: &str, name: &str) -> Outcome<()> {
        let request = Request::new(path).delete(name, &DeleteParams::default())?;
        self.client.request_text(request).await?;
        Ok(())
    }

    /// The objects at a path.
    pub(crate) async fn list(&self, path: &str) -> Outcome<Vec<Value>> {
        let list = self.listed(path).await?;
        Ok(list["items"].as_array().cloned().unwrap_or_default())
    }

    async fn listed(&self, path: &str) -> Outcome<Value> {
        Ok(self.client.request(Request::new(path).list(&ListParams::default())?).await?)
    }

    /// The version from which on a watch misses nothing that comes now.
    pub(crate) async fn version(&self, path: &str) -> Outcome<String> {
        let list = self.listed(path).await?;
        Ok(list["metadata"]["resourceVersion"].as_str().unwrap_or("0").to_owned())
    }

    /// When an object was first heard to be as wanted, by a watch that began at a version.
    pub(crate) async fn when(
        &self,
        path: &str,
        version: &str,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Outcome<Instant> {
        let watch = Request::new(path).watch(&WatchParams::default(), version)?;
        let mut events = Box::pin(self.client.request_events::<Value>(watch).await?);
        let wait = async {
            while let Some(event) = events.next().await {
                if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event?
                    && is_wanted(&object)
                {
                    return Ok(Instant::now());
                }
            }
            Err(format!("the watch of {path} ended").into())
        };
        tokio::time::timeout(LIMIT, wait).await.map_err(|_| late(path))?
    }
}

/// Asks until the answer is yes.
pub(crate) async fn until<F: Future<Output = Outcome<bool>>>(
    what: &str,
    mut ask: impl FnMut() -> F,
) -> Outcome<()> {
    let began = Instant::now();
    while !ask().await? {
        if began.elapsed() > LIMIT {
            return Err(late(what));
        }
        // waits: before anything is measured, and nobody tells of all at once
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Whether a condition is told as true.
pub(crate) fn is_true(object: &Value, condition: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|it| it["type"] == condition && it["status"] == "True")
}

pub(crate) fn pods_of(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/pods")
}

fn late(what: &str) -> Box<dyn std::error::Error + Send + Sync> {
    format!("waited {LIMIT:?} in vain for {what}").into()
}
