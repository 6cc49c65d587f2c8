//! What is measured of a server, one after the other.
//!
//! Reads a running server; returns seconds, rates and bytes.
//! Invariant: every server gets the same requests in the same order.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::http::{Method, Request};
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{WatchEvent, WatchParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::sync::mpsc;

use crate::contestant::Contestant;
use crate::{Outcome, objects};

const PODS: &str = "/api/v1/namespaces/default/pods";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// How many write at once.
const WRITERS: usize = 32;
/// Lists that are made; the quickest counts.
const LISTS: usize = 3;
/// No event takes longer.
const LIMIT: Duration = Duration::from_secs(30);

/// How much is asked.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    /// Creates by eight clients that are timed.
    pub(crate) creates: usize,
    /// Creates by one client.
    pub(crate) single: usize,
    pub(crate) patches: usize,
    /// Pods that are there when lists and memory are measured.
    pub(crate) pods: usize,
    pub(crate) watchers: usize,
    /// Changes that the watchers are told of.
    pub(crate) events: usize,
}

impl Sizes {
    pub(crate) const WHOLE: Self = Self {
        creates: 4000,
        single: 500,
        patches: 4000,
        pods: 20_000,
        watchers: 100,
        events: 100,
    };
    pub(crate) const QUICK: Self =
        Self { creates: 200, single: 50, patches: 200, pods: 500, watchers: 10, events: 10 };
}

/// What a server took.
#[derive(Debug, Clone, Default)]
pub(crate) struct Results {
    /// Seconds from nothing to the first answer.
    pub(crate) start: f64,
    /// Per second.
    pub(crate) creates: f64,
    pub(crate) single: f64,
    pub(crate) patches: f64,
    pub(crate) pods: usize,
    /// Bytes, before and after pods were listed.
    pub(crate) memory: usize,
    pub(crate) memory_after: usize,
    /// Seconds.
    pub(crate) list: f64,
    /// Seconds from a change to a watcher: the middle one, and the slowest of a hundred.
    pub(crate) fan_out: Option<(f64, f64)>,
}

pub(crate) async fn all(contestant: &Contestant, sizes: &Sizes, start: f64) -> Outcome<Results> {
    let client = contestant.client().await?;
    let creates = create(&client, "many", sizes.creates, WRITERS).await?;
    let single = create(&client, "single", sizes.single, 1).await?;
    let patches = patch(&client, sizes.creates, sizes.patches).await?;
    let rest = sizes.pods.saturating_sub(sizes.creates + sizes.single);
    create(&client, "rest", rest, WRITERS).await?;
    let fan_out = match sizes.watchers {
        0 => None,
        _ => Some(fan_out(contestant, sizes).await?),
    };
    let memory = contestant.memory();
    let mut list = f64::MAX;
    for _ in 0..LISTS {
        let started = Instant::now();
        client.request_text(Request::get(PODS).body(Vec::new())?).await?;
        list = list.min(started.elapsed().as_secs_f64());
    }
    let memory_after = contestant.memory();
    let pods = sizes.creates + sizes.single + rest;
    Ok(Results { start, creates, single, patches, pods, memory, memory_after, list, fan_out })
}

/// Creates pods; returns how many a second.
async fn create(
    client: &Client,
    prefix: &'static str,
    count: usize,
    writers: usize,
) -> Outcome<f64> {
    let send = move |client: Client, number: usize| async move {
        let body = objects::pod(&format!("{prefix}-{number}"));
        let request = Request::post(PODS).header("content-type", "application/json").body(body)?;
        client.request_text(request).await?;
        Ok(())
    };
    rate(client, count, writers, send).await
}

async fn patch(client: &Client, pods: usize, count: usize) -> Outcome<f64> {
    let send = move |client: Client, number: usize| async move {
        let path = format!("{PODS}/many-{}", number % pods);
        let request = Request::builder().method(Method::PATCH).uri(path);
        let request = request.header("content-type", "application/merge-patch+json");
        let body = objects::patch(number).to_string().into_bytes();
        client.request_text(request.body(body)?).await?;
        Ok(())
    };
    rate(client, count, WRITERS, send).await
}

/// Sends requests, several at once; returns how many a second.
async fn rate<F>(
    client: &Client,
    count: usize,
    writers: usize,
    send: impl Fn(Client, usize) -> F + Clone + Send + 'static,
) -> Outcome<f64>
where
    F: Future<Output = Outcome<()>> + Send,
{
    let next = Arc::new(AtomicUsize::new(0));
    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..writers {
        let (client, send, next) = (client.clone(), send.clone(), next.clone());
        tasks.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Outcome::Ok(());
                }
                send(client.clone(), number).await?;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

/// Changes one object again and again; returns how late watchers hear of it.
async fn fan_out(contestant: &Contestant, sizes: &Sizes) -> Outcome<(f64, f64)> {
    let client = contestant.client().await?;
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "fan-out"}});
    let post = Request::post(MAPS).header("content-type", "application/json");
    client.request_text(post.body(map.to_string().into_bytes())?).await?;
    let (heard, mut hearing) = mpsc::unbounded_channel();
    let mut watchers = tokio::task::JoinSet::new();
    for _ in 0..sizes.watchers {
        watchers.spawn(listen(client.clone(), heard.clone()));
    }
    let mut late = Vec::new();
    // The first event is the object as it is, and says that the watch is there.
    for _ in 0..sizes.watchers {
        tokio::time::timeout(LIMIT, hearing.recv()).await?;
    }
    for number in 0..sizes.events {
        let sent = Instant::now();
        let request = Request::builder().method(Method::PATCH).uri(format!("{MAPS}/fan-out"));
        let request = request.header("content-type", "application/merge-patch+json");
        let body = json!({"data": {"number": number.to_string()}}).to_string().into_bytes();
        client.request_text(request.body(body)?).await?;
        for _ in 0..sizes.watchers {
            let at = tokio::time::timeout(LIMIT, hearing.recv()).await?.ok_or("nobody listens")?;
            late.push(at.saturating_duration_since(sent).as_secs_f64());
        }
    }
    late.sort_by(f64::total_cmp);
    Ok((late[late.len() / 2], late[late.len() * 99 / 100]))
}

/// Tells when each event came.
async fn listen(client: Client, heard: mpsc::UnboundedSender<Instant>) -> Outcome<()> {
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    let params = WatchParams::default().fields("metadata.name=fan-out");
    let mut events = pin!(api.watch(&params, "0").await?);
    while let Some(event) = events.next().await {
        match event? {
            WatchEvent::Added(_) | WatchEvent::Modified(_) => heard.send(Instant::now())?,
            WatchEvent::Deleted(_) | WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(status) => return Err(format!("{status:?}").into()),
        }
    }
    Ok(())
}
