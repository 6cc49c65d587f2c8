//! A server, and candidates whose connections can be cut one by one.
//!
//! Invariant: a candidate that is cut off gets no answer to anything.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::Request;
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use kube_embedded::{Planned, Server};
use tokio::sync::watch;
use udn_control::lease::{Leadership, LeaseSettings, Timing, lead};

const NAMESPACE: &str = "kube-system";
const NAME: &str = "udn-controller";

pub(super) struct Rig {
    server: Server,
    leases: Api<Lease>,
}

impl Rig {
    pub(super) async fn start() -> Self {
        let server = Server::start().await.expect("it starts");
        let leases = Api::namespaced(server.client(), NAMESPACE);
        Self { server, leases }
    }

    pub(super) fn candidate(&self, identity: &str) -> Candidate {
        let is_cut = Arc::new(AtomicBool::new(false));
        let client = client(&self.server, Arc::clone(&is_cut));
        let settings = LeaseSettings {
            namespace: NAMESPACE.to_owned(),
            name: NAME.to_owned(),
            identity: identity.to_owned(),
            timing: Timing::default(),
        };
        let (stop, stopped) = watch::channel(false);
        Candidate { client, settings, is_cut, stop, stopped }
    }

    pub(super) fn plan(&self, planned: Planned) {
        self.server.faults().plan(planned);
    }

    pub(super) fn pending(&self) -> usize {
        self.server.faults().pending()
    }

    pub(super) async fn holder(&self) -> String {
        let spec = self.lease().await.spec;
        spec.and_then(|it| it.holder_identity).unwrap_or_default()
    }

    pub(super) async fn transitions(&self) -> i32 {
        let spec = self.lease().await.spec;
        spec.and_then(|it| it.lease_transitions).unwrap_or_default()
    }

    pub(super) async fn version(&self) -> u64 {
        let version = self.lease().await.metadata.resource_version.expect("it has one");
        version.parse().expect("it is a number")
    }

    async fn lease(&self) -> Lease {
        self.leases.get(NAME).await.expect("it is there")
    }
}

pub(super) struct Candidate {
    client: Client,
    settings: LeaseSettings,
    is_cut: Arc<AtomicBool>,
    stop: watch::Sender<bool>,
    stopped: watch::Receiver<bool>,
}

impl Candidate {
    pub(super) async fn lead(&self) -> Leadership {
        self.try_lead().await.expect("nobody told it to stop")
    }

    pub(super) async fn try_lead(&self) -> Option<Leadership> {
        lead(self.client.clone(), self.settings.clone(), self.stopped.clone()).await
    }

    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    pub(super) fn stop(&self) {
        self.stop.send_replace(true);
    }
}

/// A client of the server whose requests end nowhere once it is cut off.
fn client(server: &Server, is_cut: Arc<AtomicBool>) -> Client {
    let inner = server.client();
    let service = tower::service_fn(move |request: Request<kube::client::Body>| {
        let (inner, is_cut) = (inner.clone(), Arc::clone(&is_cut));
        async move {
            if is_cut.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
            inner.send(request).await.map_err(io::Error::other)
        }
    });
    Client::new(service, "default")
}
