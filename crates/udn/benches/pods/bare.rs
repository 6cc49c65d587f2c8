//! A client that holds the controller's watches, patches every pod it hears of, and decides nothing.
//!
//! Invariant: it has as many patches under way as the controller has workers.

use std::collections::BTreeMap;

use futures_util::{StreamExt, stream};
use kube::Client;
use kube::api::{Patch, PatchParams, WatchParams};
use kube::core::{Request, WatchEvent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use udn_wire::keys::POD_NETWORKS;

use crate::Outcome;

/// The word that makes this bench such a client.
pub(crate) const WORK: &str = "--patch-pods";

/// How many work items the controller reconciles at a time.
const TURNS: usize = 16;

/// What else the controller watches.
const OTHERS: [&str; 7] = [
    "/api/v1/namespaces",
    "/api/v1/nodes",
    "/apis/k8s.ovn.org/v1/userdefinednetworks",
    "/apis/k8s.ovn.org/v1/clusteruserdefinednetworks",
    "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions",
    "/apis/k8s.ovn.org/v1alpha1/nodenetworkreports",
    "/apis/k8s.cni.cncf.io/v1alpha1/ipamclaims",
];

/// What it must know of a pod.
#[derive(Debug, Clone, Deserialize, Serialize)]
struct Pod {
    metadata: Metadata,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

/// Works until it is killed.
pub(crate) async fn work(words: &[String]) -> Outcome<()> {
    let config = kube::config::Kubeconfig::read_from(words.first().ok_or("no kubeconfig")?)?;
    let options = kube::config::KubeConfigOptions::default();
    let client = Client::try_from(kube::Config::from_custom_kubeconfig(config, &options).await?)?;
    for path in OTHERS {
        let client = client.clone();
        tokio::spawn(async move { follow::<Value>(&client, path, None).await });
    }
    let (tell, heard) = mpsc::channel(1024);
    let watcher = client.clone();
    tokio::spawn(async move { follow(&watcher, "/api/v1/pods", Some(tell)).await });
    let pods = stream::unfold(heard, async |mut heard| Some((heard.recv().await?, heard)));
    let unwritten = pods.filter(|it: &Pod| {
        let is_new = !it.metadata.annotations.contains_key(POD_NETWORKS);
        async move { is_new }
    });
    unwritten.for_each_concurrent(TURNS, |pod| patch(&client, pod)).await;
    Ok(())
}

/// Watches one kind for ever.
async fn follow<T>(client: &Client, path: &str, tell: Option<mpsc::Sender<T>>) -> Outcome<()>
where
    T: serde::de::DeserializeOwned + Clone + std::fmt::Debug + Send + Sync + 'static,
{
    loop {
        // From 0 on, what is there already is told first.
        let watch = Request::new(path).watch(&WatchParams::default(), "0")?;
        let mut events = Box::pin(client.request_events::<T>(watch).await?);
        while let Some(Ok(event)) = events.next().await {
            if let (WatchEvent::Added(it), Some(tell)) = (event, &tell) {
                tell.send(it).await?;
            }
        }
    }
}

/// Writes an annotation like the controller's; one that cannot be written is missed by the bench.
async fn patch(client: &Client, pod: Pod) {
    let Metadata { name, namespace, uid, .. } = pod.metadata;
    let entry = json!({ "ip_addresses": ["10.0.0.3/24"], "mac_address": "0a:58:0a:00:00:03",
        "gateway_ips": ["10.0.0.1"], "routes": [
            { "dest": "10.96.0.0/16", "nextHop": "10.0.0.1" },
            { "dest": "100.65.0.0/16", "nextHop": "10.0.0.1" } ],
        "ip_address": "10.0.0.3/24", "gateway_ip": "10.0.0.1", "tunnel_id": 3, "role": "primary" });
    let text = json!({ format!("{namespace}/{namespace}"): entry }).to_string();
    let steps = json!([
        { "op": "test", "path": "/metadata/uid", "value": uid },
        { "op": "test", "path": "/metadata/annotations", "value": null },
        { "op": "add", "path": "/metadata/annotations", "value": { POD_NETWORKS: text } },
    ]);
    let path = format!("/api/v1/namespaces/{namespace}/pods");
    let params = PatchParams::default();
    let request =
        Request::new(path).patch_subresource("status", &name, &params, &Patch::Merge(steps));
    let Ok(mut request) = request else { return };
    let Ok(kind) = "application/json-patch+json".parse() else { return };
    request.headers_mut().insert("content-type", kind);
    if let Err(error) = client.request_text(request).await {
        eprintln!("{namespace}/{name}: {error}");
    }
}
