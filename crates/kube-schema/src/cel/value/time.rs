//! Points in time and spans of time.
//!
//! Reads texts or parts; returns values that compare by instant.
//! Invariant: nanoseconds are below one second, and seconds lie within the years 1 to 9999.

mod parse;

use super::super::error::Error;
use crate::go_time::{self, Moment};

pub(in crate::cel) use crate::go_time::Civil;

const NANOSECONDS: i64 = 1_000_000_000;

/// First and last second that a timestamp may have. (compat: cel-go, minUnixTime, maxUnixTime)
const FIRST_SECOND: i64 = -62_135_596_800;
const LAST_SECOND: i64 = 253_402_300_799;

/// A point in time; remembers the offset it was written with, as Go does.
#[derive(Debug, Clone, Copy)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: u32,
    offset_seconds: i32,
}

impl Timestamp {
    /// Reads RFC 3339 text, as Go's `time.Parse(time.RFC3339, …)` does.
    pub fn parse(text: &str) -> Option<Self> {
        go_time::parse(go_time::RFC_3339, text).ok().map(Self::of)
    }

    pub(crate) fn of(moment: Moment) -> Self {
        let Moment { seconds, nanoseconds, offset_seconds } = moment;
        Self { seconds, nanoseconds, offset_seconds }
    }

    /// Builds from seconds since 1970 and the rest in nanoseconds.
    pub fn from_unix(seconds: i64, nanoseconds: u32) -> Option<Self> {
        (nanoseconds < 1_000_000_000).then_some(Self { seconds, nanoseconds, offset_seconds: 0 })
    }

    pub fn seconds(&self) -> i64 {
        self.seconds
    }

    pub fn nanoseconds(&self) -> u32 {
        self.nanoseconds
    }

    pub fn offset_seconds(&self) -> i32 {
        self.offset_seconds
    }

    /// The same instant, seen from another offset.
    #[must_use]
    pub fn at_offset(self, offset_seconds: i32) -> Self {
        Self { offset_seconds, ..self }
    }

    pub(in crate::cel) fn is_in_range(&self) -> bool {
        (FIRST_SECOND..=LAST_SECOND).contains(&self.seconds)
    }

    pub(in crate::cel) fn is_zero(&self) -> bool {
        self.seconds == FIRST_SECOND && self.nanoseconds == 0
    }

    pub(in crate::cel) fn civil(&self) -> Civil {
        Civil::at(self.seconds.saturating_add(i64::from(self.offset_seconds)))
    }

    pub(in crate::cel) fn plus(self, span: Duration) -> Result<Self, Error> {
        let nanoseconds = i64::from(self.nanoseconds) + span.0 % NANOSECONDS;
        let carried = span.0 / NANOSECONDS + nanoseconds.div_euclid(NANOSECONDS);
        let seconds = self.seconds.checked_add(carried).ok_or_else(overflow)?;
        let nanoseconds = nanoseconds.rem_euclid(NANOSECONDS) as u32;
        let sum = Self { seconds, nanoseconds, ..self };
        if sum.is_in_range() { Ok(sum) } else { Err(Error::new("timestamp overflow")) }
    }

    pub(in crate::cel) fn since(self, earlier: Self) -> Result<Duration, Error> {
        let seconds = self.seconds.checked_sub(earlier.seconds).ok_or_else(overflow)?;
        let rest = i64::from(self.nanoseconds) - i64::from(earlier.nanoseconds);
        let whole = seconds.checked_mul(NANOSECONDS).ok_or_else(overflow)?;
        whole.checked_add(rest).map(Duration).ok_or_else(overflow)
    }

    fn instant(&self) -> (i64, u32) {
        (self.seconds, self.nanoseconds)
    }
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.instant() == other.instant()
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.instant().cmp(&other.instant())
    }
}

/// Displays as Go's `time.RFC3339Nano`.
impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Civil { year, month, day, hour, minute, second, .. } = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if self.nanoseconds != 0 {
            let digits = format!("{:09}", self.nanoseconds);
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        if self.offset_seconds == 0 {
            return f.write_str("Z");
        }
        let sign = if self.offset_seconds < 0 { '-' } else { '+' };
        let minutes = self.offset_seconds.abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// A span of time in nanoseconds, as Go's `time.Duration`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(i64);

impl Duration {
    pub fn from_nanoseconds(nanoseconds: i64) -> Self {
        Self(nanoseconds)
    }

    pub fn nanoseconds(&self) -> i64 {
        self.0
    }

    /// Reads a text such as `1h2m3.5s`, as Go's `time.ParseDuration` does.
    pub fn parse(text: &str) -> Option<Self> {
        parse::duration(text)
    }

    /// The span in units of so many nanoseconds, as Go's `Hours`, `Minutes` and `Seconds` round.
    pub(in crate::cel) fn in_units(self, nanoseconds: i64) -> f64 {
        let (whole, rest) = (self.0 / nanoseconds, self.0 % nanoseconds);
        whole as f64 + rest as f64 / nanoseconds as f64
    }

    pub(in crate::cel) fn plus(self, other: Self) -> Result<Self, Error> {
        self.0.checked_add(other.0).map(Self).ok_or_else(overflow)
    }

    pub(in crate::cel) fn minus(self, other: Self) -> Result<Self, Error> {
        self.0.checked_sub(other.0).map(Self).ok_or_else(overflow)
    }

    pub(in crate::cel) fn negated(self) -> Result<Self, Error> {
        self.0.checked_neg().map(Self).ok_or_else(overflow)
    }
}

/// Displays as CEL's `string(duration)`: seconds.
impl std::fmt::Display for Duration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}s", self.in_units(NANOSECONDS))
    }
}

fn overflow() -> Error {
    Error::new("integer overflow")
}

#[cfg(test)]
mod tests;
