//! Runs one step of a transaction on its draft.
//!
//! Invariant: a step that fails may leave the draft half changed; the caller drops it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::answer::{Answer, Selection};
use super::catalog::TableId;
use super::draft::Draft;
use super::field::{Current, Field};
use super::filter::Filter;
use super::mutation::Change;
use super::step::{Columns, Step, Wait};
use super::{Context, Pause};
use crate::fault::Fault;
use crate::row::Row;
use crate::schema::TableSchema;
use crate::value::{Datum, Uuid};

/// What a transaction remembers between its steps.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) durable: bool,
    /// The shortest timeout of the waits so far, in milliseconds.
    pub(super) timeout: Option<u64>,
}

impl Draft<'_> {
    pub(super) fn run(
        &mut self,
        step: Step,
        context: &mut Context<'_>,
        progress: &mut Progress,
    ) -> Result<Answer, Pause> {
        match step {
            Step::Insert { table, uuid, row } => Ok(self.insert(table, uuid, row, context)?),
            Step::Select { table, filter, fields, sort } => {
                Ok(Answer::Rows(self.select(table, &filter, fields, &sort)))
            }
            Step::Update { table, filter, row } => {
                Ok(Answer::Count(self.update(table, &filter, &row, context)))
            }
            Step::Mutate { table, filter, changes } => {
                Ok(Answer::Count(self.mutate(table, &filter, &changes, context)?))
            }
            Step::Delete { table, filter } => Ok(Answer::Count(self.delete(table, &filter))),
            Step::Wait(wait) => self.wait(&wait, context, progress),
            Step::Commit { durable } => {
                progress.durable |= durable;
                Ok(Answer::Done)
            }
            Step::Abort => Err(Fault::new(Fault::ABORTED, "aborted by request").into()),
            Step::Comment => Ok(Answer::Done),
            Step::Assert { lock } if (context.holds_lock)(&lock) => Ok(Answer::Done),
            Step::Assert { lock } => {
                let problem = format!("asserted lock {lock} not held");
                Err(Fault::new(Fault::NOT_OWNER, problem).into())
            }
        }
    }

    fn insert(
        &mut self,
        table: TableId,
        uuid: Uuid,
        columns: Columns,
        context: &mut Context<'_>,
    ) -> Result<Answer, Fault> {
        let schema = self.catalog.table(table);
        let row = Row::new(schema, columns);
        check_defaults(schema, &row)?;
        self.put((table, uuid), Arc::new(row), context.uuids);
        Ok(Answer::Inserted(uuid))
    }

    fn select(
        &self,
        table: TableId,
        filter: &Filter,
        fields: Vec<Field>,
        sort: &[Field],
    ) -> Selection {
        let mut found = self.matching(table, filter);
        if !sort.is_empty() {
            found.sort_by_cached_key(|row| row.project(sort));
        }
        let mut rows: Vec<Vec<Datum>> = found.iter().map(|row| row.project(&fields)).collect();
        // compat: ovsdb/query.c, ovsdb_query_distinct: rows that look the same are one.
        if !fields.contains(&Field::Uuid) {
            let mut seen = BTreeSet::new();
            rows.retain(|row| seen.insert(row.clone()));
        }
        Selection { table: Arc::clone(self.catalog.table(table)), fields, rows }
    }

    fn update(
        &mut self,
        table: TableId,
        filter: &Filter,
        columns: &Columns,
        context: &mut Context<'_>,
    ) -> u64 {
        let schema = Arc::clone(self.catalog.table(table));
        let rewritten: Vec<(Uuid, Arc<Row>)> = self
            .matching(table, filter)
            .into_iter()
            .map(|current| {
                let mut row = current.row.clone();
                for (id, datum) in columns {
                    row.put(&schema, *id, datum.clone());
                }
                (current.uuid, Arc::new(row))
            })
            .collect();
        self.put_all(table, rewritten, context)
    }

    fn mutate(
        &mut self,
        table: TableId,
        filter: &Filter,
        changes: &[Change],
        context: &mut Context<'_>,
    ) -> Result<u64, Fault> {
        let schema = Arc::clone(self.catalog.table(table));
        let mutate = |current: Current<'_>| {
            let mut row = current.row.clone();
            for change in changes {
                let kind = &schema.column(change.column).kind;
                let new = change.apply(kind, row.get(&schema, change.column))?;
                row.put(&schema, change.column, new);
            }
            Ok((current.uuid, Arc::new(row)))
        };
        let matching = self.matching(table, filter).into_iter();
        let rewritten = matching.map(mutate).collect::<Result<Vec<_>, Fault>>()?;
        Ok(self.put_all(table, rewritten, context))
    }

    fn put_all(
        &mut self,
        table: TableId,
        rows: Vec<(Uuid, Arc<Row>)>,
        context: &mut Context<'_>,
    ) -> u64 {
        let count = rows.len() as u64;
        for (uuid, row) in rows {
            self.put((table, uuid), row, context.uuids);
        }
        count
    }

    fn delete(&mut self, table: TableId, filter: &Filter) -> u64 {
        let gone: Vec<Uuid> = self.matching(table, filter).iter().map(|row| row.uuid).collect();
        for uuid in &gone {
            self.remove((table, *uuid));
        }
        gone.len() as u64
    }

    fn wait(
        &self,
        wait: &Wait,
        context: &Context<'_>,
        progress: &mut Progress,
    ) -> Result<Answer, Pause> {
        let shorter = |own: u64| progress.timeout.map_or(own, |other| other.min(own));
        progress.timeout = wait.timeout.map(shorter).or(progress.timeout);
        let found = self.matching(wait.table, &wait.filter);
        let actual: BTreeSet<Vec<Datum>> =
            found.iter().map(|row| row.project(&wait.fields)).collect();
        let expected: BTreeSet<Vec<Datum>> = wait.rows.iter().cloned().collect();
        if (actual == expected) == wait.equal {
            return Ok(Answer::Done);
        }
        let elapsed = u64::try_from(context.elapsed.as_millis()).unwrap_or(u64::MAX);
        if wait.timeout.is_some_and(|timeout| timeout <= elapsed) {
            let problem = format!("the rows did not become as expected within {elapsed} ms");
            return Err(Fault::new(Fault::TIMED_OUT, problem).into());
        }
        Err(Pause::Blocked)
    }
}

/// compat: ovsdb/execution.c, ovsdb_execute_insert: a default may violate its own column, as the
/// empty string does in an enumeration; then the column has to be set.
fn check_defaults(table: &TableSchema, row: &Row) -> Result<(), Fault> {
    for (id, column) in table.columns() {
        if row.stored(id).is_none() {
            check_default(&column.kind, column.default())?;
        }
    }
    Ok(())
}

fn check_default(kind: &crate::schema::ColumnType, default: &Datum) -> Result<(), Fault> {
    default.atoms().iter().try_for_each(|atom| kind.key.check(atom))?;
    default.entries().iter().try_for_each(|(key, value)| {
        kind.key.check(key)?;
        kind.value.as_ref().map_or(Ok(()), |base| base.check(value))
    })
}
