//! How another terminal talks to a running sandbox: one request, then lines of text.
//!
//! Reads and writes a unix socket in the sandbox's folder.
//! Invariant: an answer ends with its verdict, so that a broken connection is never taken for
//! success.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

/// The socket's name.
const SOCKET: &str = "control.sock";
/// The longest request that is read: a path and little else.
const LONGEST_REQUEST: u64 = 64 * 1024;

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error("no sandbox is running here; start one with `udn sandbox`")]
    NotRunning { source: io::Error },
    #[error("lost the connection to the sandbox")]
    Lost { source: io::Error },
    #[error("the sandbox left before it was done")]
    Unfinished,
    #[error("could not listen at {path}")]
    Listen { path: PathBuf, source: io::Error },
}

/// What is asked of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Apply the manifests of this directory.
    Apply(PathBuf),
}

/// What it answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Line(String),
    Done { is_good: bool },
}

/// The sandbox's side of the socket.
#[derive(Debug)]
pub struct Listener(UnixListener);

/// One request and the way back.
#[derive(Debug)]
pub struct Caller {
    pub request: Request,
    stream: UnixStream,
}

impl Listener {
    /// Opens the socket; a stale one is replaced.
    pub fn open(folder: &Path) -> Result<Self, RemoteError> {
        let path = folder.join(SOCKET);
        match std::fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(RemoteError::Listen { path, source }),
        }
        match UnixListener::bind(&path) {
            Ok(listener) => Ok(Self(listener)),
            Err(source) => Err(RemoteError::Listen { path, source }),
        }
    }

    /// The next request that can be understood.
    pub async fn next(&self) -> Result<Caller, RemoteError> {
        loop {
            let (stream, _) =
                self.0.accept().await.map_err(|source| RemoteError::Lost { source })?;
            if let Some(caller) = Caller::read(stream).await {
                return Ok(caller);
            }
        }
    }
}

impl Caller {
    async fn read(mut stream: UnixStream) -> Option<Self> {
        use tokio::io::AsyncReadExt;
        let mut line = String::new();
        let mut limited = BufReader::new((&mut stream).take(LONGEST_REQUEST));
        limited.read_line(&mut line).await.ok()?;
        let request = serde_json::from_str(&line).ok()?;
        Some(Self { request, stream })
    }

    /// Sends an answer; a caller that left is of no concern.
    pub async fn answer(&mut self, answer: &Answer) {
        let mut line = serde_json::to_vec(answer).unwrap_or_default();
        line.push(b'\n');
        let _ = self.stream.write_all(&line).await;
    }
}

/// Asks the sandbox in `folder`, passing its lines on; returns its verdict.
pub async fn ask(
    folder: &Path,
    request: &Request,
    mut on_line: impl FnMut(&str),
) -> Result<bool, RemoteError> {
    let stream = UnixStream::connect(folder.join(SOCKET)).await;
    let mut stream = stream.map_err(|source| RemoteError::NotRunning { source })?;
    let mut line = serde_json::to_vec(request).unwrap_or_default();
    line.push(b'\n');
    stream.write_all(&line).await.map_err(|source| RemoteError::Lost { source })?;
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await.map_err(|source| RemoteError::Lost { source })? {
        match serde_json::from_str(&line) {
            Ok(Answer::Line(text)) => on_line(&text),
            Ok(Answer::Done { is_good }) => return Ok(is_good),
            Err(_) => return Err(RemoteError::Unfinished),
        }
    }
    Err(RemoteError::Unfinished)
}
