//! Serves a router on a TLS port.
//!
//! Reads connections from a listener; gives requests to the router, with the [`Peer`] among their
//! extensions; returns once told to stop and all connections have ended or were cut.
//! Invariant: no client can hold more than its share: of time before a request, of header bytes,
//! of streams, of connections.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt;
use tracing::{debug, warn};

use super::{Peer, ServerTls, head};
use crate::rest::Cut;

#[cfg(test)]
mod tests;

/// The most bytes of a request's headers, as Go's server has it.
const HEADER_BYTES: usize = 1 << 20;
/// The most headers of a request, so that a million empty ones cost nothing.
const HEADER_COUNT: usize = 1000;
/// What the server has open at once on one connection. (compat: apiserver secure_serving.go)
const STREAMS: u32 = 250;
const STREAM_WINDOW: u32 = 256 * 1024;
/// How requests begin that are not encrypted, and what they are told. (compat: Go's net/http)
const PLAIN: [&[u8; 5]; 5] = [b"GET /", b"HEAD ", b"POST ", b"PUT /", b"OPTIO"];
const NOT_TLS: &[u8] =
    b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
/// How long to wait when the system takes no further connection.
const PAUSE: Duration = Duration::from_millis(100);

/// What clients may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    connections: usize,
    /// For the TLS handshake.
    handshake: Duration,
    /// For the head of a request. (compat: apiserver secure_serving.go, ReadHeaderTimeout)
    head: Duration,
    /// For what is under way when the server is told to stop.
    drain: Duration,
}

const LIMITS: Limits = Limits {
    connections: 4096,
    handshake: Duration::from_secs(10),
    head: Duration::from_secs(32),
    drain: Duration::from_secs(5),
};

/// Serves until `shutdown` is done.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: ServerTls,
    router: Router,
    shutdown: impl Future,
) -> io::Result<()> {
    serve_within(LIMITS, listener, tls, router, shutdown).await
}

async fn serve_within(
    limits: Limits,
    listener: TcpListener,
    tls: ServerTls,
    router: Router,
    shutdown: impl Future,
) -> io::Result<()> {
    let (stop, stopped) = watch::channel(false);
    let acceptor = TlsAcceptor::from(Arc::clone(&tls.config));
    let service = ConnectionService { acceptor, tls, router, limits, stopped };
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            _ = &mut shutdown => break,
            Some(ended) = connections.join_next() => report(ended),
            (stream, address, permit) = accept(&listener, &permits) => {
                connections.spawn(service.clone().serve(stream, address, permit));
            }
        }
    }
    drop(listener);
    // Fails only where no connection listens any more.
    let _ = stop.send(true);
    let drained = async { while connections.join_next().await.is_some() {} };
    if timeout(limits.drain, drained).await.is_err() {
        debug!(connections = connections.len(), "cut connections that did not end");
    }
    connections.shutdown().await;
    Ok(())
}

/// Waits until one more connection is allowed, then for a client to open it.
async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let permit = Arc::clone(permits).acquire_owned().await.expect("nobody closes the semaphore");
    loop {
        match listener.accept().await {
            Ok((stream, address)) => return (stream, address, permit),
            Err(error) => match error.kind() {
                io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::Interrupted => {
                    debug!(%error, "lost a connection while accepting it");
                }
                _ => {
                    warn!(%error, "could not accept a connection");
                    sleep(PAUSE).await;
                }
            },
        }
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        warn!(%error, "a connection ended badly");
    }
}

/// What every connection needs.
#[derive(Clone)]
struct ConnectionService {
    acceptor: TlsAcceptor,
    tls: ServerTls,
    router: Router,
    limits: Limits,
    stopped: watch::Receiver<bool>,
}

impl ConnectionService {
    async fn serve(self, stream: TcpStream, address: SocketAddr, permit: OwnedSemaphorePermit) {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, %address, "could not send small packets at once");
        }
        match timeout(self.limits.handshake, self.handshake(stream)).await {
            Ok(Ok(stream)) => self.answer(stream, address).await,
            Ok(Err(error)) => debug!(%error, %address, "TLS handshake error"),
            Err(_) => debug!(%address, "TLS handshake took too long"),
        }
        drop(permit);
    }

    async fn handshake(&self, mut stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let mut first = [0; 5];
        stream.peek(&mut first).await?;
        if PLAIN.contains(&&first) {
            stream.write_all(NOT_TLS).await?;
        }
        self.acceptor.accept(stream).await
    }

    async fn answer(self, stream: TlsStream<TcpStream>, address: SocketAddr) {
        let (_, session) = stream.get_ref();
        let certificate = self.tls.certificate(session.peer_certificates());
        let is_http2 = session.alpn_protocol() == Some(b"h2");
        let peer = Peer { certificate };
        let router = self.router;
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer.clone());
            let router = router.clone();
            async move {
                let response = answer(router, request).await;
                match response.extensions().get::<Cut>() {
                    Some(Cut) => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
                    None => Ok(response),
                }
            }
        });
        let builder = builder(is_http2, self.limits);
        let mut stopped = self.stopped;
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let told = async { stopped.wait_for(|is_stopped| *is_stopped).await.is_ok() };
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            _ = told => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            debug!(%error, %address, "a connection broke");
        }
    }
}

async fn answer(router: Router, request: Request<Incoming>) -> axum::response::Response {
    if let Some(code) = head::turned_away(&request) {
        return code.into_response();
    }
    match router.oneshot(request.map(Body::new)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Speaks the protocol that was agreed on; reading ahead to guess it would escape the time limits.
fn builder(is_http2: bool, limits: Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEADER_BYTES)
        .max_headers(HEADER_COUNT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(STREAM_WINDOW * STREAMS)
        .max_header_list_size(u32::try_from(HEADER_BYTES).expect("a mebibyte fits"))
        // A client that vanished would hold its watches for ever.
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(15));
    match is_http2 {
        true => builder.http2_only(),
        false => builder.http1_only(),
    }
}
