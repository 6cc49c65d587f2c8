//! Types of variables as a schema declares them, with the greatest size a value may have.
//!
//! Reads nothing; the schema's reader builds these, the checker and the cost estimate read them.
//! Invariant: sizes only bound the estimate; they never change what an expression means.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of a variable before any value is.
///
/// `max` is what Kubernetes calls `MaxElements`: bytes of a string, items of a list, entries of
/// a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    Bool,
    Int,
    Uint,
    Double,
    String { max: u64 },
    Bytes { max: u64 },
    Timestamp { max: u64 },
    Duration { max: u64 },
    Dyn { max: u64 },
    List { items: Arc<Declared>, max: u64 },
    Map { keys: Arc<Declared>, values: Arc<Declared>, max: u64 },
    Object(Arc<Object>),
    Optional(Arc<Declared>),
}

/// An object with known fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The type's own name, such as `kubernetes.AdmissionRequest`; without one it is called after
    /// the variable and the fields that lead to it.
    pub name: Option<String>,
    /// Fields by their escaped names (see [`escape`](super::escape())).
    pub fields: BTreeMap<String, Declared>,
}

impl Declared {
    /// A value of any type, whose size is not bounded.
    pub const DYN: Self = Self::Dyn { max: 0 };

    pub fn list(items: Declared, max: u64) -> Self {
        Self::List { items: Arc::new(items), max }
    }

    /// A map whose keys are strings.
    pub fn map(values: Declared, max: u64) -> Self {
        Self::Map { keys: Arc::new(Self::String { max: 0 }), values: Arc::new(values), max }
    }

    pub fn object(fields: impl IntoIterator<Item = (String, Declared)>) -> Self {
        Self::Object(Arc::new(Object { name: None, fields: fields.into_iter().collect() }))
    }

    pub fn optional(inner: Declared) -> Self {
        Self::Optional(Arc::new(inner))
    }
}
