//! An in-memory database with its replica: where plans are tried without a server.
//!
//! Invariant: the replica always equals the engine's content.

use std::sync::Arc;
use std::time::Duration;

use ovsdb::cache::{Cache, Change, TableUpdates};
use ovsdb::engine::{Context, Engine, Outcome};
use ovsdb::op::{OpResult, Operation};
use ovsdb::{Fault, Uuid};

use crate::compare::{CompareError, compare_all};
use crate::plan::Plan;
use crate::rules::Rules;
use crate::sheet::Sheet;

/// One database in memory.
#[derive(Debug, Clone)]
pub struct SimulatedDatabase {
    engine: Engine,
    cache: Cache,
    rules: Rules,
    uuids: u128,
}

impl SimulatedDatabase {
    /// An empty database with the generated schema.
    pub fn new(rules: Rules) -> Self {
        let schema = Arc::new(rules.database.to_schema());
        let cache = Cache::new(Arc::clone(&schema), &rules.indexes());
        Self { engine: Engine::new(schema), cache, rules, uuids: 0 }
    }

    /// The replica.
    pub fn rows(&self) -> &Cache {
        &self.cache
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// What these sheets would change.
    pub fn plan<'a>(
        &self,
        sheets: impl IntoIterator<Item = &'a Sheet>,
    ) -> Result<Plan, CompareError> {
        compare_all(sheets, &self.cache, &self.rules)
    }

    /// Commits a plan, or tells why the database refused it.
    pub fn apply(&mut self, plan: &Plan) -> Result<(), Fault> {
        self.transact(&plan.operations(self.rules.database)).map(|_| ())
    }

    /// Runs one transaction and brings the replica up to date.
    pub fn transact(&mut self, operations: &[Operation]) -> Result<Vec<OpResult>, Fault> {
        self.transact_and_tell(operations).map(|(results, _)| results)
    }

    /// The same, with what changed in the replica.
    pub fn transact_and_tell(
        &mut self,
        operations: &[Operation],
    ) -> Result<(Vec<OpResult>, Vec<Change>), Fault> {
        let mut number = self.uuids;
        let mut next = || {
            number += 1;
            Uuid::from_u128(number)
        };
        let mut context =
            Context { uuids: &mut next, holds_lock: &|_| true, elapsed: Duration::ZERO };
        let outcome = self.engine.transact(operations, &mut context);
        self.uuids = number;
        match outcome {
            Outcome::Blocked { .. } => {
                Err(Fault::new(Fault::TIMED_OUT, "a wait without a timeout is not satisfied"))
            }
            Outcome::Finished(transacted) => {
                let fault = transacted.results.iter().find_map(|result| match result {
                    OpResult::Failed(fault) => Some(fault.clone()),
                    _ => None,
                });
                let updates: TableUpdates = transacted.changes.into_iter().collect();
                let changes = self.cache.apply(updates);
                let changes = changes.expect("an engine's changes fit its own replica");
                fault.map_or(Ok((transacted.results, changes)), Err)
            }
        }
    }
}
