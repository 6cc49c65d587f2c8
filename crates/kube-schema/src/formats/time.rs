//! Dates, times and durations as strings.
//!
//! Reads texts; says whether they are times, and returns spans in nanoseconds.
//! Invariant: days that no calendar has are refused.

use std::sync::LazyLock;

use regex::Regex;

use crate::cel::Duration;
use crate::go_time;

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

/// Whether a text is a `2006-01-02`.
pub(super) fn is_date(text: &str) -> bool {
    go_time::parse(go_time::DATE, text).is_ok()
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
    is_date(day) && &fields[1] <= "23" && &fields[2] <= "59" && &fields[3] <= "59"
}

/// The nanoseconds of a duration: Go's form, or one such as `5 days`; the error is in Go's words.
// compat: kube-openapi/pkg/validation/strfmt/duration.go, ParseDuration
pub(crate) fn duration(text: &str) -> Result<i64, String> {
    if let Some(duration) = Duration::parse(text) {
        return Ok(duration.nanoseconds());
    }
    let mut total: Option<i64> = None;
    for fields in SPAN.captures_iter(text) {
        let factor = fields[1]
            .parse::<i64>()
            .map_err(|_| format!("strconv.Atoi: parsing \"{}\": value out of range", &fields[1]))?;
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
    total.ok_or_else(|| format!("unable to parse {text} as duration"))
}
