//! NetworkAttachmentDefinitions.
//!
//! Invariant: the configuration is a text here; what it says is read elsewhere.

use serde::{Deserialize, Serialize};

/// The `spec` of a NAD.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NadSpec {
    /// CNI configuration as JSON text; [`NadConfig`](crate::NadConfig) reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}
