//! Formats that are told by a pattern and perhaps a checksum.
//!
//! Reads texts; says whether they fit.
//! Invariant: checks never look at more than the text.

use std::sync::LazyLock;

use regex::Regex;

static HOSTNAME: LazyLock<Regex> = LazyLock::new(|| {
    let name = r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$";
    Regex::new(name).expect("the pattern is right")
});

static CREDIT_CARD: LazyLock<Regex> = LazyLock::new(|| {
    let card = "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|\
                3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|\
                (?:2131|1800|35[0-9]{3})[0-9]{11})$";
    Regex::new(card).expect("the pattern is right")
});

static RGB: LazyLock<Regex> = LazyLock::new(|| {
    let part = "[\\t\\n\\f\\r ]*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])[\\t\\n\\f\\r ]*";
    Regex::new(&format!("^rgb\\({part},{part},{part}\\)$")).expect("the pattern is right")
});

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\x{80}-\\x{10ffff}-]+";
    let address = format!("(?:{atom}(?:\\.{atom})*|\"[^\"\\\\\\r\\n]*\")@{atom}(?:\\.{atom})*");
    let named = format!("^(?:{address}|[^<>@,;:]*<{address}>)$");
    Regex::new(&named).expect("the pattern is right")
});

pub(super) fn is_hostname(text: &str) -> bool {
    HOSTNAME.is_match(text) && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

/// The usual addresses; comments and folded lines of RFC 5322 are not known here.
pub(super) fn is_email(text: &str) -> bool {
    EMAIL.is_match(text.trim_matches([' ', '\t']))
}

/// A UUID with or without dashes, of a version if one is asked for.
pub(super) fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    for (place, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if place > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else {
            return false;
        };
        let first = group.chars().next();
        let is_version = place != 2 || version.is_none() || first == version;
        let has_variant = place == 3 && matches!(version, Some('4' | '5'));
        let is_variant = !has_variant || matches!(first, Some('8' | '9' | 'a' | 'b' | 'A' | 'B'));
        if !is_version || !is_variant || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

fn without_spaces(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !b"\t\n\x0c\r -".contains(byte)).collect()
}

fn digit(byte: u8) -> u32 {
    u32::from(byte.saturating_sub(b'0'))
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_spaces(text);
    let [head @ .., last] = &digits[..] else {
        return false;
    };
    let is_shape = head.len() == 9
        && head.iter().all(u8::is_ascii_digit)
        && (last.is_ascii_digit() || *last == b'X');
    let weighted = head.iter().zip(1..).map(|(byte, weight)| weight * digit(*byte));
    let check = if *last == b'X' { 10 } else { digit(*last) };
    is_shape && (weighted.sum::<u32>() + 10 * check).is_multiple_of(11)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_spaces(text);
    let [head @ .., last] = &digits[..] else {
        return false;
    };
    let is_shape = head.len() == 12 && digits.iter().all(u8::is_ascii_digit);
    let weights = [1, 3].into_iter().cycle();
    let sum: u32 = head.iter().zip(weights).map(|(byte, weight)| weight * digit(*byte)).sum();
    is_shape && digit(*last) == (10 - sum % 10) % 10
}

pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| match (digit(byte), place % 2) {
            (digit, 0) => digit,
            (digit @ 0..=4, _) => 2 * digit,
            (digit, _) => 2 * digit - 9,
        })
        .sum();
    CREDIT_CARD.is_match(&digits) && sum.is_multiple_of(10)
}

pub(super) fn is_social_security(text: &str) -> bool {
    text.len() == 11
        && text.bytes().enumerate().all(|(place, byte)| match place {
            3 | 6 => byte == b'-' || byte == b' ',
            _ => byte.is_ascii_digit(),
        })
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(super) fn is_rgb_color(text: &str) -> bool {
    RGB.is_match(text)
}
