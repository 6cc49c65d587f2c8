//! The socket of the CNI server: HTTP/1.1 for root alone.
//!
//! Reads requests; returns what [`Service`] answers.
//! Invariant: no request takes more memory or time than its limits, and a new socket takes the place
//! of an old one without a moment between.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tracing::{info, warn};

use super::CniSettings;
use super::metrics::CniMetrics;
use super::pods::Pods;
use super::service::Service;
use super::wiring::Wiring;
use crate::host::Host;

mod connections;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("could not prepare the folder {folder} of the CNI socket")]
    Folder { folder: PathBuf, source: io::Error },
    #[error("could not listen on the CNI socket {socket}")]
    Listen { socket: PathBuf, source: io::Error },
}

/// A server that runs in the background until it is stopped or dropped.
#[derive(Debug)]
pub struct CniServer<P> {
    wiring: Wiring<P>,
    stop: watch::Sender<bool>,
    listening: JoinHandle<()>,
    following: JoinHandle<()>,
    socket: PathBuf,
    /// The socket's own file, which a later server may have replaced.
    inode: u64,
}

impl<P: Pods> CniServer<P> {
    /// Begins to serve. Must be called inside a tokio runtime.
    pub fn start(settings: CniSettings, host: Host, pods: Arc<P>) -> Result<Self, ServerError> {
        let socket = settings.socket.clone();
        let (listener, inode) = listen(&socket)?;
        let connections = settings.limits.connections;
        let wiring = Wiring::new(Arc::new(settings), host, pods);
        let (stop, stopped) = watch::channel(false);
        let following = tokio::spawn(follow(wiring.clone()));
        let service = Arc::new(Service::new(wiring.clone(), stopped.clone()));
        let listening = tokio::spawn(connections::accept(listener, service, stopped, connections));
        info!(socket = %socket.display(), "serves CNI requests");
        Ok(Self { wiring, stop, listening, following, socket, inode })
    }

    /// What the server counts.
    pub fn metrics(&self) -> Arc<CniMetrics> {
        Arc::clone(&self.wiring.metrics)
    }

    /// The pods that are wired.
    pub fn wiring(&self) -> Wiring<P> {
        self.wiring.clone()
    }

    /// Ends after all requests under way are answered; those that wait for others are told to try
    /// again.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        if let Err(error) = (&mut self.listening).await {
            warn!(%error, "the CNI server ended badly");
        }
        remove_socket(&self.socket, self.inode);
    }
}

impl<P> Drop for CniServer<P> {
    fn drop(&mut self) {
        self.listening.abort();
        self.following.abort();
    }
}

/// Learns what is wired once the switch's rows are known, and follows them from then on.
async fn follow<P: Pods>(wiring: Wiring<P>) {
    let changes = wiring.host.switch().changes();
    if wiring.host.switch().wait_synced().await.is_err() {
        return;
    }
    wiring.learn().await;
    wiring.follow(changes).await;
}

fn listen(socket: &Path) -> Result<(UnixListener, u64), ServerError> {
    let folder = socket.parent().unwrap_or(Path::new("/"));
    prepare(folder).map_err(|source| ServerError::Folder { folder: folder.to_owned(), source })?;
    bind(socket).map_err(|source| ServerError::Listen { socket: socket.to_owned(), source })
}

/// Makes a folder that is root's alone.
fn prepare(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

/// Listens on a new socket, and puts it into the place of whatever is there.
fn bind(socket: &Path) -> io::Result<(UnixListener, u64)> {
    let mut name = socket.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let fresh = socket.with_file_name(name);
    let _ = fs::remove_file(&fresh);
    let listener = UnixListener::bind(&fresh)?;
    fs::set_permissions(&fresh, Permissions::from_mode(0o600))?;
    let inode = fs::metadata(&fresh)?.ino();
    fs::rename(&fresh, socket)?;
    Ok((listener, inode))
}

fn remove_socket(socket: &Path, inode: u64) {
    let is_ours = fs::metadata(socket).is_ok_and(|it| it.ino() == inode);
    if is_ours && let Err(error) = fs::remove_file(socket) {
        warn!(%error, socket = %socket.display(), "the CNI socket stays");
    }
}

/// How long a caller may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
