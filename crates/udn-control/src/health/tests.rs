use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::{Health, PLACES};
use crate::metrics::Metrics;

async fn start() -> (SocketAddr, watch::Sender<bool>, Arc<Metrics>) {
    let (ready, is_ready) = watch::channel(false);
    let metrics = Arc::new(Metrics::default());
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let health = Health::listen(address, Arc::clone(&metrics), is_ready).await;
    let health = health.expect("loopback has a free port");
    let address = health.address().expect("it listens");
    tokio::spawn(health.serve());
    (address, ready, metrics)
}

async fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let text = format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n");
    stream.write_all(text.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    answer
}

#[tokio::test]
async fn readiness_follows_its_sender() {
    let (address, ready, _meters) = start().await;
    assert!(ask(address, "GET /readyz").await.starts_with("HTTP/1.1 503 "));
    ready.send_replace(true);
    assert!(ask(address, "GET /readyz").await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn metrics_and_health_are_told() {
    let (address, _ready, metrics) = start().await;
    metrics.leading(true);
    assert!(ask(address, "GET /healthz").await.ends_with("\r\n\r\nok\n"));
    let metrics = ask(address, "GET /metrics").await;
    assert!(metrics.contains("\nudn_controller_is_leader 1\n"), "{metrics}");
    assert!(metrics.contains("\r\ncontent-type: application/openmetrics-text;"), "{metrics}");
}

#[tokio::test]
async fn other_paths_and_methods_are_refused() {
    let (address, _ready, _meters) = start().await;
    assert!(ask(address, "GET /etc/passwd").await.starts_with("HTTP/1.1 404 "));
    assert!(ask(address, "POST /metrics").await.starts_with("HTTP/1.1 405 "));
}

#[tokio::test(start_paused = true)]
async fn callers_that_say_nothing_are_sent_away() {
    let (address, _ready, _meters) = start().await;
    let mut silent = Vec::new();
    for _ in 0..PLACES {
        silent.push(TcpStream::connect(address).await.expect("it listens"));
    }
    let patience = Duration::from_secs(60);
    let answer = tokio::time::timeout(patience, ask(address, "GET /healthz")).await;
    assert!(answer.expect("a place is free again").starts_with("HTTP/1.1 200 "));
}
