//! Asks OVN to confirm what was committed, and hears its answer.
//!
//! Invariant: one question at a time; it covers what stood when it was asked, and nothing later.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::super::brain::ZoneBrain;
use super::super::confirm::{self, Asked, Numbers};
use super::{Done, Driver};

/// How long OVN is left alone after a question that could not be asked, or was lost.
const REST: Duration = Duration::from_secs(1);

impl<B: ZoneBrain> Driver<B> {
    /// Asks, if something was done that nobody has asked about.
    pub(super) fn ask_for_confirmation(&mut self) {
        let now = Instant::now();
        if !self.progress.wants_confirmation() || now < self.next_question {
            return;
        }
        let Some(question) = confirm::ask(&self.databases.northbound) else {
            self.next_question = now + REST;
            return;
        };
        self.progress.asks();
        self.asked_at = now;
        self.waiting.push(async move { Done::Asked(question.await) }.boxed());
    }

    pub(super) fn take_in_question(&mut self, asked: Asked) {
        match asked {
            Asked::Number(number) => {
                self.progress.numbered(number);
                self.look_for_confirmation();
            }
            Asked::Lost => {
                self.progress.forget_question();
                self.next_question = Instant::now() + REST;
            }
        }
    }

    pub(super) fn look_for_confirmation(&mut self) {
        let Some(awaited) = self.progress.awaited() else { return };
        let numbers = confirm::numbers(&self.databases.northbound);
        self.metrics.numbers(numbers);
        let Numbers { northbound, hypervisor, .. } = numbers;
        // A database that was made anew counts from the beginning.
        if awaited != i64::MAX && northbound < awaited {
            self.progress.forget_question();
        } else if self.progress.confirmed(hypervisor) {
            self.former_report = None;
            self.metrics.confirmed(self.asked_at.elapsed());
        }
    }
}
