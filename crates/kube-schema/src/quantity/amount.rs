//! The number of a quantity.
//!
//! Reads numbers; returns their sum, order and rounded values.
//! Invariant: a number is a whole number times a power of ten; beyond 38 digits it is rounded up,
//! as no sensible quantity has that many.

use std::cmp::Ordering;
use std::fmt;

/// `mantissa` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amount {
    mantissa: i128,
    exponent: i32,
    /// Whether the server holds the number in 64 bits, which is what makes it an integer.
    is_small: bool,
}

impl Amount {
    pub(crate) fn of_int(int: i64) -> Self {
        Self::small(int, 0)
    }

    pub(super) fn small(mantissa: i64, exponent: i32) -> Self {
        Self { mantissa: i128::from(mantissa), exponent, is_small: true }
    }

    pub(super) fn large(mantissa: i128, exponent: i32) -> Self {
        Self { mantissa, exponent, is_small: false }
    }

    pub(super) fn is_small(&self) -> bool {
        self.is_small
    }

    pub(crate) fn negated(&self) -> Self {
        Self { mantissa: -self.mantissa, ..*self }
    }

    pub(crate) fn sign(&self) -> i64 {
        self.mantissa.signum() as i64
    }

    /// compat: resource/quantity.go, AsInt64 knows no number with a fraction, `1.0` included
    pub(crate) fn to_int(self) -> Option<i64> {
        if !self.is_small || self.exponent < 0 {
            return None;
        }
        let factor = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
        i64::try_from(self.mantissa.checked_mul(factor)?).ok()
    }

    /// The number if it has no fraction.
    pub(super) fn to_whole(self) -> Option<i128> {
        let factor = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
        match self.exponent {
            0.. => self.mantissa.checked_mul(factor),
            _ => (self.mantissa % factor == 0).then(|| self.mantissa / factor),
        }
    }

    /// A whole number that does not end in zero, and the power of ten that belongs to it.
    pub(super) fn shortest(self) -> (i128, i32) {
        let Self { mut mantissa, mut exponent, .. } = self;
        while mantissa % 10 == 0 && mantissa != 0 {
            mantissa /= 10;
            exponent += 1;
        }
        (mantissa, exponent)
    }

    /// Rounds away from zero to a power of ten, and says whether that changed anything: whoever
    /// asks for very little gets the least there is.
    pub(super) fn round_up(&mut self, least: i32) -> bool {
        if self.exponent >= least || self.mantissa == 0 {
            return false;
        }
        let factor = 10_i128.checked_pow(self.exponent.abs_diff(least)).unwrap_or(i128::MAX);
        let rest = self.mantissa % factor;
        self.mantissa = self.mantissa / factor + rest.signum();
        self.exponent = least;
        rest != 0
    }

    pub(crate) fn to_float(self) -> f64 {
        let base = self.mantissa as f64;
        if self.exponent == 0 { base } else { base * 10_f64.powi(self.exponent) }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        if other.mantissa == 0 {
            return *self;
        }
        if self.mantissa == 0 {
            return *other;
        }
        let exponent = self.exponent.min(other.exponent);
        let aligned = |amount: &Self| {
            let places = amount.exponent.abs_diff(exponent);
            10_i128.checked_pow(places).and_then(|factor| amount.mantissa.checked_mul(factor))
        };
        match (aligned(self), aligned(other)) {
            (Some(left), Some(right)) => match left.checked_add(right) {
                Some(mantissa) => Self {
                    mantissa,
                    exponent,
                    is_small: self.is_small && other.is_small && i64::try_from(mantissa).is_ok(),
                },
                None => Self { is_small: false, ..*self },
            },
            // One is beyond all measure of the other.
            (None, _) => Self { is_small: false, ..*self },
            (_, None) => Self { is_small: false, ..*other },
        }
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let signs = self.sign().cmp(&other.sign());
        if signs != Ordering::Equal || self.mantissa == 0 {
            return signs;
        }
        let (left, right) = (self.digits(), other.digits());
        let magnitude = |digits: &str, exponent: i32| digits.len() as i64 + i64::from(exponent);
        let order = magnitude(&left, self.exponent)
            .cmp(&magnitude(&right, other.exponent))
            .then_with(|| left.trim_end_matches('0').cmp(right.trim_end_matches('0')));
        if self.mantissa < 0 { order.reverse() } else { order }
    }

    fn digits(&self) -> String {
        self.mantissa.unsigned_abs().to_string()
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.exponent {
            0 => write!(f, "{}", self.mantissa),
            exponent => write!(f, "{}e{exponent}", self.mantissa),
        }
    }
}
