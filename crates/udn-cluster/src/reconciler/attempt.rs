//! One attempt to put a work item in order: its writes, then its status.
//!
//! Whoever drives it sends the waves one after the other and hands the answers back.
//! Invariant: a grant is durable before the status tells of it; after a write that failed nothing
//! more is written, and what pods may know of the network stays as it was.

use udn_wire::Target;
use udn_wire::object::AnyObject;

use crate::decision::Decision;
use crate::status_update::{Outcome, StatusUpdate};
use crate::view::View;
use crate::work_item::WorkItem;
use crate::write::{Event, Write};
use crate::{claim, network, node, pod};

/// What a server holds after a write.
#[derive(Debug, Clone)]
pub enum Answer {
    Stands(Box<AnyObject>),
    Gone { target: Target, version: u64 },
}

/// How a reconcile ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Everything is as it should be.
    Settled,
    /// A step was done, and the next one can be.
    Again,
    /// Something could not be written; it is tried again later.
    Failed,
}

/// A reconcile between its decision and its end.
#[derive(Debug)]
pub struct Attempt {
    pub view: View,
    pub decision: Decision,
    pub(super) releases: u64,
    pub(super) answers: Vec<Answer>,
    pub(super) events: Vec<Event>,
    pub end: End,
    failures: Vec<String>,
}

impl Attempt {
    pub(super) fn new(view: View, decision: Decision, releases: u64) -> Self {
        let (answers, events, failures) = Default::default();
        Self { view, decision, releases, answers, events, end: End::Settled, failures }
    }

    /// An attempt whose decision came to nothing; all that it can do is to say so.
    pub fn failed(view: View, failure: String) -> Self {
        let decision = Decision::default();
        let failures = vec![failure];
        Self { end: End::Failed, failures, ..Self::new(view, decision, 0) }
    }

    pub fn item(&self) -> &WorkItem {
        &self.view.item
    }

    /// The writes, wave by wave.
    pub fn take_waves(&mut self) -> Vec<Vec<Write>> {
        std::mem::take(&mut self.decision.waves)
    }

    /// A write came about; the view holds what it made, so that the status tells of it.
    pub fn answered(&mut self, answer: Answer) {
        match &answer {
            Answer::Stands(object) => self.view.world.put((**object).clone()),
            Answer::Gone { target, .. } => self.view.world.take(target),
        };
        self.answers.push(answer);
    }

    /// A write was refused: the server's words, which the status tells.
    pub fn refused(&mut self, said: String) {
        self.failures.push(said);
        self.failures.sort();
        self.end = End::Failed;
    }

    /// A write came to nothing, and it is tried again later.
    pub fn fail(&mut self) {
        self.end = End::Failed;
    }

    /// All writes of a wave came about.
    pub fn wave_done(&mut self, wave: &[Write]) {
        if wave.iter().any(Write::is_step) {
            self.end = End::Again;
        }
    }

    /// What is told now; the events count once the status is written.
    pub fn status_update(&self, now: String) -> StatusUpdate {
        let (view, decision) = (&self.view, &self.decision);
        let outcome = Outcome { failures: self.failures.clone(), now };
        match &view.item {
            WorkItem::Network(_) | WorkItem::HandWritten(_) => {
                network::status_update(view, decision, &outcome)
            }
            WorkItem::Node(name) => node::status_update(view, name, &decision.findings),
            WorkItem::DefaultNad => StatusUpdate::default(),
            WorkItem::Pod(name) => pod::status_update(view, decision, name, &outcome),
            WorkItem::Claim(name) => claim::status_update(view, decision, name, &outcome),
        }
    }

    /// The status is written, or there was none to write.
    pub fn told(&mut self, answer: Option<Answer>, events: Vec<Event>) {
        self.answers.extend(answer);
        self.events.extend(events);
    }

    /// What stands after its writes.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// How many writes came about.
    pub fn written(&self) -> usize {
        self.answers.len()
    }
}
