//! Tells people what is wrong with a node by an event about it, such as `kubectl describe node` shows.
//!
//! Invariant: an event that cannot be told is only logged, and each is told once as long as it holds.

use std::time::Duration;

use jiff::Timestamp;
use kube::Client;
use kube::core::Request;
use kube::core::params::PostParams;
use serde_json::{Value, json};
use tokio::time::timeout;
use tracing::warn;
use udn_model::NodeName;

use super::FIELD_MANAGER;

/// Where events about objects of the cluster are.
const EVENTS: &str = "/api/v1/namespaces/default/events";

/// How long a request may take.
const LONGEST_REQUEST: Duration = Duration::from_secs(10);

/// Tells a warning about a node.
pub(crate) async fn warn_of(client: &Client, node: &NodeName, reason: &str, message: &str) {
    let object = event(node, reason, message, Timestamp::now());
    let bytes = serde_json::to_vec(&object).expect("JSON can be written");
    let request = Request::new(EVENTS).create(&PostParams::default(), bytes);
    let request = request.expect("the parameters of a write go together");
    match timeout(LONGEST_REQUEST, client.request_text(request)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => warn!(reason, %error, "could not send an event"),
        Err(_) => warn!(reason, "could not send an event in time"),
    }
}

// compat: client-go/tools/record/event.go, makeEvent; kubelets name nodes by their names as UIDs too
fn event(node: &NodeName, reason: &str, message: &str, now: Timestamp) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": { "generateName": format!("{node}-"), "namespace": "default" },
        "involvedObject": {
            "apiVersion": "v1", "kind": "Node", "name": node.as_str(), "uid": node.as_str(),
        },
        "reason": reason,
        "message": message,
        "type": "Warning",
        "action": "Isolate",
        "source": { "component": FIELD_MANAGER, "host": node.as_str() },
        "reportingComponent": FIELD_MANAGER,
        "reportingInstance": node.as_str(),
        "eventTime": format!("{now:.6}"),
        "firstTimestamp": format!("{now:.0}"),
        "lastTimestamp": format!("{now:.0}"),
        "count": 1,
    })
}
