//! Maps and objects.
//!
//! Reads entries; returns a map in the order of its keys.
//! Invariant: keys are unique and sorted.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Value, exact_int};
use crate::cel::error::Error;

/// What a map may be keyed by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Bool(bool),
    Int(i64),
    Uint(u64),
    String(Arc<str>),
}

impl Key {
    /// The key that a value is, if it can be one.
    pub(in crate::cel) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self::Bool(*flag)),
            Value::Int(int) => Some(Self::Int(*int)),
            Value::Uint(uint) => Some(Self::Uint(*uint)),
            Value::String(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }
}

impl From<&Key> for Value {
    fn from(key: &Key) -> Self {
        match key {
            Key::Bool(flag) => Self::Bool(*flag),
            Key::Int(int) => Self::Int(*int),
            Key::Uint(uint) => Self::Uint(*uint),
            Key::String(text) => Self::String(text.clone()),
        }
    }
}

/// A map, or an object of a schema.
///
/// An object has, beside its fields, properties that no expression sees: null ones and those that
/// the schema does not know. They count in its size and in comparison.
#[derive(Debug, Clone, Default)]
pub struct Map {
    named: BTreeMap<Arc<str>, Value>,
    others: BTreeMap<Key, Value>,
    hidden: BTreeMap<String, serde_json::Value>,
    of_schema: bool,
}

impl Map {
    /// A map as a literal makes it, or an object without a schema.
    pub fn new(entries: impl IntoIterator<Item = (Key, Value)>) -> Self {
        let mut map = Self::default();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }

    /// A map of a schema's `additionalProperties`: keys as they are.
    pub fn properties(entries: impl IntoIterator<Item = (String, Value)>) -> Self {
        Self::object(entries, [])
    }

    /// An object of a schema: fields under their escaped names, and the properties that stay
    /// unseen.
    pub fn object(
        fields: impl IntoIterator<Item = (String, Value)>,
        hidden: impl IntoIterator<Item = (String, serde_json::Value)>,
    ) -> Self {
        Self {
            named: fields.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            others: BTreeMap::new(),
            hidden: hidden.into_iter().collect(),
            of_schema: true,
        }
    }

    /// Returns the number of entries, unseen ones included.
    pub fn len(&self) -> usize {
        self.named.len() + self.others.len() + self.hidden.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn entries(&self) -> impl Iterator<Item = (Key, &Value)> {
        let named = self.named.iter().map(|(name, value)| (Key::String(name.clone()), value));
        self.others.iter().map(|(key, value)| (key.clone(), value)).chain(named)
    }

    /// The value under exactly this key.
    pub fn find(&self, key: &Key) -> Option<&Value> {
        match key {
            Key::String(name) => self.named.get(name),
            Key::Bool(_) | Key::Int(_) | Key::Uint(_) => self.others.get(key),
        }
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        self.named.get(name)
    }

    /// The value under a key of any type; numbers are found whatever their type.
    pub(in crate::cel) fn lookup(&self, key: &Value) -> Result<Option<&Value>, Error> {
        if let Value::String(name) = key {
            return Ok(self.named.get(name));
        }
        if self.of_schema {
            return Err(Error::no_such_overload());
        }
        Ok(match key {
            Value::Bool(flag) => self.others.get(&Key::Bool(*flag)),
            Value::Int(_) | Value::Uint(_) | Value::Double(_) => self.numbered(key),
            _ => None,
        })
    }

    fn numbered(&self, key: &Value) -> Option<&Value> {
        if self.others.is_empty() {
            return None;
        }
        let exact = exact_int(key)?;
        let int = || self.others.get(&Key::Int(i64::try_from(exact).ok()?));
        let uint = || self.others.get(&Key::Uint(u64::try_from(exact).ok()?));
        match key {
            Value::Uint(_) => uint().or_else(int),
            _ => int().or_else(uint),
        }
    }

    pub(in crate::cel) fn insert(&mut self, key: Key, value: Value) -> Option<Value> {
        match key {
            Key::String(name) => self.named.insert(name, value),
            key => self.others.insert(key, value),
        }
    }

    pub(in crate::cel) fn remove(&mut self, key: &Key) {
        match key {
            Key::String(name) => self.named.remove(name),
            key => self.others.remove(key),
        };
    }

    pub(super) fn hidden(&self) -> &BTreeMap<String, serde_json::Value> {
        &self.hidden
    }

    pub(in crate::cel) fn is_of_schema(&self) -> bool {
        self.of_schema
    }
}
