//! Somebody who audits the northbound database while others write it.
//!
//! Invariant: every change of any row is followed by an audit of all rows.

use std::sync::{Arc, Mutex};

use tokio::task::JoinHandle;

use super::databases::Side;
use super::rig::Rig;
use super::rows::audit;

/// Looks at the northbound database after every change.
pub(crate) struct Auditor {
    task: JoinHandle<()>,
    seen: Arc<Mutex<(usize, Vec<String>)>>,
}

impl Auditor {
    pub(crate) async fn start(rig: &Rig) -> Self {
        let writer = rig.databases.writer(Side::Northbound).await.clone();
        let (rules, seen) = (Side::Northbound.rules(&rig.settings.node), Arc::default());
        let mut changes = writer.changes();
        let noted: Arc<Mutex<(usize, Vec<String>)>> = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            while changes.next().await.is_ok() {
                let notes = writer.with_cache(|rows| audit(rows, &rules));
                let mut seen = noted.lock().expect("no thread panicked");
                seen.0 += 1;
                if !notes.is_empty() {
                    seen.1.push(notes);
                }
            }
        });
        Self { task, seen }
    }

    /// How often it looked, if it never had anything to say.
    pub(crate) fn stop(self) -> Result<usize, String> {
        self.task.abort();
        let seen = self.seen.lock().expect("no thread panicked");
        match seen.1.first() {
            None => Ok(seen.0),
            Some(notes) => Err(format!("the audit said {} times, first: {notes}", seen.1.len())),
        }
    }
}
