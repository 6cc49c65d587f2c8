//! Decides what a candidate for a lease does next.
//!
//! Reads the lease as last seen and moments of this machine's own clock; returns a [`Step`].
//! Invariant: only an answered write makes or keeps a leader, counted from when it was sent; a
//! lease of somebody else ends by time that passed here since it last changed, never by its times.

use std::time::Duration;

#[cfg(test)]
mod tests;

/// A moment of this machine's clock, counted from a start that only this program knows.
pub type Moment = Duration;

/// How long a lease lasts, and how often it is looked after.
///
/// A leader gives up before others take over: `give_up` must be shorter than `duration` by more
/// than two clocks may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Others take over when nothing was renewed for so long.
    pub duration: Duration,
    /// A leader renews so often.
    pub renew: Duration,
    /// A leader stops leading when no renewal was answered for so long.
    pub give_up: Duration,
    /// No request takes longer.
    pub request: Duration,
    /// Who does not lead looks at the lease so often.
    pub look: Duration,
    /// After a request that failed, the next one comes so much later.
    pub pause: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            duration: Duration::from_secs(5),
            renew: Duration::from_secs(1),
            give_up: Duration::from_secs(3),
            request: Duration::from_secs(1),
            look: Duration::from_millis(500),
            pause: Duration::from_millis(250),
        }
    }
}

/// What a lease says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Who holds it; nobody if empty.
    pub holder: String,
    /// When the holder got it, by the holder's clock: with the holder's name, it names a term.
    pub acquired: Option<i64>,
    /// Changes with every renewal; by the holder's clock, so nobody else reckons with it.
    pub renewed: Option<i64>,
    /// How long the holder may be silent.
    pub duration: Duration,
}

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Read the lease.
    Look,
    /// Write the lease in our name, as a new term.
    Acquire,
    /// Write the lease again, in the same term.
    Renew,
    /// Nothing until then.
    Wait(Moment),
    /// Stop leading at once.
    Lost,
}

/// One who leads or would like to.
#[derive(Debug, Clone)]
pub struct Candidate {
    identity: String,
    timing: Timing,
    /// The lease as last seen, and since when it is like that.
    seen: Option<Sight>,
    looked: Option<Moment>,
    /// When the lease was acquired that we wrote last, answered or not.
    term: Option<i64>,
    /// When the last write was sent that was answered.
    held: Option<Moment>,
    failed: Option<Moment>,
    /// Whether somebody wrote the lease since we saw it.
    is_stale: bool,
}

#[derive(Debug, Clone)]
struct Sight {
    /// Nothing if there is no lease.
    record: Option<Record>,
    since: Moment,
}

impl Sight {
    fn is_held(&self) -> bool {
        self.record.as_ref().is_some_and(|record| !record.holder.is_empty())
    }
}

impl Candidate {
    pub fn new(identity: &str, timing: Timing) -> Self {
        Self {
            identity: identity.to_owned(),
            timing,
            seen: None,
            looked: None,
            term: None,
            held: None,
            failed: None,
            is_stale: false,
        }
    }

    /// What to do now.
    pub fn step(&self, now: Moment) -> Step {
        match (self.held, &self.seen) {
            (Some(held), _) => self.lead(held, now),
            (None, None) => self.after_pause(Step::Look, now),
            (None, Some(sight)) => self.run(sight, now),
        }
    }

    /// Whether we lead.
    pub fn is_leading(&self, now: Moment) -> bool {
        self.held.is_some_and(|held| now < held + self.timing.give_up)
    }

    /// How long a request that is sent now may take.
    pub fn patience(&self, now: Moment) -> Duration {
        let left = self.held.map(|held| (held + self.timing.give_up).saturating_sub(now));
        left.unwrap_or(self.timing.request).min(self.timing.request)
    }

    /// The lease was read; nothing if there is none. `asked` is when the request was sent.
    pub fn saw(&mut self, record: Option<Record>, asked: Moment, now: Moment) {
        self.is_stale = false;
        self.failed = None;
        self.looked = Some(asked);
        match (&mut self.seen, record) {
            // A lease that was deleted binds its holder for as long as it would have.
            (Some(sight), None) if self.held.is_none() && sight.is_held() => {}
            (Some(sight), record) if sight.record == record => {}
            (seen, record) => *seen = Some(Sight { record, since: now }),
        }
    }

    /// A lease that is acquired at this time, by our clock, is about to be written.
    pub fn acquires(&mut self, term: i64) {
        self.term = Some(term);
    }

    /// The write of a lease was answered: it stands as written.
    pub fn wrote(&mut self, record: Record, sent: Moment, now: Moment) {
        self.failed = None;
        self.is_stale = false;
        self.held = Some(sent);
        self.seen = Some(Sight { record: Some(record), since: now });
    }

    /// A request failed, and nobody knows what came of it.
    pub fn failed(&mut self, now: Moment) {
        self.failed = Some(now);
        // Another try to acquire would be another term, and the first could stand meanwhile.
        self.is_stale |= self.held.is_none();
    }

    /// A write was refused: the lease is no longer as it was seen.
    pub fn was_late(&mut self) {
        self.is_stale = true;
    }

    fn lead(&self, held: Moment, now: Moment) -> Step {
        let end = held + self.timing.give_up;
        let due = held + self.timing.renew;
        let is_ours = self.seen.as_ref().is_some_and(|sight| self.is_ours(sight));
        match () {
            () if now >= end || !is_ours => Step::Lost,
            () if self.is_stale => self.after_pause(Step::Look, now),
            () if now >= due => match self.after_pause(Step::Renew, now) {
                Step::Wait(until) => Step::Wait(until.min(end)),
                step => step,
            },
            () => Step::Wait(due),
        }
    }

    fn run(&self, sight: &Sight, now: Moment) -> Step {
        let look = self.looked.unwrap_or_default() + self.timing.look;
        let open = match &sight.record {
            None => now,
            Some(_) if !sight.is_held() || self.is_ours(sight) => now,
            Some(record) => sight.since + record.duration.max(self.timing.duration),
        };
        match () {
            () if self.is_stale => self.after_pause(Step::Look, now),
            () if now >= open => self.after_pause(Step::Acquire, now),
            () if now >= look => self.after_pause(Step::Look, now),
            () => Step::Wait(look.min(open)),
        }
    }

    /// Whether the lease stands as this very program wrote it; another of our name is another.
    fn is_ours(&self, sight: &Sight) -> bool {
        sight.record.as_ref().is_some_and(|record| {
            record.holder == self.identity
                && record.acquired.is_some()
                && record.acquired == self.term
        })
    }

    fn after_pause(&self, step: Step, now: Moment) -> Step {
        match self.failed.map(|failed| failed + self.timing.pause) {
            Some(until) if now < until => Step::Wait(until),
            Some(_) | None => step,
        }
    }
}
