//! Connections to the CNI socket, each with one request after the other.
//!
//! Invariant: who is not root is told so and nothing else.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{debug, warn};
use udn_cni::request::MOST_REQUEST_BYTES;
use udn_cni::response::CODE_HEADER;
use udn_cni::{CniError, Code, Response};

use super::PATIENCE;
use crate::cni::pods::Pods;
use crate::cni::service::Service;

type Answer = hyper::Response<Full<Bytes>>;

/// Takes connections until the server stops, then waits for those that are open.
pub(super) async fn accept<P: Pods>(
    listener: UnixListener,
    service: Arc<Service<P>>,
    mut stop: watch::Receiver<bool>,
    most: usize,
) {
    let places = Arc::new(Semaphore::new(most));
    let mut open = JoinSet::new();
    loop {
        let place = Arc::clone(&places).acquire_owned();
        let next = async {
            let place = place.await;
            (place, listener.accept().await)
        };
        tokio::select! {
            (place, connection) = next => match connection {
                Ok((stream, _)) => {
                    let (service, stop) = (Arc::clone(&service), stop.clone());
                    open.spawn(async move {
                        serve(stream, service, stop).await;
                        drop(place);
                    });
                }
                // Out of files, for example; those who ask next may have more luck.
                Err(error) => warn!(%error, "could not take a connection to the CNI socket"),
            },
            Some(_) = open.join_next() => {}
            () = ended(&mut stop) => break,
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

async fn serve<P: Pods>(
    stream: UnixStream,
    service: Arc<Service<P>>,
    mut stop: watch::Receiver<bool>,
) {
    let caller = stream.peer_cred().map(|caller| caller.uid());
    let answer = service_fn(move |request| {
        let service = Arc::clone(&service);
        let refusal = refusal(&caller);
        async move {
            let response = match refusal {
                Some(error) => Response::failure(&error),
                None => respond(request, service).await,
            };
            Ok::<Answer, Infallible>(write(response))
        }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let connection = builder.serve_connection(TokioIo::new(stream), answer);
    tokio::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = ended(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        debug!(%error, "a connection to the CNI socket broke");
    }
}

/// Waits until the server is to stop; a server that was dropped is to stop too.
async fn ended(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|it| *it).await;
}

/// Why a caller is not served.
fn refusal(caller: &io::Result<u32>) -> Option<CniError> {
    let message = match caller {
        Ok(0) => return None,
        Ok(uid) => format!("only root may ask the CNI server, and the caller is user {uid}"),
        Err(error) => {
            format!("only root may ask the CNI server, and who calls is unknown: {error}")
        }
    };
    Some(CniError::new(Code::Forbidden, message))
}

async fn respond<P: Pods>(request: hyper::Request<Incoming>, service: Arc<Service<P>>) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let is_report = match (method, path.as_str()) {
        (Method::POST, "/") => false,
        (Method::POST, "/metrics") => true,
        (method, path) => {
            let message =
                format!("the CNI server takes POST / and POST /metrics, not {method} {path}");
            return Response::failure(&CniError::new(Code::Undecodable, message));
        }
    };
    let body = match read(request).await {
        Ok(body) => body,
        Err(error) => return Response::failure(&error),
    };
    if is_report {
        return service.take_report(&body);
    }
    // On its own, so that it comes to its end even if the caller hangs up.
    let answer = tokio::spawn(async move { service.answer(&body).await });
    answer.await.unwrap_or_else(|error| {
        let message = format!("the CNI server stumbled: {error}; report this as a bug");
        Response::failure(&CniError::new(Code::Internal, message))
    })
}

async fn read(request: hyper::Request<Incoming>) -> Result<Bytes, CniError> {
    let refuse = |message: String| CniError::new(Code::Undecodable, message);
    let body = Limited::new(request.into_body(), MOST_REQUEST_BYTES);
    match timeout(PATIENCE, body.collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(refuse(format!(
            "the request cannot be read ({error}); it may have {MOST_REQUEST_BYTES} bytes"
        ))),
        Err(_) => Err(refuse(format!("the request did not come within {PATIENCE:?}"))),
    }
}

fn write(response: Response) -> Answer {
    let content_type = header::HeaderValue::from_static(response.content_type());
    let Response { status, code, body } = response;
    let mut answer = hyper::Response::new(Full::from(body));
    *answer.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    if let Some(code) = code {
        let name = header::HeaderName::from_bytes(CODE_HEADER.as_bytes());
        let name = name.expect("our header's name is well formed");
        headers.insert(name, code.into());
    }
    answer
}
