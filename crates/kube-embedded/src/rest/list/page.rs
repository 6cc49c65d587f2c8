//! Pages: tokens to go on with, and the versions a list may name.
//!
//! Invariant: a token that is not ours is refused, never guessed.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::query::Query;
use crate::core::Core;
use crate::patch;
use crate::refusal::Refusal;
use crate::store::Place;

/// Where the next page begins, and in which moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) revision: u64,
    pub(crate) start: Place,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(default)]
    v: String,
    #[serde(default)]
    rv: u64,
    /// The place, within the namespace of the list if it has one.
    #[serde(default)]
    start: String,
}

impl Wire {
    fn read(value: Value) -> Result<Self, String> {
        if !value.is_object() && !value.is_null() {
            let found = kube_schema::json_type(&value);
            let into = "Go value of type storage.continueToken";
            return Err(format!("json: cannot unmarshal {found} into {into}"));
        }
        serde_json::from_value(value).map_err(|why| why.to_string())
    }
}

const VERSION: &str = "meta.k8s.io/v1";

impl Token {
    /// The token of a list within a namespace, or of all.
    pub(crate) fn text(&self, within: Option<&str>) -> String {
        let Place { namespace, name } = &self.start;
        let start = match within.is_some() || namespace.is_empty() {
            true => name.to_string(),
            false => format!("{namespace}/{name}"),
        };
        let wire = Wire { v: VERSION.to_owned(), rv: self.revision, start };
        URL_SAFE_NO_PAD.encode(json!(wire).to_string())
    }

    /// Reads a token; with one, no other version may be asked for.
    pub(crate) fn read(text: &str, within: Option<&str>, query: &Query) -> Result<Self, Refusal> {
        let version = query.given("resourceVersion");
        if version.is_some_and(|version| version != "0") {
            let message = "specifying resource version is not allowed when using continue";
            return Err(Refusal::bad_request(message));
        }
        let wrong = |why: &str| {
            let message = format!("invalid continue token: continue key is not valid: {why}");
            Refusal::bad_request(message)
        };
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|why| wrong(&illegal(&why, text)))?;
        let wire: Value =
            serde_json::from_slice(&bytes).map_err(|_| wrong(&patch::complaint(&bytes)))?;
        let wire = Wire::read(wire).map_err(|why| wrong(&why))?;
        if wire.v != VERSION {
            let why = format!("server does not recognize this encoded version {}", wire.v);
            return Err(wrong(&why));
        }
        let start = wire.start.as_str();
        if start.is_empty() {
            return Err(wrong(&format!("encoded start key empty (version {VERSION})")));
        }
        if start.split('/').any(|part| ["", ".", ".."].contains(&part)) {
            return Err(wrong(start));
        }
        let (namespace, name) = match within {
            Some(namespace) => (namespace, start),
            None => start.split_once('/').unwrap_or(("", start)),
        };
        Ok(Self { revision: wire.rv, start: Place::new(namespace, name) })
    }
}

/// What Go says of text that is not base64.
fn illegal(why: &DecodeError, text: &str) -> String {
    let place = match why {
        DecodeError::InvalidByte(place, _) => *place,
        DecodeError::InvalidLastSymbol { offset, .. } => *offset,
        DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => text.len(),
    };
    format!("illegal base64 data at input byte {place}")
}

/// Reads the resource version of a list.
pub(crate) fn revision(text: &str) -> Result<u64, Refusal> {
    parse(text).map_err(|why| Refusal::bad_request(format!("invalid resource version: {why}")))
}

/// Reads the resource version of anything else: the server takes a wrong one for a fault of its
/// own.
pub(crate) fn unguarded(text: &str) -> Result<u64, Refusal> {
    parse(text).map_err(|why| Refusal::new(500, "", why))
}

fn parse(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
        format!("resourceVersion: Invalid value: {text:?}: {why}")
    })
}

/// The version lies in the future.
pub(crate) fn too_large(asked: u64, now: u64) -> Refusal {
    let message = format!("Timeout: Too large resource version: {asked}, current: {now}");
    let causes =
        json!([{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]);
    let details = json!({"causes": causes, "retryAfterSeconds": 1});
    Refusal::new(504, "Timeout", message).with_details(details)
}

pub(crate) fn too_old() -> Refusal {
    let message = "The resourceVersion for the provided list is too old.";
    Refusal::new(410, "Expired", message)
}

/// The moment of a token is forgotten; the list may go on in another.
pub(crate) fn expired_token(core: &Core, token: &Token, within: Option<&str>) -> Refusal {
    let message = "The provided continue parameter is too old to display a consistent list result. \
                   You can start a new list without the continue parameter, or use the continue \
                   token in this response to retrieve the remainder of the results. Continuing with \
                   the provided token results in an inconsistent list - objects that were created, \
                   modified, or deleted between the time the first chunk was returned and now may \
                   show up in the list.";
    let next = Token { revision: core.store.revision(), start: token.start.clone() };
    let mut refusal = Refusal::new(410, "Expired", message);
    refusal.token = Some(next.text(within));
    refusal
}
