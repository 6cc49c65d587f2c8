//! Least and greatest numbers that a size or a cost may be.
//!
//! Reads bounds; returns bounds.
//! Invariant: arithmetic stops at the greatest number and never wraps, as cel-go's does.

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// From `min` to `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub min: u64,
    pub max: u64,
}

impl Range {
    pub(super) const ZERO: Self = Self::fixed(0);
    pub(super) const ONE: Self = Self::fixed(1);
    pub(super) const UNKNOWN: Self = Self { min: 0, max: u64::MAX };
    /// What every other range makes larger.
    pub(super) const NOTHING: Self = Self { min: u64::MAX, max: 0 };

    pub(super) const fn fixed(number: u64) -> Self {
        Self { min: number, max: number }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { min: scale(self.min, factor), max: scale(self.max, factor) }
    }

    /// The range that holds both.
    pub(super) fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// compat: checker/cost.go, multiplyByCostFactor
fn scale(number: u64, factor: f64) -> u64 {
    let real = number as f64;
    if real > 0.0 && factor > 0.0 && real > u64::MAX as f64 / factor {
        return u64::MAX;
    }
    let product = (real * factor).ceil();
    if product >= TWO_TO_64 { u64::MAX } else { product as u64 }
}
