//! A pool of numbers of which a holder may have any, such as addresses.
//!
//! Invariant: memory grows with the numbers in use, never with the size of the pool; a number that
//! was given back rests until the pool has gone round.

use std::ops::RangeInclusive;

use udn_model::SmallMap;

use crate::intervals::Intervals;

#[cfg(test)]
mod tests;

/// Who holds which number of a pool.
#[derive(Debug, Clone)]
pub struct Pool<H> {
    bounds: RangeInclusive<u128>,
    /// What is never given out by itself; whether it may be held at all is for others to say.
    barred: Intervals,
    /// What is barred or held.
    taken: Intervals,
    holders: SmallMap<u128, H>,
    /// Where the search for the next number begins.
    cursor: u128,
    /// How many numbers are given out by themselves.
    total: u128,
    /// How many of these are held.
    used: u128,
}

impl<H: Copy + PartialEq> Pool<H> {
    /// A pool of these numbers, some of which are given out only on request or never.
    pub fn new(bounds: RangeInclusive<u128>, barred: &[RangeInclusive<u128>]) -> Self {
        let mut closed = Intervals::default();
        for range in barred {
            closed.take(*range.start().max(bounds.start())..=*range.end().min(bounds.end()));
        }
        let size = (bounds.end() - bounds.start()).saturating_add(1);
        Self {
            cursor: *bounds.start(),
            bounds,
            taken: closed.clone(),
            holders: SmallMap::default(),
            total: size.saturating_sub(closed.count()),
            used: 0,
            barred: closed,
        }
    }

    pub fn contains(&self, number: u128) -> bool {
        self.bounds.contains(&number)
    }

    pub fn holder_of(&self, number: u128) -> Option<H> {
        self.holders.get(&number).copied()
    }

    /// The next number in turn, which stays free.
    pub fn next(&self) -> Option<u128> {
        self.first_from(self.cursor)
    }

    /// The next number in turn behind another.
    pub fn next_behind(&self, number: u128) -> Option<u128> {
        self.first_from(number.checked_add(1)?)
    }

    /// Writes a free number of the pool down for a holder.
    pub fn hold(&mut self, number: u128, holder: H) {
        if self.holders.insert(number, holder).is_none() && !self.barred.contains(number) {
            self.taken.take(number..=number);
            self.used += 1;
        }
    }

    /// The same for a number that came in turn.
    pub fn hold_in_turn(&mut self, number: u128, holder: H) {
        self.hold(number, holder);
        self.cursor = if number < *self.bounds.end() { number + 1 } else { *self.bounds.start() };
    }

    /// Gives a number back, if it is this holder's.
    pub fn give_back(&mut self, number: u128, holder: H) -> bool {
        if self.holder_of(number) != Some(holder) {
            return false;
        }
        self.holders.remove(&number);
        if !self.barred.contains(number) {
            self.taken.give_back(number);
            self.used -= 1;
        }
        true
    }

    /// How many numbers are given out by themselves, held or free.
    pub fn total(&self) -> u128 {
        self.total
    }

    /// How many can still be given out by themselves.
    pub fn free(&self) -> u128 {
        self.total - self.used
    }

    /// How many are held, on request too.
    pub fn held(&self) -> usize {
        self.holders.len()
    }

    fn first_from(&self, start: u128) -> Option<u128> {
        let end = *self.bounds.end();
        let ahead = self.taken.first_free(start..=end);
        ahead.or_else(|| self.taken.first_free(self.bounds.clone()))
    }
}
