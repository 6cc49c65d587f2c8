//! Dates, times and durations as strings.
//!
//! Reads texts; returns instants in seconds since 1970, or spans in nanoseconds.
//! Invariant: days that no calendar has are refused.

use std::sync::LazyLock;

use regex::Regex;

use crate::cel::Duration;

static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    let clock = "^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$";
    Regex::new(clock).expect("the pattern is right")
});

static SPAN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("([0-9]+)[\\t\\n\\f\\r ]*([A-Za-zµ]+)").expect("the pattern is right")
});

/// Names of units and their nanoseconds; the last name of a line may go on.
const UNITS: [(&[&str], i64); 8] = [
    (&["ns", "nano"], 1),
    (&["us", "µs", "micro"], 1_000),
    (&["ms", "milli"], 1_000_000),
    (&["s", "sec"], 1_000_000_000),
    (&["m", "min"], 60_000_000_000),
    (&["h", "hr", "hour"], 3_600_000_000_000),
    (&["d", "day"], 86_400_000_000_000),
    (&["w", "wk", "week"], 604_800_000_000_000),
];

/// The days since 1970 of a `2006-01-02`.
pub(crate) fn date(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let is_shape = bytes.len() == 10
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_shape {
        return None;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let is_day = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    is_day.then(|| days_since_1970(year, month, day))
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Whether a text is a `date-time` as the server's formats have it.
pub(super) fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(day), Some(clock)) = (parts.next(), parts.next()) else {
        return false;
    };
    let Some(fields) = CLOCK.captures(clock) else {
        return false;
    };
    date(day).is_some() && &fields[1] <= "23" && &fields[2] <= "59" && &fields[3] <= "59"
}

/// Whether Go's `time.Parse(time.RFC3339, …)` takes a text.
pub(crate) fn is_rfc3339(text: &str) -> bool {
    let Some((day, clock)) = text.split_at_checked(10) else {
        return false;
    };
    let Some(clock) = clock.strip_prefix('T') else {
        return false;
    };
    let lower = clock.replace('Z', "z").replace(',', ".");
    let Some(fields) = CLOCK.captures(&lower) else {
        return false;
    };
    let has_fraction = fields.get(4).is_none_or(|it| it.as_str().starts_with('.'));
    let is_zone = fields.get(6).is_none_or(|zone| &zone.as_str()[1..] <= "24:00");
    let is_clock = &fields[1] <= "23" && &fields[2] <= "59" && &fields[3] <= "59";
    date(day).is_some() && has_fraction && is_zone && is_clock && !clock.contains('z')
}

/// The nanoseconds of a duration: Go's form, or one such as `5 days`.
pub(crate) fn duration(text: &str) -> Option<i64> {
    if let Some(duration) = Duration::parse(text) {
        return Some(duration.nanoseconds());
    }
    let mut total: Option<i64> = None;
    for fields in SPAN.captures_iter(text) {
        let factor: i64 = fields[1].parse().ok()?;
        let unit = fields[2].to_lowercase();
        for (names, nanoseconds) in UNITS {
            let last = names.len() - 1;
            let is_unit = |(place, name): &(usize, &&str)| {
                unit == **name || (*place == last && unit.starts_with(**name))
            };
            let matches = names.iter().enumerate().filter(is_unit).count();
            for _ in 0..matches {
                let span = factor.wrapping_mul(nanoseconds);
                total = Some(total.unwrap_or(0).wrapping_add(span));
            }
        }
    }
    total
}
