//! A sparse set of numbers, kept as ranges that never touch.
//!
//! Invariant: ranges are disjoint and not adjacent, so the next free number after any number is
//! found in logarithmic time, however many are taken.

use std::ops::RangeInclusive;

use udn_model::SmallMap;

#[cfg(test)]
mod tests;

/// The taken numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Intervals {
    /// First number of each range, with its last.
    ranges: SmallMap<u128, u128>,
}

impl Intervals {
    pub(crate) fn contains(&self, number: u128) -> bool {
        self.range_around(number).is_some()
    }

    /// Takes every number of a range; some may be taken already.
    pub(crate) fn take(&mut self, range: RangeInclusive<u128>) {
        let (mut first, mut last) = range.into_inner();
        if first > last {
            return;
        }
        if let Some((start, end)) = self.range_up_to(first)
            && end >= first.saturating_sub(1)
        {
            first = start;
            last = last.max(end);
        }
        while let Some((start, end)) = self.range_from(first) {
            if start > last.saturating_add(1) {
                break;
            }
            last = last.max(end);
            self.ranges.remove(&start);
        }
        self.ranges.insert(first, last);
    }

    /// Gives one number back.
    pub(crate) fn give_back(&mut self, number: u128) {
        let Some((start, end)) = self.range_around(number) else { return };
        self.ranges.remove(&start);
        if start < number {
            self.ranges.insert(start, number - 1);
        }
        if number < end {
            self.ranges.insert(number + 1, end);
        }
    }

    /// How many numbers are taken.
    pub(crate) fn count(&self) -> u128 {
        let sizes = self.ranges.iter().map(|(first, last)| (last - first).saturating_add(1));
        sizes.fold(0, u128::saturating_add)
    }

    /// The lowest free number in a range.
    pub(crate) fn first_free(&self, range: RangeInclusive<u128>) -> Option<u128> {
        let (first, last) = range.into_inner();
        let candidate = match self.range_around(first) {
            Some((_, end)) => end.checked_add(1)?,
            None => first,
        };
        (candidate <= last).then_some(candidate)
    }

    fn range_around(&self, number: u128) -> Option<(u128, u128)> {
        self.range_up_to(number).filter(|(_, end)| number <= *end)
    }

    /// The last range that begins at a number or before it.
    fn range_up_to(&self, number: u128) -> Option<(u128, u128)> {
        self.ranges.last_up_to(&number).map(|(start, end)| (*start, *end))
    }

    /// The first range that begins at a number or after it.
    fn range_from(&self, number: u128) -> Option<(u128, u128)> {
        self.ranges.from(number).next().map(|(start, end)| (*start, *end))
    }
}
