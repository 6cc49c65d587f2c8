//! The controller under test: started, stopped, or killed right after a certain write.
//!
//! Invariant: what was killed sends nothing more.

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
use udn_cluster::reconciler::KINDS;
use udn_control::cluster::{Activity, Brain, ControllerSettings, Signals, run_with};
use udn_control::metrics::Metrics;
use udn_control::zone::Listing;

use super::server::LIMIT;

type Request = hyper::Request<Body>;
type Response = hyper::Response<Body>;

/// A controller that works.
pub(crate) struct RunningController {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    ready: watch::Receiver<bool>,
    activity: watch::Receiver<Activity>,
    kill: Arc<Kill>,
}

impl RunningController {
    pub(crate) fn start(client: &Client, settings: ControllerSettings) -> Self {
        Self::start_until(client, settings, u64::MAX)
    }

    /// Starts a controller whose process ends right after this many writes were answered.
    pub(crate) fn start_until(client: &Client, settings: ControllerSettings, writes: u64) -> Self {
        let brain = Reconciler::new(settings.cluster.clone());
        Self::start_with(brain, client, settings, writes)
    }

    /// The same with a brain that is not quite right.
    pub(crate) fn start_with(
        brain: impl Brain,
        client: &Client,
        settings: ControllerSettings,
        writes: u64,
    ) -> Self {
        let kill = Arc::new(Kill { left: AtomicU64::new(writes), ..Kill::default() });
        let gate = Gate { client: client.clone(), kill: kill.clone() };
        let (stop, stopped) = watch::channel(false);
        let (tell, ready) = watch::channel(false);
        let signals = Signals::new(tell, stopped);
        let activity = signals.activity.subscribe();
        let client = Client::new(gate, "default");
        let controller = run_with(brain, client, settings, Arc::new(Metrics::default()), signals);
        Self { task: tokio::spawn(controller), stop, ready, activity, kill }
    }

    pub(crate) async fn until_ready(&mut self) {
        self.ready.wait_for(|it| *it).await.expect("the controller runs");
    }

    /// Waits until everything that stands at the server was taken in, and nothing is left to do. Its
    /// own writes make new versions, so that a listing counts only if the next one is the same.
    pub(crate) async fn until_idle(&mut self, client: &Client) {
        let listed = async || Listing::read(client, &KINDS).await.expect("the server answers");
        let wait = async {
            let mut before = listed().await;
            loop {
                let newest = before.newest();
                let is_seen = |it: &Activity, (kind, version)| it.seen.get(kind) >= Some(version);
                let is_so = |it: &Activity| it.is_idle && newest.iter().all(|one| is_seen(it, one));
                self.activity.wait_for(is_so).await.expect("the controller runs");
                let now = listed().await;
                if now.versions == before.versions {
                    return;
                }
                before = now;
            }
        };
        tokio::time::timeout(LIMIT, wait).await.expect("the controller comes to rest");
    }

    /// How many writes were sent.
    pub(crate) fn writes(&self) -> u64 {
        self.kill.sent.load(Ordering::SeqCst)
    }

    /// Ends when the controller was killed.
    pub(crate) async fn killed(&self) {
        self.kill.killed.notified().await;
    }

    /// Stops in good order.
    pub(crate) async fn stop(self) {
        self.stop.send(true).expect("the controller runs");
        self.task.await.expect("the controller stops");
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
    add("Impersonate-User", "system:serviceaccount:udn-system:udn-controller");
    for group in ["system:serviceaccounts", "system:authenticated"] {
        add("Impersonate-Group", group);
    }
}

/// When the controller is killed.
#[derive(Default)]
struct Kill {
    /// How many writes it may still send.
    left: AtomicU64,
    sent: AtomicU64,
    killed: Notify,
}

/// Between the controller and the server.
#[derive(Clone)]
struct Gate {
    client: Client,
    kill: Arc<Kill>,
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
        let (client, kill) = (self.client.clone(), self.kill.clone());
        let is_write = request.method() != hyper::Method::GET;
        let is_event = request.uri().path().split('/').any(|it| it == "events");
        Box::pin(async move {
            if !is_write || is_event {
                return Ok(client.send(request).await?);
            }
            let left = kill
                .left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| Some(it.saturating_sub(1)));
            if left == Ok(0) {
                // Dead already: it only has not noticed.
                return std::future::pending().await;
            }
            kill.sent.fetch_add(1, Ordering::SeqCst);
            let answer = client.send(request).await;
            if left == Ok(1) {
                kill.killed.notify_one();
                return std::future::pending().await;
            }
            Ok(answer?)
        })
    }
}
