//! A webhook server on a port of its own.
//!
//! Answers by the path it is called on; remembers what it was asked.
//! Invariant: what it remembers is handed out once.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::routing::post;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

type Seen = Arc<Mutex<Vec<Value>>>;

pub(crate) struct Hook {
    address: SocketAddr,
    certificate: String,
    seen: Seen,
    task: JoinHandle<()>,
}

impl Hook {
    pub(crate) async fn start() -> Self {
        let names = ["127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(names).expect("a certificate can be made");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows them")
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("the certificate is usable");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let seen = Seen::default();
        let router = Router::new().route("/{mode}", post(answer)).with_state(seen.clone());
        let task = tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config)), router));
        Self { address, certificate: STANDARD.encode(cert.pem()), seen, task }
    }

    /// How a configuration names the webhook of a mode.
    pub(crate) fn client_config(&self, mode: &str) -> Value {
        json!({"url": format!("https://{}/{mode}", self.address), "caBundle": self.certificate})
    }

    /// What was asked since the last time.
    pub(crate) fn take_seen(&self) -> Vec<Value> {
        std::mem::take(&mut *self.seen.lock().expect("nobody panics with it"))
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, acceptor: TlsAcceptor, router: Router) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, router) = (acceptor.clone(), router.clone());
        tokio::spawn(async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                let service = TowerToHyperService::new(router);
                let builder = Builder::new(TokioExecutor::new());
                // A client that hangs up is no news.
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            }
        });
    }
}

async fn answer(State(seen): State<Seen>, Path(mode): Path<String>, body: Bytes) -> String {
    let review: Value = serde_json::from_slice(&body).expect("servers send JSON");
    let request = &review["request"];
    seen.lock().expect("nobody panics with it").push(essence(request));
    let mut response = json!({"uid": request["uid"], "allowed": true});
    match mode.as_str() {
        "label" => patch(
            &mut response,
            json!([{"op": "add", "path": "/metadata/labels", "value": {"hooked": "yes"}}]),
        ),
        "spoil" => {
            patch(&mut response, json!([{"op": "add", "path": "/data", "value": ["wrong"]}]));
        }
        "astray" => patch(&mut response, json!([{"op": "remove", "path": "/data/none"}])),
        "warn" => response["warnings"] = json!(["mind the gap"]),
        "deny" => {
            response["allowed"] = json!(false);
            response["status"] = json!({"code": 403, "message": "not today"});
        }
        "late" => std::future::pending().await,
        "odd" => return "this is no JSON".to_owned(),
        _ => {}
    }
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response})
        .to_string()
}

fn patch(response: &mut Value, steps: Value) {
    response["patchType"] = json!("JSONPatch");
    response["patch"] = json!(STANDARD.encode(steps.to_string()));
}

/// What a server asks, without what differs from run to run.
fn essence(request: &Value) -> Value {
    let name = |object: &Value| object["metadata"]["name"].clone();
    json!({
        "operation": request["operation"], "kind": request["kind"], "resource": request["resource"],
        "subResource": request["subResource"], "name": request["name"],
        "namespace": request["namespace"], "dryRun": request["dryRun"],
        "object": name(&request["object"]), "oldObject": name(&request["oldObject"]),
        "labels": request["object"]["metadata"]["labels"],
    })
}
