//! The structural schema of a custom resource.
//!
//! Read from a CRD; walked by every check, by the generator of documents and by tests.
//! Invariant: a schema that was read is structural as the server defines it.

mod extensions;
mod pattern;
mod read;
mod structural;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::field_error::FieldError;

pub use pattern::Pattern;
pub(crate) use read::read;

/// What a value must look like.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    pub title: String,
    pub description: String,
    /// The `type` of the manifest; none for any.
    pub kind: Option<Kind>,
    pub format: String,
    pub nullable: bool,
    pub default: Option<Value>,
    pub minimum: Option<f64>,
    pub maximum: Option<f64>,
    pub exclusive_minimum: bool,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<f64>,
    pub min_length: Option<i64>,
    pub max_length: Option<i64>,
    pub pattern: Option<Pattern>,
    pub min_items: Option<i64>,
    pub max_items: Option<i64>,
    pub min_properties: Option<i64>,
    pub max_properties: Option<i64>,
    pub enumeration: Vec<Value>,
    pub required: Vec<String>,
    pub properties: BTreeMap<String, Schema>,
    pub additional: Additional,
    pub items: Option<Box<Schema>>,
    pub all_of: Vec<Schema>,
    pub any_of: Vec<Schema>,
    pub one_of: Vec<Schema>,
    pub not: Option<Box<Schema>>,
    pub preserve_unknown_fields: bool,
    pub int_or_string: bool,
    pub embedded_resource: bool,
    pub list_type: Option<ListType>,
    pub list_map_keys: Vec<String>,
    pub map_type: Option<MapType>,
    pub rules: Vec<Rule>,
    /// How a strategic merge patch treats the field (`merge`, `replace`, `retainKeys`, several with
    /// commas); empty in CRDs.
    pub patch_strategy: String,
    /// The field that tells items apart when a strategic merge patch merges a list.
    pub patch_merge_key: String,
}

/// The JSON type a schema asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Object,
    Array,
    String,
    Integer,
    Number,
    Boolean,
}

/// What an object may hold beside its properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Additional {
    #[default]
    Unset,
    /// `additionalProperties: true` or `false`.
    Any(bool),
    /// Values under any key, all of one schema.
    Of(Box<Schema>),
}

/// How the items of a list are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListType {
    Atomic,
    Set,
    Map,
}

/// Whether the fields of an object have owners of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapType {
    Granular,
    Atomic,
}

/// One rule of `x-kubernetes-validations`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    pub rule: String,
    pub message: String,
    pub message_expression: String,
    pub reason: Option<Reason>,
    pub field_path: String,
    /// Whether `oldSelf` is an optional value; none where the manifest does not say.
    pub optional_old_self: Option<bool>,
}

/// The kind of error a failed rule gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    Invalid,
    Forbidden,
    Required,
    Duplicate,
}

impl Schema {
    /// Reads the schema of a kind that the server has without a CRD, all references resolved.
    pub fn native(document: &Value) -> Result<Self, Vec<FieldError>> {
        read::read_native(document)
    }

    /// The schema of a field: a property's own, or the one all keys share.
    pub fn of_field(&self, name: &str) -> Option<&Schema> {
        self.properties.get(name).or(match &self.additional {
            Additional::Of(values) => Some(&**values),
            Additional::Unset | Additional::Any(_) => None,
        })
    }

    /// The schema that values under any key share, if there is one.
    pub fn of_values(&self) -> Option<&Schema> {
        match &self.additional {
            Additional::Of(values) => Some(values),
            Additional::Unset | Additional::Any(_) => None,
        }
    }

    pub(crate) fn of_kind(kind: Kind) -> Self {
        Self { kind: Some(kind), ..Self::default() }
    }

    pub(crate) fn is_list_map(&self) -> bool {
        self.kind == Some(Kind::Array)
            && self.list_type == Some(ListType::Map)
            && !self.list_map_keys.is_empty()
    }
}

impl Kind {
    /// The word of the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
        }
    }
}

impl ListType {
    /// The word of the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Set => "set",
            Self::Map => "map",
        }
    }
}

#[cfg(test)]
mod tests;
