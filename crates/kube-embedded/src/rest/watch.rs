//! Watches: what there is, then every change, once and in order.
//!
//! Reads the query and the store; answers lines of events for as long as the client listens.
//! Invariant: a watch that cannot tell every change ends with an error, never with a gap.

mod start;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::accept::View;
use super::answer::Answer;
use super::list::Selection;
use super::shown::Shown;
use crate::builtin;
use crate::core::Core;
use crate::fault::Turn;
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::{Change, Stored};
use crate::table::Include;

pub(crate) use start::{Start, read};

/// How often a quiet watch says how far it is.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// A last word before the end, so that the next watch starts late.
const FAREWELL: Duration = Duration::from_secs(2);
/// The most changes looked at before the client gets its turn.
const PORTION: usize = 256;

/// One watch.
#[derive(Debug)]
pub(crate) struct Watch {
    core: Arc<Core>,
    kind: Arc<Kind>,
    resource: String,
    /// What tells this watch from others, for faults.
    name: String,
    namespace: Option<String>,
    selection: Selection,
    view: View,
    is_old: bool,
    include: Include,
    /// Whether rows were sent with their columns already.
    has_columns: bool,
    has_bookmarks: bool,
    /// The last revision the client knows.
    reached: u64,
    /// What is left of the state at the start.
    first: std::vec::IntoIter<Arc<Stored>>,
    /// Whether the end of that state is told.
    tells_end: bool,
    changed: watch::Receiver<u64>,
    end: Instant,
    next_bookmark: Instant,
    is_over: bool,
    /// How long the next lines wait, as a fault.
    pause: Option<Duration>,
}

/// Answers a watch.
pub(crate) fn answer(watch: Watch) -> Answer {
    let lines = stream::unfold(watch, |mut watch| async move {
        let lines = watch.next().await?;
        Some((Ok::<_, std::convert::Infallible>(Bytes::from(lines)), watch))
    });
    Answer::stream(Body::from_stream(lines))
}

impl Watch {
    pub(crate) fn new(core: Arc<Core>, start: Start, kind: Arc<Kind>, shown: &Shown<'_>) -> Self {
        let resource = kind.storage();
        // Subscribed before the state is read, so that no change is missed.
        let changed = core.store.follow(&resource);
        let namespace = start.namespace;
        let (first, reached) = match start.from {
            Some(revision) => (Vec::new(), revision),
            None => {
                let snapshot = core.store.list(&resource, namespace.as_deref());
                (snapshot.objects, snapshot.revision)
            }
        };
        let now = Instant::now();
        let end = now + start.timeout;
        Self {
            selection: start.selection,
            name: start.name,
            has_bookmarks: start.has_bookmarks,
            tells_end: start.tells_end,
            namespace,
            view: shown.view,
            is_old: shown.is_old,
            include: shown.include,
            has_columns: false,
            reached,
            first: first.into_iter(),
            changed,
            end,
            next_bookmark: (now + BOOKMARKS).min(end - FAREWELL.min(start.timeout / 2)),
            is_over: false,
            pause: None,
            resource,
            kind,
            core,
        }
    }

    /// The next lines; none at the end.
    async fn next(&mut self) -> Option<Vec<u8>> {
        let mut lines = Vec::new();
        self.write_first(&mut lines);
        while lines.is_empty() {
            if self.is_over {
                return None;
            }
            self.changed.mark_unchanged();
            if self.write_changes(&mut lines) || !lines.is_empty() || self.is_over {
                continue;
            }
            self.wait(&mut lines).await;
        }
        if let Some(time) = self.pause.take() {
            tokio::time::sleep(time).await;
        }
        Some(lines)
    }

    /// Sleeps until something changes, a bookmark is due, or time is up.
    async fn wait(&mut self, lines: &mut Vec<u8>) {
        let until = if self.has_bookmarks { self.next_bookmark.min(self.end) } else { self.end };
        match timeout_at(until, self.changed.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => self.is_over = true,
            Err(_) if Instant::now() >= self.end => self.is_over = true,
            Err(_) => {
                self.next_bookmark = Instant::now() + BOOKMARKS;
                self.write_bookmark(lines, json!({}));
            }
        }
    }

    fn write_first(&mut self, lines: &mut Vec<u8>) {
        for _ in 0..PORTION {
            let Some(stored) = self.first.next() else { break };
            if self.selection.matches(&self.kind, &stored) {
                self.write_event(lines, "ADDED", &stored);
            }
        }
        if self.first.len() == 0 && std::mem::take(&mut self.tells_end) && self.has_bookmarks {
            self.write_bookmark(lines, json!({"k8s.io/initial-events-end": "true"}));
        }
    }

    /// Writes waiting changes; says whether there may be more.
    fn write_changes(&mut self, lines: &mut Vec<u8>) -> bool {
        if self.first.len() > 0 {
            self.write_first(lines);
            return true;
        }
        match self.core.store.changes(&self.resource, self.reached, PORTION) {
            Ok((changes, reached)) => {
                for change in &changes {
                    self.write_change(lines, change);
                    if self.is_over {
                        return false;
                    }
                }
                // A watch may start in the future.
                self.reached = reached.max(self.reached);
                changes.len() == PORTION
            }
            Err(compacted) => {
                let (asked, oldest) = (self.reached, compacted.oldest);
                let message = format!("too old resource version: {asked} ({oldest})");
                self.write_error(lines, &Refusal::new(410, "Expired", message));
                false
            }
        }
    }

    fn write_change(&mut self, lines: &mut Vec<u8>, change: &Change) {
        let Some(kind) = self.kind_of(change) else { return };
        let object = match &change.before {
            // What leaves a selection is told as it was while it was in it.
            Some(before) if kind == "DELETED" && !change.is_delete => {
                Arc::new(Stored { revision: change.revision, ..Stored::clone(before) })
            }
            Some(_) | None => change.after.clone(),
        };
        match self.core.faults.on_event(&self.name, change.revision) {
            Turn::Deliver => self.write_event(lines, kind, &object),
            Turn::Twice => {
                self.write_event(lines, kind, &object);
                self.write_event(lines, kind, &object);
            }
            Turn::Late(time) => {
                self.write_event(lines, kind, &object);
                self.pause = Some(time);
            }
            Turn::Lose => {}
            Turn::Cut => self.is_over = true,
        }
    }

    /// How a change looks to this watch, if it is seen at all.
    fn kind_of(&self, change: &Change) -> Option<&'static str> {
        let namespace = self.namespace.as_deref();
        if namespace.is_some_and(|namespace| *change.after.place.namespace != *namespace) {
            return None;
        }
        let matches = |stored: &Arc<Stored>| self.selection.matches(&self.kind, stored);
        let was = change.before.as_ref().is_some_and(matches);
        let is = !change.is_delete && matches(&change.after);
        match (was, is) {
            (false, false) => None,
            (false, true) => Some("ADDED"),
            (true, true) => Some("MODIFIED"),
            (true, false) => Some("DELETED"),
        }
    }

    fn write_event(&mut self, lines: &mut Vec<u8>, kind: &str, stored: &Stored) {
        lines.extend_from_slice(br#"{"type":""#);
        lines.extend_from_slice(kind.as_bytes());
        lines.extend_from_slice(br#"","object":"#);
        let has_columns = !std::mem::replace(&mut self.has_columns, true);
        let shown = self.shown();
        match self.view {
            View::Table => {
                let table = shown.row(&shown.object(stored), has_columns);
                lines.extend_from_slice(table.to_string().as_bytes());
            }
            View::Whole | View::Partial | View::Discovery => shown.write(stored, lines),
        }
        lines.extend_from_slice(b"}\n");
    }

    fn write_bookmark(&mut self, lines: &mut Vec<u8>, annotations: Value) {
        let mut object = json!({
            "kind": self.kind.kind,
            "apiVersion": self.kind.api_version(),
            "metadata": {"resourceVersion": self.reached.to_string()},
        });
        if annotations.as_object().is_some_and(|it| !it.is_empty()) {
            object["metadata"]["annotations"] = annotations;
        }
        if let Some(built_in) = self.kind.built_in() {
            object = builtin::emptied(built_in, &object);
        }
        let has_columns = !std::mem::replace(&mut self.has_columns, true);
        let shown = self.shown();
        let object = match self.view {
            View::Table => shown.row(&object, has_columns),
            View::Whole | View::Partial | View::Discovery => shown.value(object),
        };
        lines.extend_from_slice(
            json!({"type": "BOOKMARK", "object": object}).to_string().as_bytes(),
        );
        lines.push(b'\n');
    }

    fn shown(&self) -> Shown<'_> {
        let (view, is_old, include) = (self.view, self.is_old, self.include);
        Shown { kind: &self.kind, view, is_old, include, now: self.core.now_text() }
    }

    fn write_error(&mut self, lines: &mut Vec<u8>, refusal: &Refusal) {
        let event = json!({"type": "ERROR", "object": refusal.status()});
        lines.extend_from_slice(event.to_string().as_bytes());
        lines.push(b'\n');
        self.is_over = true;
    }
}
