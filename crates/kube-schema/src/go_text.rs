//! Writes values as Go's `fmt` and `encoding/json` write them, for the server's messages.
//!
//! Reads JSON values, strings and numbers; returns text.
//! Invariant: text depends on the value alone, never on the order in which a map was filled.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::number::Number;
use crate::path::Step;

mod newer_unicode;

use newer_unicode::is_newer;

/// What Go's decoder calls the type of a JSON value.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A string as `%q` writes it.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for symbol in text.chars() {
        push_quoted(&mut out, symbol);
    }
    out.push('"');
    out
}

fn push_quoted(out: &mut String, symbol: char) {
    match symbol {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        _ if is_printable(symbol) => out.push(symbol),
        _ => push_escape(out, u32::from(symbol)),
    }
}

fn push_escape(out: &mut String, code: u32) {
    let written = match code {
        0..=0x7f => write!(out, "\\x{code:02x}"),
        0x80..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    written.expect("a string takes every text");
}

/// Whether Go calls a character printable: letters, marks, numbers, punctuation, symbols, space.
fn is_printable(symbol: char) -> bool {
    if symbol.is_ascii() {
        return matches!(symbol, ' '..='~');
    }
    // Behind another character, Rust's debug form escapes exactly what is not printable.
    let mut pair = [0; 8];
    pair[0] = b'a';
    let end = 1 + symbol.encode_utf8(&mut pair[1..]).len();
    let text = std::str::from_utf8(&pair[..end]).expect("a letter and a character are UTF-8");
    text.escape_debug().nth(1) != Some('\\') && !is_newer(symbol)
}

/// A value as `%v` writes it: `map[a:1 b:[x y]]`.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(it) => number(it),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(plain).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) => {
            let fields = sorted(fields).into_iter();
            let fields: Vec<_> =
                fields.map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
    }
}

/// The type of a value as `%T` names it.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) => match Number::of(number) {
            Number::Int(_) => "int64",
            Number::Float(_) => "float64",
        },
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// What Go's decoder says of a value that does not fit: `found` is its type, `at` leads to it and
/// `within` is the innermost struct on the way.
pub fn cannot_unmarshal(found: &str, within: Option<&str>, at: &[Step], go_type: &str) -> String {
    let names = at.iter().filter_map(|step| match step {
        Step::Field(name) => Some(name.as_str()),
        Step::Key(_) | Step::Index(_) => None,
    });
    let place = match within {
        Some(name) => format!("Go struct field {name}.{}", names.collect::<Vec<_>>().join(".")),
        None => "Go value".to_owned(),
    };
    format!("json: cannot unmarshal {found} into {place} of type {go_type}")
}

/// A number as `%v` writes it.
pub(crate) fn number(number: &serde_json::Number) -> String {
    match Number::of(number) {
        Number::Int(int) => int.to_string(),
        Number::Float(real) => float(real),
    }
}

/// A floating point number as `%v` writes it.
pub(crate) fn float(number: f64) -> String {
    float_with(number, |exponent| (-4..6).contains(&exponent), 2)
}

/// A value as `json.Marshal` writes it.
pub fn json(value: &Value) -> String {
    let mut out = String::new();
    push_json(&mut out, value);
    out
}

fn push_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => match Number::of(number) {
            Number::Int(int) => write!(out, "{int}").expect("a string takes every text"),
            Number::Float(real) => out.push_str(&json_float(real)),
        },
        Value::String(text) => push_json_string(out, text),
        Value::Array(items) => {
            push_list(out, ['[', ']'], items.iter(), push_json);
        }
        Value::Object(fields) => {
            push_list(out, ['{', '}'], sorted(fields).into_iter(), |out, (name, item)| {
                push_json_string(out, name);
                out.push(':');
                push_json(out, item);
            });
        }
    }
}

fn sorted(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut sorted: Vec<_> = fields.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    sorted
}

fn push_list<T>(
    out: &mut String,
    brackets: [char; 2],
    items: impl Iterator<Item = T>,
    mut push: impl FnMut(&mut String, T),
) {
    out.push(brackets[0]);
    for (place, item) in items.enumerate() {
        if place > 0 {
            out.push(',');
        }
        push(out, item);
    }
    out.push(brackets[1]);
}

fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for symbol in text.chars() {
        match symbol {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let code = u32::from(symbol);
                write!(out, "\\u{code:04x}").expect("a string takes every text");
            }
            _ => out.push(symbol),
        }
    }
    out.push('"');
}

fn json_float(number: f64) -> String {
    float_with(number, |exponent| (-6..21).contains(&exponent), 1)
}

/// Shortest digits that read back; positional where `is_plain` says so of the exponent.
fn float_with(number: f64, is_plain: impl Fn(i32) -> bool, digits: usize) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("the form has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    if number == 0.0 || is_plain(exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:0digits$}", exponent.abs())
}

#[cfg(test)]
mod tests;
