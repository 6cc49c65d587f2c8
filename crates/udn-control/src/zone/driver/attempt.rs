//! One work item: drawn, compared, committed, and compared again.
//!
//! Invariant: a plan is made and sent without a pause, so that it fits the rows it was made from; what
//! went wrong is told on the work item alone, and tried again later each time.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;
use ovn::compare::CompareError;
use ovn::{Owner, Plan, Sheet, compare_all};
use tokio::time::Instant;
use udn_model::{Finding, Findings, Reason, Receipt};
use udn_zone::{Drawing, Extent, Touched, Trouble, WorkItem};

use super::super::brain::ZoneBrain;
use super::super::commit::{self, CommitError};
use super::{Done, Driver, MOST_UNDER_WAY};

/// A work item whose plan was sent.
pub(super) struct UnderWay {
    extent: Extent,
    sheets: Vec<Sheet>,
    /// Whose rows the plan may change.
    pub(super) owners: BTreeSet<Owner>,
    shortfalls: Findings,
    begun: Instant,
}

impl<B: ZoneBrain> Driver<B> {
    /// Begins with as many work items as may be under way.
    pub(super) fn begin_some(&mut self) {
        let zone = self.brain.zone();
        if !zone.is_synced() || zone.refusal().is_some() {
            return;
        }
        while self.first_burst > 0 || self.queue.under_way() < MOST_UNDER_WAY {
            // Networks refer to what they share, so that must stand before they are compared.
            if self.queue.is_under_way(&WorkItem::Shared) {
                return;
            }
            if self.queue.waiting() == 0 {
                let Some(item) = self.sweep.pop() else { return };
                self.touch_whole(item);
            }
            let Some(item) = self.queue.next() else { return };
            self.first_burst = self.first_burst.saturating_sub(1);
            let extent = self.todo.0.remove(&item).unwrap_or(Extent::Whole);
            self.begin(item, extent);
        }
    }

    fn begin(&mut self, item: WorkItem, extent: Extent) {
        let begun = Instant::now();
        if let WorkItem::Network(prefix) = &item {
            self.progress.begun(prefix);
        }
        let database = self.databases.of(&item).clone();
        let drawn = database.client.with_cache(|rows| {
            catch_unwind(AssertUnwindSafe(|| {
                let drawing = self.brain.draw(&item, &extent, rows);
                compare_all(&drawing.sheets, rows, &database.rules).map(|plan| (drawing, plan))
            }))
        });
        let (drawing, plan) = match drawn {
            Ok(Ok(drawn)) => drawn,
            Ok(Err(error)) => return self.fail(item, extent, not_comparable(&error)),
            Err(panic) => {
                let subject = self.brain.zone().subject(&item);
                let finding = self.stumbled(&item.to_string(), &*panic, subject);
                return self.fail(item, extent, finding.message);
            }
        };
        if !plan.is_empty() {
            self.observer.planned(&self.brain.zone().title(&item), &plan);
        }
        self.send(item, extent, (drawing, plan), begun);
    }

    fn send(
        &mut self,
        item: WorkItem,
        extent: Extent,
        (drawing, plan): (Drawing, Plan),
        begun: Instant,
    ) {
        let shortfalls = self.brain.zone().shortfalls(&item, &plan);
        let (owners, sheets) = (drawing.owners(), drawing.sheets);
        let attempt = UnderWay { extent, sheets, owners, shortfalls, begun };
        if plan.is_empty() {
            // Nothing was late: the rows stood already.
            drop(self.lags.end(&item, begun));
            self.settle(item, attempt);
            return;
        }
        let commitment = match commit::begin(&plan, self.databases.of(&item)) {
            Ok(commitment) => commitment,
            Err(error) => return self.fail(item, attempt.extent, tried_again(&error)),
        };
        let committed = item.clone();
        let finish = async move { Done::Committed(committed, commitment.finish().await) };
        self.waiting.push(finish.boxed());
        self.under_way.insert(item, attempt);
    }

    /// Takes in what came of a transaction.
    pub(super) fn conclude(&mut self, item: WorkItem, outcome: Result<Receipt, CommitError>) {
        let Some(attempt) = self.under_way.remove(&item) else { return };
        match outcome {
            Ok(receipt) => {
                let Receipt { inserted, updated, removed, .. } = receipt;
                tracing::info!(%item, inserted, updated, removed, "committed");
                self.metrics.committed(attempt.begun.elapsed());
                self.receipt = self.receipt.plus(receipt);
                self.compare_again(&item, &attempt);
                self.settle(item, attempt);
            }
            Err(error) if error.is_overtaken() => {
                tracing::debug!(%item, "rows changed meanwhile; comparing again");
                self.put_back(&item, attempt.extent);
                self.queue.failed(item, Instant::now());
            }
            Err(error) => self.fail(item, attempt.extent, tried_again(&error)),
        }
    }

    /// Somebody else may have changed the same rows while the transaction was under way.
    fn compare_again(&mut self, item: &WorkItem, attempt: &UnderWay) {
        let database = self.databases.of(item);
        let again = database.client.with_cache(|rows| {
            compare_all(&attempt.sheets, rows, &database.rules).map(|plan| plan.is_empty())
        });
        if !again.unwrap_or(false) {
            self.touch_whole(item.clone());
        }
    }

    /// The rows stand as drawn, but for what could not be done.
    fn settle(&mut self, item: WorkItem, attempt: UnderWay) {
        let UnderWay { extent, shortfalls, begun, .. } = attempt;
        let is_whole = shortfalls.is_empty();
        let database = self.databases.of(&item).clone();
        database.client.with_cache(|rows| self.brain.zone_mut().ports_gone(&item, rows));
        if let WorkItem::Network(prefix) = &item {
            let zone = self.brain.zone();
            match zone.network_of(prefix) {
                Some(_) => self.progress.committed(prefix, zone.trouble(prefix, &shortfalls)),
                // What is held back of it is tried again, and holds up nobody's report.
                None => self.progress.gone(prefix),
            }
        }
        if is_whole {
            self.lags.end(&item, begun).for_each(|at| self.metrics.caught_up(at.elapsed()));
            self.shortfalls.remove(&item);
            self.queue.done(item);
        } else {
            self.shortfalls.insert(item.clone(), shortfalls);
            self.put_back(&item, extent);
            self.queue.failed(item, Instant::now());
        }
        if self.brain.zone().next_dirty().is_some() {
            self.renew_all(u64::MAX, Instant::now());
        }
    }

    fn fail(&mut self, item: WorkItem, extent: Extent, message: String) {
        tracing::warn!(%item, message, "could not commit");
        if let WorkItem::Network(prefix) = &item {
            let trouble = Trouble { reason: Reason::RowConflict, message: message.clone() };
            self.progress.trouble(prefix, trouble);
        }
        let subject = self.brain.zone().subject(&item);
        let finding = Finding::new(subject, Reason::RowConflict, message);
        self.shortfalls.insert(item.clone(), vec![finding]);
        self.put_back(&item, extent);
        self.queue.failed(item, Instant::now());
    }

    fn put_back(&mut self, item: &WorkItem, extent: Extent) {
        self.todo.append(Touched([(item.clone(), extent)].into()));
    }
}

fn not_comparable(error: &CompareError) -> String {
    format!("its rows cannot be compared: {error}; this is a mistake of ours")
}

fn tried_again(error: &CommitError) -> String {
    format!("{error}; it is tried again")
}
