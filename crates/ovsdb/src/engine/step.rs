//! The engine's own form of an operation: names resolved, values checked.
//!
//! Both entrances, JSON and typed, end here, so there is one set of rules.
//! Invariant: a step fits its table; only the content of the database can still refuse it.

use super::catalog::TableId;
use super::field::Field;
use super::filter::{Clause, Filter};
use super::mutation::Change;
use super::symbols::Symbols;
use crate::codec::{Shape, Strictness, datum_from_json};
use crate::fault::Fault;
use crate::op::{Function, Mutator};
use crate::schema::{BaseType, ColumnId, ColumnType, TableSchema};
use crate::value::{AtomKind, Datum, Uuid};

/// One operation, ready to run.
#[derive(Debug)]
pub(crate) enum Step {
    Insert { table: TableId, uuid: Uuid, row: Columns },
    Select { table: TableId, filter: Filter, fields: Vec<Field>, sort: Vec<Field> },
    Update { table: TableId, filter: Filter, row: Columns },
    Mutate { table: TableId, filter: Filter, changes: Vec<Change> },
    Delete { table: TableId, filter: Filter },
    Wait(Box<Wait>),
    Commit { durable: bool },
    Abort,
    Comment,
    Assert { lock: Box<str> },
}

/// A `wait`, the largest of the operations.
#[derive(Debug)]
pub(crate) struct Wait {
    pub(crate) table: TableId,
    pub(crate) filter: Filter,
    /// Until the rows are equal, or until they differ.
    pub(crate) equal: bool,
    pub(crate) fields: Vec<Field>,
    /// The expected rows, cut down to the fields.
    pub(crate) rows: Vec<Vec<Datum>>,
    /// Milliseconds.
    pub(crate) timeout: Option<u64>,
}

/// The stored columns that an insert or update sets.
pub(crate) type Columns = Vec<(ColumnId, Datum)>;

/// A value from outside, read as a column's type directs.
pub(crate) trait Wanted {
    fn read(&self, kind: &ColumnType) -> Result<Datum, Fault>;
}

impl Wanted for serde_json::Value {
    fn read(&self, kind: &ColumnType) -> Result<Datum, Fault> {
        datum_from_json(kind, self)
    }
}

impl Wanted for Datum {
    fn read(&self, kind: &ColumnType) -> Result<Datum, Fault> {
        let key = kind.key.kind();
        let value = kind.value.as_ref().map(BaseType::kind);
        let fits = self.is_map() == kind.is_map()
            && self.atoms().iter().all(|atom| atom.kind() == key)
            && self.entries().iter().all(|(k, v)| k.kind() == key && Some(v.kind()) == value);
        if !fits {
            return Err(Fault::syntax(format!("expected {key}, found {self:?}")));
        }
        let shape = if self.is_map() {
            Shape::Map(self.entries().to_vec())
        } else {
            Shape::Set(self.atoms().iter().cloned().collect())
        };
        kind.admit(shape, Strictness::Whole)
    }
}

/// Reads values for one transaction: knows its names, and draws identifiers for them.
pub(crate) struct Reader<'a> {
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) uuids: &'a mut dyn FnMut() -> Uuid,
    /// Whether an insert cannot have an identifier, because a row has it or had it until now.
    pub(crate) is_taken: &'a dyn Fn(TableId, Uuid) -> bool,
}

impl Reader<'_> {
    /// The identifier of a row to insert, by wish, by name or new.
    ///
    /// compat: ovsdb/execution.c, ovsdb_execute_insert: decided before the row is read, so that
    /// the row may refer to itself.
    pub(crate) fn identifier(
        &mut self,
        table: TableId,
        wanted: Option<Uuid>,
        name: Option<&str>,
    ) -> Result<Uuid, Fault> {
        if let Some(uuid) = wanted.filter(|uuid| (self.is_taken)(table, *uuid)) {
            let problem = format!("{uuid} is in the table or was deleted in this transaction");
            return Err(Fault::new(Fault::DUPLICATE_UUID, problem));
        }
        match name {
            Some(name) => self.symbols.define(name, wanted, self.uuids),
            None => Ok(wanted.unwrap_or_else(|| (self.uuids)())),
        }
    }

    pub(crate) fn value(
        &mut self,
        kind: &ColumnType,
        wanted: &impl Wanted,
    ) -> Result<Datum, Fault> {
        let datum = wanted.read(kind)?;
        self.symbols.resolve(datum, self.uuids)
    }

    /// Reads a whole row, the implicit columns included.
    pub(crate) fn row<'w, W: Wanted + 'w>(
        &mut self,
        table: &TableSchema,
        columns: impl Iterator<Item = (&'w str, &'w W)>,
    ) -> Result<Vec<(Field, Datum)>, Fault> {
        let mut row = Vec::new();
        for (name, wanted) in columns {
            let field = find(table, name)?;
            row.push((field, self.value(field.kind(table), wanted)?));
        }
        Ok(row)
    }

    /// Reads the argument of a condition.
    ///
    /// compat: ovsdb/condition.c, ovsdb_clause_from_json: each function relaxes or narrows how
    /// many members its argument may have.
    pub(crate) fn clause(
        &mut self,
        table: &TableSchema,
        column: &str,
        function: &str,
        argument: &impl Wanted,
    ) -> Result<Clause, Fault> {
        let field = find(table, column)?;
        let function = Function::parse(function).ok_or_else(|| {
            Fault::new(Fault::UNKNOWN_FUNCTION, format!("no function named {function}"))
        })?;
        let mut kind = field.kind(table).clone();
        if function.is_relational() {
            if kind.is_map() || kind.max != Some(1) || !is_numeric(&kind) {
                return Err(mismatch(function.symbol(), column));
            }
            kind.min = 1;
        } else if !kind.is_scalar() {
            match function {
                Function::Includes => kind.min = 0,
                Function::Excludes => (kind.min, kind.max) = (0, None),
                Function::Equal
                | Function::NotEqual
                | Function::Less
                | Function::LessOrEqual
                | Function::GreaterOrEqual
                | Function::Greater => {}
            }
        }
        Ok(Clause::Compare { field, function, argument: self.value(&kind, argument)? })
    }

    /// Reads one mutation.
    ///
    /// compat: ovsdb/mutation.c, ovsdb_mutation_from_json.
    pub(crate) fn mutation(
        &mut self,
        table: &TableSchema,
        column: &str,
        mutator: &str,
        argument: &impl Wanted,
    ) -> Result<Change, Fault> {
        let Field::Column(id) = mutable(table, find(table, column)?)? else {
            return Err(Fault::constraint(format!("cannot mutate {column}")));
        };
        let mutator = Mutator::parse(mutator).ok_or_else(|| {
            Fault::new(Fault::UNKNOWN_MUTATOR, format!("no mutator named {mutator}"))
        })?;
        let mut kind = table.column(id).kind.clone();
        let argument = match mutator {
            Mutator::Insert | Mutator::Delete => {
                if kind.is_scalar() {
                    return Err(mismatch(mutator.symbol(), column));
                }
                self.members(kind, mutator, argument)?
            }
            Mutator::Add
            | Mutator::Subtract
            | Mutator::Multiply
            | Mutator::Divide
            | Mutator::Modulo => {
                let no_remainder = mutator == Mutator::Modulo && kind.key.kind() == AtomKind::Real;
                if kind.is_map() || !is_numeric(&kind) || no_remainder {
                    return Err(mismatch(mutator.symbol(), column));
                }
                kind = ColumnType::from(kind.key.kind());
                self.value(&kind, argument)?
            }
        };
        Ok(Change { column: id, mutator, argument })
    }

    fn members(
        &mut self,
        mut kind: ColumnType,
        mutator: Mutator,
        argument: &impl Wanted,
    ) -> Result<Datum, Fault> {
        kind.min = 0;
        if mutator == Mutator::Delete {
            kind.max = None;
        }
        let read = self.value(&kind, argument);
        if read.is_ok() || mutator != Mutator::Delete || !kind.is_map() {
            return read;
        }
        // Entries may also be removed by key alone.
        kind.value = None;
        self.value(&kind, argument)
    }
}

pub(crate) fn find(table: &TableSchema, name: &str) -> Result<Field, Fault> {
    Field::find(table, name).ok_or_else(|| {
        let problem = format!("no column {name} in table {}", table.name);
        Fault::new(Fault::UNKNOWN_COLUMN, problem)
    })
}

pub(crate) fn mutable(table: &TableSchema, field: Field) -> Result<Field, Fault> {
    if field.is_mutable(table) {
        return Ok(field);
    }
    let (column, table) = (field.name(table), &table.name);
    Err(Fault::constraint(format!("cannot change immutable column {column} in table {table}")))
}

/// The stored columns of a row; identifier and version are not the client's to set.
pub(crate) fn stored(row: Vec<(Field, Datum)>) -> Columns {
    let only_stored = |(field, datum)| match field {
        Field::Column(id) => Some((id, datum)),
        Field::Uuid | Field::Version => None,
    };
    row.into_iter().filter_map(only_stored).collect()
}

/// An expected row of a `wait`, cut down to the fields; what it does not set has its default.
pub(crate) fn expected(
    table: &TableSchema,
    row: &[(Field, Datum)],
    fields: &[Field],
) -> Vec<Datum> {
    let value = |field: &Field| {
        let given = row.iter().find(|(name, _)| name == field).map(|(_, datum)| datum.clone());
        given.unwrap_or_else(|| match field {
            Field::Uuid | Field::Version => Datum::from(Uuid::nil()),
            Field::Column(id) => table.column(*id).default().clone(),
        })
    };
    fields.iter().map(value).collect()
}

fn is_numeric(kind: &ColumnType) -> bool {
    match kind.key.kind() {
        AtomKind::Integer | AtomKind::Real => true,
        AtomKind::Boolean | AtomKind::String | AtomKind::Uuid => false,
    }
}

fn mismatch(symbol: &str, column: &str) -> Fault {
    Fault::syntax(format!("type mismatch: {symbol:?} may not be applied to column {column}"))
}
