//! What the node has done, and what OVN has confirmed of it.
//!
//! OVN confirms by a number: whatever was committed before the number was raised is in force once the
//! number comes back from the node's switch.
//! Invariant: nothing counts as programmed before OVN has confirmed it; a network that is in trouble
//! holds up no other.

use std::collections::{BTreeMap, BTreeSet};

use udn_blueprint::names::Prefix;
use udn_model::Reason;

#[cfg(test)]
mod tests;

/// Why a network is not programmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub reason: Reason,
    /// One sentence: what is wrong, and what to do.
    pub message: String,
}

/// How far a zone is.
#[derive(Debug, Default)]
pub struct Progress {
    /// The newest version of a NAD that was heard of.
    heard: u64,
    /// Networks that wait for a commit, by the first version of a NAD that asked for it.
    waiting: BTreeMap<Prefix, u64>,
    /// The same of those whose commit is under way.
    under_way: BTreeMap<Prefix, u64>,
    troubled: BTreeMap<Prefix, Trouble>,
    /// Those among the troubled that were mended since.
    mended: BTreeSet<Prefix>,
    asked: Option<Question>,
    /// Everything that NADs said up to this version is in force, but for networks in trouble.
    confirmed: u64,
}

/// A number that OVN was given to confirm.
#[derive(Debug)]
struct Question {
    number: i64,
    up_to: u64,
    mended: BTreeSet<Prefix>,
}

impl Progress {
    /// NADs were heard of up to a version.
    pub fn heard(&mut self, version: u64) {
        self.heard = version.max(self.heard);
    }

    /// A NAD of a version changed what a network's rows must be.
    pub fn touched(&mut self, network: &Prefix, version: u64) {
        let since = self.waiting.entry(network.clone()).or_insert(version);
        *since = version.min(*since);
    }

    /// A network's rows are compared, and what differs is sent.
    pub fn begun(&mut self, network: &Prefix) {
        if let Some(since) = self.waiting.remove(network) {
            // An attempt that was overtaken may be under way still.
            let first = self.under_way.entry(network.clone()).or_insert(since);
            *first = since.min(*first);
        }
    }

    /// A network's rows stand, but for what it is in trouble about.
    pub fn committed(&mut self, network: &Prefix, trouble: Option<Trouble>) {
        self.under_way.remove(network);
        match trouble {
            Some(trouble) => self.trouble(network, trouble),
            None if self.troubled.contains_key(network) => {
                self.mended.insert(network.clone());
            }
            None => {}
        }
    }

    /// What a network's rows are is no longer known, or not as it should be.
    pub fn trouble(&mut self, network: &Prefix, trouble: Trouble) {
        self.under_way.remove(network);
        self.mended.remove(network);
        if let Some(question) = &mut self.asked {
            question.mended.remove(network);
        }
        self.troubled.insert(network.clone(), trouble);
    }

    /// The network is gone, and so are its rows.
    pub fn gone(&mut self, network: &Prefix) {
        self.under_way.remove(network);
        self.mended.remove(network);
        self.troubled.remove(network);
    }

    /// Whether something was done that OVN has not been asked to confirm.
    pub fn wants_confirmation(&self) -> bool {
        self.asked.is_none() && (self.done() > self.confirmed || !self.mended.is_empty())
    }

    /// OVN is being asked to confirm all that stands at this moment; the number is told later.
    pub fn asks(&mut self) {
        self.asked(i64::MAX);
    }

    /// OVN was asked to confirm, by a number, all that stood at this moment.
    pub fn asked(&mut self, number: i64) {
        let (up_to, mended) = (self.done(), std::mem::take(&mut self.mended));
        self.asked = Some(Question { number, up_to, mended });
    }

    /// The number by which OVN was asked.
    pub fn numbered(&mut self, number: i64) {
        if let Some(question) = &mut self.asked {
            question.number = number;
        }
    }

    /// The number that OVN has yet to confirm.
    pub fn awaited(&self) -> Option<i64> {
        self.asked.as_ref().map(|question| question.number)
    }

    /// OVN lost the question, and is to be asked again.
    pub fn forget_question(&mut self) {
        if let Some(question) = self.asked.take() {
            self.mended.extend(question.mended);
        }
    }

    /// OVN confirms everything up to a number; returns whether that was asked for.
    pub fn confirmed(&mut self, number: i64) -> bool {
        let is_answer = self.asked.as_ref().is_some_and(|question| question.number <= number);
        if let Some(question) = self.asked.take_if(|_| is_answer) {
            self.confirmed = question.up_to.max(self.confirmed);
            for network in &question.mended {
                self.troubled.remove(network);
            }
        }
        is_answer
    }

    /// The version of NADs up to which everything is in force, but for networks in trouble.
    pub fn programmed_up_to(&self) -> u64 {
        self.confirmed
    }

    /// The networks in trouble, also those that are mended but not confirmed.
    pub fn troubled(&self) -> &BTreeMap<Prefix, Trouble> {
        &self.troubled
    }

    /// Whether nothing waits for a commit or a confirmation.
    pub fn is_quiet(&self) -> bool {
        self.waiting.is_empty() && self.under_way.is_empty() && !self.is_unconfirmed()
    }

    fn is_unconfirmed(&self) -> bool {
        self.asked.is_some() || self.wants_confirmation()
    }

    /// The version of NADs up to which everything is committed.
    fn done(&self) -> u64 {
        let first = self.waiting.values().chain(self.under_way.values()).min();
        first.map_or(self.heard, |first| first.saturating_sub(1).min(self.heard))
    }
}
