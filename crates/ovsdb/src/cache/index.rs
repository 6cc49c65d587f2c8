//! Secondary indexes: which keys a row has, and which columns they are read from.
//!
//! Invariant: the keys of a row depend on nothing but the columns that the index names.

use std::fmt;
use std::sync::Arc;

use super::RowView;
use super::postings::Postings;
use crate::op::Name;
use crate::row::Row;
use crate::schema::{ColumnId, TableSchema};
use crate::value::{Atom, Atoms, Datum};

/// What rows are found by: one atom, or several for a combined key.
pub type IndexKey = Atoms;

/// Computes the keys of a row.
pub type Keys = dyn Fn(RowView<'_>, &mut dyn FnMut(IndexKey)) + Send + Sync;

/// A declared index of one table.
#[derive(Clone)]
pub struct Index {
    pub name: &'static str,
    pub table: Name,
    source: Source,
}

/// Where the keys of an index come from.
#[derive(Clone)]
enum Source {
    /// Each member of a set column, which may be long: a change costs what changed.
    Members(Name),
    /// Anything else; a change of other columns leaves the index alone.
    Computed { columns: Vec<Name>, keys: Arc<Keys> },
}

impl Index {
    /// An index of any keys that can be computed from the named columns.
    pub fn new(
        name: &'static str,
        table: impl Into<Name>,
        columns: impl IntoIterator<Item = impl Into<Name>>,
        keys: impl Fn(RowView<'_>, &mut dyn FnMut(IndexKey)) + Send + Sync + 'static,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        let source = Source::Computed { columns, keys: Arc::new(keys) };
        Self { name, table: table.into(), source }
    }

    /// Finds rows by the combined values of scalar columns.
    pub fn by_columns(
        name: &'static str,
        table: impl Into<Name>,
        columns: &'static [&'static str],
    ) -> Self {
        Self::new(name, table, columns.iter().copied(), move |view, emit| {
            let atoms = columns.iter().map(|column| view.get(column)?.as_atom().cloned());
            if let Some(key) = atoms.collect::<Option<IndexKey>>() {
                emit(key);
            }
        })
    }

    /// Finds rows by each member of a set column, such as the ports of a switch.
    pub fn by_member(name: &'static str, table: impl Into<Name>, column: impl Into<Name>) -> Self {
        Self { name, table: table.into(), source: Source::Members(column.into()) }
    }

    /// Finds rows by the value under one key of a map column.
    pub fn by_entry(
        name: &'static str,
        table: impl Into<Name>,
        column: &'static str,
        entry: &'static str,
    ) -> Self {
        Self::new(name, table, [column], move |view, emit| {
            if let Some(text) = view.entry(column, entry) {
                emit(IndexKey::from_buf([Atom::from(text)]));
            }
        })
    }

    pub(super) fn keys(&self, view: RowView<'_>, mut emit: impl FnMut(IndexKey)) {
        match &self.source {
            Source::Computed { keys, .. } => keys(view, &mut emit),
            Source::Members(column) => {
                for atom in view.get(column).into_iter().flat_map(Datum::atoms) {
                    emit(IndexKey::from_buf([atom.clone()]));
                }
            }
        }
    }

    /// The keys of a row, unless they are the members of a column.
    pub(super) fn computed_keys(&self, view: RowView<'_>) -> Vec<IndexKey> {
        let mut keys = Vec::new();
        if let Source::Computed { .. } = self.source {
            self.keys(view, |key| keys.push(key));
            keys.sort_unstable();
            keys.dedup();
        }
        keys
    }
}

/// An index as one table keeps it.
#[derive(Debug, Clone)]
pub(super) struct KeptIndex {
    pub(super) declared: Arc<Index>,
    /// The columns that it reads, ascending.
    columns: Vec<ColumnId>,
    pub(super) postings: Postings,
}

impl KeptIndex {
    pub(super) fn new(declared: Arc<Index>, table: &TableSchema) -> Self {
        let names = match &declared.source {
            Source::Members(column) => std::slice::from_ref(column),
            Source::Computed { columns, .. } => columns,
        };
        let mut columns: Vec<ColumnId> =
            names.iter().filter_map(|name| table.column_id(name)).collect();
        columns.sort_unstable();
        Self { declared, columns, postings: Postings::default() }
    }

    /// Whether its keys are computed from one of the columns that changed.
    pub(super) fn computes_from(&self, changed: &Row) -> bool {
        matches!(self.declared.source, Source::Computed { .. })
            && changed.columns().any(|(id, _)| self.columns.binary_search(&id).is_ok())
    }

    /// Whether its keys are the members of this column.
    pub(super) fn lists(&self, column: ColumnId) -> bool {
        matches!(self.declared.source, Source::Members(_)) && self.columns.contains(&column)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, table, source } = self;
        match source {
            Source::Members(column) => write!(f, "Index({name} of {table}, members of {column})"),
            Source::Computed { columns, .. } => {
                write!(f, "Index({name} of {table} on {columns:?})")
            }
        }
    }
}
