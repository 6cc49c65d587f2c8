//! Prepares a server for a run: a namespace for each behaviour, and the custom kinds all share.
//!
//! Takes a [`Target`]; changes the server. Invariant: when it returns, every namespace has its
//! service account and every kind is served.

use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;

use super::play::words;
use super::target::Target;
use super::words::{Message, Words};

/// The custom kinds that scripts use; each on its own behind `---`.
const KINDS: &str = include_str!("kinds.yaml");

pub(crate) async fn stand(target: &Target, count: usize) {
    let shared = words(target, 0);
    for text in KINDS.split("---\n") {
        let kind: Value = serde_saphyr::from_str(&shared.expand(text)).expect("the file is YAML");
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let answer = target.send(&post(path, &kind)).await;
        assert!(answer.is_success(), "{}", String::from_utf8_lossy(&answer.body));
    }
    let spaces = (0..count).map(|index| prepare(target, words(target, index)));
    let spaces: Vec<()> = futures_util::stream::iter(spaces).buffer_unordered(16).collect().await;
    assert_eq!(spaces.len(), count, "every namespace is prepared");
    for place in ["widgets", "gadgets"] {
        until(target, &format!("/apis/{}/v1/{place}", shared.group), "").await;
        until(target, &format!("/apis/{}/v1", shared.group), place).await;
    }
}

async fn prepare(target: &Target, words: Words) {
    let name = words.namespace;
    let body = serde_json::json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name},
    });
    let answer = target.send(&post("/api/v1/namespaces", &body)).await;
    assert!(answer.is_success(), "{}", String::from_utf8_lossy(&answer.body));
    until(target, &format!("/api/v1/namespaces/{name}/serviceaccounts/default"), "").await;
}

/// Waits until a path is there and its answer holds a text.
async fn until(target: &Target, path: &str, text: &str) {
    let wait = async {
        loop {
            let answer = target.send(&message("GET", path, Vec::new())).await;
            if answer.code == 200 && String::from_utf8_lossy(&answer.body).contains(text) {
                break;
            }
            // waits: the server prepares it by itself and tells nobody
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, wait).await.unwrap_or_else(|_| panic!("waited for {path}"));
}

fn post(path: &str, body: &Value) -> Message {
    message("POST", path, serde_json::to_vec(body).expect("a value is JSON"))
}

fn message(method: &str, path: &str, body: Vec<u8>) -> Message {
    let headers = [("content-type", "application/json"), ("accept", "application/json")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    Message { method: method.to_owned(), path: path.to_owned(), headers, body }
}
