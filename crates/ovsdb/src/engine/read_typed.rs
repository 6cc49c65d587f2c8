//! Reads an operation that is typed already.
//!
//! Invariant: the same checks in the same order as for JSON; only syntax cannot be wrong.

use super::catalog::Catalog;
use super::field::Field;
use super::filter::Filter;
use super::step::{Reader, Step, Wait, expected, mutable, stored};
use crate::fault::Fault;
use crate::op::{Condition, Name, Operation, Until, Values};
use crate::schema::TableSchema;
use crate::value::Datum;

impl Reader<'_> {
    /// Reads one operation.
    pub(super) fn step_from_operation(
        &mut self,
        catalog: &Catalog,
        operation: &Operation,
    ) -> Result<Step, Fault> {
        match operation {
            Operation::Insert { table, row, uuid_name, uuid } => {
                let (id, table) = catalog.find(table)?;
                let uuid = self.identifier(id, *uuid, uuid_name.as_deref())?;
                let row = stored(self.values(table, row)?);
                Ok(Step::Insert { table: id, uuid, row })
            }
            Operation::Select { table, conditions, columns } => {
                let (id, table) = catalog.find(table)?;
                let filter = self.conditions(table, conditions)?;
                let fields = fields(table, columns.as_deref())?;
                Ok(Step::Select { table: id, filter, fields, sort: Vec::new() })
            }
            Operation::Update { table, conditions, row } => {
                let (id, table) = catalog.find(table)?;
                let row = self.values(table, row)?;
                row.iter().try_for_each(|(field, _)| mutable(table, *field).map(|_| ()))?;
                let filter = self.conditions(table, conditions)?;
                Ok(Step::Update { table: id, filter, row: stored(row) })
            }
            Operation::Mutate { table, conditions, mutations } => {
                let (id, table) = catalog.find(table)?;
                let mut changes = Vec::with_capacity(mutations.len());
                for m in mutations {
                    changes.push(self.mutation(table, &m.column, m.mutator.symbol(), &m.value)?);
                }
                let filter = self.conditions(table, conditions)?;
                Ok(Step::Mutate { table: id, filter, changes })
            }
            Operation::Delete { table, conditions } => {
                let (id, table) = catalog.find(table)?;
                Ok(Step::Delete { table: id, filter: self.conditions(table, conditions)? })
            }
            Operation::Wait { .. } => self.typed_wait(catalog, operation),
            Operation::Commit { durable } => Ok(Step::Commit { durable: *durable }),
            Operation::Abort {} => Ok(Step::Abort),
            Operation::Comment { .. } => Ok(Step::Comment),
            Operation::Assert { lock } => Ok(Step::Assert { lock: lock.as_str().into() }),
        }
    }

    fn typed_wait(&mut self, catalog: &Catalog, operation: &Operation) -> Result<Step, Fault> {
        let Operation::Wait { table, conditions, columns, until, rows, timeout } = operation else {
            return Err(Fault::syntax("not a wait"));
        };
        let (id, table) = catalog.find(table)?;
        let filter = self.conditions(table, conditions)?;
        let fields = fields(table, columns.as_deref())?;
        let mut wanted = Vec::with_capacity(rows.len());
        for row in rows {
            wanted.push(expected(table, &self.values(table, row)?, &fields));
        }
        let equal = *until == Until::Equal;
        let wait = Wait { table: id, filter, equal, fields, rows: wanted, timeout: *timeout };
        Ok(Step::Wait(Box::new(wait)))
    }

    fn values(&mut self, table: &TableSchema, row: &Values) -> Result<Vec<(Field, Datum)>, Fault> {
        self.row(table, row.iter().map(|(name, datum)| (&**name, datum)))
    }

    fn conditions(
        &mut self,
        table: &TableSchema,
        conditions: &[Condition],
    ) -> Result<Filter, Fault> {
        let mut clauses = Vec::with_capacity(conditions.len());
        for c in conditions {
            clauses.push(self.clause(table, &c.column, c.function.symbol(), &c.value)?);
        }
        Ok(Filter(clauses))
    }
}

fn fields(table: &TableSchema, columns: Option<&[Name]>) -> Result<Vec<Field>, Fault> {
    let Some(columns) = columns else { return Ok(Field::all(table)) };
    let find = |name: &Name| {
        Field::find(table, name)
            .ok_or_else(|| Fault::syntax(format!("{name} is not a column of {}", table.name)))
    };
    columns.iter().map(find).collect()
}
