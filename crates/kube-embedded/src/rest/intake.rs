//! The body of a request, as a value.
//!
//! Reads bytes and their content type; returns an object, or why it is none.
//! Invariant: no body is longer than the server's limit, and none nests so deep that it overflows.

mod json;
mod yaml;

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};
use tokio::time::timeout;

pub(crate) use json::{Fault, Written};

use crate::refusal::Refusal;

/// How many bytes of a body a message shows.
const SHOWN: usize = 30;

/// The longest body, as the server's.
pub(crate) const LIMIT: usize = 3 << 20;

/// How long a body may take. (compat: apiserver, RequestTimeout)
const PATIENCE: Duration = Duration::from_secs(60);

/// Reads the whole body, at most [`LIMIT`] bytes of it.
pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<Bytes, Refusal> {
    let length = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > LIMIT) {
        return Err(too_large());
    }
    let Ok(read) = timeout(PATIENCE, Limited::new(body, LIMIT).collect()).await else {
        let message = "Timeout: request did not complete within the allotted timeout";
        return Err(Refusal::new(504, "Timeout", message));
    };
    match read {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(why) if why.is::<LengthLimitError>() => Err(too_large()),
        // The server, too, takes a body that breaks off for a fault of its own.
        Err(why) => Err(Refusal::new(500, "", format!("unable to read the body: {why}"))),
    }
}

fn too_large() -> Refusal {
    let message = format!("Request entity too large: limit is {LIMIT}");
    Refusal::new(413, "RequestEntityTooLarge", message)
}

/// The content type without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> String {
    let text = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or("");
    text.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

/// Whether a body says at all what it is.
pub(crate) fn has_content_type(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|it| !it.is_empty())
}

/// The start of a body: as text where it may be JSON, in hexadecimal digits otherwise.
pub(crate) fn summary(body: &[u8]) -> String {
    let start = &body[..body.len().min(SHOWN)];
    let mut text = match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(start).into_owned(),
        Some(_) => start.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    if body.len() > SHOWN {
        text.push_str(" ...");
    }
    text
}

/// Reads the object in a body.
pub(crate) fn object(headers: &HeaderMap, body: &[u8]) -> Result<Value, Refusal> {
    let wrong = |fault: Fault| match fault {
        Fault::Syntax(why) => Refusal::bad_request(why),
        Fault::Number(number) => Refusal::bad_request(format!(
            "json: cannot unmarshal number {number} into Go value of type float64"
        )),
    };
    let written = match content_type(headers).as_str() {
        "application/yaml" => yaml(body),
        "application/json" => json(body),
        "" if !has_content_type(headers) => json(body),
        _ => return Err(unsupported(true)),
    };
    let Written { value, .. } = written.map_err(wrong)?;
    // Nothing is an object without fields.
    Ok(if value.is_null() { Value::Object(Map::new()) } else { value })
}

pub(crate) fn json(body: &[u8]) -> Result<Written, Fault> {
    json::read(body).map_err(|fault| match fault {
        Fault::Syntax(why) => {
            Fault::Syntax(format!("couldn't get version/kind; json parse error: {why}"))
        }
        Fault::Number(_) => fault,
    })
}

pub(crate) fn yaml(body: &[u8]) -> Result<Written, Fault> {
    yaml::read(body).map_err(Fault::Syntax)
}

/// What built-in kinds take, custom ones do not take in protobuf.
pub(crate) fn unsupported(has_protobuf: bool) -> Refusal {
    let message = "the body of the request was in an unknown format - accepted media types \
                   include: application/json, application/yaml";
    let more = if has_protobuf { ", application/vnd.kubernetes.protobuf" } else { "" };
    Refusal::new(415, "UnsupportedMediaType", format!("{message}{more}"))
}
