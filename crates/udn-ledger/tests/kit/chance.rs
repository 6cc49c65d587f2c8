//! Chance that is the same on every run.
//!
//! Invariant: a seed tells the whole history.

/// The seed that `UDN_SEED` tells; `None` when the stored ones are to be played.
#[allow(clippy::disallowed_methods, reason = "a soak tells its seed by the environment")]
pub(crate) fn told() -> Option<u64> {
    let text = std::env::var("UDN_SEED").ok()?;
    Some(text.trim().parse().expect("UDN_SEED is a number"))
}

/// A row of numbers that look random.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}
