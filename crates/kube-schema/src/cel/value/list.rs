//! Lists, and how Kubernetes' list types change what equal and `+` mean.
//!
//! Reads items; returns lists.
//! Invariant: the kind of a list never changes what its items are, only how lists are compared,
//! indexed and joined.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Key, Map, Value};
use crate::cel::escape::escape;

/// Where a list comes from, and its `x-kubernetes-list-type`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ListKind {
    /// A literal, a result, or a part of an object without a schema.
    #[default]
    Plain,
    /// A list of a schema: `atomic`, or without a list type.
    Atomic,
    Set,
    /// Items are objects told apart by these properties (names as in the schema, not escaped).
    Map {
        keys: Arc<[String]>,
    },
}

/// A list value.
#[derive(Debug, Clone)]
pub struct List {
    items: Vec<Value>,
    kind: ListKind,
}

impl List {
    pub fn new(items: Vec<Value>, kind: ListKind) -> Self {
        Self { items, kind }
    }

    pub fn items(&self) -> &[Value] {
        &self.items
    }

    pub fn kind(&self) -> &ListKind {
        &self.kind
    }

    pub(in crate::cel) fn is_plain(&self) -> bool {
        self.kind == ListKind::Plain
    }

    pub(in crate::cel) fn items_mut(&mut self) -> &mut Vec<Value> {
        &mut self.items
    }

    /// What `self + other` is.
    pub(in crate::cel) fn joined(&self, other: &List) -> List {
        let items = match &self.kind {
            ListKind::Plain | ListKind::Atomic => [self.items(), other.items()].concat(),
            ListKind::Set => self.union(other),
            ListKind::Map { keys } => self.merged(other, keys),
        };
        Self { items, kind: self.kind.clone() }
    }

    fn union(&self, other: &List) -> Vec<Value> {
        let mut seen: BTreeMap<Option<Scalar>, ()> =
            self.items.iter().map(|item| (Scalar::of(item), ())).collect();
        let mut items = self.items.clone();
        for item in &other.items {
            if seen.insert(Scalar::of(item), ()).is_none() {
                items.push(item.clone());
            }
        }
        items
    }

    fn merged(&self, other: &List, keys: &[String]) -> Vec<Value> {
        let mut places: BTreeMap<Vec<Option<Scalar>>, usize> = BTreeMap::new();
        for (place, item) in self.items.iter().enumerate() {
            places.insert(item_key(item, keys), place);
        }
        let mut items = self.items.clone();
        for item in &other.items {
            match places.get(&item_key(item, keys)) {
                Some(place) => items[*place] = item.clone(),
                None => items.push(item.clone()),
            }
        }
        items
    }
}

/// A scalar in the form that tells items of sets and keyed lists apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    Bool(bool),
    Int(i64),
    Double(u64),
    String(Arc<str>),
}

impl Scalar {
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self::Bool(*flag)),
            Value::Int(int) => Some(Self::Int(*int)),
            Value::Double(real) => Some(Self::Double(real.to_bits())),
            Value::String(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }
}

/// The values of an item's key properties; one that must be escaped is never found.
/// (compat: valuesunstructured.go, toMapKey looks up escaped names among plain ones)
pub(super) fn item_key(item: &Value, keys: &[String]) -> Vec<Option<Scalar>> {
    let find = |map: &Map, key: &String| {
        let is_plain = escape(key).is_some_and(|escaped| escaped == *key);
        if is_plain {
            map.find(&Key::String(key.as_str().into())).and_then(Scalar::of)
        } else {
            None
        }
    };
    match item {
        Value::Map(map) => keys.iter().map(|key| find(map, key)).collect(),
        _ => Vec::new(),
    }
}
