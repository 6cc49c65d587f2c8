//! Columns as operations name them: those of the schema, and the two every row has.
//!
//! Invariant: a field belongs to the table it was found in.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::row::Row;
use crate::schema::{ColumnId, ColumnType, TableSchema};
use crate::value::{AtomKind, Datum, Uuid};

static IDENTIFIER: LazyLock<ColumnType> = LazyLock::new(|| ColumnType::from(AtomKind::Uuid));

/// One column of a table, the implicit ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Uuid,
    Version,
    Column(ColumnId),
}

impl Field {
    pub(crate) fn find(table: &TableSchema, name: &str) -> Option<Self> {
        match name {
            "_uuid" => Some(Self::Uuid),
            "_version" => Some(Self::Version),
            name => table.column_id(name).map(Self::Column),
        }
    }

    /// Every column of the table, as an operation that names none means it.
    pub(crate) fn all(table: &TableSchema) -> Vec<Self> {
        let columns = table.columns().map(|(id, _)| Self::Column(id));
        [Self::Uuid, Self::Version].into_iter().chain(columns).collect()
    }

    pub(crate) fn name(self, table: &TableSchema) -> &str {
        match self {
            Self::Uuid => "_uuid",
            Self::Version => "_version",
            Self::Column(id) => &table.column(id).name,
        }
    }

    pub(crate) fn kind(self, table: &TableSchema) -> &ColumnType {
        match self {
            Self::Uuid | Self::Version => &IDENTIFIER,
            Self::Column(id) => &table.column(id).kind,
        }
    }

    pub(crate) fn is_mutable(self, table: &TableSchema) -> bool {
        match self {
            Self::Uuid | Self::Version => false,
            Self::Column(id) => table.column(id).mutable,
        }
    }
}

/// A row as a running transaction sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Current<'a> {
    pub(crate) table: &'a TableSchema,
    pub(crate) uuid: Uuid,
    pub(crate) version: Uuid,
    pub(crate) row: &'a Row,
}

impl<'a> Current<'a> {
    pub(crate) fn value(&self, field: Field) -> Cow<'a, Datum> {
        match field {
            Field::Uuid => Cow::Owned(Datum::from(self.uuid)),
            Field::Version => Cow::Owned(Datum::from(self.version)),
            Field::Column(id) => Cow::Borrowed(self.row.get(self.table, id)),
        }
    }

    /// The row cut down to some fields.
    pub(crate) fn project(&self, fields: &[Field]) -> Vec<Datum> {
        fields.iter().map(|field| self.value(*field).into_owned()).collect()
    }
}
