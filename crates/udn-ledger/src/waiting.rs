//! Who waits for numbers of a network, and who is called when some are free.
//!
//! Invariant: as long as numbers are free, so many of those who wait for any are called; a call
//! costs nothing for those who are not called.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use udn_model::{MacAddress, ObjectName, PortKey};

use crate::addresses::Waiter;

#[cfg(test)]
mod tests;

/// What somebody waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// Any addresses, and a port key.
    AnyAddress,
    /// Any port key.
    Port,
    Address(IpAddr),
    Mac(MacAddress),
    /// Just this port key, which it carries already.
    ThatPort(PortKey),
    /// That another pod of the same virtual machine gets addresses.
    Machine(ObjectName),
    /// Another network, or another request.
    Change,
}

/// Everybody who waits in one network.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    addresses: Queue,
    ports: Queue,
    exact: BTreeMap<Need, BTreeSet<Waiter>>,
    needs: BTreeMap<Waiter, BTreeSet<Need>>,
    woken: Vec<Waiter>,
}

/// Those who wait for any number of a kind.
#[derive(Debug, Clone, Default)]
struct Queue {
    /// In the order in which they came; some may have left.
    line: VecDeque<(u64, Waiter)>,
    /// The place of everybody who is in the line.
    places: BTreeMap<Waiter, u64>,
    /// Those who were called and have not come yet.
    called: BTreeSet<Waiter>,
    next_place: u64,
}

impl Waiting {
    pub(crate) fn put(&mut self, waiter: &Waiter, need: Need) {
        if !self.needs.entry(waiter.clone()).or_default().insert(need.clone()) {
            return;
        }
        match need {
            Need::AnyAddress => self.addresses.put(waiter),
            Need::Port => self.ports.put(waiter),
            Need::Address(_)
            | Need::Mac(_)
            | Need::ThatPort(_)
            | Need::Machine(_)
            | Need::Change => {
                self.exact.entry(need).or_default().insert(waiter.clone());
            }
        }
    }

    /// Somebody waits no longer, or is being settled.
    pub(crate) fn withdraw(&mut self, waiter: &Waiter) {
        if self.is_empty() {
            return;
        }
        self.addresses.called.remove(waiter);
        self.ports.called.remove(waiter);
        for need in self.needs.remove(waiter).into_iter().flatten() {
            match need {
                Need::AnyAddress => self.addresses.leave(waiter),
                Need::Port => self.ports.leave(waiter),
                Need::Address(_)
                | Need::Mac(_)
                | Need::ThatPort(_)
                | Need::Machine(_)
                | Need::Change => {
                    if let Some(all) = self.exact.get_mut(&need) {
                        all.remove(waiter);
                        if all.is_empty() {
                            self.exact.remove(&need);
                        }
                    }
                }
            }
        }
    }

    /// A need is met: all who wait for just that are woken.
    pub(crate) fn met(&mut self, need: &Need) {
        for waiter in self.exact.get(need).cloned().into_iter().flatten() {
            self.wake(&waiter);
        }
    }

    /// Wakes somebody whose work item changed, if it waits for a change.
    pub(crate) fn changed(&mut self, waiter: &Waiter) {
        if self.needs.get(waiter).is_some_and(|needs| needs.contains(&Need::Change)) {
            self.wake(waiter);
        }
    }

    /// Wakes everybody.
    pub(crate) fn wake_all(&mut self) {
        let all = std::mem::take(self);
        self.woken = all.woken;
        self.woken.extend(all.needs.into_keys());
        self.woken.extend(all.addresses.called.into_iter().chain(all.ports.called));
    }

    /// Calls as many as there are free numbers for; returns everybody who was woken since the last
    /// time.
    pub(crate) fn call(&mut self, addresses: u128, ports: u128) -> Vec<Waiter> {
        if self.is_empty() && self.woken.is_empty() {
            return Vec::new();
        }
        for (queue, need, free) in [
            (&mut self.addresses, Need::AnyAddress, addresses),
            (&mut self.ports, Need::Port, ports),
        ] {
            while (queue.called.len() as u128) < free
                && let Some(waiter) = queue.next()
            {
                if let Some(needs) = self.needs.get_mut(&waiter) {
                    needs.remove(&need);
                    if needs.is_empty() {
                        self.needs.remove(&waiter);
                    }
                }
                queue.called.insert(waiter.clone());
                self.woken.push(waiter);
            }
        }
        let mut woken = std::mem::take(&mut self.woken);
        woken.sort();
        woken.dedup();
        woken
    }

    /// Whether nobody waits, nor was called and has not come yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.needs.is_empty() && self.addresses.called.is_empty() && self.ports.called.is_empty()
    }

    fn wake(&mut self, waiter: &Waiter) {
        // Who was called keeps the call, so that it counts until it comes.
        let called = (self.addresses.called.contains(waiter), self.ports.called.contains(waiter));
        self.withdraw(waiter);
        if called.0 {
            self.addresses.called.insert(waiter.clone());
        }
        if called.1 {
            self.ports.called.insert(waiter.clone());
        }
        self.woken.push(waiter.clone());
    }
}

impl Queue {
    fn put(&mut self, waiter: &Waiter) {
        self.places.insert(waiter.clone(), self.next_place);
        self.line.push_back((self.next_place, waiter.clone()));
        self.next_place += 1;
    }

    fn leave(&mut self, waiter: &Waiter) {
        self.places.remove(waiter);
        // The line is mostly those who left: pay for the walk with the leaves since the last one.
        if self.line.len() > 2 * self.places.len() + 8 {
            let places = &self.places;
            self.line.retain(|(place, waiter)| places.get(waiter) == Some(place));
        }
    }

    fn next(&mut self) -> Option<Waiter> {
        while let Some((place, waiter)) = self.line.pop_front() {
            if self.places.get(&waiter) == Some(&place) {
                self.places.remove(&waiter);
                return Some(waiter);
            }
        }
        None
    }
}
