//! Writes one after another: checks the guard, numbers the object, makes it durable, shows it.
//!
//! Takes writes from any task; without a file they are made at once, with one by a thread that
//! makes all waiting writes durable together.
//! Invariant: a guard sees every write before it, also those that are not durable yet.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::Shelves;
use super::body::Body;
use super::facts::Facts;
use super::file::File;
use super::key::Key;
use super::table::{Change, Stored};

/// The most writes that wait for the file; more make their tasks wait.
const QUEUE: usize = 1024;

/// One guarded change of one object.
#[derive(Debug)]
pub(crate) struct Write {
    pub(crate) key: Key,
    pub(crate) expect: Expect,
    /// What to store; none to delete the object, whose last state this then is.
    pub(crate) body: Body,
    pub(crate) facts: Facts,
    pub(crate) is_delete: bool,
}

/// What must be stored for a write to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Absent,
    Revision(u64),
}

/// Why a write did not happen.
#[derive(Debug, Clone)]
pub(crate) enum Stale {
    /// Something else is stored there.
    Changed,
    /// The file could not be written; nothing was changed.
    Failed(Arc<str>),
}

#[derive(Debug)]
pub(super) enum Writer {
    Direct { shelves: Arc<Shelves>, turn: Mutex<()> },
    Durable { queue: mpsc::Sender<Waiting> },
}

#[derive(Debug)]
pub(super) struct Waiting {
    write: Write,
    answer: oneshot::Sender<Result<Arc<Stored>, Stale>>,
}

impl Writer {
    pub(super) fn direct(shelves: Arc<Shelves>) -> Self {
        Self::Direct { shelves, turn: Mutex::new(()) }
    }

    pub(super) fn durable(shelves: Arc<Shelves>, file: File) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name("kube-embedded-file".to_owned())
            .spawn(move || drain(&shelves, &file, waiting))
            .expect("the system can start one more thread");
        Self::Durable { queue }
    }

    pub(super) async fn commit(&self, write: Write) -> Result<Arc<Stored>, Stale> {
        match self {
            Self::Direct { shelves, turn } => {
                let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                let mut batch = Batch::new(shelves);
                let stored = batch.add(write)?;
                let changes = batch.changes;
                shelves.publish(changes);
                Ok(stored)
            }
            Self::Durable { queue } => {
                let (answer, result) = oneshot::channel();
                let closed = || Stale::Failed("the store is closed".into());
                queue.send(Waiting { write, answer }).await.map_err(|_| closed())?;
                result.await.map_err(|_| closed())?
            }
        }
    }
}

/// Makes waiting writes durable, as many at once as there are.
fn drain(shelves: &Shelves, file: &File, mut waiting: mpsc::Receiver<Waiting>) {
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = Batch::new(shelves);
        let mut answers = Vec::new();
        let mut next = Some(first);
        while let Some(Waiting { write, answer }) = next {
            answers.push((answer, batch.add(write)));
            next = if answers.len() < QUEUE { waiting.try_recv().ok() } else { None };
        }
        let changes = batch.changes;
        let result = if changes.is_empty() { Ok(()) } else { file.append(&changes) };
        match result {
            Ok(()) => shelves.publish(changes),
            Err(why) => {
                tracing::error!(%why, "cannot write the store's file");
                let failed = Stale::Failed(why.to_string().into());
                answers.iter_mut().for_each(|(_, answer)| *answer = Err(failed.clone()));
            }
        }
        for (answer, result) in answers {
            // Whoever asked may be gone; the write stands all the same.
            drop(answer.send(result));
        }
    }
}

/// Writes that become visible together.
struct Batch<'a> {
    shelves: &'a Shelves,
    revision: u64,
    /// What the writes before in this batch made of an object.
    staged: BTreeMap<Key, Option<Arc<Stored>>>,
    changes: Vec<(Key, Change)>,
}

impl<'a> Batch<'a> {
    fn new(shelves: &'a Shelves) -> Self {
        let revision = shelves.read().revision;
        Self { shelves, revision, staged: BTreeMap::new(), changes: Vec::new() }
    }

    fn add(&mut self, write: Write) -> Result<Arc<Stored>, Stale> {
        let Write { key, expect, body, facts, is_delete } = write;
        let before = match self.staged.get(&key) {
            Some(staged) => staged.clone(),
            None => self.shelves.read().find(&key).cloned(),
        };
        let fits = match (expect, &before) {
            (Expect::Absent, None) => true,
            (Expect::Revision(revision), Some(before)) => before.revision == revision,
            (Expect::Absent, Some(_)) | (Expect::Revision(_), None) => false,
        };
        if !fits {
            return Err(Stale::Changed);
        }
        self.revision += 1;
        let revision = self.revision;
        let after = Arc::new(Stored { revision, place: key.place.clone(), body, facts });
        self.staged.insert(key.clone(), (!is_delete).then(|| after.clone()));
        let change = Change { revision, is_delete, before, after: after.clone() };
        self.changes.push((key, change));
        Ok(after)
    }
}
