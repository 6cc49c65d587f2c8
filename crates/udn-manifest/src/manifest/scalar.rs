//! Says what a plain word of YAML means, as kubectl's converter does.
//!
//! Reads a scalar's text, style and tag; returns a [`Scalar`] or why there is none.
//! Invariant: YAML 1.1 words (`yes`, `off`, `~`, `0o17`, `1_000`) mean what they mean to kubectl,
//! so that a manifest passes or fails here for the reason for which it does there.
// compat: go.yaml.in/yaml/v2 v2.4.3, resolve.go

use super::tree::Scalar;

/// A tag of YAML's own that has a say in what a scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Text,
    Bool,
    Integer,
    Float,
    Null,
    Merge,
    Binary,
    /// Everything else: the text stays a text.
    Other,
}

impl Tag {
    /// Reads what follows `tag:yaml.org,2002:`.
    pub(super) fn of(suffix: &str) -> Self {
        match suffix {
            "str" => Self::Text,
            "bool" => Self::Bool,
            "int" => Self::Integer,
            "float" => Self::Float,
            "null" => Self::Null,
            "merge" => Self::Merge,
            "binary" => Self::Binary,
            _ => Self::Other,
        }
    }
}

/// What a scalar with a tag is.
pub(super) fn tagged(text: &str, tag: Tag) -> Result<Scalar, String> {
    let scalar = plain(text);
    let refused = |what: &str| Err(format!("`{text}` is not {what}, as its tag says"));
    match (tag, scalar) {
        (Tag::Text | Tag::Other, _) => Ok(Scalar::Text(text.to_owned())),
        (Tag::Binary, _) => Err("!!binary has no meaning in Kubernetes; write the text".to_owned()),
        (Tag::Bool, it @ Scalar::Bool(_))
        | (Tag::Integer, it @ (Scalar::Integer(_) | Scalar::Large(_)))
        | (Tag::Float, it @ Scalar::Float(_))
        | (Tag::Null, it @ Scalar::Null) => Ok(it),
        (Tag::Float, Scalar::Integer(number)) => Ok(Scalar::Float(number as f64)),
        (Tag::Merge, _) if text == "<<" => Ok(Scalar::Merge),
        (Tag::Bool, _) => refused("a boolean"),
        (Tag::Integer, _) => refused("an integer"),
        (Tag::Float, _) => refused("a float"),
        (Tag::Null, _) => refused("null"),
        (Tag::Merge, _) => refused("a merge key"),
    }
}

/// What a word without quotes and tag is.
pub(super) fn plain(text: &str) -> Scalar {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        "<<" => Scalar::Merge,
        _ => number(text).unwrap_or_else(|| Scalar::Text(text.to_owned())),
    }
}

fn number(text: &str) -> Option<Scalar> {
    match text.bytes().next()? {
        b'.' => float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            let digits = text.replace('_', "");
            integer(&digits).or_else(|| float(&digits))
        }
        _ => None,
    }
}

/// An integer in any base that its prefix names; a leading zero alone means eight.
fn integer(digits: &str) -> Option<Scalar> {
    let (is_negative, rest) = match digits.as_bytes().first()? {
        b'-' => (true, &digits[1..]),
        b'+' => (false, &digits[1..]),
        _ => (false, digits),
    };
    let (base, rest) = match rest.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &rest[2..]),
        Some("0o") => (8, &rest[2..]),
        Some("0b") => (2, &rest[2..]),
        Some(_) if rest.starts_with('0') => (8, &rest[1..]),
        Some(_) | None => (10, rest),
    };
    // A second sign would please the parser, though not the reader.
    if !rest.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    let amount = u64::from_str_radix(rest, base).ok()?;
    if is_negative {
        return 0i64.checked_sub_unsigned(amount).map(Scalar::Integer);
    }
    // compat: a large number is an integer for the converter only without a sign.
    match i64::try_from(amount) {
        Ok(amount) => Some(Scalar::Integer(amount)),
        Err(_) => (!digits.starts_with('+')).then_some(Scalar::Large(amount)),
    }
}

/// A float as YAML writes it: digits, a point, an exponent, nothing else.
fn float(text: &str) -> Option<Scalar> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let is_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !part.is_empty();
    let exponent_is_sound = exponent.is_none_or(|it| {
        let digits = it.strip_prefix(['+', '-']).unwrap_or(it);
        !digits.is_empty() && is_digits(digits)
    });
    if !(has_digits && is_digits(whole) && is_digits(part) && exponent_is_sound) {
        return None;
    }
    let float: f64 = text.parse().ok()?;
    float.is_finite().then_some(Scalar::Float(float))
}
