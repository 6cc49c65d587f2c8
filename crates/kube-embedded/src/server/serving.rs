//! A server on a TLS port.
//!
//! Invariant: the port is open when serving starts, and closed when it is dropped.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::Server;
use crate::tls::{self, Login, TlsError, secret};

/// Why a port cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error("cannot listen on {address}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot prepare certificates")]
    Certificates(#[from] TlsError),
}

/// An open port.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    authority: String,
    admin: String,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    /// Opens a port; zero takes any that is free.
    pub async fn serve(&self, address: SocketAddr) -> Result<Serving, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        self.core.set_address(address);
        let authority = self.core.authority();
        let config = authority.server(&[address.ip().to_string()])?;
        let admin = authority.client("kubernetes-admin", &["system:masters"])?;
        let url = format!("https://{address}");
        let admin = tls::kubeconfig(&url, authority.pem(), &Login::Certificate(&admin));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(tls::serve(listener, config, self.router(), stopped));
        let authority = authority.pem().to_owned();
        Ok(Serving { address, authority, admin, stop: Some(stop), task })
    }
}

impl Serving {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The certificate that clients trust, as PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// A kubeconfig for whoever may do everything.
    pub fn kubeconfig(&self) -> &str {
        &self.admin
    }

    /// Writes the administrator's kubeconfig to a file that only its owner reads.
    pub fn write_kubeconfig(&self, path: &Path) -> Result<(), ServeError> {
        Ok(secret::write(path, &self.admin)?)
    }

    /// A kubeconfig for whoever a token names.
    pub fn kubeconfig_with_token(&self, token: &str) -> String {
        let url = format!("https://{}", self.address);
        tls::kubeconfig(&url, &self.authority, &Login::Token(token))
    }

    /// Closes the port and waits for what is under way.
    pub async fn stop(mut self) {
        drop(self.stop.take());
        // Whatever the task says, the port is closed when it ends.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}
