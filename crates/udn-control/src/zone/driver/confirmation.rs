//! Asks OVN to confirm what was committed, and hears its answer.
//!
//! Invariant: one question at a time; it covers what stood when it was asked, and nothing later.

use futures_util::FutureExt;
use tokio::time::Instant;

use super::super::brain::ZoneBrain;
use super::super::confirm::{self, Asked, Numbers};
use super::{Done, Driver};

impl<B: ZoneBrain> Driver<B> {
    /// Asks, if something was done that nobody has asked about.
    pub(super) fn ask_for_confirmation(&mut self) {
        if !self.progress.wants_confirmation() {
            return;
        }
        let Some(question) = confirm::ask(&self.databases.northbound) else { return };
        self.progress.asks();
        self.asked_at = Instant::now();
        self.waiting.push(async move { Done::Asked(question.await) }.boxed());
    }

    pub(super) fn take_in_question(&mut self, asked: Asked) {
        match asked {
            Asked::Number(number) => {
                self.progress.numbered(number);
                self.look_for_confirmation();
            }
            Asked::Lost => self.progress.forget_question(),
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
            self.metrics.confirmed(self.asked_at.elapsed());
        }
    }
}
