//! A sheet: exactly the rows that one part wants to exist.
//!
//! Invariant: a row is on a sheet once; drawing it again with other content is remembered as a
//! clash and refused by compare.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::value::{Atom, Datum, Uuid};

use crate::column::Column;
use crate::drawn::{Record, Value, Values};
use crate::key::{Identity, Key};
use crate::rules::Owner;

mod show;

/// The rows of one part.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    pub owner: Owner,
    rows: BTreeMap<Key, Drawn>,
    clashes: BTreeSet<Key>,
}

/// One row on a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    pub values: Values,
    /// The lists that hold the row.
    pub places: BTreeSet<Place>,
    /// Entries of shared maps that must not exist.
    pub absent: BTreeSet<(&'static str, Atom)>,
}

/// A list column of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub parent: Key,
    pub column: &'static str,
}

/// The type of list columns.
pub type List = Column<BTreeSet<Uuid>>;

impl Sheet {
    /// An empty sheet: what a part that is gone draws.
    pub fn new(owner: Owner) -> Self {
        Self { owner, rows: BTreeMap::new(), clashes: BTreeSet::new() }
    }

    /// A sheet of rows that were drawn already, such as those of another sheet.
    pub fn from_rows(owner: Owner, rows: impl IntoIterator<Item = (Key, Drawn)>) -> Self {
        let mut sheet = Self::new(owner);
        for (key, drawn) in rows {
            sheet.insert(key, drawn);
        }
        sheet
    }

    /// Draws a row that stands by itself.
    pub fn draw<R: Record>(&mut self, record: &R) -> Key {
        self.add(record, None)
    }

    /// Draws a row that lives in a list of another row.
    pub fn draw_under<R: Record>(&mut self, record: &R, parent: &Key, list: List) -> Key {
        self.add(record, Some(Place { parent: parent.clone(), column: list.name }))
    }

    /// Puts a drawn row into one more list, such as a port into a port group.
    pub fn join(&mut self, row: &Key, group: &Key, list: List) {
        let drawn = self.rows.get_mut(row).expect("a row joins a list after it was drawn");
        drawn.places.insert(Place { parent: group.clone(), column: list.name });
    }

    /// Says that a shared map of a drawn row must not have this entry.
    pub fn forbid_entry(&mut self, row: &Key, map: Column<BTreeMap<String, String>>, entry: &str) {
        let drawn = self.rows.get_mut(row).expect("an entry is forbidden after the row was drawn");
        drawn.absent.insert((map.name, Atom::from(entry)));
    }

    pub fn rows(&self) -> impl ExactSizeIterator<Item = (&Key, &Drawn)> {
        self.rows.iter()
    }

    pub fn row(&self, key: &Key) -> Option<&Drawn> {
        self.rows.get(key)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows that were drawn twice with different content.
    pub fn clashes(&self) -> impl Iterator<Item = &Key> {
        self.clashes.iter()
    }

    fn add<R: Record>(&mut self, record: &R, place: Option<Place>) -> Key {
        let identity = Identity::of(R::TABLE).expect("only tables with an identity are drawn");
        let values = record.values();
        let parent = place.as_ref().map(|place| &place.parent);
        let key = identity.key_of_drawn(R::TABLE, &values, parent);
        let drawn = Drawn { values, places: place.into_iter().collect(), absent: BTreeSet::new() };
        self.insert(key.clone(), drawn);
        key
    }

    fn insert(&mut self, key: Key, drawn: Drawn) {
        match self.rows.get(&key) {
            Some(before) if *before != drawn => {
                self.clashes.insert(key);
            }
            Some(_) => {}
            None => {
                self.rows.insert(key, drawn);
            }
        }
    }
}

impl Drawn {
    /// The keys that the row's columns and places mention.
    pub fn mentions(&self) -> impl Iterator<Item = &Key> {
        let in_columns = self.values.values().flat_map(|value| -> Box<dyn Iterator<Item = &Key>> {
            match value {
                Value::Rows(keys) => Box::new(keys.iter()),
                Value::RowMap(entries) => Box::new(entries.values()),
                Value::Datum(_) => Box::new(std::iter::empty()),
            }
        });
        in_columns.chain(self.places.iter().map(|place| &place.parent))
    }

    /// The plain value of a column, if it is drawn and names no rows.
    pub fn datum(&self, column: &str) -> Option<&Datum> {
        match self.values.get(column)? {
            Value::Datum(datum) => Some(datum),
            Value::Rows(_) | Value::RowMap(_) => None,
        }
    }
}
