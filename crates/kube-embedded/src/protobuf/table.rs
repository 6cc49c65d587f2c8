//! The messages that are known: fields by number, with their names in JSON.
//!
//! Reads the generated table; returns messages.
//! Invariant: a message refers only to messages that are in the table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::Named;

/// The fields of a message, by number.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: &'static str,
    pub(super) fields: BTreeMap<u32, Described>,
}

/// What is known of a field.
#[derive(Debug)]
pub(super) struct Described {
    /// In JSON; empty for a struct whose fields stand beside those of its owner.
    pub(super) name: &'static str,
    /// Whether zero is told from absent.
    pub(super) is_pointer: bool,
    pub(super) shape: Shape,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    String,
    Bool,
    Int32,
    Int64,
    Double,
    Bytes,
    Time,
    MicroTime,
    Quantity,
    IntOrString,
    /// JSON.
    Raw,
    SchemaOrArray,
    SchemaOrBool,
    SchemaOrStrings,
    /// A message that is nothing but a list.
    List(Box<Shape>),
    Message(&'static str),
    Repeated(Box<Shape>),
    Map(Box<Shape>),
}

/// The message of the schemas of CRDs.
pub(super) const SCHEMA: &str = "apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

type Written = BTreeMap<&'static str, BTreeMap<u32, &'static str>>;

static TABLE: LazyLock<BTreeMap<&'static str, Message>> = LazyLock::new(|| {
    let written: Written = serde_json::from_str(include_str!("../../kinds/wire.json"))
        .expect("the generated table is JSON");
    written
        .into_iter()
        .map(|(name, fields)| {
            let fields = fields.into_iter().map(|(number, text)| (number, described(text)));
            (name, Message { name: short(name), fields: fields.collect() })
        })
        .collect()
});

/// The message of this name.
pub(super) fn message(name: &str) -> &'static Message {
    TABLE.get(name).expect("messages refer to messages of the table")
}

/// The message of a kind.
pub(super) fn message_of(named: &Named) -> Option<&'static Message> {
    // Every group has this kind.
    if named.kind == "DeleteOptions" {
        return TABLE.get("apimachinery.pkg.apis.meta.v1.DeleteOptions");
    }
    let (group, version) = named.api_version.split_once('/').unwrap_or(("", &named.api_version));
    let package = match group {
        "" => "api.core".to_owned(),
        "apiextensions.k8s.io" => "apiextensions_apiserver.pkg.apis.apiextensions".to_owned(),
        "apps" | "autoscaling" | "batch" | "policy" => format!("api.{group}"),
        "rbac.authorization.k8s.io" => "api.rbac".to_owned(),
        _ => format!("api.{}", group.strip_suffix(".k8s.io")?),
    };
    TABLE.get(format!("{package}.{version}.{}", named.kind).as_str())
}

/// Every message of the table.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static Message)> {
    TABLE.iter().map(|(name, message)| (*name, message))
}

fn short(name: &'static str) -> &'static str {
    name.rsplit('.').next().unwrap_or(name)
}

fn described(text: &'static str) -> Described {
    let (name, shape) = text.split_once('=').expect("a field has a name and a type");
    let (is_pointer, shape) = match shape.strip_prefix('*') {
        Some(shape) => (true, shape),
        None => (false, shape),
    };
    Described { name, is_pointer, shape: self::shape(shape) }
}

fn shape(text: &'static str) -> Shape {
    let boxed = |text| Box::new(shape(text));
    if let Some(name) = text.strip_prefix('#') {
        return Shape::Message(name);
    }
    if let Some(items) = text.strip_prefix("[]") {
        return Shape::Repeated(boxed(items));
    }
    if let Some((word, inner)) = text.split_once(':') {
        return match word {
            "map" => Shape::Map(boxed(inner)),
            _ => Shape::List(boxed(inner)),
        };
    }
    match text {
        "bool" => Shape::Bool,
        "int32" => Shape::Int32,
        "int64" => Shape::Int64,
        "double" => Shape::Double,
        "bytes" => Shape::Bytes,
        "time" => Shape::Time,
        "microtime" => Shape::MicroTime,
        "quantity" => Shape::Quantity,
        "intorstring" => Shape::IntOrString,
        "raw" => Shape::Raw,
        "orarray" => Shape::SchemaOrArray,
        "orbool" => Shape::SchemaOrBool,
        "orstrings" => Shape::SchemaOrStrings,
        "string" => Shape::String,
        other => panic!("the generated table has a type {other}"),
    }
}
