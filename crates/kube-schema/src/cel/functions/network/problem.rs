//! What Go's `netip` says of texts that are no address and no CIDR.
//!
//! Reads a text that was refused; returns the message.
//! Invariant: only messages are made here; what is accepted is decided by `strict-net`.

use crate::go_text::quoted;

/// What is wrong, and the rest of the text where it was seen.
type Problem<'a> = (&'static str, &'a str);

/// The server's whole message about an address.
pub(super) fn of_address(text: &str) -> String {
    if zone_of(text).is_some_and(|(address, zone)| !zone.is_empty() && v6(address).is_ok()) {
        return format!("IP address {} with zone value is not allowed", quoted(text));
    }
    let doing = "parse error during conversion from string";
    format!("IP Address {} {doing}: {}", quoted(text), parse_addr(text))
}

/// What `netip.ParsePrefix` says.
pub(super) fn of_network(text: &str) -> String {
    let message = match text.rsplit_once('/') {
        None => "no '/'".to_owned(),
        Some((address, _)) if problem_of(address).is_some() => parse_addr(address),
        Some((address, _)) if zone_of(address).is_some() => {
            "IPv6 zones cannot be present in a prefix".to_owned()
        }
        Some((_, bits)) if is_number(bits) => "prefix length out of range".to_owned(),
        Some((_, bits)) => format!("bad bits after slash: {}", quoted(bits)),
    };
    format!("netip.ParsePrefix({}): {message}", quoted(text))
}

fn is_number(bits: &str) -> bool {
    let fits_int = bits.parse::<i64>().is_ok() && bits.bytes().all(|it| it.is_ascii_digit());
    fits_int && (bits.len() == 1 || !bits.starts_with('0'))
}

/// What `netip.ParseAddr` says.
fn parse_addr(text: &str) -> String {
    let (message, at) = problem_of(text).unwrap_or(("unable to parse IP", ""));
    let place = if at.is_empty() { String::new() } else { format!(" (at {})", quoted(at)) };
    format!("ParseAddr({}): {message}{place}", quoted(text))
}

fn problem_of(text: &str) -> Option<Problem<'_>> {
    match text.bytes().find(|it| matches!(it, b'.' | b':' | b'%')) {
        Some(b'.') => v4(text).err(),
        Some(b':') => match zone_of(text) {
            Some((_, "")) => Some(("zone must be a non-empty string", "")),
            Some((address, _)) => v6(address).err(),
            None => v6(text).err(),
        },
        Some(_) => Some(("missing IPv6 address", "")),
        None => Some(("unable to parse IP", "")),
    }
}

fn zone_of(text: &str) -> Option<(&str, &str)> {
    text.contains(':').then(|| text.split_once('%')).flatten()
}

fn v4(text: &str) -> Result<(), Problem<'_>> {
    let bytes = text.as_bytes();
    let (mut value, mut digits, mut fields) = (0_u32, 0, 0);
    for (place, symbol) in bytes.iter().enumerate() {
        match symbol {
            b'0'..=b'9' if digits == 1 && value == 0 => {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            b'0'..=b'9' => {
                value = value * 10 + u32::from(symbol - b'0');
                digits += 1;
                if value > 255 {
                    return Err(("IPv4 field has value >255", ""));
                }
            }
            b'.' => {
                if place == 0 || place == bytes.len() - 1 || bytes[place - 1] == b'.' {
                    return Err(("IPv4 field must have at least one digit", rest(text, place)));
                }
                if fields == 3 {
                    return Err(("IPv4 address too long", ""));
                }
                (value, digits, fields) = (0, 0, fields + 1);
            }
            _ => return Err(("unexpected character", rest(text, place))),
        }
    }
    if fields < 3 { Err(("IPv4 address too short", "")) } else { Ok(()) }
}

/// The text from a byte on; a byte inside of a character counts from its start.
fn rest(text: &str, place: usize) -> &str {
    let start = (0..=place).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[start..]
}

fn v6(text: &str) -> Result<(), Problem<'_>> {
    let mut left = text;
    let mut has_ellipsis = false;
    if let Some(after) = left.strip_prefix("::") {
        has_ellipsis = true;
        left = after;
        if left.is_empty() {
            return Ok(());
        }
    }
    let mut filled = 0;
    while filled < 16 {
        let digits = group(left)?;
        if left[digits..].starts_with('.') {
            if !has_ellipsis && filled != 12 {
                let message =
                    "embedded IPv4 address must replace the final 2 fields of the address";
                return Err((message, left));
            }
            if filled + 4 > 16 {
                let message =
                    "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err((message, left));
            }
            v4(left)?;
            (left, filled) = ("", filled + 4);
            break;
        }
        filled += 2;
        left = &left[digits..];
        if left.is_empty() {
            break;
        }
        left = after_colon(left)?;
        if let Some(after) = left.strip_prefix(':') {
            if has_ellipsis {
                return Err(("multiple :: in address", left));
            }
            has_ellipsis = true;
            left = after;
            if left.is_empty() {
                break;
            }
        }
    }
    match (left.is_empty(), filled < 16, has_ellipsis) {
        (false, _, _) => Err(("trailing garbage after address", left)),
        (true, true, false) => Err(("address string too short", "")),
        (true, false, true) => Err(("the :: must expand to at least one field of zeros", "")),
        (true, true, true) | (true, false, false) => Ok(()),
    }
}

/// The number of hexadecimal digits a group has.
fn group(text: &str) -> Result<usize, Problem<'_>> {
    match text.bytes().take_while(u8::is_ascii_hexdigit).count() {
        0 => Err(("each colon-separated field must have at least one digit", text)),
        1..=4 => Ok(text.bytes().take_while(u8::is_ascii_hexdigit).count()),
        _ => Err(("each group must have 4 or less digits", text)),
    }
}

fn after_colon(text: &str) -> Result<&str, Problem<'_>> {
    match text.strip_prefix(':') {
        None => Err(("unexpected character, want colon", text)),
        Some("") => Err(("colon must be followed by more characters", text)),
        Some(after) => Ok(after),
    }
}
