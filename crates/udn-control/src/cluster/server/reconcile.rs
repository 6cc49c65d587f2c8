//! One turn of one work item.
//!
//! Invariant: a grant is durable before the status tells of it; a reconcile that panics ends as a failed
//! turn, and only its own work item is told.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;
use udn_cluster::WorkItem;
use udn_cluster::controller::{self, Event, Outcome, StatusUpdate, View, Write};
use udn_ledger::Ledger;
use udn_model::{ClusterSettings, Findings};

use super::decide::{Decision, NetworkState};
use super::send::{Answer, SendError, send};
use crate::metrics::Metrics;

/// How many writes of one work item are under way at a time.
const SIDE_BY_SIDE: usize = 8;

/// What all turns share.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) settings: ClusterSettings,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) metrics: Arc<Metrics>,
    /// How often numbers were given back.
    pub(super) releases: AtomicU64,
    /// Pods and claims that waited for addresses and may get them now.
    pub(super) woken: Mutex<BTreeSet<WorkItem>>,
    /// Runs at the start of every reconcile; tests make it panic.
    pub(super) rehearsed_mishap: Option<fn(&WorkItem)>,
}

/// A turn before anything is written; without a decision it has nothing to do yet.
pub(super) struct Prepared {
    view: View,
    decision: Option<Decision>,
    outcome: Outcome,
}

/// What came of a reconcile.
pub(super) struct Reconciled {
    pub(super) item: WorkItem,
    pub(super) answers: Vec<Answer>,
    pub(super) events: Vec<Event>,
    pub(super) findings: Findings,
    /// What was found about others, who have no turn for it.
    pub(super) others: Findings,
    /// How often numbers had been given back when this reconcile asked for some.
    pub(super) releases: u64,
    /// What pods may know of the network from now on.
    pub(super) network_state: NetworkState,
    pub(super) end: End,
}

/// How a reconcile ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Everything is as it should be.
    Settled,
    /// A step was done, and the next one can be.
    Again,
    /// Something could not be written; it is tried again later.
    Failed,
}

impl Context {
    /// Decides what a reconcile does, on the world as it is now.
    ///
    /// Whoever gives turns decides too, one after the other: a decision on a view that others have
    /// overtaken could write down what a pod held that is gone.
    pub(super) fn prepare(&self, view: View) -> Prepared {
        let mut outcome = Outcome { now: now(), ..Outcome::default() };
        if controller::is_premature(&view) {
            return Prepared { view, decision: None, outcome };
        }
        let decision = self.decide_safely(&view).unwrap_or_else(|bug| {
            outcome.failures.push(bug);
            Decision::default()
        });
        Prepared { view, decision: Some(decision), outcome }
    }

    /// Does what was decided.
    pub(super) async fn reconcile(&self, prepared: Prepared) -> Reconciled {
        let Prepared { mut view, decision, mut outcome } = prepared;
        let mut reconciled = Reconciled {
            item: view.item.clone(),
            answers: Vec::new(),
            events: Vec::new(),
            findings: Findings::new(),
            others: Findings::new(),
            releases: 0,
            network_state: NetworkState::Unchanged,
            end: if outcome.failures.is_empty() { End::Settled } else { End::Failed },
        };
        let Some(mut decision) = decision else { return reconciled };
        let is_told = self.write(&decision.waves, &mut view, &mut reconciled, &mut outcome).await;
        if reconciled.end != End::Failed {
            reconciled.network_state = std::mem::take(&mut decision.network_state);
        }
        if is_told {
            self.tell(&view, &decision, &outcome, &mut reconciled).await;
        }
        let Decision { findings, others, releases, .. } = decision;
        (reconciled.findings, reconciled.others, reconciled.releases) =
            (findings, others, releases);
        reconciled
    }

    fn decide_safely(&self, view: &View) -> Result<Decision, String> {
        catch_unwind(AssertUnwindSafe(|| self.decide(view))).map_err(|panic| {
            let message = message_of(&*panic);
            tracing::error!(item = %view.item, message, "a reconcile panicked");
            format!("the controller stumbled over {}: {message}; please report it", view.item)
        })
    }

    /// A turn that panicked while it held the ledger left it as it was before or after one grant.
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn woken(&self) -> MutexGuard<'_, BTreeSet<WorkItem>> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the waves in order; returns whether the status can be told.
    async fn write(
        &self,
        waves: &[Vec<Write>],
        view: &mut View,
        reconciled: &mut Reconciled,
        outcome: &mut Outcome,
    ) -> bool {
        for wave in waves {
            let sent = wave.iter().map(|write| send(&self.client, write, &self.metrics));
            let sent = stream::iter(sent.collect::<Vec<_>>());
            let answers: Vec<_> = sent.buffer_unordered(SIDE_BY_SIDE).collect().await;
            let mut is_told = true;
            for answer in answers {
                match answer {
                    Ok(answer) => reconciled.keep(answer, view),
                    Err(SendError::Refused { target, message }) => {
                        let said = SendError::Refused { target, message }.to_string();
                        tracing::warn!(item = %view.item, said, "a write was refused");
                        outcome.failures.push(said);
                        reconciled.end = End::Failed;
                    }
                    Err(error) => {
                        tracing::debug!(item = %view.item, %error, "trying again");
                        (is_told, reconciled.end) = (false, End::Failed);
                    }
                }
            }
            if reconciled.end == End::Failed {
                outcome.failures.sort();
                return is_told;
            }
            if wave.iter().any(Write::is_step) {
                reconciled.end = End::Again;
            }
        }
        true
    }

    /// Writes the status, and collects what people are told.
    async fn tell(
        &self,
        view: &View,
        decision: &Decision,
        outcome: &Outcome,
        reconciled: &mut Reconciled,
    ) {
        let decided = decision.decided(&self.settings);
        let status_update =
            catch_unwind(AssertUnwindSafe(|| controller::status(view, decided, outcome)));
        let StatusUpdate { write, events } = status_update.unwrap_or_else(|panic| {
            let message = message_of(&*panic);
            tracing::error!(item = %view.item, message, "a status panicked");
            reconciled.end = End::Failed;
            StatusUpdate::default()
        });
        let Some(write) = write else { return reconciled.events.extend(events) };
        match send(&self.client, &write, &self.metrics).await {
            Ok(answer) => {
                reconciled.events.extend(events);
                reconciled.answers.push(answer);
            }
            Err(error) => {
                tracing::debug!(item = %view.item, %error, "the status is tried again");
                reconciled.end = End::Failed;
            }
        }
    }
}

impl Reconciled {
    /// Takes an answer into the view, so that the status tells of it.
    fn keep(&mut self, answer: Answer, view: &mut View) {
        match &answer {
            Answer::Stands(object) => view.world.put((**object).clone()),
            Answer::Gone { target, .. } => view.world.take(target),
        };
        self.answers.push(answer);
    }
}

fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without a message".to_owned())
}

/// The time as Kubernetes writes it.
pub(super) fn now() -> String {
    format!("{:.0}", jiff::Timestamp::now())
}
