//! One request as it is, and what comes back.
//!
//! Takes a client, a method, a path and a body; returns code, object and warnings.
//! Invariant: a refusal is an answer like any other.

use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::Value;

/// What a server answers.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    /// Null where the body is no JSON.
    pub(crate) body: Value,
    pub(crate) warnings: String,
}

pub(crate) async fn ask(client: &Client, method: &str, path: &str, body: Option<&Value>) -> Answer {
    let content = match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    let bytes = body.map(Value::to_string).unwrap_or_default().into_bytes();
    let request =
        hyper::Request::builder().method(method).uri(path).header("Content-Type", content);
    let request = request.body(Body::from(bytes)).expect("the request is well-formed");
    let response = client.send(request).await.expect("the server answers");
    let code = response.status().as_u16();
    let warnings = response.headers().get_all("warning");
    let warnings: Vec<String> =
        warnings.iter().map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()).collect();
    let bytes = response.into_body().collect().await.expect("the answer is whole").to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or_default();
    Answer { code, body, warnings: warnings.join(", ") }
}
