//! Reads times as Go does, and writes them as the server stores them.
//!
//! Reads RFC 3339 texts; returns them in UTC with the server's digits, or Go's complaint.
//! Invariant: a stored time reads back as itself.

use jiff::Timestamp;
use kube_schema::quoted;

/// The parts of a time as Go's layouts spell them.
const PARTS: [&str; 11] = ["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"];

/// A time in UTC, to the second or to the microsecond.
pub(super) fn stored(text: &str, is_precise: bool) -> Result<String, String> {
    let fraction = if is_precise { ".000000" } else { "" };
    let start = format!("parsing time {} as \"{}{fraction}Z07:00\"", quoted(text), PARTS.concat());
    if let Some((rest, part)) = mismatch(text, is_precise) {
        return Err(format!("{start}: cannot parse {} as {}", quoted(rest), quoted(part)));
    }
    // What has the right shape fails only for a day or an hour that does not exist.
    let time: Timestamp =
        text.parse().map_err(|_| format!("parsing time {}: day out of range", quoted(text)))?;
    let form = if is_precise { "%Y-%m-%dT%H:%M:%S.%6fZ" } else { "%Y-%m-%dT%H:%M:%SZ" };
    Ok(time.strftime(form).to_string())
}

/// Where a text leaves the layout: the rest of the text, and the part it should start with.
fn mismatch(text: &str, is_precise: bool) -> Option<(&str, &'static str)> {
    let mut rest = text;
    for part in PARTS {
        let is_literal = part.len() == 1;
        let fits = match rest.get(..part.len()) {
            Some(head) if is_literal => head == part,
            Some(head) => head.bytes().all(|byte| byte.is_ascii_digit()),
            None => false,
        };
        if !fits {
            return Some((rest, part));
        }
        rest = &rest[part.len()..];
    }
    let digits =
        rest.strip_prefix('.').map_or(0, |it| it.bytes().take_while(u8::is_ascii_digit).count());
    if is_precise && digits != 6 {
        return Some((rest, ".000000"));
    }
    if digits > 0 {
        rest = &rest[digits + 1..];
    }
    let is_offset = |zone: &[u8]| {
        zone.len() == 6
            && b"+-".contains(&zone[0])
            && zone[3] == b':'
            && [1, 2, 4, 5].iter().all(|place| zone[*place].is_ascii_digit())
    };
    (rest != "Z" && !is_offset(rest.as_bytes())).then_some((rest, "Z07:00"))
}
