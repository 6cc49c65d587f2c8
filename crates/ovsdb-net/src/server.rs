//! A database server over the in-memory engine, on unix and TCP sockets.
//!
//! Reads a [`Service`]; returns a running [`Server`] that `ovn-nbctl` and any other client can
//! talk to.
//! Invariant: what a message means is decided by the service; here bytes and time are moved. When
//! the server is dropped, its sockets are closed and its socket files removed.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ovsdb::service::{ClientId, Service};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

mod connection;
mod randomness;

pub use randomness::random_uuid;

/// A socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("could not listen on {path}")]
    Unix { path: PathBuf, source: io::Error },
    #[error("could not listen on {address}")]
    Tcp { address: SocketAddr, source: io::Error },
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    tasks: Vec<JoinHandle<()>>,
    socket_files: Vec<PathBuf>,
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    service: Mutex<Service>,
    /// How to wake the task of each connection.
    bells: Mutex<BTreeMap<ClientId, Arc<Notify>>>,
    started: Instant,
    /// Rings when the next deadline may have changed.
    clock: Notify,
}

impl Server {
    /// Serves; nobody can connect before one of the `listen` functions is called.
    pub fn start(service: Service) -> Self {
        let shared = Arc::new(Shared {
            service: Mutex::new(service),
            bells: Mutex::new(BTreeMap::new()),
            started: Instant::now(),
            clock: Notify::new(),
        });
        let clock = tokio::spawn(keep_time(Arc::clone(&shared)));
        Self { shared, tasks: vec![clock], socket_files: Vec::new() }
    }

    /// Takes connections on a unix socket; a file left over from another server is replaced.
    pub fn listen_unix(&mut self, path: impl AsRef<Path>) -> Result<(), ListenError> {
        let path = path.as_ref();
        let failed = |source| ListenError::Unix { path: path.to_owned(), source };
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(()) | Err(_) => {}
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        self.socket_files.push(path.to_owned());
        let shared = Arc::clone(&self.shared);
        self.tasks.push(tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => serve(&shared, &mut connections, stream),
                    Err(error) => endure(&error).await,
                }
            }
        }));
        Ok(())
    }

    /// Takes connections on a TCP socket; the address that it got, if the port was left open.
    pub async fn listen_tcp(&mut self, address: SocketAddr) -> Result<SocketAddr, ListenError> {
        let failed = |source| ListenError::Tcp { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let shared = Arc::clone(&self.shared);
        self.tasks.push(tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        // A failure only makes small messages slower.
                        let _ = stream.set_nodelay(true);
                        serve(&shared, &mut connections, stream);
                    }
                    Err(error) => endure(&error).await,
                }
            }
        }));
        Ok(bound)
    }

    /// Looks at the service, or adds a database to it.
    pub fn with_service<T>(&self, look: impl FnOnce(&mut Service) -> T) -> T {
        self.shared.act(|service, _| look(service))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        for file in &self.socket_files {
            let _ = std::fs::remove_file(file);
        }
    }
}

impl Shared {
    /// Lets the service do something now, and wakes the connections that it concerns.
    fn act<T>(&self, act: impl FnOnce(&mut Service, Duration) -> T) -> T {
        let now = self.started.elapsed();
        let (result, woken, deadline_moved) = {
            let mut service = lock(&self.service);
            let before = service.next_deadline();
            let result = act(&mut service, now);
            (result, service.take_woken(), service.next_deadline() != before)
        };
        if deadline_moved {
            self.clock.notify_one();
        }
        if !woken.is_empty() {
            let bells = lock(&self.bells);
            let rung = woken.iter().filter_map(|client| bells.get(client));
            rung.for_each(|bell| bell.notify_one());
        }
        result
    }

    fn join(&self) -> (ClientId, Arc<Notify>) {
        let client = self.act(|service, _| service.connect());
        let bell = Arc::new(Notify::new());
        lock(&self.bells).insert(client, Arc::clone(&bell));
        (client, bell)
    }

    fn leave(&self, client: ClientId) {
        lock(&self.bells).remove(&client);
        self.act(|service, _| service.disconnect(client));
    }
}

/// A panic elsewhere leaves the service as consistent as its last finished call made it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve<S>(shared: &Arc<Shared>, connections: &mut JoinSet<()>, stream: S)
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    while connections.try_join_next().is_some() {}
    connections.spawn(connection::run(Arc::clone(shared), stream));
}

/// Waits a little after a failed accept, which mostly means that there are no descriptors left.
async fn endure(error: &io::Error) {
    tracing::warn!(%error, "could not accept a connection");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

/// Ends the waiting of transactions when their time is over.
async fn keep_time(shared: Arc<Shared>) {
    loop {
        let deadline = lock(&shared.service).next_deadline();
        match deadline.map(|deadline| shared.started + deadline) {
            None => shared.clock.notified().await,
            Some(deadline) => tokio::select! {
                () = shared.clock.notified() => {}
                () = tokio::time::sleep_until(deadline) => {
                    shared.act(Service::tick);
                }
            },
        }
    }
}
