//! What the server answers to the shim.
//!
//! Made of a result or an error; returns a status, a header and a body, and reads them back.
//! Invariant: a shim of OVN-Kubernetes understands every answer; what it cannot know stands in a
//! header of ours.

use serde_json::{Map, Value, json};

use crate::error::{CniError, Code};
use crate::result::CniResult;

/// The header that carries [`Code::number`] beside the text of an error.
pub const CODE_HEADER: &str = "X-CNI-Error-Code";

/// The most bytes that an answer may have.
pub const MOST_RESPONSE_BYTES: usize = 1024 * 1024;

/// An answer, whatever carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Of HTTP: 200, or 400 for every error.
    pub status: u16,
    /// What [`CODE_HEADER`] says.
    pub code: Option<u32>,
    pub body: String,
}

impl Response {
    /// An ADD has a result, other commands have none.
    pub fn success(result: Option<&CniResult>) -> Self {
        // compat: go-controller/pkg/cni/types.go, Response
        let body = json!({"Result": result.map(CniResult::to_answer)}).to_string();
        Self { status: 200, code: None, body }
    }

    /// The sentence, and the details on lines of their own.
    pub fn failure(error: &CniError) -> Self {
        let CniError { code, message, details } = error;
        let mut body = message.replace('\n', " ");
        if !details.is_empty() {
            body = format!("{body}\n{details}");
        }
        Self { status: 400, code: Some(code.number()), body }
    }

    /// What the header `Content-Type` says.
    pub fn content_type(&self) -> &'static str {
        if self.status == 200 { "application/json" } else { "text/plain; charset=utf-8" }
    }

    /// What the server meant.
    pub fn read(&self) -> Result<Option<CniResult>, CniError> {
        if self.status != 200 {
            return Err(self.to_error());
        }
        if self.body.trim().is_empty() {
            return Ok(None);
        }
        let unreadable = |reason: String| {
            CniError::new(Code::Undecodable, "the node's CNI server answered what cannot be read")
                .with_details(reason)
        };
        let answer: Map<String, Value> =
            serde_json::from_str(&self.body).map_err(|error| unreadable(error.to_string()))?;
        let Some(result) = answer.get("Result").filter(|result| !result.is_null()) else {
            return Ok(None);
        };
        CniResult::parse(result).map(Some).map_err(|error| unreadable(error.to_string()))
    }

    /// A number that is not in our table, or none, comes from a server that is not ours.
    fn to_error(&self) -> CniError {
        let code = self.code.and_then(Code::from_number).unwrap_or(Code::Internal);
        let text = self.body.trim();
        let (message, details) = text.split_once('\n').unwrap_or((text, ""));
        if message.is_empty() {
            let message = format!("the node's CNI server answered status {}", self.status);
            return CniError::new(code, message).with_details(details);
        }
        CniError::new(code, message).with_details(details)
    }
}

#[cfg(test)]
mod tests;
