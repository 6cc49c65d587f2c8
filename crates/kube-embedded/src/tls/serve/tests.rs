//! A server with a small router, and clients that behave and that do not.

use std::time::Instant;

use axum::Extension;
use axum::routing::{get, post};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full};
use hyper::client::conn::{http1, http2};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::{TlsConnector, client};

use super::*;
use crate::auth::Certificate;
use crate::tls::{Authority, Identity, provider};

const BRIEF: Duration = Duration::from_millis(200);
const SMALL: Limits = Limits { connections: 2, handshake: BRIEF, head: BRIEF, drain: BRIEF };
/// No test waits longer than this for what must happen.
const PATIENCE: Duration = Duration::from_secs(20);

struct Server {
    address: SocketAddr,
    authority: Authority,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<io::Result<()>>,
}

impl Server {
    async fn start(limits: Limits) -> Self {
        let authority = Authority::generate().expect("it is made");
        let tls = authority.server(&[]).expect("it is signed");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
        let address = listener.local_addr().expect("it has an address");
        let who = |Extension(peer): Extension<Peer>| async move {
            match peer.certificate {
                Certificate::None => "nobody".to_owned(),
                Certificate::Known(user) => user.name.clone(),
                Certificate::Unknown => "a stranger".to_owned(),
            }
        };
        let router = Router::new()
            .route("/who", get(who))
            .route("/count", post(|body: Bytes| async move { body.len().to_string() }))
            .route("/hang", get(std::future::pending::<String>));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(serve_within(limits, listener, tls, router, stopped));
        Self { address, authority, stop: Some(stop), task }
    }

    async fn connect(&self, protocol: &str, identity: Option<&Identity>) -> Client {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_slice(self.authority.pem().as_bytes());
        roots.add(root.expect("it is PEM")).expect("it is a root");
        let config = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .expect("the provider has them")
            .with_root_certificates(roots);
        let mut config = match identity {
            Some(Identity { certificate, key }) => {
                let chain = CertificateDer::from_pem_slice(certificate.as_bytes());
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("it is PEM");
                let chain = vec![chain.expect("it is PEM")];
                config.with_client_auth_cert(chain, key).expect("they fit")
            }
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let stream = TcpStream::connect(self.address).await.expect("it listens");
        let name = ServerName::try_from("localhost").expect("it is a name");
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(name, stream).await.expect("it shakes hands")
    }

    async fn stop(mut self) {
        let stop = self.stop.take().expect("it is stopped once");
        stop.send(()).expect("it still runs");
        let ended = timeout(PATIENCE, self.task).await.expect("it ends");
        ended.expect("it does not panic").expect("it does not fail");
    }
}

type Client = client::TlsStream<TcpStream>;

async fn ask_http1(client: Client, request: Request<Full<Bytes>>) -> (u16, String) {
    let (mut sender, connection) = http1::handshake(TokioIo::new(client)).await.expect("HTTP/1");
    tokio::spawn(connection);
    let response = sender.send_request(request).await.expect("it answers");
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.expect("it is whole").to_bytes();
    (code, String::from_utf8_lossy(&body).into_owned())
}

async fn ask_http2(client: Client, request: Request<Full<Bytes>>) -> (u16, String) {
    let executor = TokioExecutor::new();
    let handshake = http2::handshake(executor, TokioIo::new(client)).await;
    let (mut sender, connection) = handshake.expect("HTTP/2");
    tokio::spawn(connection);
    let response = sender.send_request(request).await.expect("it answers");
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.expect("it is whole").to_bytes();
    (code, String::from_utf8_lossy(&body).into_owned())
}

fn request(path: &str) -> Request<Full<Bytes>> {
    let request = Request::get(format!("https://localhost{path}")).header("host", "localhost");
    request.body(Full::default()).expect("it is a request")
}

/// Reads until the server ends the connection; the bytes before are the answer.
async fn until_closed(mut stream: impl tokio::io::AsyncRead + Unpin) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    // An end without a farewell is an end.
    let _ = read.expect("it is closed in time");
    bytes
}

#[tokio::test]
async fn both_protocols_are_spoken() {
    let server = Server::start(LIMITS).await;
    let client = server.connect("http/1.1", None).await;
    assert_eq!(ask_http1(client, request("/who")).await, (200, "nobody".to_owned()));
    let client = server.connect("h2", None).await;
    assert_eq!(ask_http2(client, request("/who")).await, (200, "nobody".to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn a_certificate_names_its_user() {
    let server = Server::start(LIMITS).await;
    let identity = server.authority.client("jane", &["dev", "ops"]).expect("it is signed");
    for protocol in ["http/1.1", "h2"] {
        let client = server.connect(protocol, Some(&identity)).await;
        let answer = match protocol {
            "h2" => ask_http2(client, request("/who")).await,
            _ => ask_http1(client, request("/who")).await,
        };
        assert_eq!(answer, (200, "jane".to_owned()));
    }
    server.stop().await;
}

#[tokio::test]
async fn a_strangers_certificate_names_nobody() {
    let server = Server::start(LIMITS).await;
    let stranger = Authority::generate().expect("it is made");
    let identity = stranger.client("jane", &["system:masters"]).expect("it is signed");
    let client = server.connect("http/1.1", Some(&identity)).await;
    assert_eq!(ask_http1(client, request("/who")).await, (200, "a stranger".to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn a_large_body_passes_both_protocols() {
    let server = Server::start(LIMITS).await;
    let body = Bytes::from(vec![b'x'; 3 << 20]);
    for protocol in ["http/1.1", "h2"] {
        let request = Request::post("https://localhost/count").header("host", "localhost");
        // axum's own limit is two mebibytes; the API server's router sets its own.
        let request = request.body(Full::new(body.slice(..2 << 20))).expect("it is a request");
        let client = server.connect(protocol, None).await;
        let answer = match protocol {
            "h2" => ask_http2(client, request).await,
            _ => ask_http1(client, request).await,
        };
        assert_eq!(answer, (200, (2 << 20).to_string()), "{protocol}");
    }
    server.stop().await;
}

#[tokio::test]
async fn large_headers_are_refused() {
    let server = Server::start(LIMITS).await;
    for protocol in ["http/1.1", "h2"] {
        let mut request = request("/who");
        let large = "x".repeat(64 * 1024).parse::<axum::http::HeaderValue>().expect("it is text");
        for _ in 0..20 {
            request.headers_mut().append("x-large", large.clone());
        }
        let client = server.connect(protocol, None).await;
        let (code, _) = match protocol {
            "h2" => ask_http2(client, request).await,
            _ => ask_http1(client, request).await,
        };
        assert_eq!(code, 431, "{protocol}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_slow_handshake_is_cut_off() {
    let server = Server::start(SMALL).await;
    let stream = TcpStream::connect(server.address).await.expect("it listens");
    assert_eq!(until_closed(stream).await, b"");
    server.stop().await;
}

#[tokio::test]
async fn slow_headers_are_cut_off() {
    let server = Server::start(SMALL).await;
    let mut client = server.connect("http/1.1", None).await;
    client.write_all(b"GET /who HTTP/1.1\r\nhost:").await.expect("it is sent");
    let answer = until_closed(client).await;
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 408"), "{answer:?}");
    server.stop().await;
}

#[tokio::test]
async fn one_connection_more_waits_for_another_to_end() {
    let limits = Limits { handshake: PATIENCE, ..SMALL };
    let server = Server::start(limits).await;
    let first = TcpStream::connect(server.address).await.expect("it listens");
    let _second = TcpStream::connect(server.address).await.expect("it listens");
    let mut waiting = Box::pin(server.connect("h2", None));
    assert!(timeout(BRIEF, waiting.as_mut()).await.is_err(), "two are allowed");
    drop(first);
    let client = timeout(PATIENCE, waiting).await.expect("another one has ended");
    assert_eq!(ask_http2(client, request("/who")).await.0, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_stop_cuts_what_does_not_end() {
    let server = Server::start(SMALL).await;
    let client = server.connect("h2", None).await;
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(client)).await;
    let (mut sender, connection) = handshake.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    let request = Request::get("https://localhost/hang").body(Empty::<Bytes>::new());
    let hanging = tokio::spawn(sender.send_request(request.expect("it is a request")));
    let started = Instant::now();
    server.stop().await;
    assert!(started.elapsed() < PATIENCE);
    assert!(hanging.await.expect("it does not panic").is_err());
    let _ = connection.await.expect("it does not panic");
}
