//! A TCP service that tells every caller which address it seems to come from.
//!
//! Reads a namespace to listen in; returns a [`Witness`]. [`Witness::ask`] calls one from another
//! namespace. So a test sees what network address translation made of a connection.
//! Invariant: an answer is the whole text of an address, or none.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::namespaces::{Namespace, NamespaceError, inside};

/// How long a caller waits for a connection, and for the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why there is no testimony.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    #[error("could not reach the namespace of the witness or of the caller")]
    Namespace {
        #[from]
        source: NamespaceError,
    },
    #[error("could not listen")]
    Listen { source: io::Error },
    #[error("could not ask the witness at {address}")]
    Ask { address: SocketAddr, source: io::Error },
    #[error("the witness at {address} said \"{answer}\", which is not an address")]
    Nonsense { address: SocketAddr, answer: String },
}

/// A running service.
#[derive(Debug)]
pub struct Witness {
    port: u16,
    is_done: Arc<AtomicBool>,
    /// The way into its namespace, which stays even if the namespace loses its name.
    door: File,
    thread: Option<JoinHandle<()>>,
}

impl Witness {
    /// Listens in a namespace, on all its addresses of both families, at a port of its own.
    pub fn listen(namespace: &Namespace) -> Result<Self, WitnessError> {
        Self::listen_at(namespace, 0)
    }

    /// The same at a port of the caller's choice.
    pub fn listen_at(namespace: &Namespace, port: u16) -> Result<Self, WitnessError> {
        let refused = |source| WitnessError::Listen { source };
        let door = File::open(namespace.path()).map_err(refused)?;
        // Linux lets a listener on `::` take IPv4 callers too.
        let listener = namespace.inside(|| TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)))?;
        let listener = listener.map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let is_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&is_done);
        let thread = thread::spawn(move || serve(&listener, &done));
        Ok(Self { port, is_done, door, thread: Some(thread) })
    }

    /// The port it listens at.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Calls the witness at one of its addresses from a namespace; returns who it saw.
    pub fn ask(&self, from: &Namespace, address: IpAddr) -> Result<IpAddr, WitnessError> {
        let address = SocketAddr::new(address, self.port);
        let answer = from.inside(|| call(address))?;
        let answer = answer.map_err(|source| WitnessError::Ask { address, source })?;
        answer.parse().map_err(|_| WitnessError::Nonsense { address, answer })
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Release);
        // One last call wakes the thread, which then sees that it is done.
        let wake = || TcpStream::connect((Ipv6Addr::LOCALHOST, self.port)).is_ok();
        if let (Ok(true), Some(thread)) = (inside(&self.door, wake), self.thread.take()) {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, is_done: &AtomicBool) {
    for caller in listener.incoming() {
        if is_done.load(Ordering::Acquire) {
            return;
        }
        if let Ok(caller) = caller {
            // A caller that hangs up early has no use for the answer.
            let _ = testify(caller);
        }
    }
}

fn testify(mut caller: TcpStream) -> io::Result<()> {
    let address = caller.peer_addr()?.ip().to_canonical();
    caller.write_all(address.to_string().as_bytes())
}

fn call(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
