//! A stand-in for ovn-northd and ovn-controller: it answers, and computes no flows.
//!
//! Reads the northbound database; makes the global row as northd does, says of every port that it is up,
//! and copies the number it is asked to confirm into those that confirm. The real ones are tested on the
//! ovn shelf.
//! Invariant: it writes only columns that OVN itself writes; while it is held, it answers nothing.

use ovsdb::op::{Condition, Function, Operation};
use ovsdb::{Cache, Datum};
use ovsdb_net::Client;
use ovsdb_net::client::{ChangesError, State};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The stand-in at work.
pub(crate) struct Northd {
    held: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Northd {
    pub(crate) fn start(client: Client) -> Self {
        let (held, is_held) = watch::channel(false);
        Self { held, task: tokio::spawn(work(client, is_held)) }
    }

    /// Answers nothing from now on.
    pub(crate) fn hold(&self) {
        self.held.send_replace(true);
    }

    pub(crate) fn release(&self) {
        self.held.send_replace(false);
    }
}

impl Drop for Northd {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn work(client: Client, mut held: watch::Receiver<bool>) {
    let (mut changes, mut status) = (client.changes(), client.status());
    loop {
        let is_synced = status.borrow_and_update().state == State::Synced;
        let is_held = *held.borrow_and_update();
        let operations =
            if is_synced && !is_held { client.with_cache(answers) } else { Vec::new() };
        if !operations.is_empty() {
            // Whatever is lost is seen in the rows, and done again.
            drop(client.transact(&operations).await);
            continue;
        }
        tokio::select! {
            change = changes.next() => if change == Err(ChangesError::Closed) { return },
            changed = status.changed() => if changed.is_err() { return },
            changed = held.changed() => if changed.is_err() { return },
        }
    }
}

/// What there is to say about the rows.
fn answers(rows: &Cache) -> Vec<Operation> {
    let table = |name| rows.table(name).into_iter().flat_map(ovsdb::cache::Table::rows);
    let mut operations = Vec::new();
    match table("NB_Global").next() {
        // compat: northd/northd.c, the global row is made if there is none
        None => operations.push(Operation::Insert {
            table: "NB_Global".into(),
            row: [].into(),
            uuid_name: None,
            uuid: None,
        }),
        Some(global) => {
            let asked = global.get("nb_cfg").cloned().unwrap_or_else(|| Datum::from(0_i64));
            let confirming = ["sb_cfg", "hv_cfg"];
            let is_behind = confirming.iter().any(|it| global.get(it) != Some(&asked));
            if is_behind {
                let row = confirming.map(|column| (column.into(), asked.clone()));
                let conditions = vec![Condition::row(global.uuid)];
                let table = "NB_Global".into();
                operations.push(Operation::Update { table, conditions, row: row.into() });
            }
        }
    }
    if table("Logical_Switch_Port").any(|port| port.get("up").is_none_or(Datum::is_empty)) {
        operations.push(Operation::Update {
            table: "Logical_Switch_Port".into(),
            conditions: vec![Condition::new("up", Function::Equal, Datum::empty_set())],
            row: [("up".into(), Datum::from(true))].into(),
        });
    }
    operations
}
