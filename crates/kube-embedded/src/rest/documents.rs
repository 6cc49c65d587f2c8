//! Paths that are about no object: discovery, OpenAPI, version, health.
//!
//! Invariant: documents describe what is served at this moment.

use axum::body::Body;
use axum::http::header::ACCEPT;
use axum::http::{Method, Request};
use serde_json::json;

use super::accept::{Accepted, View};
use super::answer::Answer;
use super::place;
use crate::core::Core;
use crate::served::Served;
use crate::{discovery, openapi};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const SWAGGER: &str = "application/com.github.proto-openapi.spec.v2";
const SWAGGER_KIND: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// Answers a path that names no resource.
pub(crate) fn answer(core: &Core, method: &Method, path: &str, accepted: Accepted) -> Answer {
    let served = core.served();
    let kinds = served.all();
    let parts: Vec<&str> = path.split('/').collect();
    let is_aggregated = accepted.view == View::Discovery;
    if *method != Method::GET && is_routed(&served, &parts) {
        return place::not_allowed().into();
    }
    let document = match &parts[..] {
        [""] => Some(json!({"paths": discovery::paths(kinds)})),
        ["healthz" | "livez" | "readyz"]
        | ["healthz" | "livez" | "readyz", "etcd" | "log" | "ping"] => {
            return Answer::text(200, "ok");
        }
        [".well-known", "openid-configuration"] => {
            Some(core.access.signer().configuration(&core.address()))
        }
        ["openid", "v1", "jwks"] => {
            let keys = core.access.signer().keys();
            return Answer::value(200, keys).with_kind("application/jwk-set+json");
        }
        ["version"] => Some(discovery::version()),
        ["api"] if is_aggregated => Some(discovery::aggregated_core(kinds)),
        ["api"] => Some(discovery::core_versions(kinds, &core.address())),
        ["api", version] => discovery::resources(kinds, "", version),
        ["apis"] if is_aggregated => Some(discovery::aggregated_groups(kinds)),
        ["apis"] => Some(discovery::groups(kinds)),
        ["apis", "", ..] => None,
        ["apis", group] => discovery::group(kinds, group),
        ["apis", group, version] => discovery::resources(kinds, group, version),
        ["openapi", "v2"] => Some(openapi::swagger(kinds)),
        ["openapi", "v3"] => Some(served.openapi().clone()),
        ["openapi", "v3", "api", version] => openapi::document(kinds, "", version),
        ["openapi", "v3", "apis", group, version] => openapi::document(kinds, group, version),
        _ => None,
    };
    match document {
        Some(document) if is_aggregated && matches!(parts[..], ["api" | "apis"]) => {
            Answer::value(200, document).with_kind(AGGREGATED)
        }
        Some(document) => Answer::value(200, document),
        None => match &parts[..] {
            ["api", _] => place::nowhere(&served, ""),
            ["apis", group, _] => place::nowhere(&served, group),
            _ => place::nothing(),
        },
    }
}

/// Whether a request is for OpenAPI 2 in protobuf, which old parts of kubectl ask for.
pub(crate) fn is_swagger_in_protobuf(request: &Request<Body>) -> bool {
    let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
    request.method() == Method::GET
        && request.uri().path() == "/openapi/v2"
        && accept.is_some_and(|accept| accept.starts_with(SWAGGER))
}

/// A document without paths and definitions: all that is asked of it is whether it has a kind, and
/// kinds that are served are found in version 3.
pub(crate) fn swagger_in_protobuf() -> Answer {
    let document = b"\x0a\x032.0\x12\x12\x0a\x0aKubernetes\x12\x041.35\x42\x00";
    Answer::bytes(200, SWAGGER_KIND, document)
}

/// Whether the server's router looks at the method; what comes before it answers all of them.
fn is_routed(served: &Served, parts: &[&str]) -> bool {
    let mut all = served.all().iter();
    match parts {
        ["api" | "version" | ".well-known" | "openid", ..] | ["apis"] => true,
        ["apis", group, ..] => all.any(|kind| kind.group == *group && kind.built_in().is_some()),
        _ => false,
    }
}
