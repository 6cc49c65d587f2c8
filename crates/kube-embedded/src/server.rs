//! The server: settings in, a client or an address out.
//!
//! Invariant: a server that is dropped stops; what it answered as stored is stored.

mod builder;
mod serving;

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use tokio::task::JoinHandle;
use tower::ServiceExt;

pub use builder::{Authorization, Builder, StartError, Storage};
pub use serving::{ServeError, Serving};

use crate::core::Core;
use crate::fault::Faults;
use crate::rest::Cut;

/// A running API server.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let server = kube_embedded::Server::start().await?;
/// let client: kube::Client = server.client();
/// let version = client.apiserver_version().await?;
/// assert_eq!(version.minor, "35");
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    core: Arc<Core>,
    router: Router,
    controllers: JoinHandle<()>,
}

impl Server {
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A server in memory with nothing but what every cluster has.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }

    /// The API as a service of its own.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// A client that talks to this server without a socket, and may do everything.
    pub fn client(&self) -> kube::Client {
        let router = self.router.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            let answer = router.clone().oneshot(request.map(Body::new));
            async move {
                let response = answer.await.unwrap_or_else(|never| match never {});
                match response.extensions().get::<Cut>() {
                    Some(Cut) => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
                    None => Ok(response),
                }
            }
        });
        kube::Client::new(service, "default")
    }

    /// What is to go wrong on purpose.
    pub fn faults(&self) -> &Faults {
        &self.core.faults
    }

    /// Returns when garbage is collected and namespaces are looked after, until the next write.
    pub async fn settled(&self) {
        self.core.queue.settled().await;
    }

    /// Forgets the past of a resource (`pods`, `networks.example.org`), as a full history would.
    pub fn compact(&self, resource: &str) {
        self.core.store.compact(resource);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.controllers.abort();
    }
}
