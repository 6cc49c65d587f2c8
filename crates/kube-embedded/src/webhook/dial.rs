//! The HTTPS call to a webhook.
//!
//! Reads a target and a body; returns the bytes of the answer, or the server's words for why not.
//! Invariant: an answer is read no further than the limit and waited for no longer than allowed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{Request, Uri, header};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower::Service;

use super::hook::{Hook, Target};
use crate::auth::base64::{self, Alphabet};
use crate::tls::provider;

/// Tells the address of a port of a service: namespace, name and port.
pub type Resolve = Arc<dyn Fn(&str, &str, u16) -> Option<SocketAddr> + Send + Sync>;

/// The most bytes of an answer: what etcd would store, and room for it in base 64.
const ANSWER_BYTES: usize = 8 << 20;
/// How many sets of authorities are remembered.
const KEPT: usize = 64;
const IDLE: Duration = Duration::from_secs(30);

type HttpsClient = Client<HttpsConnector<Dialer>, Full<Bytes>>;

/// Calls webhooks, with one client for those of one authority.
pub(super) struct Caller {
    resolve: Resolve,
    clients: Mutex<BTreeMap<(String, bool), HttpsClient>>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Caller").finish_non_exhaustive()
    }
}

impl Caller {
    pub(super) fn new(resolve: Resolve) -> Self {
        Self { resolve, clients: Mutex::default() }
    }

    /// Posts a review; the error follows `failed calling webhook "x": `.
    pub(super) async fn post(&self, hook: &Hook, body: &Value) -> Result<Bytes, String> {
        let target = hook.target();
        let failed = |why: String| format!("failed to call webhook: {why}");
        let client = self.client(hook.ca_bundle(), target.is_service).map_err(failed)?;
        let limit = Duration::from_secs(hook.timeout_seconds());
        let exchange = exchange(&client, &target, body);
        let outcome = timeout(limit, exchange)
            .await
            .unwrap_or_else(|_| Err(format!("Post {:?}: context deadline exceeded", target.url)));
        outcome.map_err(failed)
    }

    fn client(&self, ca_bundle: &str, is_service: bool) -> Result<HttpsClient, String> {
        let key = (ca_bundle.to_owned(), is_service);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let resolve = is_service.then(|| Arc::clone(&self.resolve));
        let connector = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(trusting(ca_bundle)?)
            .https_only()
            .enable_http1()
            .wrap_connector(Dialer { resolve });
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector);
        if clients.len() >= KEPT {
            clients.clear();
        }
        clients.insert(key, client.clone());
        Ok(client)
    }
}

/// Trusts the authorities of a bundle and no others.
fn trusting(ca_bundle: &str) -> Result<ClientConfig, String> {
    let pem = base64::decode(Alphabet::Standard, ca_bundle).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("the provider has the usual versions");
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

async fn exchange(client: &HttpsClient, target: &Target, body: &Value) -> Result<Bytes, String> {
    let url = &target.url;
    let request = Request::post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, */*")
        .header(header::USER_AGENT, "kube-apiserver-admission")
        .body(Full::new(Bytes::from(body.to_string())))
        .map_err(|error| format!("Post {url:?}: {error}"))?;
    let failed = |error: &(dyn Error + 'static)| format!("Post {url:?}: {}", describe(error));
    let response = client.request(request).await.map_err(|error| failed(&error))?;
    let status = response.status();
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_none_or(|kind| kind.to_str().is_ok_and(|kind| kind.starts_with("application/json")));
    let body = Limited::new(response.into_body(), ANSWER_BYTES).collect().await;
    let body = body.map_err(|error| failed(error.as_ref()))?.to_bytes();
    match status.is_success() {
        true => Ok(body),
        false => Err(refused(status.as_u16(), is_json, &body)),
    }
}

/// What the server makes of an answer that is no success.
fn refused(code: u16, is_json: bool, body: &[u8]) -> String {
    if let Ok(status) = serde_json::from_slice::<Value>(body)
        && status["kind"] == "Status"
        && let Some(message) = status["message"].as_str()
    {
        return message.to_owned();
    }
    let said = match is_json {
        true => "unknown".to_owned(),
        false => String::from_utf8_lossy(body).trim().to_owned(),
    };
    match code {
        400 => "the server rejected our request for an unknown reason".to_owned(),
        401 => "the server has asked for the client to provide credentials".to_owned(),
        404 => "the server could not find the requested resource".to_owned(),
        405 => "the server does not allow this method on the requested resource".to_owned(),
        409 => "the server reported a conflict".to_owned(),
        422 => "the server rejected our request due to an error in our request".to_owned(),
        429 => "the server has received too many requests and has asked us to try again later"
            .to_owned(),
        503 => "the server is currently unable to handle the request".to_owned(),
        504 => "the server was unable to return a response in the time allotted, but may still \
                be processing the request"
            .to_owned(),
        500.. => {
            format!("an error on the server ({said:?}) has prevented the request from succeeding")
        }
        code => format!(
            "the server responded with the status code {code} but did not return more information"
        ),
    }
}

/// The words of Go's client for what went wrong.
fn describe(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    loop {
        if let Some(dial) = cause.downcast_ref::<DialError>() {
            return dial.to_string();
        }
        if let Some(error) = cause.downcast_ref::<rustls::Error>() {
            return describe_tls(error);
        }
        // What an error of the system wraps is not among its sources.
        let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = match (wrapped, cause.source()) {
            (Some(wrapped), _) => wrapped,
            (None, Some(source)) => source,
            (None, None) => return cause.to_string(),
        };
    }
}

fn describe_tls(error: &rustls::Error) -> String {
    let why = match error {
        rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "certificate signed by unknown authority".to_owned()
        }
        rustls::Error::InvalidCertificate(
            CertificateError::Expired | CertificateError::ExpiredContext { .. },
        ) => "certificate has expired or is not yet valid".to_owned(),
        rustls::Error::InvalidCertificate(other) => other.to_string(),
        other => return format!("tls: {other}"),
    };
    format!("tls: failed to verify certificate: x509: {why}")
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
enum DialError {
    #[error("service {name:?} not found")]
    NoService { name: String },
    #[error("dial tcp: lookup {host}: no such host")]
    NoHost { host: String },
    #[error("dial tcp {address}: connect: {}", plain(.source))]
    Refused { address: SocketAddr, source: io::Error },
}

/// An error of the system without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    text.to_lowercase()
}

/// Opens connections: to services where `resolve` says, to hosts where DNS says. Never by proxy.
#[derive(Clone)]
struct Dialer {
    resolve: Option<Resolve>,
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = DialError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, DialError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), DialError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let resolve = self.resolve.clone();
        Box::pin(async move { dial(resolve, &uri).await.map(TokioIo::new) })
    }
}

async fn dial(resolve: Option<Resolve>, uri: &Uri) -> Result<TcpStream, DialError> {
    let host = uri.host().unwrap_or("").trim_matches(['[', ']']);
    let port = uri.port_u16().unwrap_or(443);
    let addresses = match resolve {
        Some(resolve) => {
            let (name, rest) = host.split_once('.').unwrap_or((host, ""));
            let namespace = rest.strip_suffix(".svc").unwrap_or(rest);
            let no_service = || DialError::NoService { name: name.to_owned() };
            vec![resolve(namespace, name, port).ok_or_else(no_service)?]
        }
        None => lookup_host((host, port)).await.map(Iterator::collect).unwrap_or_default(),
    };
    let mut failed = DialError::NoHost { host: host.to_owned() };
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Costs latency only.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(source) => failed = DialError::Refused { address, source },
        }
    }
    Err(failed)
}
