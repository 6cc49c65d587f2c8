//! Reads a whole row object, `{column: value, …}`, directed by its table.
//!
//! Invariant: a column that the table does not have is an error that names it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::{ShapeSeed, Strictness, Text};
use crate::row::Row;
use crate::schema::{BaseType, ColumnType, TableSchema};
use crate::value::{Atom, AtomKind, Datum, Uuid};

/// A row as received, with its identifier if that was among the columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecodedRow {
    pub uuid: Option<Uuid>,
    pub row: Row,
}

/// Decodes a row of a table.
#[derive(Debug, Clone, Copy)]
pub struct RowSeed<'t> {
    pub table: &'t TableSchema,
    pub strictness: Strictness,
}

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = DecodedRow;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DecodedRow, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = DecodedRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a row of {}", self.table.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DecodedRow, A::Error> {
        let mut decoded = DecodedRow::default();
        // Most rows that are told have set so many or fewer.
        let mut columns = Vec::with_capacity(8);
        while let Some(name) = map.next_key::<Text<'de>>()? {
            let Some((id, column)) = self.table.find(&name) else {
                self.read_implicit(&name, &mut map, &mut decoded)?;
                continue;
            };
            let datum = self.read_value(&name, &column.kind, &mut map)?;
            columns.push((id, datum));
        }
        // A difference keeps values that equal the default: they still say what changed.
        decoded.row = match self.strictness {
            Strictness::Atoms => Row::exactly(columns),
            Strictness::Count | Strictness::Whole => Row::new(self.table, columns),
        };
        Ok(decoded)
    }
}

impl RowSeed<'_> {
    fn read_value<'de, A: MapAccess<'de>>(
        &self,
        name: &str,
        kind: &ColumnType,
        map: &mut A,
    ) -> Result<Datum, A::Error> {
        let in_column = |problem: &dyn fmt::Display| {
            A::Error::custom(format_args!("table {} column {name}: {problem}", self.table.name))
        };
        let shape = map.next_value_seed(ShapeSeed { kind }).map_err(|error| in_column(&error))?;
        kind.admit(shape, self.strictness).map_err(|fault| in_column(&fault))
    }

    fn read_implicit<'de, A: MapAccess<'de>>(
        &self,
        name: &str,
        map: &mut A,
        decoded: &mut DecodedRow,
    ) -> Result<(), A::Error> {
        match name {
            "_uuid" => {
                let kind = ColumnType::scalar(BaseType::from(AtomKind::Uuid));
                let datum = self.read_value(name, &kind, map)?;
                decoded.uuid = datum.as_atom().and_then(Atom::as_uuid);
                Ok(())
            }
            "_version" => map.next_value::<IgnoredAny>().map(|_| ()),
            _ => {
                let table = &self.table.name;
                Err(A::Error::custom(format_args!("table {table} has no column {name:?}")))
            }
        }
    }
}
