//! Texts of times and spans, read as Go's `time` package reads them.
//!
//! Reads text; returns a value, or nothing.
//! Invariant: no text makes the arithmetic overflow.

use super::calendar::{days_in_month, days_of};
use super::{Duration, Timestamp};

/// A reader of leading parts of a text.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn skip(&mut self, symbol: u8) -> Option<()> {
        let rest = self.0.strip_prefix(&[symbol])?;
        self.0 = rest;
        Some(())
    }

    fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let digits = self.0.get(..count).filter(|it| it.iter().all(u8::is_ascii_digit))?;
        let number = digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        self.0 = &self.0[count..];
        Some(number)
    }

    /// One digit or two, as Go reads the hour.
    fn short(&mut self) -> Option<i64> {
        self.digits(2).or_else(|| self.digits(1))
    }

    fn fraction(&mut self) -> Option<u32> {
        let has_fraction = matches!(self.0, [b'.' | b',', digit, ..] if digit.is_ascii_digit());
        if !has_fraction {
            return Some(0);
        }
        let digits = &self.0[1..];
        let length = digits.iter().take_while(|it| it.is_ascii_digit()).count();
        let nanoseconds = (0..9).fold(0, |sum, place| {
            sum * 10 + digits[..length].get(place).map_or(0, |digit| u32::from(digit - b'0'))
        });
        self.0 = &digits[length..];
        Some(nanoseconds)
    }

    fn offset(&mut self) -> Option<i32> {
        let sign = match self.peek()? {
            b'Z' => return self.skip(b'Z').map(|()| 0),
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.digits(2)?;
        self.skip(b':')?;
        let minutes = self.digits(2)?;
        (hours <= 24 && minutes <= 60).then_some(sign * (hours * 3600 + minutes * 60) as i32)
    }
}

pub(super) fn timestamp(text: &str) -> Option<Timestamp> {
    let mut reader = Reader(text.as_bytes());
    let year = reader.digits(4)?;
    reader.skip(b'-')?;
    let month = reader.digits(2)?;
    reader.skip(b'-')?;
    let day = reader.digits(2)?;
    reader.skip(b'T')?;
    let hour = reader.short()?;
    reader.skip(b':')?;
    let minute = reader.digits(2)?;
    reader.skip(b':')?;
    let second = reader.digits(2)?;
    let nanoseconds = reader.fraction()?;
    let offset_seconds = reader.offset()?;
    let is_date = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    if !is_date || hour > 23 || minute > 59 || second > 59 || !reader.0.is_empty() {
        return None;
    }
    let local = days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    let seconds = local - i64::from(offset_seconds);
    Some(Timestamp { seconds, nanoseconds, offset_seconds })
}

pub(super) fn duration(text: &str) -> Option<Duration> {
    let (is_negative, mut rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if rest == b"0" {
        return Some(Duration(0));
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (nanoseconds, after) = span_part(rest)?;
        total = total.checked_add(nanoseconds).filter(|total| *total <= 1 << 63)?;
        rest = after;
    }
    if is_negative {
        return Some(Duration((total as i64).wrapping_neg()));
    }
    i64::try_from(total).ok().map(Duration)
}

/// One number with its unit, such as `1.5h`.
fn span_part(text: &[u8]) -> Option<(u64, &[u8])> {
    let whole_length = text.iter().take_while(|it| it.is_ascii_digit()).count();
    let mut whole: u64 = 0;
    for digit in &text[..whole_length] {
        whole = whole.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    if whole > 1 << 63 {
        return None;
    }
    let mut rest = &text[whole_length..];
    let (mut fraction, mut scale, mut fraction_length) = (0_u64, 1_f64, 0);
    if let [b'.', after @ ..] = rest {
        fraction_length = after.iter().take_while(|it| it.is_ascii_digit()).count();
        let mut is_full = false;
        for digit in &after[..fraction_length] {
            let longer = fraction.checked_mul(10).map(|it| it + u64::from(digit - b'0'));
            match longer.filter(|it| !is_full && *it <= 1 << 63) {
                Some(longer) => (fraction, scale) = (longer, scale * 10.0),
                None => is_full = true,
            }
        }
        rest = &after[fraction_length..];
    }
    if whole_length == 0 && fraction_length == 0 {
        return None;
    }
    let unit_length = rest.iter().take_while(|it| **it != b'.' && !it.is_ascii_digit()).count();
    let unit = unit_of(&rest[..unit_length])?;
    let mut nanoseconds = whole.checked_mul(unit).filter(|it| *it <= 1 << 63)?;
    if fraction > 0 {
        nanoseconds += (fraction as f64 * (unit as f64 / scale)) as u64;
    }
    (nanoseconds <= 1 << 63).then_some((nanoseconds, &rest[unit_length..]))
}

fn unit_of(name: &[u8]) -> Option<u64> {
    Some(match name {
        b"ns" => 1,
        b"us" | b"\xc2\xb5s" | b"\xce\xbcs" => 1_000,
        b"ms" => 1_000_000,
        b"s" => 1_000_000_000,
        b"m" => 60_000_000_000,
        b"h" => 3_600_000_000_000,
        _ => return None,
    })
}
