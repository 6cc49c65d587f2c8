//! Waits until OVN has done everything that was committed, down to the flows of the node's switch.
//!
//! Invariant: the answer is OVN's own: its sequence number comes back from ovn-controller only
//! after the switch has acknowledged the flows.

use std::future::Future;
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

/// The numbers of the northbound database: what was asked, and what northd and the node's switch have
/// reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    pub northbound: i64,
    pub southbound: i64,
    pub hypervisor: i64,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// What stood before is in force once this number is reached.
    Number(i64),
    Lost,
}

/// Asks without waiting for the answer; `None` if there is nowhere to put a question now.
pub(super) fn ask(northbound: &Database) -> Option<impl Future<Output = Asked> + Send + use<>> {
    // Northd makes the row; raising a number that is not there would be done, and mean nothing.
    northbound.client.with_cache(|rows| number(rows, NbGlobal::NB_CFG))?;
    let (client, pending) = (northbound.client.clone(), northbound.client.submit(&[one_more()]));
    let pending = pending.ok()?;
    Some(async move {
        match pending.await {
            Outcome::Committed(_) => {
                let number = client.with_cache(|rows| number(rows, NbGlobal::NB_CFG));
                number.map_or(Asked::Lost, Asked::Number)
            }
            Outcome::Failed { .. } | Outcome::Unknown | Outcome::NotSent => Asked::Lost,
        }
    })
}

/// The numbers as they are now.
pub(super) fn numbers(northbound: &Database) -> Numbers {
    northbound.client.with_cache(|rows| {
        let of = |column| number(rows, column).unwrap_or_default();
        Numbers {
            northbound: of(NbGlobal::NB_CFG),
            southbound: of(NbGlobal::SB_CFG),
            hypervisor: of(NbGlobal::HV_CFG),
        }
    })
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
