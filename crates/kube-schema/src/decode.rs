//! Decodes an object as the server does: metadata, unknown fields, stray nulls, defaults.
//!
//! Reads a JSON object and the version it is of; returns what the server works with.
//! Invariant: what was decoded decodes again unchanged and without complaint.

use serde_json::{Map, Value};

use crate::definition::Version;
use crate::metadata::coerce;
use crate::path::Path;
use crate::verdict::StrictError;
use crate::{defaults, embedded, intake, prune};

/// A decoded object, and what strict decoding has to say.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) object: Value,
    pub(crate) strict: Vec<StrictError>,
}

/// Decodes a request's object; the error is the server's text.
pub(crate) fn decode(mut object: Value, version: &Version) -> Result<Decoded, String> {
    let mut unknown = Vec::new();
    let mut metadata = None;
    if let Some(given) = object.get("metadata") {
        let coerced = coerce::coerce(given)?;
        let at = Path::of_fields(["metadata"]);
        unknown.extend(coerced.unknown.iter().map(|path| at.join(path)));
        metadata = Some(coerced.metadata);
    }
    unknown.extend(prune::prune(&mut object, &version.schema));
    prune::prune_nulls(&mut object, Some(&version.schema));
    let found = embedded::coerce(&mut object, &version.schema).map_err(|it| it.to_string())?;
    unknown.extend(found);
    set_metadata(&mut object, metadata);
    defaults::fill(&mut object, &version.schema);
    let strict = unknown.into_iter().map(StrictError::unknown_field).collect();
    Ok(Decoded { object, strict })
}

/// Decodes an object that was stored: what does not fit is dropped without a word.
pub(crate) fn decode_stored(mut object: Value, version: &Version) -> Value {
    intake::stored(&mut object);
    let metadata = object.get("metadata").map(coerce::coerce_leniently);
    prune::prune(&mut object, &version.schema);
    prune::prune_nulls(&mut object, Some(&version.schema));
    embedded::coerce_leniently(&mut object, &version.schema);
    set_metadata(&mut object, metadata);
    defaults::fill(&mut object, &version.schema);
    object
}

fn set_metadata(object: &mut Value, metadata: Option<Map<String, Value>>) {
    if let (Some(fields), Some(metadata)) = (object.as_object_mut(), metadata) {
        fields.insert("metadata".to_owned(), Value::Object(metadata));
    }
}

#[cfg(test)]
mod tests;
