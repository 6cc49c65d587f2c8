//! Rows as they are drawn: values that may refer to other rows by identity.
//!
//! A drawn row names rows by [`Key`]; which identifiers they have is found out by compare.
//! Invariant: a drawn row holds no default values, so absence means the default.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::value::{Atom, Datum, Real, Uuid};

use crate::definition::TableDef;
use crate::key::Key;

/// What a drawn column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Datum(Datum),
    /// A set of rows.
    Rows(BTreeSet<Key>),
    /// A map to rows.
    RowMap(BTreeMap<Atom, Key>),
}

/// The columns of a drawn row that are not at their defaults, by name.
pub type Values = BTreeMap<&'static str, Value>;

/// A typed row of one table, as generated for every table.
pub trait Record {
    const TABLE: &'static TableDef;

    /// Adds every column that is not at its default.
    fn write(&self, values: &mut Values);

    /// The columns that are not at their defaults.
    fn values(&self) -> Values {
        let mut values = Values::new();
        self.write(&mut values);
        values
    }
}

/// Adds a column unless it is at its default.
pub fn put(values: &mut Values, column: &'static str, field: &impl ToValue) {
    if let Some(value) = field.to_value() {
        values.insert(column, value);
    }
}

/// A Rust type that can be one atom of a drawn column.
pub trait ToAtom {
    fn to_atom(&self) -> Atom;
}

/// A Rust type that can be a whole drawn column.
pub trait ToValue {
    /// `None` when it is what the column holds by default.
    fn to_value(&self) -> Option<Value>;
}

impl ToAtom for String {
    fn to_atom(&self) -> Atom {
        Atom::from(self.as_str())
    }
}

impl ToAtom for i64 {
    fn to_atom(&self) -> Atom {
        Atom::Integer(*self)
    }
}

impl ToAtom for bool {
    fn to_atom(&self) -> Atom {
        Atom::Boolean(*self)
    }
}

impl ToAtom for Uuid {
    fn to_atom(&self) -> Atom {
        Atom::Uuid(*self)
    }
}

impl ToAtom for Real {
    fn to_atom(&self) -> Atom {
        Atom::Real(*self)
    }
}

macro_rules! scalar_values {
    ($($kind:ty),*) => {$(
        impl ToValue for $kind {
            fn to_value(&self) -> Option<Value> {
                let atom = self.to_atom();
                (atom != atom.kind().default_atom()).then(|| Value::Datum(atom.into()))
            }
        }
    )*};
}

scalar_values!(String, i64, bool, Real, Uuid);

impl<T: ToAtom> ToValue for Option<T> {
    fn to_value(&self) -> Option<Value> {
        self.as_ref().map(|atom| Value::Datum(atom.to_atom().into()))
    }
}

impl<T: ToAtom> ToValue for BTreeSet<T> {
    fn to_value(&self) -> Option<Value> {
        (!self.is_empty()).then(|| Value::Datum(Datum::set(self.iter().map(T::to_atom))))
    }
}

impl<K: ToAtom, V: ToAtom> ToValue for BTreeMap<K, V> {
    fn to_value(&self) -> Option<Value> {
        let entries = self.iter().map(|(key, value)| (key.to_atom(), value.to_atom()));
        (!self.is_empty()).then(|| Value::Datum(Datum::map(entries)))
    }
}

/// One row, for columns that name another row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowRef(pub Option<Key>);

/// Several rows, for columns that name other rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowRefs(pub BTreeSet<Key>);

/// Rows under keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRefMap<K>(pub BTreeMap<K, Key>);

impl<K> Default for RowRefMap<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl ToValue for RowRef {
    fn to_value(&self) -> Option<Value> {
        self.0.as_ref().map(|key| Value::Rows(BTreeSet::from([key.clone()])))
    }
}

impl ToValue for RowRefs {
    fn to_value(&self) -> Option<Value> {
        (!self.0.is_empty()).then(|| Value::Rows(self.0.clone()))
    }
}

impl<K: ToAtom> ToValue for RowRefMap<K> {
    fn to_value(&self) -> Option<Value> {
        let entries = self.0.iter().map(|(key, row)| (key.to_atom(), row.clone()));
        (!self.0.is_empty()).then(|| Value::RowMap(entries.collect()))
    }
}

impl From<Key> for RowRef {
    fn from(key: Key) -> Self {
        Self(Some(key))
    }
}

impl FromIterator<Key> for RowRefs {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}
