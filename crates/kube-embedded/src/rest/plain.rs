//! Bodies in protobuf, as JSON.
//!
//! Reads the body of a request and what it asks for; returns the body that the verbs read.
//! Invariant: behind it no body is in protobuf.

use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use bytes::Bytes;

use super::intake;
use super::path::Target;
use crate::kinds::Kind;
use crate::protobuf::{self, Named, ProtobufError};
use crate::refusal::Refusal;

/// Makes JSON of a body in protobuf, and leaves JSON and YAML as they are.
pub(crate) fn plain(
    kind: &Kind,
    target: &Target,
    verb: &str,
    headers: &mut HeaderMap,
    body: Bytes,
) -> Result<Bytes, Refusal> {
    let is_delete = matches!(verb, "delete" | "deletecollection");
    let has_object = is_delete && !body.is_empty() || matches!(verb, "create" | "update");
    if !has_object {
        return Ok(body);
    }
    let wanted = match is_delete {
        true => Named { api_version: "v1".to_owned(), kind: "DeleteOptions".to_owned() },
        false => wanted(kind, target),
    };
    // Only the server's own kinds have a form in protobuf.
    let is_known = is_delete || kind.built_in().is_some();
    match intake::content_type(headers).as_str() {
        "application/json" | "application/yaml" | "" => return Ok(body),
        protobuf::CONTENT_TYPE if is_known => {}
        _ => return Err(unsupported(is_known)),
    }
    let object =
        protobuf::read(&body, &wanted).map_err(|why| refuse(&why, &wanted, &body, is_delete))?;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(Bytes::from(object.to_string()))
}

fn unsupported(has_protobuf: bool) -> Refusal {
    let message = "the body of the request was in an unknown format - accepted media types \
                   include: application/json, application/yaml";
    let more = if has_protobuf { ", application/vnd.kubernetes.protobuf" } else { "" };
    Refusal::new(415, "UnsupportedMediaType", format!("{message}{more}"))
}

/// What the path takes.
fn wanted(kind: &Kind, target: &Target) -> Named {
    let subresources = kind.built_in().map_or(&[][..], |built_in| built_in.subresources);
    match subresources.iter().find(|it| it.name == target.subresource) {
        Some(it) if it.group.is_empty() => {
            Named { api_version: it.version.to_owned(), kind: it.kind.to_owned() }
        }
        Some(it) => {
            let api_version = format!("{}/{}", it.group, it.version);
            Named { api_version, kind: it.kind.to_owned() }
        }
        None => Named { api_version: kind.api_version(), kind: kind.kind.clone() },
    }
}

fn refuse(why: &ProtobufError, wanted: &Named, body: &[u8], is_delete: bool) -> Refusal {
    let kind = &wanted.kind;
    Refusal::bad_request(match why {
        ProtobufError::Unrecognized(_) | ProtobufError::Undecodable { .. } if is_delete => {
            why.to_string()
        }
        ProtobufError::Unrecognized(why) => {
            let start = intake::summary(body);
            format!("the object provided is unrecognized (must be of type {kind}): {why} ({start})")
        }
        ProtobufError::Undecodable { named, why } => {
            let Named { api_version, kind: given } = named;
            format!("{given} in version {api_version:?} cannot be handled as a {kind}: {why}")
        }
    })
}
