//! The number of a quantity.
//!
//! Reads the number and the suffix of a text; returns a whole number and a power of ten.
//! Invariant: `is_small` says that the server holds the number in 64 bits, which is what makes it
//! an integer.

use std::cmp::Ordering;
use std::fmt;

const WRONG_FORMAT: &str = "quantities must match the regular expression \
                            '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";

/// The smallest power of ten that is kept.
const NANO: i32 = -9;

/// Digits that surely fit 64 bits. (compat: resource/math.go, maxInt64Factors)
const SMALL_DIGITS: usize = 18;

/// `mantissa` times ten to the power of `exponent`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    mantissa: i128,
    exponent: i32,
    is_small: bool,
}

/// How a suffix scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suffix {
    Decimal(i32),
    Binary(u32),
}

impl Amount {
    pub(super) fn of_int(int: i64) -> Self {
        Self { mantissa: i128::from(int), exponent: 0, is_small: true }
    }

    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(WRONG_FORMAT);
        }
        let (is_negative, unsigned) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction, suffix) = split(unsigned)?;
        let suffix = Suffix::parse(suffix).ok_or(WRONG_SUFFIX)?;
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let amount = scaled(whole, fraction, suffix)?;
        Ok(if is_negative { amount.negated() } else { amount })
    }

    pub(super) fn negated(&self) -> Self {
        Self { mantissa: -self.mantissa, ..*self }
    }

    pub(super) fn sign(&self) -> i64 {
        self.mantissa.signum() as i64
    }

    /// compat: resource/quantity.go, AsInt64 knows no number with a fraction, `1.0` included
    pub(super) fn to_int(self) -> Option<i64> {
        if !self.is_small || self.exponent < 0 {
            return None;
        }
        let factor = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
        i64::try_from(self.mantissa.checked_mul(factor)?).ok()
    }

    pub(super) fn to_float(self) -> f64 {
        let base = self.mantissa as f64;
        if self.exponent == 0 { base } else { base * 10_f64.powi(self.exponent) }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
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

    pub(super) fn compare(&self, other: &Self) -> Ordering {
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

/// Splits into digits before the point, digits after it, and the suffix.
fn split(text: &str) -> Result<(&str, &str, &str), &'static str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(digits(text));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(after) => after.split_at(digits(after)),
        None => ("", rest),
    };
    let letters = suffix.trim_start_matches(|it| "eEinumkKMGTP".contains(it));
    let number = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    if digits(number) != number.len() {
        return Err(WRONG_FORMAT);
    }
    Ok((whole, fraction, suffix))
}

impl Suffix {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "" => Self::Decimal(0),
            "n" => Self::Decimal(-9),
            "u" => Self::Decimal(-6),
            "m" => Self::Decimal(-3),
            "k" => Self::Decimal(3),
            "M" => Self::Decimal(6),
            "G" => Self::Decimal(9),
            "T" => Self::Decimal(12),
            "P" => Self::Decimal(15),
            "E" => Self::Decimal(18),
            "Ki" => Self::Binary(10),
            "Mi" => Self::Binary(20),
            "Gi" => Self::Binary(30),
            "Ti" => Self::Binary(40),
            "Pi" => Self::Binary(50),
            "Ei" => Self::Binary(60),
            _ => {
                let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
                // The server cuts the exponent to 32 bits.
                Self::Decimal((exponent as i32).clamp(-1_000_000, 1_000_000))
            }
        })
    }
}

fn scaled(whole: &str, fraction: &str, suffix: Suffix) -> Result<Amount, &'static str> {
    let digits = [whole, fraction].concat();
    let places = fraction.len() as i32;
    let (factor, exponent, is_short) = match suffix {
        Suffix::Decimal(exponent) => (1, exponent - places, digits.len() <= SMALL_DIGITS),
        Suffix::Binary(power) => {
            // compat: resource/quantity.go, ParseQuantity, the digits that the fast path allows
            let room = 15 - whole.len() as i64 - (f64::from(power) * 3.0 / 10.0) as i64 - 1;
            (1_i128 << power, -places, fraction.is_empty() && room >= 0)
        }
    };
    let mantissa = whole_number(&digits).and_then(|it| it.checked_mul(factor));
    let fits = mantissa.is_some_and(|it| i64::try_from(it).is_ok());
    if is_short && fits && exponent >= NANO {
        let mantissa = mantissa.unwrap_or_default();
        return Ok(Amount { mantissa, exponent, is_small: true });
    }
    if digits.bytes().any(|it| !it.is_ascii_digit()) {
        return Err(WRONG_NUMBER);
    }
    let mut amount = Amount { mantissa: mantissa.unwrap_or(i128::MAX), exponent, is_small: false };
    round_up(&mut amount);
    let most = Amount::of_int(i64::MAX);
    if matches!(suffix, Suffix::Binary(_)) && amount.compare(&most) == Ordering::Greater {
        amount = Amount { is_small: false, ..most };
    }
    Ok(amount)
}

fn whole_number(digits: &str) -> Option<i128> {
    digits.parse().ok()
}

/// Whoever asks for very little gets the least there is.
fn round_up(amount: &mut Amount) {
    if amount.exponent >= NANO || amount.mantissa == 0 {
        return;
    }
    let places = amount.exponent.abs_diff(NANO);
    let factor = 10_i128.checked_pow(places).unwrap_or(i128::MAX);
    let rest = amount.mantissa % factor;
    amount.mantissa = amount.mantissa / factor + i128::from(rest != 0);
    amount.exponent = NANO;
}
