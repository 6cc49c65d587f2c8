//! Kubernetes' quantities, such as `500m` and `1.5Gi`.
//!
//! Reads texts as apimachinery's `resource.ParseQuantity`; returns amounts and the texts that the
//! server stores.
//! Invariant: a canonical text is its own canonical text.

mod amount;

use std::cmp::Ordering;
use std::fmt;

pub(crate) use amount::Amount;

const WRONG_FORMAT: &str = "quantities must match the regular expression \
                            '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER: &str = "unable to parse numeric part of quantity";
const WRONG_SUFFIX: &str = "unable to parse quantity's suffix";

/// The suffixes of powers of a thousand, from billionths on.
const DECIMAL: [&str; 10] = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
/// The suffixes of powers of 1024.
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The smallest power of ten that is kept.
const NANO: i32 = -9;
/// The smallest power of ten in a list of resources.
const MILLI: i32 = -3;
/// The largest power of ten that has a suffix; apimachinery 0.35 writes none behind larger ones,
/// which makes `1` of `1000E`.
const EXA: i32 = 18;

/// Digits that surely fit 64 bits. (compat: resource/math.go, maxInt64Factors)
const SMALL_DIGITS: usize = 18;

/// A quantity as it was written.
#[derive(Debug, Clone)]
pub struct Quantity {
    amount: Amount,
    form: Form,
    /// The text, where the server takes it for canonical, though it may not be.
    spelling: Option<String>,
}

/// How a quantity was scaled, and is again when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Decimal,
    Binary,
    Exponent,
}

/// A form, and the power of ten, or of two in the binary one.
#[derive(Debug, Clone, Copy)]
struct Scale {
    form: Form,
    power: i32,
}

/// The digits of a number.
#[derive(Debug, Clone, Copy)]
struct Digits<'a> {
    /// Without zeros in front, but not empty.
    whole: &'a str,
    fraction: &'a str,
    /// Whether there was no digit at all.
    is_point: bool,
}

impl Quantity {
    /// Reads a text; the error is the server's.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(WRONG_FORMAT);
        }
        let (is_negative, unsigned) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (digits, suffix) = split(unsigned)?;
        let scale = Scale::parse(suffix).ok_or(WRONG_SUFFIX)?;
        let amount = scaled(digits, scale)?;
        let is_kept = amount.is_small() && is_kept(digits, scale);
        Ok(Self {
            amount: if is_negative { amount.negated() } else { amount },
            form: scale.form,
            spelling: is_kept.then(|| text.to_owned()),
        })
    }

    /// The quantity as lists of resources hold it: rounded away from zero to thousandths.
    /// (compat: core/v1/defaults.go, `SetDefaults_ResourceList`)
    #[must_use]
    pub fn in_thousandths(mut self) -> Self {
        if self.amount.round_up(MILLI) {
            self.spelling = None;
        }
        self
    }

    pub fn sign(&self) -> i64 {
        self.amount.sign()
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        self.amount.compare(&other.amount)
    }

    pub(crate) fn amount(&self) -> Amount {
        self.amount
    }
}

/// The text that the server stores.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(spelling) = &self.spelling {
            return f.write_str(spelling);
        }
        if self.amount.sign() == 0 {
            return f.write_str("0");
        }
        match (self.form, self.amount.to_whole()) {
            (Form::Binary, Some(number)) if number.abs() >= 1024 => write_binary(f, number),
            (Form::Binary | Form::Decimal, _) => write_decimal(f, self.amount),
            (Form::Exponent, _) => write_exponent(f, self.amount),
        }
    }
}

fn write_binary(f: &mut fmt::Formatter<'_>, mut number: i128) -> fmt::Result {
    let mut place = 0;
    while number % 1024 == 0 && place < BINARY.len() - 1 {
        number /= 1024;
        place += 1;
    }
    write!(f, "{number}{}", BINARY[place])
}

/// Writes with the largest suffix that leaves a whole number.
fn write_decimal(f: &mut fmt::Formatter<'_>, amount: Amount) -> fmt::Result {
    let (digits, exponent) = amount.shortest();
    let power = thousands(exponent).min(EXA);
    write!(f, "{digits}{}", zeros(exponent, power))?;
    f.write_str(DECIMAL[((power - NANO) / 3) as usize])
}

fn write_exponent(f: &mut fmt::Formatter<'_>, amount: Amount) -> fmt::Result {
    let (digits, exponent) = amount.shortest();
    let power = thousands(exponent);
    write!(f, "{digits}{}", zeros(exponent, power))?;
    if power == 0 { Ok(()) } else { write!(f, "e{power}") }
}

/// The power of ten that is one of a thousand.
fn thousands(exponent: i32) -> i32 {
    exponent - exponent.rem_euclid(3)
}

fn zeros(exponent: i32, power: i32) -> String {
    "0".repeat(exponent.abs_diff(power) as usize)
}

/// Splits into the digits and the suffix.
fn split(text: &str) -> Result<(Digits<'_>, &str), &'static str> {
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
    let is_point = whole.is_empty() && fraction.is_empty();
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    Ok((Digits { whole, fraction, is_point }, suffix))
}

impl Scale {
    fn parse(suffix: &str) -> Option<Self> {
        if let Some(place) = DECIMAL.iter().position(|name| *name == suffix) {
            return Some(Self { form: Form::Decimal, power: NANO + 3 * place as i32 });
        }
        if let Some(place) = BINARY.iter().position(|name| *name == suffix) {
            return Some(Self { form: Form::Binary, power: 10 * place as i32 });
        }
        let power: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
        // The server cuts the power to 32 bits.
        let power = (power as i32).clamp(-1_000_000, 1_000_000);
        Some(Self { form: Form::Exponent, power })
    }
}

fn scaled(digits: Digits<'_>, Scale { form, power }: Scale) -> Result<Amount, &'static str> {
    let Digits { whole, fraction, is_point } = digits;
    let (number, places) = ([whole, fraction].concat(), fraction.len() as i32);
    let (factor, exponent, is_short) = match form {
        Form::Decimal | Form::Exponent => (1, power - places, number.len() <= SMALL_DIGITS),
        Form::Binary => {
            // compat: resource/quantity.go, ParseQuantity, the digits that the fast path allows
            let left = 15 - whole.len() as i64 - (f64::from(power) * 3.0 / 10.0) as i64 - 1;
            (1_i128 << power, -places, fraction.is_empty() && left >= 0)
        }
    };
    let mantissa = number.parse().ok().and_then(|it: i128| it.checked_mul(factor));
    if is_short
        && exponent >= NANO
        && let Some(small) = mantissa.and_then(|it| i64::try_from(it).ok())
    {
        return Ok(Amount::small(small, exponent));
    }
    if is_point {
        return Err(WRONG_NUMBER);
    }
    let mut amount = Amount::large(mantissa.unwrap_or(i128::MAX), exponent);
    amount.round_up(NANO);
    let most = Amount::large(i64::MAX.into(), 0);
    let is_over = form == Form::Binary && amount.compare(&most) == Ordering::Greater;
    Ok(if is_over { most } else { amount })
}

/// Whether the server writes a number as it was given, though it may not be canonical.
fn is_kept(digits: Digits<'_>, Scale { form, power }: Scale) -> bool {
    let number = [digits.whole, digits.fraction].concat();
    match form {
        Form::Binary => number.parse().is_ok_and(|number: i64| number % 8 != 0),
        Form::Decimal | Form::Exponent => {
            let exponent = power - digits.fraction.len() as i32;
            exponent % 3 == 0 && !number.ends_with("000") && !number.starts_with('0')
        }
    }
}

#[cfg(test)]
mod tests;
