//! Commits plans, many at once.
//!
//! Invariant: a plan is applied whole or not at all; what became of a lost one is never assumed.

use ovn::Plan;
use ovsdb::Fault;
use ovsdb::session::{Outcome, TransactError};
use ovsdb_net::client::Pending;
use udn_model::Receipt;

use super::Database;

/// Why a plan was not committed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CommitError {
    #[error("there is no connection to {database}")]
    NotConnected { database: &'static str },
    #[error("there is no room for another transaction to {database}")]
    Busy { database: &'static str, source: TransactError },
    #[error("{database} refused the transaction: {fault}")]
    Refused { database: &'static str, fault: Fault },
    /// A row that the plan relies on changed after it was made.
    #[error("rows of {database} changed while they were being compared")]
    Overtaken { database: &'static str },
    #[error("lost the connection to {database} before it answered")]
    Lost { database: &'static str },
}

impl CommitError {
    /// Whether comparing again is all it takes.
    pub fn is_overtaken(&self) -> bool {
        matches!(self, Self::Overtaken { .. })
    }
}

/// A plan under way.
#[derive(Debug)]
pub struct Commitment {
    database: &'static str,
    pending: Option<Pending>,
    receipt: Receipt,
}

/// Sends a plan; an empty one is done at once.
pub fn begin(plan: &Plan, database: &Database) -> Result<Commitment, CommitError> {
    let name = database.rules.database.name;
    if plan.is_empty() {
        return Ok(Commitment { database: name, pending: None, receipt: Receipt::default() });
    }
    let operations = plan.operations(database.rules.database);
    let pending =
        database.client.submit(&operations).map_err(|source| not_submitted(name, source))?;
    Ok(Commitment { database: name, pending: Some(pending), receipt: receipt(plan) })
}

impl Commitment {
    /// Waits for the outcome; then the replica shows it.
    pub async fn finish(self) -> Result<Receipt, CommitError> {
        let Self { database, pending, receipt } = self;
        let Some(pending) = pending else { return Ok(receipt) };
        match pending.await {
            Outcome::Committed(_) => Ok(receipt),
            // The only waits in a plan are its guards.
            Outcome::Failed { fault, .. } if fault.tag == Fault::TIMED_OUT => {
                Err(CommitError::Overtaken { database })
            }
            Outcome::Failed { fault, .. } => Err(CommitError::Refused { database, fault }),
            Outcome::Unknown | Outcome::NotSent => Err(CommitError::Lost { database }),
        }
    }
}

fn not_submitted(database: &'static str, source: TransactError) -> CommitError {
    match source {
        TransactError::NotSynced => CommitError::NotConnected { database },
        TransactError::Full { .. } => CommitError::Busy { database, source },
    }
}

fn receipt(plan: &Plan) -> Receipt {
    Receipt {
        inserted: plan.inserts.len(),
        updated: plan.updates.len() + plan.links.len(),
        removed: plan.unlinks.len() + plan.deletes.len(),
        transactions: 1,
    }
}
