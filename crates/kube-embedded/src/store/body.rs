//! The JSON of an object as it is stored: without its type and its resource version.
//!
//! Written once from a value; answered by joining texts, so that the store can number an object
//! without reading it, and items of lists leave their type out.
//! Invariant: the text is what follows the resource version in the object's JSON, and never empty.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

/// The stored text of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    /// `"apiVersion":"v1","kind":"Pod",`, shared by all objects of a kind.
    types: Arc<str>,
    text: Bytes,
}

impl Body {
    /// The text of an object, whatever its resource version; none if it has no name.
    pub(crate) fn new(object: &Value, types: &Arc<str>) -> Option<Self> {
        let fields = object.as_object()?;
        let metadata = fields.get("metadata")?.as_object()?;
        if !metadata.contains_key("name") {
            return None;
        }
        let mut text = Vec::with_capacity(1024);
        write_fields(&mut text, metadata, &["resourceVersion"]);
        text.push(b'}');
        let types_and_metadata = ["apiVersion", "kind", "metadata"];
        if fields.keys().any(|name| !types_and_metadata.contains(&name.as_str())) {
            text.push(b',');
            write_fields(&mut text, fields, &types_and_metadata);
        }
        text.push(b'}');
        text.shrink_to_fit();
        Some(Self { types: types.clone(), text: Bytes::from(text) })
    }

    /// The text as a file kept it.
    pub(super) fn from_stored(types: Arc<str>, text: Bytes) -> Self {
        Self { types, text }
    }

    pub(super) fn types(&self) -> &Arc<str> {
        &self.types
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Appends the whole JSON with a resource version.
    pub(crate) fn write(&self, revision: u64, out: &mut Vec<u8>) {
        self.write_as(&self.types, revision, out);
    }

    /// Appends the JSON under another type; an empty one leaves it out, as lists do.
    pub(crate) fn write_as(&self, types: &str, revision: u64, out: &mut Vec<u8>) {
        out.reserve(types.len() + self.text.len() + 64);
        out.push(b'{');
        out.extend_from_slice(types.as_bytes());
        out.extend_from_slice(br#""metadata":{"resourceVersion":""#);
        out.extend_from_slice(revision.to_string().as_bytes());
        out.extend_from_slice(b"\",");
        out.extend_from_slice(&self.text);
    }
}

/// The type of an object as its JSON begins with it.
pub(crate) fn types(api_version: &str, kind: &str) -> Arc<str> {
    let (api_version, kind) = (Value::from(api_version), Value::from(kind));
    format!(r#""apiVersion":{api_version},"kind":{kind},"#).into()
}

/// Appends the fields of an object without the braces, all but some.
fn write_fields(out: &mut Vec<u8>, fields: &Map<String, Value>, except: &[&str]) {
    let mut is_first = true;
    for (name, value) in fields.iter().filter(|(name, _)| !except.contains(&name.as_str())) {
        if !is_first {
            out.push(b',');
        }
        is_first = false;
        serde_json::to_writer(&mut *out, name).expect("a text always has a JSON form");
        out.push(b':');
        serde_json::to_writer(&mut *out, value).expect("a value always has a JSON form");
    }
}
