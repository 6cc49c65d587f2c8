//! Reads points in time as Go's `time.Parse` does, and refuses them in its words.
//!
//! Reads a [`Layout`] and a text; returns a [`Moment`], or what Go's error says.
//! Invariant: no text makes the arithmetic overflow.

mod calendar;

use std::fmt::Write;

pub(crate) use calendar::Civil;
use calendar::{days_in_month, days_of};

/// A form of texts, written as Go writes it: by the time that stands for all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout(&'static str);

pub(crate) const DATE: Layout = Layout("2006-01-02");
pub(crate) const LOCAL: Layout = Layout("2006-01-02T15:04:05");
pub(crate) const RFC_3339: Layout = Layout("2006-01-02T15:04:05Z07:00");

/// A point in time, and the offset it was written with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Since 1970.
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
    pub(crate) offset_seconds: i32,
}

/// Why a part of a text is refused.
enum Wrong {
    Shape,
    Range(&'static str),
}

/// What a part leaves of the text.
type Rest<'a> = Result<&'a str, Wrong>;

/// The parts that were read.
#[derive(Default)]
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: u32,
    offset_seconds: i32,
}

/// Reads a text; the error is the text of Go's.
pub(crate) fn parse(layout: Layout, text: &str) -> Result<Moment, String> {
    let refused = |why: &str| Err(format!("parsing time {}{why}", quoted(text)));
    let mut fields = Fields::default();
    let (mut parts, mut rest) = (layout.0, text);
    while let Some((part, later)) = split_part(parts) {
        rest = match fields.read(part, rest) {
            Ok(rest) => rest,
            Err(Wrong::Range(what)) => return refused(&format!(": {what} out of range")),
            Err(Wrong::Shape) => {
                let (found, part) = (quoted(rest), quoted(part));
                let whole = quoted(layout.0);
                return refused(&format!(" as {whole}: cannot parse {found} as {part}"));
            }
        };
        parts = later;
    }
    if !rest.is_empty() {
        return refused(&format!(": extra text: {}", quoted(rest)));
    }
    fields.moment().map_or_else(|| refused(": day out of range"), Ok)
}

/// The first part of a layout, and those behind it.
fn split_part(layout: &str) -> Option<(&str, &str)> {
    let length = match layout.as_bytes() {
        [b'2', ..] => "2006".len(),
        [b'Z', ..] => "Z07:00".len(),
        [digit, ..] if digit.is_ascii_digit() => "01".len(),
        _ => 1,
    };
    layout.split_at_checked(length)
}

impl Fields {
    fn read<'a>(&mut self, part: &str, text: &'a str) -> Rest<'a> {
        match part {
            "2006" => read_into(&mut self.year, digits(text, 4), 0..=9999, "year"),
            "01" => read_into(&mut self.month, digits(text, 2), 1..=12, "month"),
            // How many days the month has is asked when it is known.
            "02" => read_into(&mut self.day, digits(text, 2), 0..=99, "day"),
            "15" => {
                let hour = digits(text, 2).or_else(|| digits(text, 1));
                read_into(&mut self.hour, hour, 0..=23, "hour")
            }
            "04" => read_into(&mut self.minute, digits(text, 2), 0..=59, "minute"),
            "05" => {
                let rest = read_into(&mut self.second, digits(text, 2), 0..=59, "second")?;
                Ok(self.read_fraction(rest))
            }
            "Z07:00" => self.read_zone(text),
            mark => text.strip_prefix(mark).ok_or(Wrong::Shape),
        }
    }

    /// A fraction may stand behind the seconds whatever the layout; its tenth digit has no effect.
    fn read_fraction<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(digits) = text.strip_prefix(['.', ',']) else {
            return text;
        };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return text;
        }
        let (digits, rest) = digits.split_at(length);
        self.nanoseconds = (0..9).fold(0, |sum, place| {
            sum * 10 + digits.as_bytes().get(place).map_or(0, |digit| u32::from(digit - b'0'))
        });
        rest
    }

    fn read_zone<'a>(&mut self, text: &'a str) -> Rest<'a> {
        if let Some(rest) = text.strip_prefix('Z') {
            return Ok(rest);
        }
        let &[sign, h1, h2, b':', m1, m2, ..] = text.as_bytes() else {
            return Err(Wrong::Shape);
        };
        let hours = number(&[h1, h2]).ok_or(Wrong::Shape)?;
        let minutes = number(&[m1, m2]);
        // Go takes offsets of 24 hours and of 60 minutes.
        if minutes.is_some_and(|minutes| minutes > 60) {
            return Err(Wrong::Range("time zone offset minute"));
        }
        if hours > 24 {
            return Err(Wrong::Range("time zone offset hour"));
        }
        let span = (hours * 3600 + minutes.ok_or(Wrong::Shape)? * 60) as i32;
        self.offset_seconds = match sign {
            b'+' => span,
            b'-' => -span,
            _ => return Err(Wrong::Shape),
        };
        Ok(&text["+07:00".len()..])
    }

    /// The point in time, if its month has such a day.
    fn moment(&self) -> Option<Moment> {
        let Self { year, month, day, hour, minute, second, nanoseconds, offset_seconds } = *self;
        if !(1..=days_in_month(year, month)).contains(&day) {
            return None;
        }
        let local = days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        Some(Moment { seconds: local - i64::from(offset_seconds), nanoseconds, offset_seconds })
    }
}

/// Keeps what was read in its field.
fn read_into<'a>(
    field: &mut i64,
    read: Option<(i64, &'a str)>,
    range: std::ops::RangeInclusive<i64>,
    name: &'static str,
) -> Rest<'a> {
    let (number, rest) = read.ok_or(Wrong::Shape)?;
    *field = number;
    if range.contains(&number) { Ok(rest) } else { Err(Wrong::Range(name)) }
}

/// Reads exactly so many digits.
fn digits(text: &str, count: usize) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    Some((number(digits.as_bytes())?, rest))
}

fn number(digits: &[u8]) -> Option<i64> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

/// A text as the `time` package quotes it: what is not ASCII byte by byte.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=0x7f => out.push(char::from(byte)),
            _ => write!(out, "\\x{byte:02x}").expect("a string takes every text"),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests;
