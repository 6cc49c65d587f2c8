//! Somebody who writes a pod's entries right before the zone controller's patch of that pod arrives.
//!
//! Invariant: of each pod and uid so many patches meet a text that is newer than they know.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use kube::Client;
use serde_json::{Value, json};
use tower::BoxError;
use udn_wire::keys::POD_NETWORKS;

/// The key of the entry that he writes; nobody leads there.
pub(crate) const FOREIGN: &str = "elsewhere/net";

/// How often he was faster at each pod, and how often he is at most.
#[derive(Debug, Clone)]
pub(crate) struct Meddler {
    met: Arc<Mutex<BTreeMap<String, usize>>>,
    most: usize,
}

impl Meddler {
    pub(crate) fn new(most: usize) -> Self {
        Self { met: Arc::default(), most }
    }

    /// How often he was faster.
    pub(crate) fn count(&self) -> usize {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    pub(super) async fn meddle(
        &self,
        client: &Client,
        (method, path): (hyper::Method, String),
    ) -> Result<(), BoxError> {
        let is_pod = path.contains("/pods/") && method == hyper::Method::PATCH;
        if !is_pod || !self.is_next(&path) {
            return Ok(());
        }
        let path = path.trim_end_matches("/status");
        let read = hyper::Request::get(path).body(Vec::new())?;
        let Ok(pod) = client.request::<Value>(read).await else { return Ok(()) };
        let text = pod["metadata"]["annotations"][POD_NETWORKS].as_str().unwrap_or("{}");
        let mut entries: Value = serde_json::from_str(text)?;
        let number = entries[FOREIGN]["number"].as_u64().unwrap_or_default() + 1;
        entries[FOREIGN] = json!({ "number": number });
        let text = entries.to_string();
        let body = json!({ "metadata": { "annotations": { POD_NETWORKS: text } } });
        let write = hyper::Request::patch(path)
            .header("content-type", "application/merge-patch+json")
            .body(body.to_string().into_bytes())?;
        client.request::<Value>(write).await?;
        Ok(())
    }

    fn is_next(&self, path: &str) -> bool {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let count = met.entry(path.to_owned()).or_default();
        let is_next = *count < self.most;
        *count += usize::from(is_next);
        is_next
    }
}
