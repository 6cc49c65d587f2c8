//! A client that watches across crashes, always from the last revision it saw.
//!
//! Takes events until the server is gone; goes on with the next server, or lists anew if told to.
//! Invariant: between two lists it misses no change that anybody else saw.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use kube::Client;
use kube::api::{WatchEvent, WatchParams};

use super::chronicle::Chronicle;
use super::content;

pub(crate) struct Spectator {
    chronicle: Arc<Chronicle>,
    /// From each list to the next: everything in between was seen.
    stretches: Vec<Stretch>,
    expired: usize,
}

struct Stretch {
    start: u64,
    seen: BTreeSet<u64>,
}

impl Stretch {
    fn last(&self) -> u64 {
        self.seen.last().copied().unwrap_or(self.start)
    }
}

impl Spectator {
    pub(crate) fn new(chronicle: Arc<Chronicle>) -> Self {
        Self { chronicle, stretches: Vec::new(), expired: 0 }
    }

    pub(crate) fn events(&self) -> usize {
        self.stretches.iter().map(|it| it.seen.len()).sum()
    }

    pub(crate) fn expired(&self) -> usize {
        self.expired
    }

    /// Watches until the server no longer answers.
    pub(crate) async fn watch(mut self, client: Client) -> Self {
        while self.watch_once(&client).await.is_some() {}
        self
    }

    /// Watches until it is told to list anew; nothing once the server is gone.
    async fn watch_once(&mut self, client: &Client) -> Option<()> {
        let api = content::api(client);
        if self.stretches.is_empty() {
            let list = api.list(&kube::api::ListParams::default()).await.ok()?;
            self.begin(list.metadata.resource_version.as_deref());
        }
        let start = self.stretches.last().map_or(0, Stretch::last).to_string();
        let events = api.watch(&WatchParams::default(), &start).await;
        let mut events = match events {
            Ok(events) => pin!(events),
            Err(kube::Error::Api(status)) => return self.give_up(client, status.code).await,
            Err(_) => return None,
        };
        while let Some(event) = events.next().await {
            match event.ok()? {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                    self.take(&object, false);
                }
                WatchEvent::Deleted(object) => self.take(&object, true),
                WatchEvent::Bookmark(_) => {}
                WatchEvent::Error(status) => return self.give_up(client, status.code).await,
            }
        }
        None
    }

    fn take(&mut self, object: &k8s_openapi::api::core::v1::ConfigMap, is_delete: bool) {
        let revision = content::revision(object);
        let stretch = self.stretches.last_mut().expect("events come after a list");
        assert!(revision > stretch.last(), "{revision} comes after {}", stretch.last());
        stretch.seen.insert(revision);
        self.chronicle.take(object, is_delete);
    }

    /// The past is gone; what there is now is the new start.
    async fn give_up(&mut self, client: &Client, code: u16) -> Option<()> {
        assert_eq!(code, 410, "a watch may expire, nothing else");
        self.expired += 1;
        let list = content::api(client).list(&kube::api::ListParams::default()).await.ok()?;
        self.begin(list.metadata.resource_version.as_deref());
        Some(())
    }

    fn begin(&mut self, revision: Option<&str>) {
        let start = revision.expect("lists have one").parse().expect("a number");
        self.stretches.push(Stretch { start, seen: BTreeSet::new() });
    }

    /// Holds what it saw against what others saw.
    pub(crate) fn verify(&self) {
        for stretch in &self.stretches {
            let others = self.chronicle.between(stretch.start, stretch.last());
            let missed: Vec<_> = others.iter().filter(|it| !stretch.seen.contains(it)).collect();
            assert!(missed.is_empty(), "after {} missed {missed:?}", stretch.start);
        }
    }
}
