//! What generated table files use.
//!
//! Invariant: nothing here is needed outside `generated/`.

pub(crate) use std::collections::{BTreeMap, BTreeSet};

pub(crate) use ovsdb::value::{Atom, Datum, Uuid};

pub(crate) use crate::column::{Column, FromAtom, FromDatum};
pub(crate) use crate::definition::{BaseDef, ColumnDef, DatabaseDef, TableDef};
pub(crate) use crate::drawn::{Record, RowRef, RowRefMap, RowRefs, ToAtom, Values, put};

/// Declares an enum whose variants are texts on the wire.
macro_rules! enumeration {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// The value on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl FromAtom for $name {
            fn from_atom(atom: &Atom) -> Option<Self> {
                match atom.as_str()? { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl FromDatum for $name {
            fn from_datum(datum: &Datum) -> Option<Self> {
                datum.as_atom().and_then(Self::from_atom)
            }
        }

        impl ToAtom for $name {
            fn to_atom(&self) -> Atom {
                Atom::from(self.as_str())
            }
        }
    };
}

pub(crate) use enumeration;
