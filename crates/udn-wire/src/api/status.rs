//! What the system says of a network.
//!
//! Invariant: a status that says nothing is written as `{}`.

use serde::{Deserialize, Serialize};

use super::choice::choice;

/// The `status` of a UDN or CUDN.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conditions: Option<Vec<Condition>>,
    #[serde(rename = "networkID", skip_serializing_if = "Option::is_none")]
    pub network_id: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tunnel_keys: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transit_subnets: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeReadiness>,
}

/// How far the nodes are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeReadiness {
    pub total: i32,
    pub ready: i32,
    pub not_ready: i32,
    /// The first of those that are not ready, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<NodeProblem>>,
}

/// A node that is not ready.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeProblem {
    pub node: String,
    pub reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Kubernetes' condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    #[serde(rename = "type")]
    pub condition_type: String,
    pub status: ConditionStatus,
    pub reason: String,
    pub message: String,
    pub last_transition_time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
}

choice! {
    /// Whether a condition holds.
    ConditionStatus { True = "True", False = "False", Unknown = "Unknown" }
}
