//! The controller under test: opened, closed, or struck down after a certain write.
//!
//! Invariant: what was struck down sends nothing more.

#![allow(dead_code, reason = "each test that uses the kit needs another part of it")]

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use kube::Client;
use kube::client::Body;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tower::{BoxError, Service};
use udn_cluster::Reconciler;
use udn_control::cluster::{Brain, ControllerSettings, Signals, run_with};
use udn_control::metrics::Metrics;

type Request = hyper::Request<Body>;
type Response = hyper::Response<Body>;

/// A controller that works.
pub(crate) struct Staff {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    ready: watch::Receiver<bool>,
    strike: Arc<Strike>,
}

impl Staff {
    pub(crate) fn open(client: &Client, settings: ControllerSettings) -> Self {
        Self::open_until(client, settings, u64::MAX)
    }

    /// Opens a controller whose process ends right after this many writes were answered.
    pub(crate) fn open_until(client: &Client, settings: ControllerSettings, writes: u64) -> Self {
        let brain = Reconciler::new(settings.cluster.clone());
        Self::open_with(brain, client, settings, writes)
    }

    /// The same with a brain that is not quite right.
    pub(crate) fn open_with(
        brain: impl Brain,
        client: &Client,
        settings: ControllerSettings,
        writes: u64,
    ) -> Self {
        let strike = Arc::new(Strike { left: AtomicU64::new(writes), ..Strike::default() });
        let gate = Gate { client: client.clone(), strike: strike.clone() };
        let (stop, stopped) = watch::channel(false);
        let (tell, ready) = watch::channel(false);
        let controller = run_with(
            brain,
            Client::new(gate, "default"),
            settings,
            Arc::new(Metrics::default()),
            Signals::new(tell, stopped),
        );
        Self { task: tokio::spawn(controller), stop, ready, strike }
    }

    pub(crate) async fn until_ready(&mut self) {
        self.ready.wait_for(|it| *it).await.expect("the controller is open");
    }

    /// How many writes were sent.
    pub(crate) fn writes(&self) -> u64 {
        self.strike.sent.load(Ordering::SeqCst)
    }

    /// Ends when the controller was struck down.
    pub(crate) async fn struck(&self) {
        self.strike.struck.notified().await;
    }

    /// Closes in good order.
    pub(crate) async fn close(self) {
        self.stop.send(true).expect("the controller is open");
        self.task.await.expect("the controller closes");
    }

    /// Ends as a killed process does.
    pub(crate) async fn kill(self) {
        self.task.abort();
        let ended = self.task.await;
        assert!(ended.is_err_and(|error| error.is_cancelled()), "the controller ended by itself");
    }
}

/// The controller asks as the ServiceAccount that `deploy/rbac` makes for it, so it may do what that may.
fn impersonate(request: &mut Request) {
    let mut add = |name: &'static str, value: &'static str| {
        request.headers_mut().append(name, hyper::header::HeaderValue::from_static(value));
    };
    add("Impersonate-User", "system:serviceaccount:kube-system:udn-controller");
    for group in ["system:serviceaccounts", "system:authenticated"] {
        add("Impersonate-Group", group);
    }
}

/// When the controller is struck down.
#[derive(Default)]
struct Strike {
    /// How many writes it may still send.
    left: AtomicU64,
    sent: AtomicU64,
    struck: Notify,
}

/// Between the controller and the server.
#[derive(Clone)]
struct Gate {
    client: Client,
    strike: Arc<Strike>,
}

impl Service<Request> for Gate {
    type Response = Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        impersonate(&mut request);
        let (client, strike) = (self.client.clone(), self.strike.clone());
        let is_write = request.method() != hyper::Method::GET;
        let is_event = request.uri().path().ends_with("/events");
        Box::pin(async move {
            if !is_write || is_event {
                return Ok(client.send(request).await?);
            }
            let left = strike
                .left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| Some(it.saturating_sub(1)));
            if left == Ok(0) {
                // Dead already: it only has not noticed.
                return std::future::pending().await;
            }
            strike.sent.fetch_add(1, Ordering::SeqCst);
            let answer = client.send(request).await;
            if left == Ok(1) {
                strike.struck.notify_one();
                return std::future::pending().await;
            }
            Ok(answer?)
        })
    }
}
