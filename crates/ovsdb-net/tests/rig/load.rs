//! A stream of transactions, a book of what became of them, and a judge who compares the two.
//!
//! Each transaction adds a switch under a name of its own and counts it, so one that is applied
//! twice shows in the names and in the counter.
//! Invariant: no transaction of the stream is sent again by whoever sent it.

#![allow(clippy::unwrap_used)]
// Each test program uses a part of this.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ovsdb::cache::Index;
use ovsdb::op::{Condition, Function, Until};
use ovsdb::session::{Outcome, Wanted, WantedTable};
use ovsdb::{Cache, Datum, Operation};
use ovsdb_net::{Client, ClientSettings, Remote};
use tokio::sync::watch;

use crate::rig::*;

/// Transactions under way at once.
pub(crate) const WORKERS: usize = 4;

pub(crate) const BY_NAME: &str = "name";

/// What a caller was told about a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Committed,
    /// Failed, not sent, or not even taken.
    NotDone,
    Unknown,
}

/// Sends numbered transactions and writes down what it is told.
pub(crate) struct Load {
    client: Client,
    next: AtomicUsize,
    done: watch::Sender<usize>,
}

impl Load {
    pub(crate) fn new(client: Client) -> Arc<Self> {
        Arc::new(Self { client, next: AtomicUsize::new(0), done: watch::Sender::new(0) })
    }

    pub(crate) async fn run(self: Arc<Self>, total: usize) -> BTreeMap<String, Told> {
        let workers: Vec<_> =
            (0..WORKERS).map(|_| tokio::spawn(Arc::clone(&self).work(total))).collect();
        let mut book = BTreeMap::new();
        for worker in workers {
            book.extend(worker.await.unwrap());
        }
        book
    }

    async fn work(self: Arc<Self>, total: usize) -> Vec<(String, Told)> {
        let mut told = Vec::new();
        loop {
            let number = self.next.fetch_add(1, Ordering::SeqCst);
            if number >= total {
                return told;
            }
            within(self.client.wait_synced()).await.unwrap();
            let name = format!("switch{number:05}");
            let outcome = match within(self.client.transact(&add_switch(&name))).await {
                Ok(Outcome::Committed(_)) => Told::Committed,
                Ok(Outcome::Unknown) => Told::Unknown,
                Ok(Outcome::Failed { .. } | Outcome::NotSent) | Err(_) => Told::NotDone,
            };
            if outcome == Told::Committed {
                // The connection may be lost again, but what was committed stays in the replica.
                let is_present = self.client.with_cache(|cache| is_present(cache, &name));
                assert!(is_present, "{name} is committed but not replicated");
            }
            told.push((name, outcome));
            self.done.send_modify(|done| *done += 1);
        }
    }

    /// Waits until this many transactions have been answered for.
    pub(crate) async fn reached(&self, count: usize) {
        within(self.done.subscribe().wait_for(|done| *done >= count)).await.unwrap();
    }
}

pub(crate) fn is_present(cache: &Cache, name: &str) -> bool {
    !cache.table("Logical_Switch").unwrap().find(BY_NAME, &[name.into()]).is_empty()
}

pub(crate) fn resume_settings(remotes: Vec<Remote>) -> ClientSettings {
    let mut settings = settings(remotes);
    let tables = ["Logical_Switch", "NB_Global"].map(WantedTable::whole);
    settings.session.tables = Wanted::Tables(tables.into());
    let index = Index::by_columns(BY_NAME, "Logical_Switch", &["name"]);
    settings.session.indexes = vec![Arc::new(index)];
    settings
}

pub(crate) fn start_counting(socket: &Path) {
    let insert = serde_json::json!({ "op": "insert", "table": "NB_Global", "row": {} });
    Onlooker::connect(socket).transact(&[insert]);
}

/// Judges the book by what the server holds now.
pub(crate) async fn check_book(server: &Path, client: &Client, book: &BTreeMap<String, Told>) {
    wait_equal(server, client).await;
    client.with_cache(|cache| {
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for name in switch_names(cache) {
            *found.entry(name).or_default() += 1;
        }
        for (name, told) in book {
            let count = found.get(name).copied().unwrap_or(0);
            let fits = match told {
                Told::Committed => count == 1,
                Told::NotDone => count == 0,
                Told::Unknown => count <= 1,
            };
            assert!(fits, "{name} was told {told:?} and is there {count} times");
        }
        assert_eq!(counter(cache), found.values().sum::<usize>() as i64, "counted twice");
    });
}

/// Compares the replica with the server. The last words of a connection that was cut may reach
/// the server late; then the replica hears of them, and is compared again.
pub(crate) async fn wait_equal(server: &Path, client: &Client) {
    let mut onlooker = Onlooker::connect(server);
    loop {
        let mut changes = client.changes();
        let different = client.with_cache(|cache| {
            ["Logical_Switch", "NB_Global"].into_iter().find(|table| {
                let ours = cache.table(table).unwrap().rows();
                let ours: Vec<_> = ours.map(|row| (Some(row.uuid), row.row.clone())).collect();
                let theirs = onlooker.rows(cache, table);
                let theirs: Vec<_> = theirs.into_iter().map(|row| (row.uuid, row.row)).collect();
                ours != theirs
            })
        });
        let Some(table) = different else { return };
        let change = tokio::time::timeout(Duration::from_secs(5), changes.next()).await;
        assert!(change.is_ok(), "the replica of {table} differs from the server");
    }
}

/// What a caller does about transactions that are not known to be done: looks, and tries again
/// what is missing, guarded by the look.
pub(crate) async fn make_up(client: &Client, book: &mut BTreeMap<String, Told>) {
    for (name, told) in book.iter_mut().filter(|(_, told)| **told != Told::Committed) {
        within(client.wait_synced()).await.unwrap();
        while client.with_cache(|cache| !is_present(cache, name)) {
            let mut guarded = vec![absent(name)];
            guarded.extend(add_switch(name));
            match within(client.transact(&guarded)).await {
                Ok(Outcome::Committed(_)) => {}
                Ok(Outcome::Unknown | Outcome::NotSent) | Err(_) => {
                    within(client.wait_synced()).await.unwrap();
                }
                Ok(failed @ Outcome::Failed { .. }) => panic!("{name}: {failed:?}"),
            }
        }
        *told = Told::Committed;
    }
}

pub(crate) fn absent(name: &str) -> Operation {
    Operation::Wait {
        table: "Logical_Switch".into(),
        conditions: vec![Condition::new("name", Function::Equal, name)],
        columns: Some(vec!["name".into()]),
        until: Until::NotEqual,
        rows: vec![[("name".into(), Datum::from(name))].into()],
        timeout: Some(0),
    }
}

pub(crate) fn count(book: &BTreeMap<String, Told>, told: Told) -> usize {
    book.values().filter(|found| **found == told).count()
}
