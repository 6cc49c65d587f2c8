//! Decodes an object of a built-in kind as Go's decoder does, and writes it as Go's encoder does.
//!
//! Reads JSON and the table of Go types; returns what is kept, and the paths of unknown fields.
//! Invariant: what was decoded decodes again unchanged and without complaint.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use kube_schema::{Path, Quantity, Step, go_text, json_type};
use serde_json::{Map, Value};

use super::time;

/// Fields and their types, by the name of the schema.
///
/// A type is `string`, `bool`, `int32`, `int64`, `float64`, `bytes`, `time`, `microtime`,
/// `duration`, `quantity`, `intorstring`, `raw`, `#schema`, `[]type`, `map:type`, `*type` or
/// `Name=type`. Before it stands `!` if the field is written even when it is empty, and `~` if it
/// is left out even when it is an empty struct.
type Table = BTreeMap<&'static str, BTreeMap<&'static str, &'static str>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../kinds/go.json")).expect("the table of types is JSON")
});

/// An object as Go keeps it.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) object: Value,
    /// Fields that the type does not have.
    pub(super) unknown: Vec<Path>,
}

/// Decodes an object; the error is the text of Go's decoder.
pub(super) fn decode(object: &Value, schema: &str) -> Result<Decoded, String> {
    let mut reader = Reader::default();
    let object = reader.fields(object, schema);
    match reader.fatal.or(reader.error) {
        Some(error) => Err(error),
        None => Ok(Decoded { object, unknown: reader.unknown }),
    }
}

/// An object with little in it, written as Go writes one: fields that are always written are
/// there.
pub(crate) fn emptied(built_in: &super::BuiltIn, object: &Value) -> Value {
    let object = decode(object, built_in.schema);
    object.map(|decoded| decoded.object).unwrap_or_default()
}

#[derive(Default)]
struct Reader {
    /// The first value of a wrong type; Go's decoder goes on behind it.
    error: Option<String>,
    /// What stopped the decoder; told before any value of a wrong type.
    fatal: Option<String>,
    unknown: Vec<Path>,
    at: Vec<Step>,
    structs: Vec<String>,
}

impl Reader {
    fn fields(&mut self, value: &Value, schema: &str) -> Value {
        let absent = Map::new();
        let given = match value {
            Value::Object(fields) => fields,
            Value::Null => &absent,
            _ => {
                self.mismatch(json_type(value), &go_name(&format!("#{schema}")));
                return Value::Object(absent);
            }
        };
        let Some(known) = TABLE.get(schema) else { return value.clone() };
        self.structs.push(short(schema).to_owned());
        let mut kept = Map::new();
        let is_json = schema.starts_with("io.k8s.apiextensions-apiserver.");
        // Go reads in the order of the text, which is that of the alphabet where Go wrote it.
        for (name, value) in given {
            self.at.push(Step::Field(name.clone()));
            match known.get(name.as_str()) {
                // compat: CRDs are kept as JSON, which tells an empty list from none
                Some(go) if is_json && go.starts_with("![]") && *value == Value::Array(vec![]) => {
                    kept.insert(name.clone(), value.clone());
                }
                Some(go) => {
                    if let Some(value) = self.field(value, go.trim_start_matches(['!', '~'])) {
                        kept.insert(name.clone(), value);
                    }
                }
                None => self.unknown.push(path(&self.at)),
            }
            self.at.pop();
        }
        for (name, go) in known {
            if !kept.contains_key(*name)
                && let Some(value) = self.absent(go)
            {
                kept.insert((*name).to_owned(), value);
            }
        }
        self.structs.pop();
        Value::Object(kept)
    }

    /// A field that is there; nothing where it is then left out.
    fn field(&mut self, value: &Value, go: &'static str) -> Option<Value> {
        if value.is_null() {
            return None;
        }
        match go.strip_prefix('*') {
            Some(go) => Some(self.value(value, go)),
            None => Some(self.value(value, go)).filter(|value| !is_empty(value, go)),
        }
    }

    /// What is written for a field that is not there.
    fn absent(&mut self, go: &'static str) -> Option<Value> {
        let (is_always, go) = match (go.strip_prefix('!'), go.strip_prefix('~')) {
            (Some(go), _) => (true, go),
            (None, Some(_)) => return None,
            (None, None) => (false, go),
        };
        if let Some(schema) = go.strip_prefix('#') {
            return Some(self.fields(&Value::Null, schema));
        }
        match bare(go) {
            "time" | "microtime" | "raw" => Some(Value::Null),
            "quantity" => Some(Value::from("0")),
            "intorstring" => Some(Value::from(0)),
            "string" | "duration" if is_always => Some(Value::from("")),
            "bool" if is_always => Some(Value::Bool(false)),
            "int32" | "int64" | "float64" if is_always => Some(Value::from(0)),
            _ if is_always => Some(Value::Null),
            _ => None,
        }
    }

    fn value(&mut self, value: &Value, go: &'static str) -> Value {
        let go = go.strip_prefix('*').unwrap_or(go);
        let inner = bare(go);
        if let Some(schema) = inner.strip_prefix('#') {
            return self.fields(value, schema);
        }
        if let Some(items) = inner.strip_prefix("[]") {
            return self.items(value, items, go);
        }
        if let Some(values) = inner.strip_prefix("map:") {
            return self.entries(value, values, go);
        }
        match (inner, value) {
            ("string" | "duration", Value::String(_)) | ("bool", Value::Bool(_)) => value.clone(),
            ("string" | "duration", Value::Null) => Value::from(""),
            ("bool", Value::Null) => Value::Bool(false),
            ("int32" | "int64" | "float64", Value::Null) => Value::from(0),
            ("int32" | "int64", Value::Number(number)) => self.integer(number, go),
            ("float64", Value::Number(_)) | ("raw", _) => value.clone(),
            ("bytes", Value::String(text)) => self.bytes(text),
            ("time" | "microtime", _) => self.time(value, inner),
            ("quantity", _) => self.quantity(value, |quantity| quantity),
            ("intorstring", Value::String(_)) => value.clone(),
            ("intorstring", Value::Number(number)) => self.integer(number, "int32"),
            ("intorstring", _) => self.mismatch(json_type(value), "int32"),
            _ => self.mismatch(json_type(value), &go_name(go)),
        }
    }

    fn items(&mut self, value: &Value, items: &'static str, go: &str) -> Value {
        let Value::Array(given) = value else {
            return match value {
                Value::Null => Value::Null,
                _ => self.mismatch(json_type(value), &go_name(go)),
            };
        };
        let mut kept = Vec::with_capacity(given.len());
        for (place, item) in given.iter().enumerate() {
            self.at.push(Step::Index(place));
            kept.push(self.value(item, items));
            self.at.pop();
        }
        Value::Array(kept)
    }

    fn entries(&mut self, value: &Value, values: &'static str, go: &str) -> Value {
        let Value::Object(given) = value else {
            return match value {
                Value::Null => Value::Null,
                _ => self.mismatch(json_type(value), &go_name(go)),
            };
        };
        let mut kept = Map::new();
        for (key, item) in given {
            self.at.push(Step::Key(key.clone()));
            let value = match go {
                "v1.ResourceList=map:quantity" => self.quantity(item, Quantity::in_thousandths),
                _ => self.value(item, values),
            };
            kept.insert(key.clone(), value);
            self.at.pop();
        }
        Value::Object(kept)
    }

    fn integer(&mut self, number: &serde_json::Number, go: &str) -> Value {
        let range = match bare(go) {
            "int32" => i64::from(i32::MIN)..=i64::from(i32::MAX),
            _ => i64::MIN..=i64::MAX,
        };
        match number.as_i64().filter(|int| range.contains(int)) {
            Some(int) => Value::from(int),
            None => self.mismatch(&format!("number {number}"), &go_name(go)),
        }
    }

    fn bytes(&mut self, text: &str) -> Value {
        let text: String = text.chars().filter(|it| *it != '\n' && *it != '\r').collect();
        let body = text.trim_end_matches('=');
        let is_body = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
        let wrong = body.bytes().position(|byte| !is_body(byte));
        let padding = text.len() - body.len();
        let is_whole = text.len().is_multiple_of(4) && padding <= 2;
        match wrong.or((!is_whole).then_some(text.len() - text.len() % 4)) {
            Some(place) => {
                self.error.get_or_insert(format!("illegal base64 data at input byte {place}"));
                Value::Null
            }
            None => Value::from(text),
        }
    }

    fn time(&mut self, value: &Value, form: &str) -> Value {
        let Value::String(text) = value else {
            return self.mismatch(json_type(value), "string");
        };
        match time::stored(text, form == "microtime") {
            Ok(text) => Value::from(text),
            Err(why) => {
                self.fatal.get_or_insert(why);
                Value::Null
            }
        }
    }

    fn quantity(&mut self, value: &Value, round: fn(Quantity) -> Quantity) -> Value {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => "0".to_owned(),
            _ => value.to_string(),
        };
        match Quantity::parse(&text) {
            Ok(quantity) => Value::from(round(quantity).to_string()),
            Err(why) => {
                self.fatal.get_or_insert(why.to_owned());
                Value::Null
            }
        }
    }

    fn mismatch(&mut self, found: &str, go_type: &str) -> Value {
        let within = self.structs.last().map(String::as_str);
        let text = go_text::cannot_unmarshal(found, within, &self.at, go_type);
        self.error.get_or_insert(text);
        Value::Null
    }
}

fn path(steps: &[Step]) -> Path {
    steps.iter().fold(Path::root(), |path, step| match step {
        Step::Field(name) => path.field(name),
        Step::Key(key) => path.field(key),
        Step::Index(place) => path.index(*place),
    })
}

/// Whether a value of a plain type is left out.
fn is_empty(value: &Value, go: &str) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64() == Some(0.0) && bare(go) != "intorstring",
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty() && bare(go) != "raw",
        Value::Object(fields) => {
            fields.is_empty() && !bare(go).starts_with('#') && bare(go) != "raw"
        }
    }
}

/// The type behind a name: `string` of `v1.Protocol=string`.
fn bare(go: &str) -> &str {
    match go.split_once('=') {
        Some((name, go)) if !name.starts_with(['[', '*']) && !name.starts_with("map:") => go,
        Some(_) | None => go,
    }
}

/// The type as Go names it in messages.
fn go_name(go: &str) -> String {
    if let Some(items) = go.strip_prefix("[]") {
        return format!("[]{}", go_name(items));
    }
    if let Some(values) = go.strip_prefix("map:") {
        return format!("map[string]{}", go_name(values));
    }
    if let Some(schema) = go.strip_prefix('#') {
        return format!("v1.{}", short(schema));
    }
    match go {
        "bytes" => "[]uint8".to_owned(),
        "quantity" => "resource.Quantity".to_owned(),
        _ => go.split('=').next().unwrap_or(go).trim_start_matches('*').to_owned(),
    }
}

fn short(schema: &str) -> &str {
    schema.rsplit('.').next().unwrap_or(schema)
}
