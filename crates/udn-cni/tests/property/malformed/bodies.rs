//! What is done with input that nobody vouches for; shared by the tests and the fuzz targets.
//!
//! Invariant: each body panics only if the code under test broke a promise.

use std::io::{self, Read};
use std::time::Duration;

use serde_json::Value;
use udn_cni::http::{Limits, receive};
use udn_cni::{Arguments, CniError, CniResult, NetConf, Request, Response, Version};

/// Small, so that a short input can reach it.
const LIMITS: Limits = Limits { time: Duration::from_secs(1), answer: 4 * 1024 };

/// However long the input was; texts are quoted a few at a time, with escapes.
const LONGEST_MESSAGE: usize = 4 * 1024;

/// Reads a request as a server does; true if it is one.
pub(crate) fn read_request(body: &[u8]) -> bool {
    let parsed = Request::parse(body);
    match &parsed {
        Ok(Request::Add(interface) | Request::Check(interface, _)) => {
            assert!(!interface.netns.as_os_str().is_empty());
            assert!(interface.attachment.interface.as_str().len() <= 15);
            assert!(interface.conf.device_id.is_none());
            assert!(
                interface.conf.version >= parsed.as_ref().expect("it is one").command().since()
            );
        }
        Ok(Request::Del(_) | Request::Gc { .. } | Request::Status(_) | Request::Version) => {}
        Err(error) => {
            check_error(error);
            assert!(!is_removal(body), "a DEL is refused: {error}");
        }
    }
    parsed.is_ok()
}

/// Whether a body is a request of DEL beyond doubt.
fn is_removal(body: &[u8]) -> bool {
    let Ok(Value::Object(posted)) = serde_json::from_slice(body) else { return false };
    let environment = posted.get("env").and_then(Value::as_object);
    let are_texts = environment.is_some_and(|it| it.values().all(Value::is_string));
    let command = environment.and_then(|it| it.get("CNI_COMMAND")).and_then(Value::as_str);
    let has_conf = posted.get("config").is_none_or(|it| it.is_string() || it.is_null());
    are_texts && has_conf && command == Some("DEL") && !has_twice(body)
}

/// A key that is there twice is refused by one parser and taken by the other.
fn has_twice(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    ["\"env\"", "\"config\""].iter().any(|key| text.matches(key).count() > 1) || text.contains('\\')
}

/// Reads a network configuration; true if it is one.
pub(crate) fn read_conf(json: &[u8]) -> bool {
    let leniently = NetConf::parse_leniently(json);
    let version = NetConf::version_of(json);
    match NetConf::parse(json) {
        Ok(conf) => {
            assert_eq!(conf, leniently);
            assert_eq!(conf.version, version);
            assert!(!conf.name.is_empty());
            true
        }
        Err(error) => {
            check_error(&error);
            false
        }
    }
}

/// Reads `CNI_ARGS`; true if it is well formed.
pub(crate) fn read_arguments(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match Arguments::parse(text) {
        Ok(arguments) => {
            assert!((1..=63).contains(&arguments.namespace.len()));
            assert!((1..=253).contains(&arguments.pod.len()));
            assert_ne!(arguments.uid.as_deref(), Some(""));
            true
        }
        Err(error) => {
            check_error(&error);
            false
        }
    }
}

/// Reads a result; true if it is one, and then it can be written and read again.
pub(crate) fn read_result(json: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(json) else { return false };
    let Ok(result) = CniResult::parse(&value) else { return false };
    for version in Version::ALL {
        let again = serde_json::from_str(&result.to_json(version)).expect("JSON was written");
        let again = CniResult::parse(&again).expect("what was written can be read");
        assert_eq!(again.addresses, result.addresses);
        assert!(version < Version::V1_1_0 || again == result);
    }
    true
}

/// Reads what a server says, whole and in pieces; true if the shim has a use for it.
pub(crate) fn read_answer(said: &[u8]) -> bool {
    let whole = hear(said, said.len().max(1));
    for piece in [1, 7, 100] {
        let again = hear(said, piece);
        assert_eq!(again, whole, "in pieces of {piece}");
    }
    let Ok(response) = whole else { return false };
    assert!(response.body.len() <= 3 * LIMITS.answer, "bytes that are no text take three each");
    match response.read() {
        Ok(_) => true,
        Err(error) => {
            check_json(&error);
            false
        }
    }
}

fn hear(said: &[u8], piece: usize) -> Result<Response, String> {
    receive(&mut Pieces { rest: said, size: piece }, LIMITS).map_err(|error| error.to_string())
}

/// Gives its bytes in pieces of one size.
struct Pieces<'a> {
    rest: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.len().min(self.size).min(buffer.len());
        let (piece, rest) = self.rest.split_at(count);
        buffer[..count].copy_from_slice(piece);
        self.rest = rest;
        Ok(count)
    }
}

fn check_error(error: &CniError) {
    assert!(error.message.len() + error.details.len() <= LONGEST_MESSAGE, "{error:?}");
    assert!(!error.message.is_empty());
    check_json(error);
}

fn check_json(error: &CniError) {
    let json: Value = serde_json::from_str(&error.to_json(Version::NEWEST)).expect("it is JSON");
    assert_eq!(json["code"], error.code.number());
}
