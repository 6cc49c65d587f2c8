//! Table updates as the three monitor methods carry them.
//!
//! Decoded straight from text, directed by the schema, so that the initial state of a large
//! database needs no intermediate tree.
//! Invariant: a table or column that the schema lacks is an error that names it.

use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use crate::codec::{RowSeed, Strictness, Text};
use crate::row::Row;
use crate::schema::{DatabaseSchema, TableSchema};
use crate::value::{Shared, Uuid};

/// Which of the two notations an update is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateFormat {
    /// `update`: old and new rows.
    Rows,
    /// `update2` and `update3`: insert, modify with differences, delete.
    Differences,
}

/// What happened to one row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowUpdate {
    Insert(Row),
    /// Differences of the named columns.
    Modify(Row),
    /// The whole new row.
    Replace(Row),
    Delete,
}

impl RowUpdate {
    /// The same with what whole rows have in common kept once; a difference is soon gone.
    pub(super) fn shared(mut self, shared: &mut Shared) -> Self {
        match &mut self {
            Self::Insert(row) | Self::Replace(row) => row.share(shared),
            Self::Modify(_) | Self::Delete => {}
        }
        self
    }
}

/// Updates by table, in the order received.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableUpdates(pub Vec<(Arc<str>, RowUpdates)>);

/// The updated rows of one table.
pub type RowUpdates = Vec<(Uuid, RowUpdate)>;

impl TableUpdates {
    /// How many rows are updated.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(_, rows)| rows.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Decodes `{table: {uuid: row update}}`.
#[derive(Debug, Clone, Copy)]
pub struct UpdatesSeed<'s> {
    pub schema: &'s DatabaseSchema,
    pub format: UpdateFormat,
}

impl<'de> DeserializeSeed<'de> for UpdatesSeed<'_> {
    type Value = TableUpdates;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<TableUpdates, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for UpdatesSeed<'_> {
    type Value = TableUpdates;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("table updates")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TableUpdates, A::Error> {
        let mut updates = TableUpdates::default();
        while let Some(name) = map.next_key::<Text<'de>>()? {
            let Some(table) = self.schema.table(&name) else {
                return Err(A::Error::custom(format_args!("the schema has no table {:?}", &*name)));
            };
            let rows = map.next_value_seed(TableSeed { table, format: self.format })?;
            updates.0.push((Arc::clone(&table.name), rows));
        }
        Ok(updates)
    }
}

struct TableSeed<'t> {
    table: &'t TableSchema,
    format: UpdateFormat,
}

impl<'de> DeserializeSeed<'de> for TableSeed<'_> {
    type Value = Vec<(Uuid, RowUpdate)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TableSeed<'_> {
    type Value = Vec<(Uuid, RowUpdate)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row updates of table {}", self.table.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut rows = Vec::new();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            let Some(uuid) = crate::codec::parse_uuid(&key) else {
                return Err(A::Error::custom(format_args!("{:?} is not a valid UUID", &*key)));
            };
            let update =
                map.next_value_seed(RowUpdateSeed { table: self.table, format: self.format })?;
            rows.push((uuid, update));
        }
        Ok(rows)
    }
}

struct RowUpdateSeed<'t> {
    table: &'t TableSchema,
    format: UpdateFormat,
}

impl<'de> DeserializeSeed<'de> for RowUpdateSeed<'_> {
    type Value = RowUpdate;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RowUpdate, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl RowUpdateSeed<'_> {
    fn read_row<'de, A: MapAccess<'de>>(
        &self,
        map: &mut A,
        strictness: Strictness,
    ) -> Result<Row, A::Error> {
        map.next_value_seed(RowSeed { table: self.table, strictness }).map(|decoded| decoded.row)
    }
}

impl<'de> Visitor<'de> for RowUpdateSeed<'_> {
    type Value = RowUpdate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an update of a row of table {}", self.table.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowUpdate, A::Error> {
        let mut update = None;
        let mut had_old = false;
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match (self.format, &*key) {
                (UpdateFormat::Differences, "initial" | "insert") => {
                    update = Some(RowUpdate::Insert(self.read_row(&mut map, Strictness::Count)?));
                }
                (UpdateFormat::Differences, "modify") => {
                    update = Some(RowUpdate::Modify(self.read_row(&mut map, Strictness::Atoms)?));
                }
                (UpdateFormat::Differences, "delete") => {
                    map.next_value::<IgnoredAny>()?;
                    update = Some(RowUpdate::Delete);
                }
                (UpdateFormat::Rows, "new") => {
                    update = Some(RowUpdate::Insert(self.read_row(&mut map, Strictness::Count)?));
                }
                (UpdateFormat::Rows, "old") => {
                    map.next_value::<IgnoredAny>()?;
                    had_old = true;
                }
                (_, other) => {
                    return Err(A::Error::custom(format_args!("unexpected member {other:?}")));
                }
            }
        }
        match (update, had_old) {
            (Some(RowUpdate::Insert(row)), true) => Ok(RowUpdate::Replace(row)),
            (Some(update), _) => Ok(update),
            (None, true) => Ok(RowUpdate::Delete),
            (None, false) => Err(A::Error::custom("a row update that says nothing")),
        }
    }
}
