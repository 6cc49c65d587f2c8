//! Reads metadata as the server's decoder does: known fields of known types.
//!
//! Reads the JSON of `metadata`; returns what is kept, and the paths of what is not known.
//! Invariant: what is returned reads back unchanged.

use serde_json::{Map, Value};

use crate::go_text::{self, json_type};
use crate::go_time;
use crate::number::Number;
use crate::path::{Path, Step};

/// What Go's decoder expects of a value.
#[derive(Debug)]
enum Shape {
    /// A string of the named Go type.
    Text(&'static str),
    Integer,
    /// An integer that may be told from none: zero is kept.
    Pointer,
    Flag,
    Time,
    Texts,
    TextMap,
    /// A list of structs, and its Go type.
    Structs(&'static Struct, &'static str),
    /// Anything, kept as it is.
    Raw,
}

#[derive(Debug)]
struct Struct {
    name: &'static str,
    go_type: &'static str,
    fields: &'static [Field],
}

#[derive(Debug)]
struct Field {
    name: &'static str,
    shape: Shape,
    /// Whether the field is written even when it is empty.
    always: bool,
}

const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, always: false }
}

const fn always(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, always: true }
}

// compat: apimachinery/pkg/apis/meta/v1/types.go
const OWNER_REFERENCE: Struct = Struct {
    name: "OwnerReference",
    go_type: "v1.OwnerReference",
    fields: &[
        always("apiVersion", Shape::Text("string")),
        always("kind", Shape::Text("string")),
        always("name", Shape::Text("string")),
        always("uid", Shape::Text("types.UID")),
        optional("controller", Shape::Flag),
        optional("blockOwnerDeletion", Shape::Flag),
    ],
};

const MANAGED_FIELDS: Struct = Struct {
    name: "ManagedFieldsEntry",
    go_type: "v1.ManagedFieldsEntry",
    fields: &[
        optional("manager", Shape::Text("string")),
        optional("operation", Shape::Text("v1.ManagedFieldsOperationType")),
        optional("apiVersion", Shape::Text("string")),
        optional("time", Shape::Time),
        optional("fieldsType", Shape::Text("string")),
        optional("fieldsV1", Shape::Raw),
        optional("subresource", Shape::Text("string")),
    ],
};

const OBJECT_META: Struct = Struct {
    name: "ObjectMeta",
    go_type: "v1.ObjectMeta",
    fields: &[
        optional("name", Shape::Text("string")),
        optional("generateName", Shape::Text("string")),
        optional("namespace", Shape::Text("string")),
        optional("selfLink", Shape::Text("string")),
        optional("uid", Shape::Text("types.UID")),
        optional("resourceVersion", Shape::Text("string")),
        optional("generation", Shape::Integer),
        optional("creationTimestamp", Shape::Time),
        optional("deletionTimestamp", Shape::Time),
        optional("deletionGracePeriodSeconds", Shape::Pointer),
        optional("labels", Shape::TextMap),
        optional("annotations", Shape::TextMap),
        optional("ownerReferences", Shape::Structs(&OWNER_REFERENCE, "[]v1.OwnerReference")),
        optional("finalizers", Shape::Texts),
        optional("managedFields", Shape::Structs(&MANAGED_FIELDS, "[]v1.ManagedFieldsEntry")),
    ],
};

/// Metadata as it is kept, and the paths of unknown fields below `metadata`.
#[derive(Debug, PartialEq)]
pub(crate) struct Coerced {
    pub(crate) metadata: Map<String, Value>,
    pub(crate) unknown: Vec<Path>,
}

/// Reads `metadata`; the error is the text of Go's decoder.
pub(crate) fn coerce(metadata: &Value) -> Result<Coerced, String> {
    let mut reader = Reader::default();
    let kept = reader.read_struct(metadata, &OBJECT_META);
    match reader.error {
        Some(error) => Err(error),
        None => Ok(Coerced { metadata: kept, unknown: reader.unknown }),
    }
}

/// Reads `metadata` field by field, leaving out what is of the wrong type.
pub(crate) fn coerce_leniently(metadata: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in metadata.as_object().into_iter().flatten() {
        let single = Value::Object([(name.clone(), value.clone())].into_iter().collect());
        if let Ok(coerced) = coerce(&single) {
            kept.extend(coerced.metadata);
        }
    }
    kept
}

#[derive(Default)]
struct Reader {
    /// The first mistake; Go's decoder goes on and tells only that one.
    error: Option<String>,
    unknown: Vec<Path>,
    at: Path,
    structs: Vec<&'static str>,
}

impl Reader {
    fn read_struct(&mut self, value: &Value, shape: &'static Struct) -> Map<String, Value> {
        let mut kept = Map::new();
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Null => return self.filled(kept, shape),
            _ => {
                self.mismatch(value, shape.go_type);
                return kept;
            }
        };
        self.structs.push(shape.name);
        let mut sorted: Vec<_> = fields.iter().collect();
        sorted.sort_by_key(|(name, _)| *name);
        for (name, value) in sorted {
            self.at.push(Step::Field(name.clone()));
            match shape.fields.iter().find(|field| field.name == name) {
                Some(field) => {
                    if let Some(value) = self.read(value, &field.shape) {
                        kept.insert(name.clone(), value);
                    }
                }
                None => self.unknown.push(self.at.clone()),
            }
            self.at.pop();
        }
        self.structs.pop();
        self.filled(kept, shape)
    }

    fn filled(&self, mut kept: Map<String, Value>, shape: &'static Struct) -> Map<String, Value> {
        for field in shape.fields.iter().filter(|field| field.always) {
            kept.entry(field.name).or_insert_with(|| Value::from(""));
        }
        kept
    }

    /// Reads one value; nothing where the field is then left out.
    fn read(&mut self, value: &Value, shape: &'static Shape) -> Option<Value> {
        match shape {
            _ if value.is_null() => None,
            Shape::Text(go_type) => self.text(value, go_type).filter(|text| *text != ""),
            Shape::Integer => self.integer(value).filter(|number| *number != 0),
            Shape::Pointer => self.integer(value),
            Shape::Flag => match value {
                Value::Bool(_) => Some(value.clone()),
                _ => self.mismatch(value, "bool"),
            },
            Shape::Time => self.time(value),
            Shape::Texts => self.texts(value),
            Shape::TextMap => self.text_map(value),
            Shape::Structs(items, go_type) => self.structs(value, items, go_type),
            Shape::Raw => Some(value.clone()),
        }
    }

    fn text(&mut self, value: &Value, go_type: &str) -> Option<Value> {
        match value {
            Value::String(_) => Some(value.clone()),
            Value::Null => Some(Value::from("")),
            _ => self.mismatch(value, go_type),
        }
    }

    fn integer(&mut self, value: &Value) -> Option<Value> {
        let Value::Number(number) = value else {
            return self.mismatch(value, "int64");
        };
        match Number::of(number) {
            Number::Int(int) => Some(Value::from(int)),
            Number::Float(_) => {
                let described = format!("number {}", go_text::json(value));
                self.fail(&described, "int64")
            }
        }
    }

    fn time(&mut self, value: &Value) -> Option<Value> {
        let Value::String(text) = value else {
            let text = go_text::cannot_unmarshal(json_type(value), None, &[], "string");
            self.error.get_or_insert(text);
            return None;
        };
        match go_time::parse(go_time::RFC_3339, text) {
            Ok(_) => Some(value.clone()),
            Err(why) => {
                self.error.get_or_insert(why);
                None
            }
        }
    }

    fn texts(&mut self, value: &Value) -> Option<Value> {
        let Value::Array(items) = value else {
            return self.mismatch(value, "[]string");
        };
        let texts: Vec<Value> = items.iter().filter_map(|item| self.text(item, "string")).collect();
        (!texts.is_empty()).then_some(Value::Array(texts))
    }

    fn text_map(&mut self, value: &Value) -> Option<Value> {
        let Value::Object(entries) = value else {
            return self.mismatch(value, "map[string]string");
        };
        let mut kept = Map::new();
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort_by_key(|(key, _)| *key);
        for (key, value) in sorted {
            if let Some(text) = self.text(value, "string") {
                kept.insert(key.clone(), text);
            }
        }
        (!kept.is_empty()).then_some(Value::Object(kept))
    }

    fn structs(&mut self, value: &Value, shape: &'static Struct, go_type: &str) -> Option<Value> {
        let Value::Array(items) = value else {
            return self.mismatch(value, go_type);
        };
        let mut kept = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            self.at.push(Step::Index(place));
            kept.push(Value::Object(self.read_struct(item, shape)));
            self.at.pop();
        }
        (!kept.is_empty()).then_some(Value::Array(kept))
    }

    fn mismatch(&mut self, value: &Value, go_type: &str) -> Option<Value> {
        self.fail(json_type(value), go_type)
    }

    fn fail(&mut self, described: &str, go_type: &str) -> Option<Value> {
        let within = self.structs.last().copied();
        let text = go_text::cannot_unmarshal(described, within, self.at.steps(), go_type);
        self.error.get_or_insert(text);
        None
    }
}

#[cfg(test)]
mod tests;
