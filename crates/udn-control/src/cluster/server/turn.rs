//! One turn of one affair.
//!
//! Invariant: a grant is durable before the status tells of it; a turn that panics ends as a failed
//! turn, and only its own affair is told.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream;
use kube::Client;
use udn_kube::office::{self, Account, Notice, Outcome, Slice, Verdict, Write};
use udn_kube::{Affair, translate};
use udn_ledger::{Ledger, settle_network, settle_node};
use udn_model::{ClusterSettings, Findings, Grants, Intent};

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
    /// Runs at the start of every turn; tests make it panic.
    pub(super) rehearsed_mishap: Option<fn(&Affair)>,
}

/// What came of a turn.
pub(super) struct Turned {
    pub(super) affair: Affair,
    pub(super) answers: Vec<Answer>,
    pub(super) notices: Vec<Notice>,
    pub(super) findings: Findings,
    /// How often numbers had been given back when this turn asked for some.
    pub(super) releases: u64,
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

/// What was decided before anything is written.
#[derive(Debug, Default)]
pub(super) struct Decision {
    pub(super) intent: Intent,
    pub(super) grants: Grants,
    pub(super) findings: Findings,
    pub(super) waves: Vec<Vec<Write>>,
    pub(super) releases: u64,
}

impl Workroom {
    /// Gives an affair its turn.
    pub(super) async fn turn(&self, mut slice: Slice) -> Turned {
        let mut turned = Turned {
            affair: slice.affair.clone(),
            answers: Vec::new(),
            notices: Vec::new(),
            findings: Findings::new(),
            releases: 0,
            end: End::Settled,
        };
        if office::is_premature(&slice) {
            return turned;
        }
        let mut outcome = Outcome { now: now(), ..Outcome::default() };
        let decision = self.decide_safely(&slice).unwrap_or_else(|bug| {
            outcome.failures.push(bug);
            turned.end = End::Failed;
            Decision::default()
        });
        let is_told = self.write(&decision.waves, &mut slice, &mut turned, &mut outcome).await;
        if is_told {
            self.tell(&slice, &decision, &outcome, &mut turned).await;
        }
        (turned.findings, turned.releases) = (decision.findings, decision.releases);
        turned
    }

    /// Translates, settles and renders.
    pub(super) fn decide(&self, slice: &Slice) -> Decision {
        if let Some(mishap) = self.rehearsed_mishap {
            mishap(&slice.affair);
        }
        let releases = self.releases.load(Ordering::SeqCst);
        let mut decision = Decision { releases, ..Decision::default() };
        match &slice.affair {
            Affair::Node(name) => {
                let node = slice.world.nodes.get(name);
                let (id, findings) = office::published_node_id(node);
                decision.findings = findings;
                if self.settings.features.node_labels {
                    let report = slice.world.reports.get(name);
                    let told = report.map(|it| office::unlabelled_physical_networks(name, it));
                    decision.findings.extend(told.into_iter().flatten());
                }
                let mut ledger = self.ledger();
                if node.is_none() {
                    ledger.release_node(name);
                    self.releases.fetch_add(1, Ordering::SeqCst);
                } else {
                    let told = settle_node(name, id, &mut ledger);
                    decision.findings.extend(told.findings);
                    decision.grants.nodes.extend(told.value.map(|id| (name.clone(), id)));
                }
            }
            Affair::DefaultDefinition => {}
            Affair::UserDefinedNetwork(_)
            | Affair::ClusterUserDefinedNetwork(_)
            | Affair::Written(_) => self.settle(slice, &mut decision),
        }
        decision.findings = office::concerning(slice, std::mem::take(&mut decision.findings));
        decision.waves = office::writes(slice, decision.verdict(&self.settings));
        decision
    }

    /// Numbers for a network, or their end.
    fn settle(&self, slice: &Slice, decision: &mut Decision) {
        let told = translate::cluster(&slice.world, &self.settings);
        (decision.intent, decision.findings) = (told.value, told.findings);
        decision.findings.extend(office::remarks(slice, &decision.intent));
        let Some(name) = slice.affair.network() else { return };
        let mut ledger = self.ledger();
        if office::is_over(slice, &decision.intent) {
            ledger.release_network(&name);
            self.releases.fetch_add(1, Ordering::SeqCst);
        } else if office::has_network(slice, &decision.intent) {
            let told = settle_network(&decision.intent, &name, &mut ledger, &self.settings);
            decision.findings.extend(told.findings);
            decision.grants.networks.extend(told.value.map(|grant| (name, grant)));
        }
    }

    fn decide_safely(&self, slice: &Slice) -> Result<Decision, String> {
        catch_unwind(AssertUnwindSafe(|| self.decide(slice))).map_err(|panic| {
            let message = message_of(&*panic);
            tracing::error!(affair = %slice.affair, message, "a turn panicked");
            format!("the controller stumbled over this network: {message}; please report it")
        })
    }

    /// A turn that panicked while it held the ledger left it as it was before or after one grant.
    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
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

impl Decision {
    pub(super) fn verdict<'a>(&'a self, settings: &'a ClusterSettings) -> Verdict<'a> {
        let Self { intent, grants, findings, .. } = self;
        Verdict { intent, grants, findings, settings }
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
