//! N pods over M networks: addressed by the controller, and patched by a bare client.
//!
//! Invariant: both rounds have the same networks and the same users' writes, sent in the same way.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use kube::api::{ListParams, WatchParams};
use kube::core::{Request, WatchEvent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use udn_wire::keys::{NETWORK_ID, POD_NETWORKS};

use crate::bare::WORK;
use crate::cluster::{CUDNS, Ground, network};
use crate::controller::{Controller, median};
use crate::{Outcome, Size};

/// How many users' requests are under way at a time.
const SIDE_BY_SIDE: usize = 16;

/// What a round took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    /// From the first creation to the last annotation.
    pub(crate) seconds: f64,
    /// From a pod's creation to its annotation, in milliseconds.
    pub(crate) half: f64,
    pub(crate) most: f64,
    pub(crate) busy: f64,
    pub(crate) peak: f64,
}

impl Taken {
    /// The middle of each figure.
    pub(crate) fn median(all: &[Self]) -> Self {
        let middle = |figure: fn(&Self) -> f64| median(all.iter().map(figure).collect());
        Self {
            seconds: middle(|it| it.seconds),
            half: middle(|it| it.half),
            most: middle(|it| it.most),
            busy: middle(|it| it.busy),
            peak: middle(|it| it.peak),
        }
    }
}

/// The controller's round.
pub(crate) async fn ours(size: Size) -> Outcome<Taken> {
    let (ground, names) = prepare(size).await?;
    let controller = Controller::start(&ground)?;
    until_awake(&ground, &names[0]).await?;
    measure(&ground, &controller, size, &names).await
}

/// The same with a client that decides nothing.
pub(crate) async fn bare(size: Size) -> Outcome<Taken> {
    let (ground, names) = prepare(size).await?;
    let client = Controller::start_as(WORK, &ground)?;
    until_awake(&ground, &names[0]).await?;
    measure(&ground, &client, size, &names).await
}

/// A server with networks that have their numbers; nobody works there yet.
async fn prepare(size: Size) -> Outcome<(Ground, Vec<String>)> {
    let names: Vec<String> = (0..size.networks).map(|number| format!("net-{number:04}")).collect();
    let ground = Ground::prepare(&names).await?;
    let _maker = Controller::start(&ground)?;
    let each = names.iter().enumerate().map(|(number, name)| {
        let subnet = format!("10.{}.{}.0/24", number / 256, number % 256);
        let ground = &ground;
        async move { ground.post(CUDNS, &network(name, &subnet)).await }
    });
    let each = stream::iter(each.collect::<Vec<_>>());
    let _made: Vec<Value> = each.buffer_unordered(SIDE_BY_SIDE).try_collect().await?;
    let path = "/apis/k8s.cni.cncf.io/v1/network-attachment-definitions";
    for _ in 0..1_200 {
        let list: Value =
            ground.client.request(Request::new(path).list(&ListParams::default())?).await?;
        let items = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_numbered = |it: &&Value| it["metadata"]["annotations"].get(NETWORK_ID).is_some();
        if items.iter().filter(is_numbered).count() >= names.len() {
            return Ok((ground, names));
        }
        // waits: for the networks to come about, before anything is measured
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    Err("the networks do not come about".into())
}

/// Waits until a first pod is served.
async fn until_awake(ground: &Ground, namespace: &str) -> Outcome<()> {
    let path = pods_of(namespace);
    ground.post(&path, &pod(namespace, "probe")).await?;
    for _ in 0..1_200 {
        let read = Request::new(path.as_str()).get("probe", &kube::api::GetParams::default())?;
        let pod: Value = ground.client.request(read).await?;
        if pod["metadata"]["annotations"].get(POD_NETWORKS).is_some() {
            return Ok(());
        }
        // waits: for the program to have listed everything
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Err("nobody serves pods".into())
}

async fn measure(
    ground: &Ground,
    worker: &Controller,
    size: Size,
    names: &[String],
) -> Outcome<Taken> {
    let from = version(ground).await?;
    let (idle, begun) = (worker.busy()?, Instant::now());
    let (made, done) =
        tokio::try_join!(create_all(ground, size, names), until_all(ground, size, &from))?;
    let seconds = begun.elapsed().as_secs_f64();
    let busy = worker.busy()? - idle;
    let waits = made.iter().filter_map(|(name, made)| {
        Some(done.get(name)?.saturating_duration_since(*made).as_secs_f64() * 1e3)
    });
    let mut waits: Vec<f64> = waits.collect();
    waits.sort_by(f64::total_cmp);
    let at = |part: usize| waits.get(waits.len() * part / 100).copied().unwrap_or_default();
    Ok(Taken { seconds, half: at(50), most: at(99), busy, peak: worker.peak()? })
}

fn pods_of(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/pods")
}

fn pod(namespace: &str, name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "nodeName": "node-1", "containers": [{ "name": "c", "image": "i" }] } })
}

/// When the server had made each pod.
async fn create_all(
    ground: &Ground,
    size: Size,
    names: &[String],
) -> Outcome<BTreeMap<String, Instant>> {
    let each = (0..size.pods).map(|number| async move {
        let namespace = &names[number % names.len()];
        let name = format!("p-{number}");
        let begun = Instant::now();
        ground.post(&pods_of(namespace), &pod(namespace, &name)).await?;
        Outcome::Ok((name, begun))
    });
    let each = stream::iter(each.collect::<Vec<_>>());
    each.buffer_unordered(SIDE_BY_SIDE).try_collect().await
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct Seen {
    metadata: SeenMetadata,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
struct SeenMetadata {
    name: String,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
}

async fn version(ground: &Ground) -> Outcome<String> {
    let params = ListParams { limit: Some(1), ..<_>::default() };
    let list: Value = ground.client.request(Request::new("/api/v1/pods").list(&params)?).await?;
    Ok(list["metadata"]["resourceVersion"].as_str().unwrap_or("0").to_owned())
}

/// When each pod was seen with its annotation.
async fn until_all(ground: &Ground, size: Size, from: &str) -> Outcome<BTreeMap<String, Instant>> {
    let mut done = BTreeMap::new();
    // A watch that the server ends is begun anew; what was seen already is seen again, and counts
    // as it did.
    while done.len() < size.pods {
        let watch = Request::new("/api/v1/pods").watch(&WatchParams::default(), from)?;
        let mut events = Box::pin(ground.client.request_events::<Seen>(watch).await?);
        while let Some(Ok(event)) = events.next().await {
            let (WatchEvent::Added(Seen { metadata }) | WatchEvent::Modified(Seen { metadata })) =
                event
            else {
                continue;
            };
            if metadata.annotations.contains_key(POD_NETWORKS) {
                done.entry(metadata.name).or_insert_with(Instant::now);
            }
            if done.len() == size.pods {
                break;
            }
        }
    }
    Ok(done)
}
