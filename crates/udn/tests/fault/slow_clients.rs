//! Clients that are slow, or never read: `udn apiserver` stays quick for others, and small.
//!
//! Invariant: no number of such clients makes the server keep what they do not fetch.

use std::time::{Duration, Instant};

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::json;
use tempfile::tempdir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::program::Program;
use crate::wire::{Listener, WHO};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// How long a good client waits at most while others are slow.
const QUICK: Duration = Duration::from_secs(5);
/// What slow clients may cost together, beside what is stored.
const MEMORY: usize = 96 << 20;

/// A server, a good client, and a port for bad ones.
struct Stage {
    program: Program,
    maps: Api<ConfigMap>,
    listener: Listener,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn set() -> Self {
        let folder = tempdir().expect("a folder");
        let program = Program::start(folder.path(), &[]);
        let client: Client = program.client().await;
        let listener = Listener::ours(&program).await;
        Self { program, maps: Api::namespaced(client, "default"), listener, _folder: folder }
    }

    /// Stores objects of 20 kB.
    async fn fill(&self, count: usize) {
        for number in 0..count {
            let metadata =
                ObjectMeta { name: Some(format!("map-{number}")), ..ObjectMeta::default() };
            let text = format!("{number:09}x").repeat(2_000);
            let data = Some([("text".to_owned(), text)].into());
            let map = ConfigMap { metadata, data, ..ConfigMap::default() };
            self.maps.create(&PostParams::default(), &map).await.expect("it is good");
        }
    }

    /// Connections that sent this and then nothing more, and never read.
    async fn stuck(&self, count: usize, sent: &str) -> Vec<TlsStream<TcpStream>> {
        let mut all = Vec::new();
        for _ in 0..count {
            let mut stream = self.listener.connect().await;
            stream.write_all(&self.listener.addressed(sent.as_bytes())).await.expect("it listens");
            stream.flush().await.expect("it listens");
            all.push(stream);
        }
        all
    }

    /// Asserts that a good client is served as ever.
    async fn is_quick(&self) {
        let started = Instant::now();
        self.maps.list(&ListParams::default().limit(1)).await.expect("it answers");
        let patch = Patch::Merge(json!({"data": {"last": format!("{started:?}")}}));
        self.maps.patch("map-0", &PatchParams::default(), &patch).await.expect("it answers");
        assert!(started.elapsed() < QUICK, "a good client waited {:?}", started.elapsed());
    }

    fn is_small(&self, before: usize) {
        let more = self.program.memory().saturating_sub(before);
        println!("{} MiB before, {} more", before >> 20, more >> 20);
        assert!(more < MEMORY, "{} MiB more than before", more >> 20);
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\n{WHO}\r\n")
}

#[tokio::test]
async fn unfinished_requests_hold_nobody_up() {
    let stage = Stage::set().await;
    stage.fill(1).await;
    let before = stage.program.memory();
    let heads = stage.stuck(200, "GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: ").await;
    let post = format!(
        "POST {MAPS} HTTP/1.1\r\nHost: x\r\n{WHO}Content-Type: application/json\r\n\
         Content-Length: 3000000\r\n\r\n{{"
    );
    let bodies = stage.stuck(200, &post).await;
    stage.is_quick().await;
    stage.is_small(before);
    drop((heads, bodies));
}

#[tokio::test]
async fn a_promise_of_too_much_is_refused_at_once() {
    let stage = Stage::set().await;
    let promise = format!(
        "POST {MAPS} HTTP/1.1\r\nHost: x\r\n{WHO}Content-Type: application/json\r\n\
         Connection: close\r\nContent-Length: 99999999999\r\n\r\n"
    );
    assert_eq!(stage.listener.ask(promise.as_bytes()).await, [413]);
}

#[tokio::test]
async fn lists_that_nobody_reads_are_not_made() {
    let stage = Stage::set().await;
    stage.fill(500).await;
    let before = stage.program.memory();
    // Ten megabytes each, were they made.
    let lists = stage.stuck(50, &get(MAPS)).await;
    stage.is_quick().await;
    stage.is_small(before);
    drop(lists);
}

#[tokio::test]
async fn watches_that_nobody_reads_are_not_told() {
    let stage = Stage::set().await;
    stage.fill(50).await;
    let before = stage.program.memory();
    let watches = stage.stuck(50, &get(&format!("{MAPS}?watch=1"))).await;
    // Twenty megabytes of events for each of them; the history forgets most of it.
    for round in 0..1_000 {
        let patch = Patch::Merge(json!({"data": {"round": round.to_string()}}));
        let name = format!("map-{}", round % 50);
        stage.maps.patch(&name, &PatchParams::default(), &patch).await.expect("it answers");
    }
    stage.is_quick().await;
    stage.is_small(before);
    drop(watches);
}

#[tokio::test]
async fn an_endless_timeout_is_only_long() {
    let stage = Stage::set().await;
    stage.fill(1).await;
    let path = format!("{MAPS}?watch=1&timeoutSeconds={}", i64::MAX);
    let watches = stage.stuck(1, &get(&path)).await;
    for mut watch in watches {
        let mut first = [0; 12];
        let read = tokio::io::AsyncReadExt::read_exact(&mut watch, &mut first).await;
        assert!(read.is_ok() && &first == b"HTTP/1.1 200", "{read:?} {first:?}");
    }
    stage.is_quick().await;
}
