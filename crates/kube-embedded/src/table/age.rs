//! How long ago something was, as tables say it: `5m`, `3d4h`.
//!
//! Reads times in RFC 3339; returns texts.
//! Invariant: a text has at most two units.

use jiff::Timestamp;
use serde_json::Value;

/// The time at which a table is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock(Timestamp);

impl Clock {
    pub(super) fn parse(now: &str) -> Option<Self> {
        now.parse().ok().map(Self)
    }

    /// How long ago a time was; `<unknown>` where there is none.
    pub(super) fn since(self, time: &Value) -> String {
        match time.as_str().filter(|text| !text.is_empty()) {
            None => "<unknown>".to_owned(),
            Some(text) => self.since_text(text).unwrap_or_else(|| "<unknown>".to_owned()),
        }
    }

    /// The same for a time that users write; none where it is no time.
    pub(super) fn since_text(self, text: &str) -> Option<String> {
        // The parser is more lenient than RFC 3339, and than the server.
        let is_strict = text.as_bytes().get(10) == Some(&b'T') && !text.contains(['[', 'z']);
        Some(between(text.parse().ok().filter(|_| is_strict)?, self.0))
    }

    /// The age of an object.
    pub(super) fn age(self, object: &Value) -> Value {
        Value::from(self.since(&object["metadata"]["creationTimestamp"]))
    }

    /// How long something took, or takes until now where it has no end.
    pub(super) fn duration(self, start: &Value, end: &Value) -> String {
        let read = |time: &Value| time.as_str().and_then(|text| text.parse::<Timestamp>().ok());
        read(start).map_or_else(String::new, |start| between(start, read(end).unwrap_or(self.0)))
    }
}

fn between(start: Timestamp, end: Timestamp) -> String {
    let seconds = (end.as_nanosecond() - start.as_nanosecond()) / 1_000_000_000;
    human(i64::try_from(seconds).expect("timestamps are less than i64 seconds apart"))
}

// compat: k8s.io/apimachinery/pkg/util/duration, HumanDuration
fn human(seconds: i64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let days = hours / 24;
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => two_units((minutes, 'm'), (seconds % 60, 's')),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => two_units((hours, 'h'), (minutes % 60, 'm')),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 => two_units((days, 'd'), (hours % 24, 'h')),
        () if days < 2 * 365 => format!("{days}d"),
        () if days < 8 * 365 => two_units((days / 365, 'y'), (days % 365, 'd')),
        () => format!("{}y", days / 365),
    }
}

fn two_units(large: (i64, char), small: (i64, char)) -> String {
    match small.0 {
        0 => format!("{}{}", large.0, large.1),
        rest => format!("{}{}{rest}{}", large.0, large.1, small.1),
    }
}

#[cfg(test)]
mod tests;
