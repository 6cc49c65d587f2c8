//! A stored row: the columns that differ from their defaults.
//!
//! Most columns of most rows are empty, so a row keeps only what was set.
//! Invariant: columns are ascending; a row made for a table holds no default value, so two rows
//! are equal exactly when all their columns are.

use crate::schema::{ColumnId, TableSchema};
use crate::value::{Datum, Shared};

/// One row's columns, without its identifier.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row(Box<[(ColumnId, Datum)]>);

impl Row {
    /// A row with these columns; the others have their defaults.
    pub fn new(table: &TableSchema, columns: impl IntoIterator<Item = (ColumnId, Datum)>) -> Self {
        let is_set = |(id, datum): &(ColumnId, Datum)| table.column(*id).default() != datum;
        Self::exactly(columns.into_iter().filter(is_set))
    }

    /// Keeps every given column, also those with default values, as a difference must.
    pub(crate) fn exactly(columns: impl IntoIterator<Item = (ColumnId, Datum)>) -> Self {
        let mut columns: Vec<_> = columns.into_iter().collect();
        columns.sort_by_key(|(id, _)| *id);
        columns.dedup_by_key(|(id, _)| *id);
        Self(columns.into())
    }

    /// The column's value, its default when the row never set it.
    pub fn get<'a>(&'a self, table: &'a TableSchema, id: ColumnId) -> &'a Datum {
        self.stored(id).unwrap_or_else(|| table.column(id).default())
    }

    /// The column's value if it is not the default.
    pub fn stored(&self, id: ColumnId) -> Option<&Datum> {
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(&self.0[at].1)
    }

    /// Sets a column and returns what it held before, unless that was the default.
    pub fn put(&mut self, table: &TableSchema, id: ColumnId, datum: Datum) -> Option<Datum> {
        let is_default = table.column(id).default() == &datum;
        match self.0.binary_search_by_key(&id, |(id, _)| *id) {
            Ok(at) if is_default => Some(self.remove(at)),
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, datum)),
            Err(_) if is_default => None,
            Err(at) => {
                self.insert(at, (id, datum));
                None
            }
        }
    }

    // A row is read much more often than it gains a column, so it keeps no room for more.
    fn insert(&mut self, at: usize, column: (ColumnId, Datum)) {
        let mut columns = std::mem::take(&mut self.0).into_vec();
        columns.insert(at, column);
        self.0 = columns.into();
    }

    fn remove(&mut self, at: usize) -> Datum {
        let mut columns = std::mem::take(&mut self.0).into_vec();
        let (_, datum) = columns.remove(at);
        self.0 = columns.into();
        datum
    }

    /// Applies a difference to a set or map column in place; returns the one that takes it back.
    pub(crate) fn change(&mut self, table: &TableSchema, id: ColumnId, difference: Datum) -> Datum {
        let default = table.column(id).default();
        let at = self.0.binary_search_by_key(&id, |(id, _)| *id).unwrap_or_else(|at| {
            self.insert(at, (id, default.clone()));
            at
        });
        let undo = self.0[at].1.change(difference);
        if self.0[at].1 == *default {
            self.remove(at);
        }
        undo
    }

    /// Keeps what it has in common with rows met before only once.
    pub(crate) fn share(&mut self, shared: &mut Shared) {
        self.0.iter_mut().for_each(|(_, datum)| shared.share(datum));
    }

    /// The columns that are not default, ascending.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (ColumnId, &Datum)> {
        self.0.iter().map(|(id, datum)| (*id, datum))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Row {
    type Item = (ColumnId, Datum);
    type IntoIter = std::vec::IntoIter<(ColumnId, Datum)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_vec().into_iter()
    }
}
