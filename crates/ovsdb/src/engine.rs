//! An in-memory database that runs transactions as ovsdb-server does.
//!
//! Reads operations, typed or as JSON; returns their results and the rows that changed.
//! Invariant: a transaction is seen wholly or not at all, and costs in proportion to the rows it
//! touches, unless a condition has to look at every row of a table.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::fault::Fault;
use crate::op::{OpResult, Operation};
use crate::schema::DatabaseSchema;
use crate::value::Uuid;

pub(crate) mod answer;
pub(crate) mod catalog;
mod change;
mod commit;
mod draft;
pub(crate) mod field;
pub(crate) mod filter;
mod mutation;
mod read_json;
mod read_typed;
mod run;
mod settle;
mod snapshot;
pub(crate) mod step;
pub(crate) mod symbols;
mod table;
#[cfg(test)]
mod tests;

pub use change::RowChange;

use answer::Answer;
use catalog::Catalog;
use draft::Draft;
use run::Progress;
use step::{Reader, Step};
use symbols::Symbols;
use table::Table;

/// A database.
#[derive(Debug, Clone)]
pub struct Engine {
    schema: Arc<DatabaseSchema>,
    catalog: Arc<Catalog>,
    tables: Vec<Table>,
}

/// What a transaction needs from outside.
pub struct Context<'a> {
    /// Draws a new, random identifier.
    pub uuids: &'a mut dyn FnMut() -> Uuid,
    /// Whether the client owns a lock, for `assert`.
    pub holds_lock: &'a dyn Fn(&str) -> bool,
    /// How long the client has been waiting for this transaction already.
    pub elapsed: Duration,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("elapsed", &self.elapsed).finish_non_exhaustive()
    }
}

/// What became of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome<R> {
    Finished(Transacted<R>),
    /// A `wait` is not satisfied. Run the transaction again after another one commits, and when
    /// it has waited for this long in total; without a timeout, for as long as it takes.
    Blocked {
        timeout: Option<Duration>,
    },
}

/// A transaction that was committed or refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Transacted<R> {
    /// One per operation, and one more if the commit itself was refused.
    pub results: Vec<R>,
    /// The rows that changed, by table and identifier; none if the transaction was refused.
    pub changes: Vec<RowChange>,
    pub committed: bool,
    /// Whether the client asked for the commit to reach the disk before the answer.
    pub durable: bool,
}

/// Why a step did not finish.
enum Pause {
    Failed(Fault),
    Blocked,
}

impl From<Fault> for Pause {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

impl Engine {
    /// An empty database.
    pub fn new(schema: Arc<DatabaseSchema>) -> Self {
        let catalog = Arc::new(Catalog::new(&schema));
        let tables = schema.tables().map(|table| Table::new(Arc::clone(table))).collect();
        Self { schema, catalog, tables }
    }

    pub fn schema(&self) -> &Arc<DatabaseSchema> {
        &self.schema
    }

    /// Runs a transaction of typed operations.
    pub fn transact(
        &mut self,
        operations: &[Operation],
        context: &mut Context<'_>,
    ) -> Outcome<OpResult> {
        self.run(operations, context, |reader, catalog, operation| {
            reader.step_from_operation(catalog, operation)
        })
    }

    /// Runs a transaction of operations as a client sends them, without the database's name.
    pub fn transact_json(
        &mut self,
        operations: &[Value],
        context: &mut Context<'_>,
    ) -> Outcome<Value> {
        self.run(operations, context, |reader, catalog, operation| {
            reader.step_from_json(catalog, operation)
        })
    }

    fn run<O, R: From<Answer>>(
        &mut self,
        operations: &[O],
        context: &mut Context<'_>,
        read: impl Fn(&mut Reader<'_>, &Catalog, &O) -> Result<Step, Fault>,
    ) -> Outcome<R> {
        let catalog = Arc::clone(&self.catalog);
        let mut draft = Draft::new(&catalog, &self.tables);
        let mut symbols = Symbols::default();
        let mut progress = Progress::default();
        let mut answers = Vec::with_capacity(operations.len());
        for operation in operations {
            let is_taken = |table, uuid| draft.is_taken((table, uuid));
            let mut reader =
                Reader { symbols: &mut symbols, uuids: context.uuids, is_taken: &is_taken };
            let step = read(&mut reader, &catalog, operation).map_err(Pause::Failed);
            match step.and_then(|step| draft.run(step, context, &mut progress)) {
                Ok(answer) => answers.push(answer),
                Err(Pause::Blocked) => {
                    let timeout = progress.timeout.map(Duration::from_millis);
                    return Outcome::Blocked { timeout };
                }
                Err(Pause::Failed(fault)) => {
                    answers.push(Answer::Failed(fault));
                    answers.resize_with(operations.len(), || Answer::NotReached);
                    return finished(answers, None, &progress);
                }
            }
        }
        let settled = draft.settle(context.uuids);
        let edits = draft.edits;
        match settled {
            Ok(gains) => finished(answers, Some(self.commit(edits, &gains)), &progress),
            Err(fault) => {
                answers.push(Answer::Failed(fault));
                finished(answers, None, &progress)
            }
        }
    }
}

fn finished<R: From<Answer>>(
    answers: Vec<Answer>,
    changes: Option<Vec<RowChange>>,
    progress: &Progress,
) -> Outcome<R> {
    Outcome::Finished(Transacted {
        results: answers.into_iter().map(R::from).collect(),
        committed: changes.is_some(),
        changes: changes.unwrap_or_default(),
        durable: progress.durable,
    })
}
