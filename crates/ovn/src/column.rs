//! Typed access to columns: Rust values in, Rust values out.
//!
//! Invariant: the type of a [`Column`] is the type that the schema gives the column.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

use ovsdb::cache::RowView;
use ovsdb::value::{Atom, Datum, Real, Uuid};

/// A column of a table, with the Rust type of its value.
pub struct Column<T> {
    pub name: &'static str,
    kind: PhantomData<fn() -> T>,
}

impl<T> Column<T> {
    pub const fn new(name: &'static str) -> Self {
        Self { name, kind: PhantomData }
    }
}

impl<T: FromDatum> Column<T> {
    /// The column's value in a row; `None` when the server's table lacks the column, or when the
    /// value is one that this version does not know.
    pub fn read(&self, row: RowView<'_>) -> Option<T> {
        row.get(self.name).and_then(T::from_datum)
    }
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A Rust type that one atom can be.
pub trait FromAtom: Sized {
    fn from_atom(atom: &Atom) -> Option<Self>;
}

/// A Rust type that a whole column can be.
pub trait FromDatum: Sized {
    fn from_datum(datum: &Datum) -> Option<Self>;
}

impl FromAtom for String {
    fn from_atom(atom: &Atom) -> Option<Self> {
        atom.as_str().map(str::to_owned)
    }
}

impl FromAtom for i64 {
    fn from_atom(atom: &Atom) -> Option<Self> {
        atom.as_integer()
    }
}

impl FromAtom for bool {
    fn from_atom(atom: &Atom) -> Option<Self> {
        atom.as_bool()
    }
}

impl FromAtom for Uuid {
    fn from_atom(atom: &Atom) -> Option<Self> {
        atom.as_uuid()
    }
}

impl FromAtom for Real {
    fn from_atom(atom: &Atom) -> Option<Self> {
        if let Atom::Real(number) = atom { Some(*number) } else { None }
    }
}

macro_rules! scalar_columns {
    ($($kind:ty),*) => {$(
        impl FromDatum for $kind {
            fn from_datum(datum: &Datum) -> Option<Self> {
                datum.as_atom().and_then(Self::from_atom)
            }
        }
    )*};
}

scalar_columns!(String, i64, bool, Uuid, Real);

impl<T: FromAtom> FromDatum for Option<T> {
    fn from_datum(datum: &Datum) -> Option<Self> {
        match datum.atoms() {
            [] => Some(None),
            [atom] => T::from_atom(atom).map(Some),
            _ => None,
        }
    }
}

impl<T: FromAtom + Ord> FromDatum for BTreeSet<T> {
    fn from_datum(datum: &Datum) -> Option<Self> {
        datum.atoms().iter().map(T::from_atom).collect()
    }
}

impl<K: FromAtom + Ord, V: FromAtom> FromDatum for BTreeMap<K, V> {
    fn from_datum(datum: &Datum) -> Option<Self> {
        let entry = |(key, value): &(Atom, Atom)| Some((K::from_atom(key)?, V::from_atom(value)?));
        datum.entries().iter().map(entry).collect()
    }
}
