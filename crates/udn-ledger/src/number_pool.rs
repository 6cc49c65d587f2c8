//! A pool of numbers of which each holder has one, such as ids.
//!
//! Invariant: a number has at most one holder and a holder at most one number; a number that was
//! given back rests until the pool has gone round.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::intervals::Intervals;

#[cfg(test)]
mod tests;

/// Who holds which number of a pool.
#[derive(Debug, Clone)]
pub(crate) struct NumberPool<H> {
    bounds: RangeInclusive<u128>,
    /// Where new numbers come from; what was published may lie outside.
    fresh: RangeInclusive<u128>,
    taken: Intervals,
    holders: BTreeMap<u128, H>,
    numbers: BTreeMap<H, u128>,
    /// Where the search for the next number begins.
    cursor: u128,
}

/// Why a number cannot be held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal<H> {
    /// Somebody else holds it.
    HeldBy(H),
    /// It is outside the pool.
    Blocked,
}

impl<H: Ord + Clone> NumberPool<H> {
    #[cfg(test)]
    pub(crate) fn holders(&self) -> impl Iterator<Item = &H> {
        self.numbers.keys()
    }

    pub(crate) fn new(bounds: RangeInclusive<u128>) -> Self {
        let (cursor, fresh) = (*bounds.start(), bounds.clone());
        let (taken, holders, numbers) = (Intervals::default(), BTreeMap::new(), BTreeMap::new());
        Self { bounds, fresh, taken, holders, numbers, cursor }
    }

    /// The same pool, which gives out only some of its numbers.
    pub(crate) fn giving(mut self, fresh: RangeInclusive<u128>) -> Self {
        self.cursor = *fresh.start();
        self.fresh = fresh;
        self
    }

    pub(crate) fn number_of(&self, holder: &H) -> Option<u128> {
        self.numbers.get(holder).copied()
    }

    pub(crate) fn holder_of(&self, number: u128) -> Option<&H> {
        self.holders.get(&number)
    }

    /// The highest number that is given out.
    pub(crate) fn last(&self) -> u128 {
        *self.fresh.end()
    }

    /// Whether somebody could hold the number.
    pub(crate) fn is_free(&self, number: u128) -> bool {
        self.bounds.contains(&number) && !self.taken.contains(number)
    }

    /// Writes down that a holder has a number, as was published before.
    pub(crate) fn hold(&mut self, holder: &H, number: u128) -> Result<(), Refusal<H>> {
        match self.holders.get(&number) {
            Some(present) if present == holder => return Ok(()),
            Some(present) => return Err(Refusal::HeldBy(present.clone())),
            None if !self.is_free(number) => return Err(Refusal::Blocked),
            None => {}
        }
        self.release(holder);
        self.enter(holder, number);
        Ok(())
    }

    /// The number of a holder: the one it has, else the next free one.
    pub(crate) fn grant(&mut self, holder: &H) -> Option<u128> {
        self.grant_outside(holder, &[])
    }

    /// The same; a new number lies outside these ranges.
    pub(crate) fn grant_outside(
        &mut self,
        holder: &H,
        avoid: &[RangeInclusive<u128>],
    ) -> Option<u128> {
        if let Some(number) = self.number_of(holder) {
            return Some(number);
        }
        let number = self.next_free(avoid)?;
        self.enter(holder, number);
        self.cursor = if number < *self.fresh.end() { number + 1 } else { *self.fresh.start() };
        Some(number)
    }

    /// Gives the holder's number back.
    pub(crate) fn release(&mut self, holder: &H) {
        if let Some(number) = self.numbers.remove(holder) {
            self.holders.remove(&number);
            self.taken.give_back(number);
        }
    }

    fn next_free(&self, avoid: &[RangeInclusive<u128>]) -> Option<u128> {
        let ahead = self.first_free(self.cursor..=*self.fresh.end(), avoid);
        ahead.or_else(|| self.first_free(self.fresh.clone(), avoid))
    }

    fn first_free(
        &self,
        range: RangeInclusive<u128>,
        avoid: &[RangeInclusive<u128>],
    ) -> Option<u128> {
        let (mut first, last) = range.into_inner();
        loop {
            let number = self.taken.first_free(first..=last)?;
            // Every round leaves one avoided range behind, so the search ends.
            match avoid.iter().find(|it| it.contains(&number)) {
                Some(avoided) => first = avoided.end().checked_add(1)?,
                None => return Some(number),
            }
        }
    }

    fn enter(&mut self, holder: &H, number: u128) {
        self.taken.take(number..=number);
        self.holders.insert(number, holder.clone());
        self.numbers.insert(holder.clone(), number);
    }
}
