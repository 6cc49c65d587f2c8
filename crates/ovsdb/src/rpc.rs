//! JSON-RPC 1.0 messages, as RFC 7047 §4 uses them.
//!
//! Reads a message's outline and leaves parameters and results as text, so that they are decoded
//! once, straight into typed values. Writes requests and replies.
//! Invariant: reading copies nothing but names that contain escapes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::codec::Text;
use crate::retry::Retry;

#[cfg(test)]
mod tests;

/// One message, still pointing into the text it was read from.
#[derive(Debug, Clone)]
pub enum Message<'a> {
    /// Wants an answer with the same `id`.
    Request {
        id: &'a RawValue,
        method: Cow<'a, str>,
        params: &'a RawValue,
    },
    Notification {
        method: Cow<'a, str>,
        params: &'a RawValue,
    },
    /// The answer to a request: what was asked for, or why not.
    Response {
        id: &'a RawValue,
        result: Result<&'a RawValue, &'a RawValue>,
    },
}

/// A text that is no JSON-RPC message.
#[derive(Debug, thiserror::Error)]
pub enum RpcError {
    #[error("a message that is not JSON")]
    Syntax(#[source] serde_json::Error),
    #[error("a message without {member}")]
    Missing { member: &'static str },
    #[error("a message whose parameters are not a list")]
    Params,
}

impl RpcError {
    /// What the caller should do next: the next connection may be better.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Syntax(_) | Self::Missing { .. } | Self::Params => Retry::AfterBackoff,
        }
    }
}

impl<'a> Message<'a> {
    /// Reads one framed message.
    pub fn parse(text: &'a [u8]) -> Result<Self, RpcError> {
        let outline: Outline<'a> = serde_json::from_slice(text).map_err(RpcError::Syntax)?;
        outline.classify()
    }
}

/// Reads parameters or a result into a value that may borrow from the text.
pub fn decode<'a, T: Deserialize<'a>>(text: &'a RawValue) -> Result<T, serde_json::Error> {
    serde_json::from_str(text.get())
}

/// Appends a request to a buffer.
pub fn write_request(buffer: &mut Vec<u8>, id: u64, method: &str, params: &impl Serialize) {
    #[derive(Serialize)]
    struct Request<'a, P> {
        method: &'a str,
        params: &'a P,
        id: u64,
    }
    append(buffer, &Request { method, params, id });
}

/// Appends a notification, which nobody answers.
pub fn write_notification(buffer: &mut Vec<u8>, method: &str, params: &impl Serialize) {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        id: (),
        method: &'a str,
        params: &'a P,
    }
    append(buffer, &Notification { id: (), method, params });
}

/// Appends the answer to a request; the identifier is given back as it was written.
pub fn write_result(buffer: &mut Vec<u8>, id: &RawValue, result: &impl Serialize) {
    #[derive(Serialize)]
    struct Reply<'a, R> {
        id: &'a RawValue,
        result: &'a R,
        error: (),
    }
    append(buffer, &Reply { id, result, error: () });
}

/// Appends a refusal of a request.
pub fn write_error(buffer: &mut Vec<u8>, id: &RawValue, error: &impl Serialize) {
    #[derive(Serialize)]
    struct Refusal<'a, E> {
        id: &'a RawValue,
        result: (),
        error: &'a E,
    }
    append(buffer, &Refusal { id, result: (), error });
}

fn append(buffer: &mut Vec<u8>, message: &impl Serialize) {
    serde_json::to_writer(buffer, message)
        .expect("writing to memory cannot fail, and no map here has a key that is not a text");
}

/// The members of a message, those that are null left out.
#[derive(Default)]
struct Outline<'a> {
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Outline<'a> {
    /// compat: lib/jsonrpc.c, jsonrpc_msg_from_json: a result makes it a reply, else an error
    /// does, else an identifier makes it a request.
    fn classify(self) -> Result<Message<'a>, RpcError> {
        let Self { id, method, params, result, error } = self;
        let missing = |member| RpcError::Missing { member };
        let outcome = match (result, error, &method) {
            (Some(result), _, _) => Some(Ok(result)),
            (None, Some(error), _) => Some(Err(error)),
            // A reply whose result is null says nothing else.
            (None, None, None) => Some(Ok(RawValue::NULL)),
            (None, None, Some(_)) => None,
        };
        if let Some(result) = outcome {
            return Ok(Message::Response { id: id.ok_or_else(|| missing("id"))?, result });
        }
        let method = method.ok_or_else(|| missing("method"))?;
        let params = params.ok_or_else(|| missing("params"))?;
        if !params.get().starts_with('[') {
            return Err(RpcError::Params);
        }
        Ok(match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Outline<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OutlineVisitor)
    }
}

struct OutlineVisitor;

impl<'de> Visitor<'de> for OutlineVisitor {
    type Value = Outline<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outline<'de>, A::Error> {
        let mut outline = Outline::default();
        // compat: lib/json.c: of equal members the last one counts.
        while let Some(name) = map.next_key::<Text<'de>>()? {
            match &*name {
                "id" => outline.id = present(&mut map)?,
                "method" => outline.method = map.next_value::<Option<Text<'de>>>()?.map(|t| t.0),
                "params" => outline.params = present(&mut map)?,
                "result" => outline.result = present(&mut map)?,
                "error" => outline.error = present(&mut map)?,
                // compat: lib/jsonrpc.c: "message has unexpected member"; a server hangs up.
                other => {
                    return Err(A::Error::custom(format_args!("unexpected member {other:?}")));
                }
            }
        }
        Ok(outline)
    }
}

fn present<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<&'de RawValue>, A::Error> {
    let value: &'de RawValue = map.next_value()?;
    Ok((value.get() != "null").then_some(value))
}

/// Parameters of a transaction: the database, then the operations.
#[derive(Debug)]
pub(crate) struct TransactParams<'a, O> {
    pub(crate) database: &'a str,
    pub(crate) operations: &'a [O],
}

impl<O: Serialize> Serialize for TransactParams<'_, O> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;

        let mut sequence = serializer.serialize_seq(Some(1 + self.operations.len()))?;
        sequence.serialize_element(self.database)?;
        for operation in self.operations {
            sequence.serialize_element(operation)?;
        }
        sequence.end()
    }
}
