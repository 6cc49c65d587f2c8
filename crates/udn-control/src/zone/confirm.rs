//! Waits until OVN has done everything that was committed, down to the flows of the node's switch.
//!
//! Invariant: the answer is OVN's own: its sequence number comes back from ovn-controller only
//! after the switch has acknowledged the flows.

use std::time::Duration;

use ovn::column::Column;
use ovn::drawn::Record;
use ovn::northbound::NbGlobal;
use ovsdb::op::{Mutation, Mutator, Operation};
use ovsdb::session::Outcome;
use ovsdb::{Cache, Datum};
use ovsdb_net::client::ChangesError;
use tokio::time::timeout;

use super::Database;

/// How long OVN may take; a large zone needs seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// Why it is not known whether OVN is done.
#[derive(Debug, thiserror::Error)]
pub enum ConfirmError {
    #[error("could not ask OVN to confirm")]
    Ask,
    #[error("the connection to OVN was closed")]
    Closed,
    #[error("OVN did not confirm within {LIMIT:?}; look at the logs of northd and ovn-controller")]
    TimedOut,
}

/// Waits until everything that was committed before is in force on the node.
pub async fn confirm(northbound: &Database) -> Result<(), ConfirmError> {
    timeout(LIMIT, ask_and_wait(northbound)).await.map_err(|_| ConfirmError::TimedOut)?
}

async fn ask_and_wait(northbound: &Database) -> Result<(), ConfirmError> {
    let client = &northbound.client;
    // Subscribed before asking, so that the answer cannot come in between.
    let mut changes = client.changes();
    let outcome = client.transact(&[one_more()]).await.map_err(|_| ConfirmError::Ask)?;
    if !matches!(outcome, Outcome::Committed(_)) {
        return Err(ConfirmError::Ask);
    }
    // Somebody else may have asked after us; their number confirms ours too.
    let asked =
        client.with_cache(|rows| number(rows, NbGlobal::NB_CFG)).ok_or(ConfirmError::Ask)?;
    loop {
        let confirmed = client.with_cache(|rows| number(rows, NbGlobal::HV_CFG));
        if confirmed.is_some_and(|confirmed| confirmed >= asked) {
            return Ok(());
        }
        match changes.next().await {
            Ok(_) | Err(ChangesError::Lagged) => {}
            Err(ChangesError::Closed) => return Err(ConfirmError::Closed),
        }
    }
}

/// Raises the number that northd and ovn-controller answer with theirs.
fn one_more() -> Operation {
    Operation::Mutate {
        table: NbGlobal::TABLE.name.into(),
        conditions: Vec::new(),
        mutations: vec![Mutation {
            column: NbGlobal::NB_CFG.name.into(),
            mutator: Mutator::Add,
            value: Datum::from(1_i64),
        }],
    }
}

fn number(rows: &Cache, column: Column<i64>) -> Option<i64> {
    let row = rows.table(NbGlobal::TABLE.name)?.rows().next()?;
    column.read(row)
}
