//! Looks at the head of a request, as Go's server does before anybody else sees it.
//!
//! Reads a request; returns the code it is turned away with, or nothing.
//! Invariant: a request that two servers could understand differently is understood by none.

use axum::http::header::{EXPECT, HOST, TRANSFER_ENCODING};
use axum::http::{HeaderValue, Method, Request, StatusCode, Version};

/// Why a request is not answered at all.
pub(super) fn turned_away<B>(request: &Request<B>) -> Option<StatusCode> {
    if request.version() == Version::HTTP_2 {
        return None;
    }
    if request.method() == Method::CONNECT {
        return Some(StatusCode::NOT_FOUND);
    }
    let headers = request.headers();
    let is_word =
        |value: &HeaderValue, word: &str| value.as_bytes().eq_ignore_ascii_case(word.as_bytes());
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    if codings.any(|coding| !is_word(coding, "chunked")) {
        return Some(StatusCode::NOT_IMPLEMENTED);
    }
    let mut hosts = headers.get_all(HOST).iter();
    let is_addressed = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.as_bytes().iter().all(|byte| is_host_byte(*byte)),
        (None, _) => request.version() == Version::HTTP_10,
        (Some(_), Some(_)) => false,
    };
    if !is_addressed {
        return Some(StatusCode::BAD_REQUEST);
    }
    let expected = headers.get(EXPECT).filter(|it| !it.is_empty());
    match expected.is_some_and(|it| !is_word(it, "100-continue")) {
        true => Some(StatusCode::EXPECTATION_FAILED),
        false => None,
    }
}

/// Whether a host may be written with this. (compat: golang.org/x/net/http/httpguts, ValidHostHeader)
fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!$%&()*+,-./:;=@[]'_~".contains(&byte)
}

#[cfg(test)]
mod tests;
