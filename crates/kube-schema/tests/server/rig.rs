//! A real kube-apiserver, asked over HTTP so that its answers are seen whole.
//!
//! Invariant: what is asked is a dry run; only `define` and `store` change the server.

#![allow(dead_code, reason = "each test that uses the rig needs another part of it")]

use std::time::Duration;

use kube::api::PostParams;
use kube::client::Body;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request;
use kube::{Client, Config};
use serde_json::Value;
use udn_lab::kubernetes::Cluster;

/// How long the server may take to follow a change of a definition.
const LIMIT: Duration = Duration::from_secs(180);

/// How something is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Verb {
    Post,
    Put,
}

/// What the server answered: the object, or a `Status`.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }
}

/// A running server.
pub(crate) struct Server {
    client: Client,
    _cluster: Cluster,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let cluster = Cluster::builder().without_controllers().start().expect("it starts");
        let config = Kubeconfig::read_from(cluster.kubeconfig()).expect("it is readable");
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(config, &options).await.expect("it is whole");
        let client = Client::try_from(config).expect("the configuration is usable");
        Self { client, _cluster: cluster }
    }

    /// Asks without changing anything.
    pub(crate) async fn ask(&self, verb: Verb, path: &str, object: &Value) -> Answer {
        self.send(verb, &format!("{path}?dryRun=All&fieldValidation=Strict"), object).await
    }

    /// Stores an object with its status; returns it as it was stored.
    pub(crate) async fn store(&self, path: &str, object: &Value) -> Result<Value, Answer> {
        let created = self.send(Verb::Post, path, object).await;
        if !created.is_success() {
            return Err(created);
        }
        let Some(status) = object.get("status") else {
            return Ok(created.body);
        };
        let mut body = created.body.clone();
        body["status"] = status.clone();
        let name = object["metadata"]["name"].as_str().unwrap_or("");
        let updated = self.send(Verb::Put, &format!("{path}/{name}/status"), &body).await;
        if updated.is_success() { Ok(updated.body) } else { Err(updated) }
    }

    /// Defines a kind, or changes its definition, and waits until it is served.
    pub(crate) async fn define(&self, definition: &Value) {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let name = definition["metadata"]["name"].as_str().expect("it has a name");
        let standing = self.get(&format!("{path}/{name}")).await;
        let answer = match standing.is_success() {
            false => self.send(Verb::Post, path, definition).await,
            true => {
                let mut definition = definition.clone();
                let version = standing.body["metadata"]["resourceVersion"].clone();
                definition["metadata"]["resourceVersion"] = version;
                self.send(Verb::Put, &format!("{path}/{name}"), &definition).await
            }
        };
        assert!(answer.is_success(), "the definition is accepted: {answer:?}");
        self.until("the definition to be served", async || {
            let standing = self.get(&format!("{path}/{name}")).await.body;
            let conditions = standing["status"]["conditions"].as_array().cloned();
            conditions.into_iter().flatten().any(|condition| {
                condition["type"] == "Established" && condition["status"] == "True"
            })
        })
        .await;
    }

    /// Waits until the server refuses an object, as it does once it knows a change.
    pub(crate) async fn until_refused(&self, path: &str, object: &Value) {
        self.until("the server to know the change", async || {
            let answer = self.ask(Verb::Post, path, object).await;
            answer.code == 422
        })
        .await;
    }

    /// Waits until the server denies an object, as it does once it knows a policy.
    pub(crate) async fn until_denied(&self, path: &str, object: &Value) {
        self.until("the server to know the policy", async || {
            !self.ask(Verb::Post, path, object).await.is_success()
        })
        .await;
    }

    /// Reads an object that is there.
    pub(crate) async fn read(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert!(answer.is_success(), "{path} is there: {answer:?}");
        answer.body
    }

    async fn until(&self, what: &str, mut is_done: impl AsyncFnMut() -> bool) {
        let wait = async {
            while !is_done().await {
                // waits: the server tells nobody when it has read a changed definition
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(LIMIT, wait).await.unwrap_or_else(|_| panic!("waited for {what}"));
    }

    async fn get(&self, path: &str) -> Answer {
        self.exchange("GET", path, Vec::new()).await
    }

    async fn send(&self, verb: Verb, path: &str, object: &Value) -> Answer {
        let method = match verb {
            Verb::Post => "POST",
            Verb::Put => "PUT",
        };
        self.exchange(method, path, serde_json::to_vec(object).expect("it is JSON")).await
    }

    async fn exchange(&self, method: &str, path: &str, body: Vec<u8>) -> Answer {
        let params = PostParams::default();
        let mut request = Request::new("/").create(&params, body).expect("it is a request");
        *request.method_mut() = method.parse().expect("it is a method");
        *request.uri_mut() = path.parse().expect("it is a path");
        let response = self.client.send(request.map(Body::from)).await.expect("it answers");
        let code = response.status().as_u16();
        let bytes = response.into_body().collect_bytes().await.expect("it answers whole");
        // A kind that is not served yet is answered in plain text.
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        Answer { code, body: serde_json::from_slice(&bytes).unwrap_or_else(|_| text()) }
    }
}
