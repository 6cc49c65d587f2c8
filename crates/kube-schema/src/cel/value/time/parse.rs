//! Texts of spans, read as Go's `time` package reads them.
//!
//! Reads text; returns a value, or nothing.
//! Invariant: no text makes the arithmetic overflow.

use super::Duration;

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
