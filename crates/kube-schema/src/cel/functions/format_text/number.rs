//! Floating point numbers as `format` writes them.
//!
//! Reads a number; returns it in the manner of English, which is what the server's locale is.
//! Invariant: digits are those of the exact value, rounded to even.

use crate::cel::value::Value;

/// The number that a clause for doubles takes; three words stand for numbers too.
pub(super) fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Double(real) => Some(*real),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn special(real: f64) -> Option<&'static str> {
    if real.is_nan() {
        return Some("NaN");
    }
    match real {
        f64::INFINITY => Some("∞"),
        f64::NEG_INFINITY => Some("-∞"),
        _ => None,
    }
}

/// Digits in groups of three before the point.
pub(super) fn fixed(real: f64, precision: usize) -> String {
    if let Some(text) = special(real) {
        return text.to_owned();
    }
    let text = format!("{:.*}", precision.min(1000), real.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::from(if real.is_sign_negative() { "-" } else { "" });
    for (place, digit) in whole.char_indices() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// A number with a power of ten, as typographers write it.
pub(super) fn scientific(real: f64) -> String {
    if let Some(text) = special(real) {
        return text.to_owned();
    }
    let text = format!("{real:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ("⁻", digits),
        None => ("", exponent),
    };
    let raised: String = format!("{digits:0>2}").chars().map(superscript).collect();
    format!("{mantissa}×10{sign}{raised}")
}

fn superscript(digit: char) -> char {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or(digit, |digit| RAISED[digit as usize])
}

/// A number inside of a list.
pub(super) fn item(real: f64) -> String {
    match real {
        f64::INFINITY => "\"+Inf\"".to_owned(),
        f64::NEG_INFINITY => "\"-Inf\"".to_owned(),
        real if real.is_nan() => "\"NaN\"".to_owned(),
        real => format!("{real:.6}"),
    }
}
