//! Commits sheets: compares, submits, and compares again when somebody else was faster.
//!
//! Invariant: a commit ends; after a few attempts in vain it says what stood in the way.

use std::collections::BTreeSet;

use ovn::drawn::Record;
use ovn::open_vswitch::{DATABASE, Port};
use ovn::plan::Plan;
use ovn::{Rules, Sheet, compare_all};
use ovsdb::session::Outcome;
use ovsdb_net::Client;
use tracing::debug;

use super::{PortChanges, SwitchError};

/// How often a commit may be overtaken.
const ATTEMPTS: usize = 5;

pub(super) async fn commit(
    client: &Client,
    rules: &Rules,
    sheets: &[Sheet],
) -> Result<PortChanges, SwitchError> {
    let mut done = PortChanges::default();
    let mut last = String::new();
    for _ in 0..ATTEMPTS {
        let plan = client.with_cache(|rows| compare_all(sheets, rows, rules));
        let plan = plan.map_err(|source| SwitchError::Compare { source })?;
        check(&plan)?;
        if plan.is_empty() {
            return Ok(done);
        }
        let outcome = client.transact(&plan.operations(&DATABASE)).await;
        match outcome.map_err(|source| SwitchError::Submit { source })? {
            Outcome::Committed(_) => {
                done.changes += changes(&plan);
                done.removed.extend(removed(&plan));
                debug!(changes = done.changes, "committed ports");
                return Ok(done);
            }
            Outcome::Failed { fault, .. } => last = fault.to_string(),
            Outcome::Unknown | Outcome::NotSent => {
                "the connection broke".clone_into(&mut last);
                client.wait_synced().await.map_err(|_| SwitchError::Closed)?;
            }
        }
    }
    Err(SwitchError::Overtaken { attempts: ATTEMPTS, last })
}

fn check(plan: &Plan) -> Result<(), SwitchError> {
    if let Some(missing) = plan.missing.first() {
        return Err(SwitchError::Missing { needed: missing.needs.to_string() });
    }
    match plan.conflicts.first() {
        Some(conflict) => Err(SwitchError::Taken { row: conflict.row.to_string() }),
        None => Ok(()),
    }
}

fn changes(plan: &Plan) -> usize {
    let Plan { inserts, updates, links, unlinks, deletes, .. } = plan;
    inserts.len() + updates.len() + links.len() + unlinks.len() + deletes.len()
}

/// The names of the ports that leave their bridge.
fn removed(plan: &Plan) -> BTreeSet<String> {
    let ports = plan.unlinks.iter().filter(|unlink| unlink.table == Port::TABLE.name);
    ports
        .filter_map(|unlink| unlink.label.split_once(' '))
        .map(|(_, name)| name.to_owned())
        .collect()
}
