//! One request after the other for each sandbox, and those of other sandboxes beside them.
//!
//! Invariant: who asks first is first, and a DEL lets an ADD of the same interface know that it waits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedMutexGuard, watch};

/// The order of requests.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<Mutex<BTreeMap<String, Line>>>);

/// Those who wait for one sandbox.
#[derive(Debug, Default)]
struct Line {
    gate: Arc<tokio::sync::Mutex<()>>,
    /// Who has the turn or waits for it.
    members: usize,
    /// The interfaces that somebody wants to take away.
    leaving: watch::Sender<BTreeSet<String>>,
}

/// The right to change a sandbox, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    // Dropped before the place in the line, so that nobody makes a second line meanwhile.
    _gate: Option<OwnedMutexGuard<()>>,
    place: Place,
}

/// A place in the line.
#[derive(Debug)]
struct Place {
    turns: Turns,
    sandbox: String,
    leaving: watch::Receiver<BTreeSet<String>>,
}

impl Turns {
    /// Waits for the turn of a sandbox.
    pub(super) async fn take(&self, sandbox: &str) -> Turn {
        let (place, gate) = self.join(sandbox);
        let gate = gate.lock_owned().await;
        Turn { _gate: Some(gate), place }
    }

    /// The same, to take an interface away: who waits for its making may stop.
    pub(super) async fn take_to_remove(&self, sandbox: &str, interface: &str) -> Turn {
        let (place, gate) = self.join(sandbox);
        place.tell(|leaving| leaving.insert(interface.to_owned()));
        let gate = gate.lock_owned().await;
        place.tell(|leaving| leaving.remove(interface));
        Turn { _gate: Some(gate), place }
    }

    fn join(&self, sandbox: &str) -> (Place, Arc<tokio::sync::Mutex<()>>) {
        let mut lines = self.lines();
        let line = lines.entry(sandbox.to_owned()).or_default();
        line.members += 1;
        let leaving = line.leaving.subscribe();
        let place = Place { turns: self.clone(), sandbox: sandbox.to_owned(), leaving };
        (place, Arc::clone(&line.gate))
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<String, Line>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Waits until somebody wants to take the interface away.
    pub(super) async fn is_leaving(&self, interface: &str) {
        let mut leaving = self.place.leaving.clone();
        // The line lives as long as this turn.
        let _ = leaving.wait_for(|all| all.contains(interface)).await;
    }
}

impl Place {
    fn tell<T>(&self, change: impl FnOnce(&mut BTreeSet<String>) -> T) {
        if let Some(line) = self.turns.lines().get(&self.sandbox) {
            line.leaving.send_modify(|leaving| drop(change(leaving)));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lines = self.turns.lines();
        if let Some(line) = lines.get_mut(&self.sandbox) {
            line.members -= 1;
            if line.members == 0 {
                lines.remove(&self.sandbox);
            }
        }
    }
}

#[cfg(test)]
mod tests;
