//! What the parts of an object are to their owners: leaves, maps, or lists with items of their own.
//!
//! Reads schemas; returns the [`Form`] of a value and the [`Type`] of what is inside.
//! Invariant: every value has a form, whatever its schema says.

use std::sync::LazyLock;

use kube_schema::{Additional, Kind, ListType, MapType, Schema, quoted};
use serde_json::{Map, Value, json};

use super::names;

/// What is known of a value before it is seen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Type<'a> {
    Known {
        schema: &'a Schema,
        /// Fields that the schema does not name are kept.
        is_open: bool,
        /// The whole of a custom resource: its metadata is as all metadata.
        is_resource: bool,
    },
    /// Nothing is known; maps are taken to be granular, lists to be atomic.
    Deduced,
}

/// How the owners of a value share it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'a> {
    /// It has one owner, whatever is inside.
    Leaf,
    /// Each field has owners of its own.
    Map,
    /// Each item is its own name.
    Set,
    /// Some fields of an item are its name.
    Keyed(&'a [String]),
}

/// Metadata of custom resources; that of built-in kinds is in their schemas.
static METADATA: LazyLock<Schema> = LazyLock::new(|| {
    let text = || json!({"type": "string"});
    let texts = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    let schema = json!({"type": "object", "properties": {
        "annotations": texts(),
        "creationTimestamp": {"type": "string", "format": "date-time"},
        "deletionGracePeriodSeconds": {"type": "integer"},
        "deletionTimestamp": {"type": "string", "format": "date-time"},
        "finalizers": {"type": "array", "items": text(), "x-kubernetes-list-type": "set"},
        "generateName": text(),
        "generation": {"type": "integer"},
        "labels": texts(),
        "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic",
                          "items": {"type": "object"}},
        "name": text(),
        "namespace": text(),
        "ownerReferences": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["uid"],
            "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
                "apiVersion": text(), "kind": text(), "name": text(), "uid": text(),
                "controller": {"type": "boolean"}, "blockOwnerDeletion": {"type": "boolean"},
            }},
        },
        "resourceVersion": text(),
        "selfLink": text(),
        "uid": text(),
    }});
    Schema::native(&schema).expect("the schema is ours and whole")
});

static TEXT: LazyLock<Schema> =
    LazyLock::new(|| Schema::native(&json!({"type": "string"})).expect("it is a schema"));

impl<'a> Type<'a> {
    /// The type of a whole object.
    pub(super) fn of_object(schema: &'a Schema, is_custom: bool) -> Self {
        let schema = seen_through(schema);
        Self::Known { schema, is_open: schema.preserve_unknown_fields, is_resource: is_custom }
    }

    /// How a value of this type is shared; none and null are what the type says first.
    pub(super) fn form(self, value: Option<&Value>) -> Form<'a> {
        let Self::Known { schema, .. } = self else {
            return match value {
                Some(Value::Object(_) | Value::Null) | None => Form::Map,
                Some(Value::Array(_) | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                    Form::Leaf
                }
            };
        };
        match (schema.kind, value) {
            (Some(Kind::Object), _) | (None, Some(Value::Object(_) | Value::Null) | None) => {
                map_form(schema)
            }
            (Some(Kind::Array), _) | (None, Some(Value::Array(_))) => list_form(schema),
            (Some(Kind::String | Kind::Integer | Kind::Number | Kind::Boolean), _)
            | (None, Some(Value::Bool(_) | Value::Number(_) | Value::String(_))) => Form::Leaf,
        }
    }

    /// The type of a field; none if there may be no such field.
    pub(super) fn field(self, name: &str) -> Option<Type<'a>> {
        let Self::Known { schema, is_open, is_resource } = self else {
            return Some(Self::Deduced);
        };
        if is_resource && let Some(schema) = of_resource(name) {
            return Some(Self::of_object(schema, false));
        }
        if let Some(schema) = schema.of_field(name) {
            return Some(Self::below(schema, is_open));
        }
        let is_free = match &schema.additional {
            Additional::Any(is_allowed) => *is_allowed,
            Additional::Unset => is_open || schema.properties.is_empty(),
            Additional::Of(_) => false,
        };
        is_free.then_some(Self::Deduced)
    }

    /// The type of a field, or a guess where there may be no such field.
    pub(super) fn field_or_guess(self, name: &str) -> Type<'a> {
        self.field(name).unwrap_or(Self::Deduced)
    }

    /// Whether the type names this field, rather than allowing for it.
    pub(super) fn names(self, name: &str) -> bool {
        let Self::Known { schema, is_resource, .. } = self else {
            return false;
        };
        is_resource && of_resource(name).is_some() || schema.properties.contains_key(name)
    }

    /// The type of the items of a list.
    pub(super) fn items(self) -> Type<'a> {
        let Self::Known { schema, is_open, .. } = self else {
            return Self::Deduced;
        };
        schema.items.as_deref().map_or(Self::Deduced, |schema| Self::below(schema, is_open))
    }

    fn below(schema: &'a Schema, is_open: bool) -> Self {
        let schema = seen_through(schema);
        let is_open = is_open || schema.preserve_unknown_fields;
        Self::Known { schema, is_open, is_resource: schema.embedded_resource }
    }

    /// The name of an item; fails in the server's words.
    pub(super) fn item_name(self, form: Form<'_>, item: &Value) -> Result<String, String> {
        match form {
            Form::Keyed(keys) => self.keyed_name(keys, item),
            Form::Set | Form::Leaf | Form::Map => {
                let what = match item {
                    Value::Object(_) => "a map type",
                    Value::Null => "an explicit null",
                    Value::Array(_) => {
                        let why = "not supported: associative list with lists as elements";
                        return Err(why.to_owned());
                    }
                    Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                        return Ok(names::valued(item));
                    }
                };
                Err(format!("associative list without keys has an element that's {what}"))
            }
        }
    }

    fn keyed_name(self, keys: &[String], item: &Value) -> Result<String, String> {
        let why = match item {
            Value::Object(_) => "",
            Value::Null => "associative list with keys may not have a null element",
            Value::Array(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                "associative list with keys may not have non-map elements"
            }
        };
        if !why.is_empty() {
            return Err(why.to_owned());
        }
        let items = self.items();
        let value_of = |key: &String| item.get(key).cloned().or_else(|| items.default_of(key));
        let named: Map<_, _> =
            keys.iter().filter_map(|key| Some((key.clone(), value_of(key)?))).collect();
        if named.is_empty() && !keys.is_empty() {
            let keys: Vec<_> = keys.iter().map(|key| quoted(key)).collect();
            return Err(format!(
                "associative list with keys has an element that omits all key fields [{}] (and \
                 doesn't have default values for any key fields)",
                keys.join(" ")
            ));
        }
        Ok(names::keyed(named))
    }

    fn default_of(self, field: &str) -> Option<Value> {
        match self {
            Self::Known { schema, .. } => schema.properties.get(field)?.default.clone(),
            Self::Deduced => None,
        }
    }
}

/// Looks through wrappers that only point at a type.
pub(super) fn seen_through(schema: &Schema) -> &Schema {
    match schema.all_of.as_slice() {
        [only] if schema.kind.is_none() && schema.properties.is_empty() => seen_through(only),
        _ => schema,
    }
}

fn of_resource(name: &str) -> Option<&'static Schema> {
    match name {
        "metadata" => Some(&METADATA),
        "apiVersion" | "kind" => Some(&TEXT),
        _ => None,
    }
}

fn map_form(schema: &Schema) -> Form<'_> {
    match schema.map_type {
        Some(MapType::Atomic) => Form::Leaf,
        Some(MapType::Granular) | None => Form::Map,
    }
}

fn list_form(schema: &Schema) -> Form<'_> {
    match schema.list_type {
        Some(ListType::Atomic) => Form::Leaf,
        Some(ListType::Set) => Form::Set,
        Some(ListType::Map) => Form::Keyed(&schema.list_map_keys),
        None if !matches!(schema.patch_strategy.as_str(), "merge" | "merge,retainKeys") => {
            Form::Leaf
        }
        None if schema.patch_merge_key.is_empty() => Form::Set,
        None => Form::Keyed(std::slice::from_ref(&schema.patch_merge_key)),
    }
}
