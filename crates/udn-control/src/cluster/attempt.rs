//! Carries out one attempt: sends its writes, then its status.
//!
//! Invariant: a grant is durable before the status tells of it; an attempt that panics ends as a
//! failed one, and only its own work item is told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;
use udn_cluster::reconciler::{Attempt, End};
use udn_cluster::{Reconciler, StatusUpdate, WorkItem, Write};

use super::brain::Brain;
use super::send::{SendError, send};
use crate::metrics::Metrics;
use crate::panics::message_of;

/// How many writes of one work item are under way at a time.
const SIDE_BY_SIDE: usize = 8;

/// Lets the brain decide about a work item; `None` if something is not heard yet that must be there.
pub(super) fn decide(brain: &mut impl Brain, item: &WorkItem) -> Option<Attempt> {
    let view = brain.view(item);
    if Reconciler::is_premature(&view) {
        return None;
    }
    let decided = catch_unwind(AssertUnwindSafe(|| brain.decide(view)));
    Some(decided.unwrap_or_else(|panic| {
        let message = message_of(&*panic);
        tracing::error!(%item, message, "a reconcile panicked");
        let failure = format!("the controller stumbled over {item}: {message}; please report it");
        Attempt::failed(brain.view(item), failure)
    }))
}

/// Where writes go.
#[derive(Clone)]
pub(super) struct Sender {
    pub(super) client: Client,
    pub(super) metrics: Arc<Metrics>,
}

impl Sender {
    /// Does what was decided.
    pub(super) async fn carry_out(&self, mut attempt: Attempt) -> Attempt {
        let waves = attempt.take_waves();
        if self.write(waves, &mut attempt).await {
            self.tell(&mut attempt).await;
        }
        attempt
    }

    /// Sends the waves in order; returns whether the status can be told.
    async fn write(&self, waves: Vec<Vec<Write>>, attempt: &mut Attempt) -> bool {
        for wave in waves {
            let sent = wave.iter().map(|write| send(&self.client, write, &self.metrics));
            let sent = stream::iter(sent.collect::<Vec<_>>());
            let answers: Vec<_> = sent.buffer_unordered(SIDE_BY_SIDE).collect().await;
            let mut is_told = true;
            for answer in answers {
                match answer {
                    Ok(answer) => attempt.answered(answer),
                    Err(error @ SendError::Refused { .. }) => {
                        let said = error.to_string();
                        tracing::warn!(item = %attempt.item(), said, "a write was refused");
                        attempt.refused(said);
                    }
                    Err(error) => {
                        tracing::debug!(item = %attempt.item(), %error, "trying again");
                        is_told = false;
                        attempt.fail();
                    }
                }
            }
            if attempt.end == End::Failed {
                return is_told;
            }
            attempt.wave_done(&wave);
        }
        true
    }

    /// Writes the status, and notes what people are told.
    async fn tell(&self, attempt: &mut Attempt) {
        let update = catch_unwind(AssertUnwindSafe(|| attempt.status_update(now())));
        let StatusUpdate { write, events } = update.unwrap_or_else(|panic| {
            let message = message_of(&*panic);
            tracing::error!(item = %attempt.item(), message, "a status panicked");
            attempt.fail();
            StatusUpdate::default()
        });
        let Some(write) = write else { return attempt.told(None, events) };
        match send(&self.client, &write, &self.metrics).await {
            Ok(answer) => attempt.told(Some(answer), events),
            Err(error) => {
                tracing::debug!(item = %attempt.item(), %error, "the status is tried again");
                attempt.fail();
            }
        }
    }
}

/// The time as Kubernetes writes it.
fn now() -> String {
    format!("{:.0}", jiff::Timestamp::now())
}
