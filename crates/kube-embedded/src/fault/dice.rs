//! Dice that fall the same way for the same seed and the same occasion.
//!
//! Invariant: what one occasion rolls never changes what another rolls.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::PerMille;

/// The dice of one occasion.
#[derive(Debug)]
pub(super) struct Dice(fastrand::Rng);

impl Dice {
    pub(super) fn new(seed: u64, occasion: &[&str], turn: u64) -> Self {
        let mut hasher = DefaultHasher::new();
        (seed, occasion, turn).hash(&mut hasher);
        Self(fastrand::Rng::with_seed(hasher.finish()))
    }

    pub(super) fn falls(&mut self, chance: PerMille) -> bool {
        self.0.u16(..1000) < chance.0
    }

    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0.u64(..limit)
    }

    pub(super) fn part_of(&mut self, longest: Duration) -> Duration {
        longest.mul_f64(self.0.f64())
    }

    pub(super) fn one_of<const N: usize>(&mut self, choices: [u16; N]) -> u16 {
        choices[self.0.usize(..N)]
    }
}

/// Counts occasions by what they are, in a fixed number of slots.
#[derive(Debug)]
pub(super) struct Slots(Box<[AtomicU64]>);

const SLOTS: usize = 4096;

impl Default for Slots {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Slots {
    /// How many occasions of this sort there were before.
    pub(super) fn next(&self, occasion: &[&str]) -> u64 {
        let mut hasher = DefaultHasher::new();
        occasion.hash(&mut hasher);
        let slots = u64::try_from(SLOTS).unwrap_or(1);
        let place = usize::try_from(hasher.finish() % slots).unwrap_or(0);
        self.0[place].fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn reset(&self) {
        self.0.iter().for_each(|slot| slot.store(0, Ordering::Relaxed));
    }
}
