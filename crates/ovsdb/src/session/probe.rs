//! Finds out whether the server is still there.
//!
//! Invariant: a server that says anything at all within each interval is alive.

use std::time::Duration;

/// Watches for silence; times are counted from any fixed moment.
#[derive(Debug)]
pub(super) struct Probe {
    interval: Option<Duration>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Off,
    /// The server spoke last at this time.
    Heard(Duration),
    /// It was asked at this time and has said nothing since.
    Asked(Duration),
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    Ask,
    Dead,
}

impl Probe {
    pub(super) fn new(interval: Option<Duration>) -> Self {
        Self { interval, state: State::Off }
    }

    pub(super) fn heard(&mut self, now: Duration) {
        self.state = State::Heard(now);
    }

    pub(super) fn stop(&mut self) {
        self.state = State::Off;
    }

    pub(super) fn next_wake(&self) -> Option<Duration> {
        match self.state {
            State::Off => None,
            State::Heard(since) | State::Asked(since) => Some(since + self.interval?),
        }
    }

    pub(super) fn wake(&mut self, now: Duration) -> Due {
        match (self.next_wake(), self.state) {
            (Some(at), State::Heard(_)) if now >= at => {
                self.state = State::Asked(now);
                Due::Ask
            }
            (Some(at), State::Asked(_)) if now >= at => Due::Dead,
            (_, State::Off | State::Heard(_) | State::Asked(_)) => Due::Nothing,
        }
    }
}
