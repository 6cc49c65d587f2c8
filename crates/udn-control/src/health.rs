//! Tells over HTTP whether the program lives and is ready, and what it counted.
//!
//! `/healthz`, `/readyz` and `/metrics`, for kubelet and Prometheus.
//! Invariant: no caller can hold more than one of a few places, nor for long.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::metrics::Metrics;

#[cfg(test)]
mod tests;

/// How many callers are served at a time.
const PLACES: usize = 32;

/// How long a caller may take to say what it wants.
const ASKING: Duration = Duration::from_secs(5);

/// How long a caller may stay.
const STAY: Duration = Duration::from_secs(15);

const PLAIN: &str = "text/plain; charset=utf-8";
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Why nobody is told anything.
#[derive(Debug, thiserror::Error)]
#[error("could not listen on {address} for health and metrics")]
pub struct HealthError {
    address: SocketAddr,
    source: std::io::Error,
}

/// What callers are shown of a program.
pub trait Shown: fmt::Debug + Send + Sync + 'static {
    /// What it counted, as OpenMetrics text.
    fn render(&self) -> String;

    /// Whether it makes no way although there is something to do.
    fn is_stuck(&self, now: Instant) -> bool;
}

impl Shown for Metrics {
    fn render(&self) -> String {
        self.render()
    }

    fn is_stuck(&self, now: Instant) -> bool {
        self.is_stuck(now)
    }
}

/// The place where callers ask.
#[derive(Debug)]
pub struct Health {
    listener: TcpListener,
    window: Arc<Window>,
}

/// What callers are shown.
#[derive(Debug)]
struct Window {
    metrics: Arc<dyn Shown>,
    ready: watch::Receiver<bool>,
}

impl Health {
    /// Listens; callers wait until [`Health::serve`] runs.
    pub async fn listen(
        address: SocketAddr,
        metrics: Arc<impl Shown>,
        ready: watch::Receiver<bool>,
    ) -> Result<Self, HealthError> {
        let failed = |source| HealthError { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        Ok(Self { listener, window: Arc::new(Window { metrics, ready }) })
    }

    /// Where it listens: a port that was asked for as 0 has a number now.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Serves until it is dropped.
    pub async fn serve(self) {
        let places = Arc::new(Semaphore::new(PLACES));
        loop {
            let place = Arc::clone(&places).acquire_owned().await;
            let place = place.expect("the semaphore is never closed");
            let Ok((stream, _)) = self.listener.accept().await else {
                // Out of file descriptors, most likely: accepting at once again would spin.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            let window = Arc::clone(&self.window);
            tokio::spawn(async move {
                let _ = timeout(STAY, attend(stream, window)).await;
                drop(place);
            });
        }
    }
}

/// Answers one request of a caller; the next one is another connection.
async fn attend(stream: TcpStream, window: Arc<Window>) {
    let service = service_fn(move |request: Request<Incoming>| {
        let response = window.answer(request.method(), request.uri().path());
        async move { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(ASKING).keep_alive(false);
    // A caller that breaks off is not for us.
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

impl Window {
    fn answer(&self, method: &Method, path: &str) -> Response<Full<Bytes>> {
        if !matches!(*method, Method::GET | Method::HEAD) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET is served\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        match path {
            "/healthz" | "/livez" if self.metrics.is_stuck(Instant::now()) => {
                text(StatusCode::INTERNAL_SERVER_ERROR, "no reconcile has ended for too long\n")
            }
            "/healthz" | "/livez" => text(StatusCode::OK, "ok\n"),
            "/readyz" if *self.ready.borrow() => text(StatusCode::OK, "ok\n"),
            "/readyz" => {
                text(StatusCode::SERVICE_UNAVAILABLE, "the objects of the cluster are being read\n")
            }
            "/metrics" => answer(StatusCode::OK, METRICS, self.metrics.render()),
            _ => text(StatusCode::NOT_FOUND, "try /healthz, /readyz or /metrics\n"),
        }
    }
}

fn text(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    answer(status, PLAIN, text)
}

fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
