//! A server that misbehaves in every way costs a client nothing but attempts: it tells what is
//! wrong, tries again with growing delays, and holds no more than its limits.

// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use ovsdb::session::{SessionSettings, TransactError};
use ovsdb_net::backoff::BackoffSettings;
use ovsdb_net::client::State;
use ovsdb_net::{Client, ClientSettings, Remote};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Connections to a false server.
struct FalseServer {
    _folder: tempfile::TempDir,
    remote: Remote,
    visits: mpsc::UnboundedReceiver<Instant>,
}

impl FalseServer {
    /// Accepts every connection and does the same with each.
    fn start<F, Fut>(misbehave: F) -> Self
    where
        F: Fn(UnixStream) -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let listener = listen(&socket);
        let (sender, visits) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if sender.send(Instant::now()).is_err() {
                    return;
                }
                tokio::spawn(misbehave(stream));
            }
        });
        Self { _folder: folder, remote: Remote::Unix(socket), visits }
    }

    /// Says the same thing to everyone, then waits.
    fn saying(said: Vec<u8>) -> Self {
        Self::start(move |mut stream| {
            let said = said.clone();
            async move {
                // The client may hang up before it has heard everything; that is the point.
                let _ = stream.write_all(&said).await;
                let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
            }
        })
    }

    fn settings(&self) -> ClientSettings {
        let mut session = SessionSettings::new("d");
        session.limits.frame.size = 1 << 20;
        let mut settings = ClientSettings::new(vec![self.remote.clone()], session);
        let (first, cap) = (Duration::from_millis(100), Duration::from_secs(4));
        settings.backoff = BackoffSettings { first, cap, seed: 1 };
        settings
    }
}

fn listen(socket: &Path) -> UnixListener {
    UnixListener::bind(socket).unwrap()
}

async fn problem(client: &Client) -> String {
    let mut status = client.status();
    let status = status.wait_for(|status| status.problem.is_some()).await.unwrap();
    assert_ne!(status.state, State::Synced);
    status.problem.as_deref().unwrap_or_default().to_owned()
}

/// A server that says this is left, with this problem, and visited again.
async fn check(said: impl Into<Vec<u8>>, want: &str) {
    let said = said.into();
    let mut server = FalseServer::saying(said.clone());
    let client = Client::connect(server.settings()).unwrap();
    server.visits.recv().await.unwrap();
    let problem = problem(&client).await;
    let shown: String = String::from_utf8_lossy(&said).chars().take(60).collect();
    assert!(problem.contains(want), "{shown}: {problem}");
    server.visits.recv().await.expect("it tries again");
    assert_eq!(client.submit(&[]).unwrap_err(), TransactError::NotSynced);
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn nonsense_is_told_and_survived() {
    check("HTTP/1.1 400 Bad Request", "not a stream of messages: byte 0x48").await;
    check([0xff, 0xfe], "not a stream of messages: byte 0xff").await;
    check(b"{\"id\":\"\xff\",\"result\":1}".to_vec(), "not a message: a message that is not JSON")
        .await;
    check("{\"a\":".repeat(200), "nested more than 100 levels deep").await;
    check(format!("{{\"a\":\"{}", "x".repeat(2 << 20)), "more than 1048576 bytes").await;
    check(r#"{"id":77,"result":[],"error":null}"#, "answered 77, which nobody asked").await;
    check(r#"{"id":2,"result":{"Database":7},"error":null}"#, "an update that cannot be read")
        .await;
    check(r#"{"id":null,"method":"update2","params":["x",{}]}"#, "nobody asked for").await;
}

#[tokio::test(start_paused = true)]
async fn delays_grow_to_the_cap() {
    let mut server = FalseServer::start(|stream| async move { drop(stream) });
    let client = Client::connect(server.settings()).unwrap();
    let mut visits = Vec::new();
    while visits.len() < 10 {
        visits.push(server.visits.recv().await.unwrap());
    }
    let delays: Vec<Duration> = visits.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (failures, delay) in delays.iter().enumerate() {
        let step = Duration::from_millis(100 << failures.min(6)).min(Duration::from_secs(4));
        let slack = Duration::from_millis(20);
        assert!(*delay + slack >= step / 2 && *delay <= step + slack, "{failures}: {delays:?}");
    }
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let mut server = FalseServer::start(|mut stream| async move {
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    });
    let client = Client::connect(server.settings()).unwrap();
    let begin = server.visits.recv().await.unwrap();
    assert!(problem(&client).await.contains("fell silent"));
    let again = server.visits.recv().await.unwrap();
    assert!(again - begin >= Duration::from_secs(10), "asked after five seconds, then waited");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_only_asks_is_bounded() {
    let mut server = FalseServer::start(|mut stream| async move {
        let echo = format!(r#"{{"id":1,"method":"echo","params":["{}"]}}"#, "x".repeat(100_000));
        // It never reads what it asked for.
        while stream.write_all(echo.as_bytes()).await.is_ok() {}
    });
    let client = Client::connect(server.settings()).unwrap();
    server.visits.recv().await.unwrap();
    assert!(problem(&client).await.contains("without reading them"));
}

#[tokio::test(start_paused = true)]
async fn the_next_remote_is_tried() {
    let mut silent = FalseServer::start(|stream| async move { drop(stream) });
    let mut other = FalseServer::start(|mut stream| async move {
        let mut greeting = [0; 10];
        let _ = stream.read_exact(&mut greeting).await;
    });
    let mut settings = silent.settings();
    settings.remotes.push(other.remote.clone());
    let client = Client::connect(settings).unwrap();
    silent.visits.recv().await.unwrap();
    other.visits.recv().await.unwrap();
    silent.visits.recv().await.unwrap();
    client.close().await;
}
