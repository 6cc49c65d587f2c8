//! Raw bytes over TLS, to our server and to the real one.
//!
//! Takes bytes as they are; returns the codes of all answers, or what came until a limit.
//! Invariant: nothing here repairs what a client does wrong.

#![allow(dead_code, reason = "each test that uses the wire needs another part of it")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kube::Config;
use kube::client::ConfigExt;
use kube::config::{KubeConfigOptions, Kubeconfig};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt, split};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use udn_lab::kubernetes::Cluster;

use crate::program::Program;

/// No answer takes longer than this, slow as the machine may be.
const LIMIT: Duration = Duration::from_secs(60);
/// Where a request says who sends it.
pub(crate) const WHO: &str = "@WHO@\r\n";

/// A server, and how to be let in.
#[derive(Clone)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    config: Arc<ClientConfig>,
    /// The header that names the administrator, if the certificate does not.
    who: String,
}

impl Listener {
    pub(crate) async fn ours(program: &Program) -> Self {
        let config = trust(program.kubeconfig()).await;
        Self { address: program.address(), config, who: String::new() }
    }

    pub(crate) async fn real(cluster: &Cluster) -> Self {
        let kubeconfig = Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
        let who = format!("Authorization: Bearer {}\r\n", cluster.token());
        Self { address: cluster.address(), config: trust(kubeconfig).await, who }
    }

    pub(crate) async fn connect(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.address).await.expect("it listens");
        let name = ServerName::from(self.address.ip());
        let connector = TlsConnector::from(self.config.clone());
        connector.connect(name, stream).await.expect("the certificate is good")
    }

    /// The codes of what is answered to bytes without TLS.
    pub(crate) async fn shout(&self, request: &str) -> Vec<u16> {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream.write_all(request.as_bytes()).await.expect("it listens");
        // A server that waits for more shall see that there is none.
        stream.shutdown().await.expect("it listens");
        let mut answer = Vec::new();
        let _ = timeout(LIMIT, read(&mut stream, &mut answer)).await;
        codes(&answer)
    }

    /// The bytes of a request for this server.
    pub(crate) fn addressed(&self, request: &[u8]) -> Vec<u8> {
        match request.windows(WHO.len()).position(|it| it == WHO.as_bytes()) {
            None => request.to_vec(),
            Some(place) => {
                let rest = self.addressed(&request[place + WHO.len()..]);
                [&request[..place], self.who.as_bytes(), &rest].concat()
            }
        }
    }

    /// The codes of everything that is answered until the server hangs up.
    pub(crate) async fn ask(&self, request: &[u8]) -> Vec<u16> {
        codes(&self.tell(request).await)
    }

    /// Everything that is answered until the server hangs up.
    pub(crate) async fn tell(&self, request: &[u8]) -> Vec<u8> {
        let (mut reader, mut writer) = split(self.connect().await);
        let request = self.addressed(request);
        // A server may answer and hang up before it has read everything.
        let send = async {
            if writer.write_all(&request).await.is_ok() {
                let _ = writer.flush().await;
            }
        };
        let mut answer = Vec::new();
        let receive = timeout(LIMIT, read(&mut reader, &mut answer));
        let (_, ended) = tokio::join!(timeout(LIMIT, send), receive);
        if ended.is_err() {
            answer.extend_from_slice(b"\r\n(still open)");
        }
        answer
    }
}

/// Reads until the end, however it comes.
pub(crate) async fn read(from: &mut (impl AsyncReadExt + Unpin), into: &mut Vec<u8>) {
    let mut portion = vec![0; 64 << 10];
    while let Ok(read) = from.read(&mut portion).await {
        if read == 0 {
            break;
        }
        into.extend_from_slice(&portion[..read]);
    }
}

/// The codes of the answers in a text.
pub(crate) fn codes(answer: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(answer);
    let heads = text.match_indices("HTTP/1.");
    let codes = heads.filter_map(|(place, _)| text.get(place + 9..place + 12)?.parse().ok());
    codes.collect()
}

async fn trust(kubeconfig: Kubeconfig) -> Arc<ClientConfig> {
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("it is whole");
    let mut config = config.rustls_client_config().expect("its certificates are good");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}
