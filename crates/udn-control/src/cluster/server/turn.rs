//! One turn of one affair.
//!
//! Invariant: a grant is durable before the status tells of it; a turn that panics ends as a failed
//! turn, and only its own affair is told.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;
use udn_cluster::Affair;
use udn_cluster::office::{self, Account, Notice, Outcome, Slice, Write};
use udn_ledger::Ledger;
use udn_model::{ClusterSettings, Findings};

use super::decide::{Decision, Standing};
use super::send::{Answer, SendError, send};
use crate::meters::Meters;

/// How many writes of one affair are under way at a time.
const SIDE_BY_SIDE: usize = 8;

/// What all turns share.
pub(super) struct Workroom {
    pub(super) client: Client,
    pub(super) settings: ClusterSettings,
    pub(super) ledger: Mutex<Ledger>,
    pub(super) meters: Arc<Meters>,
    /// How often numbers were given back.
    pub(super) releases: AtomicU64,
    /// Pods and claims that waited for addresses and may get them now.
    pub(super) woken: Mutex<BTreeSet<Affair>>,
    /// Runs at the start of every turn; tests make it panic.
    pub(super) rehearsed_mishap: Option<fn(&Affair)>,
}

/// A turn before anything is written; without a decision it has nothing to do yet.
pub(super) struct Prepared {
    slice: Slice,
    decision: Option<Decision>,
    outcome: Outcome,
}

/// What came of a turn.
pub(super) struct Turned {
    pub(super) affair: Affair,
    pub(super) answers: Vec<Answer>,
    pub(super) notices: Vec<Notice>,
    pub(super) findings: Findings,
    /// What was found about others, who have no turn for it.
    pub(super) others: Findings,
    /// How often numbers had been given back when this turn asked for some.
    pub(super) releases: u64,
    /// What pods may know of the network from now on.
    pub(super) standing: Standing,
    pub(super) end: End,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Everything is as it should be.
    Settled,
    /// A step was done, and the next one can be.
    Again,
    /// Something could not be written; it is tried again later.
    Failed,
}

impl Workroom {
    /// Decides what a turn does, on the world as it is now.
    ///
    /// Whoever gives turns decides too, one after the other: a decision on a slice that others have
    /// overtaken could write down what a pod held that is gone.
    pub(super) fn prepare(&self, slice: Slice) -> Prepared {
        let mut outcome = Outcome { now: now(), ..Outcome::default() };
        if office::is_premature(&slice) {
            return Prepared { slice, decision: None, outcome };
        }
        let decision = self.decide_safely(&slice).unwrap_or_else(|bug| {
            outcome.failures.push(bug);
            Decision::default()
        });
        Prepared { slice, decision: Some(decision), outcome }
    }

    /// Does what was decided.
    pub(super) async fn turn(&self, prepared: Prepared) -> Turned {
        let Prepared { mut slice, decision, mut outcome } = prepared;
        let mut turned = Turned {
            affair: slice.affair.clone(),
            answers: Vec::new(),
            notices: Vec::new(),
            findings: Findings::new(),
            others: Findings::new(),
            releases: 0,
            standing: Standing::Unchanged,
            end: if outcome.failures.is_empty() { End::Settled } else { End::Failed },
        };
        let Some(mut decision) = decision else { return turned };
        let is_told = self.write(&decision.waves, &mut slice, &mut turned, &mut outcome).await;
        if turned.end != End::Failed {
            turned.standing = std::mem::take(&mut decision.standing);
        }
        if is_told {
            self.tell(&slice, &decision, &outcome, &mut turned).await;
        }
        let Decision { findings, others, releases, .. } = decision;
        (turned.findings, turned.others, turned.releases) = (findings, others, releases);
        turned
    }

    fn decide_safely(&self, slice: &Slice) -> Result<Decision, String> {
        catch_unwind(AssertUnwindSafe(|| self.decide(slice))).map_err(|panic| {
            let message = message_of(&*panic);
            tracing::error!(affair = %slice.affair, message, "a turn panicked");
            format!("the controller stumbled over {}: {message}; please report it", slice.affair)
        })
    }

    /// A turn that panicked while it held the ledger left it as it was before or after one grant.
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn woken(&self) -> MutexGuard<'_, BTreeSet<Affair>> {
        self.woken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the waves in order; returns whether the status can be told.
    async fn write(
        &self,
        waves: &[Vec<Write>],
        slice: &mut Slice,
        turned: &mut Turned,
        outcome: &mut Outcome,
    ) -> bool {
        for wave in waves {
            let sent = wave.iter().map(|write| send(&self.client, write, &self.meters));
            let sent = stream::iter(sent.collect::<Vec<_>>());
            let answers: Vec<_> = sent.buffer_unordered(SIDE_BY_SIDE).collect().await;
            let mut is_told = true;
            for answer in answers {
                match answer {
                    Ok(answer) => turned.keep(answer, slice),
                    Err(SendError::Refused { target, message }) => {
                        let said = SendError::Refused { target, message }.to_string();
                        tracing::warn!(affair = %slice.affair, said, "a write was refused");
                        outcome.failures.push(said);
                        turned.end = End::Failed;
                    }
                    Err(error) => {
                        tracing::debug!(affair = %slice.affair, %error, "trying again");
                        (is_told, turned.end) = (false, End::Failed);
                    }
                }
            }
            if turned.end == End::Failed {
                outcome.failures.sort();
                return is_told;
            }
            if wave.iter().any(Write::is_step) {
                turned.end = End::Again;
            }
        }
        true
    }

    /// Writes the status, and collects what people are told.
    async fn tell(
        &self,
        slice: &Slice,
        decision: &Decision,
        outcome: &Outcome,
        turned: &mut Turned,
    ) {
        let verdict = decision.verdict(&self.settings);
        let account = catch_unwind(AssertUnwindSafe(|| office::status(slice, verdict, outcome)));
        let Account { write, notices } = account.unwrap_or_else(|panic| {
            let message = message_of(&*panic);
            tracing::error!(affair = %slice.affair, message, "a status panicked");
            turned.end = End::Failed;
            Account::default()
        });
        let Some(write) = write else { return turned.notices.extend(notices) };
        match send(&self.client, &write, &self.meters).await {
            Ok(answer) => {
                turned.notices.extend(notices);
                turned.answers.push(answer);
            }
            Err(error) => {
                tracing::debug!(affair = %slice.affair, %error, "the status is tried again");
                turned.end = End::Failed;
            }
        }
    }
}

impl Turned {
    /// Takes an answer into the slice, so that the status tells of it.
    fn keep(&mut self, answer: Answer, slice: &mut Slice) {
        match &answer {
            Answer::Stands(object) => slice.world.put((**object).clone()),
            Answer::Gone { target, .. } => slice.world.take(target),
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
