//! Parts of points in time and of spans.
//!
//! Reads a timestamp, with a time zone if one is given, or a duration; returns a number.
//! Invariant: zones are UTC or an offset such as `-02:00`; no zone files are read.

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::{Duration, Timestamp, Value};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "getFullYear" => |call| at_zone(call, |time| time.civil().year),
        "getMonth" => |call| at_zone(call, |time| time.civil().month - 1),
        "getDate" => |call| at_zone(call, |time| time.civil().day),
        "getDayOfMonth" => |call| at_zone(call, |time| time.civil().day - 1),
        "getDayOfWeek" => |call| at_zone(call, |time| time.civil().weekday),
        "getDayOfYear" => |call| at_zone(call, |time| time.civil().day_of_year),
        "getHours" => |call| part(call, 3_600_000_000_000, |time| time.civil().hour),
        "getMinutes" => |call| part(call, 60_000_000_000, |time| time.civil().minute),
        "getSeconds" => |call| part(call, 1_000_000_000, |time| time.civil().second),
        "getMilliseconds" => milliseconds,
        _ => return None,
    })
}

fn part(call: &Call<'_>, unit: i64, of_time: fn(&Timestamp) -> i64) -> Outcome {
    match call.args {
        [Value::Duration(span)] => Ok(Value::Int(Duration::in_units(*span, unit) as i64)),
        _ => at_zone(call, of_time),
    }
}

fn milliseconds(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::Duration(span)] => Ok(Value::Int(span.nanoseconds() / 1_000_000)),
        _ => at_zone(call, |time| i64::from(time.nanoseconds() / 1_000_000)),
    }
}

fn at_zone(call: &Call<'_>, of_time: fn(&Timestamp) -> i64) -> Outcome {
    match call.args {
        [Value::Timestamp(time)] => Ok(Value::Int(of_time(&time.at_offset(0)))),
        [Value::Timestamp(time), Value::String(zone)] => {
            Ok(Value::Int(of_time(&time.at_offset(offset(zone)?))))
        }
        _ => Err(Failure::Mismatch),
    }
}

/// Seconds east of UTC. (compat: cel-go stdlib/standard.go, inTimeZone)
fn offset(zone: &str) -> Result<i32, Failure> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        return match zone {
            "" | "UTC" | "Local" => Ok(0),
            _ => Err(Failure::new(format!("unknown time zone {zone}"))),
        };
    };
    let (whole, rest) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') { whole * 60 - rest } else { whole * 60 + rest };
    Ok((minutes * 60).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
}

fn number(text: &str) -> Result<i64, Failure> {
    let parsed: Option<i32> = text.parse().ok();
    let problem = || format!("strconv.Atoi: parsing {text:?}: invalid syntax");
    parsed.map(i64::from).ok_or_else(|| Failure::new(problem()))
}
