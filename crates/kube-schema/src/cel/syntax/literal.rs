//! What literals mean.
//!
//! Reads the text of a token; returns a value or cel-go's words for what is wrong.
//! Invariant: a text that is a token but no value is a complaint, not a panic.

use std::sync::Arc;

use crate::cel::value::Value;

pub(super) fn int(text: &str, is_negative: bool) -> Result<Value, &'static str> {
    let (digits, base) = base_of(text);
    let sign = if is_negative { "-" } else { "" };
    let parsed = i64::from_str_radix(&format!("{sign}{digits}"), base);
    parsed.map(Value::Int).map_err(|_| "invalid int literal")
}

pub(super) fn uint(text: &str) -> Result<Value, &'static str> {
    let (digits, base) = base_of(&text[..text.len() - 1]);
    u64::from_str_radix(digits, base).map(Value::Uint).map_err(|_| "invalid uint literal")
}

pub(super) fn double(text: &str, is_negative: bool) -> Result<Value, &'static str> {
    let parsed: f64 = text.parse().map_err(|_| "invalid double literal")?;
    // Go calls a number that is too large an error.
    if parsed.is_infinite() {
        return Err("invalid double literal");
    }
    Ok(Value::Double(if is_negative { -parsed } else { parsed }))
}

fn base_of(text: &str) -> (&str, u32) {
    text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16))
}

pub(super) fn string(text: &str) -> Result<Value, &'static str> {
    let bytes = unquoted(text, false)?;
    let text = String::from_utf8(bytes).map_err(|_| "invalid unicode code point")?;
    Ok(Value::string(text))
}

/// Reads the text of a bytes literal, its `b` included.
pub(super) fn bytes(text: &str) -> Result<Value, &'static str> {
    Ok(Value::Bytes(Arc::from(unquoted(&text[1..], true)?)))
}

fn unquoted(text: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let raw = text.strip_prefix(['r', 'R']);
    let quoted = raw.unwrap_or(&text);
    let length = if is_triple(quoted) { 3 } else { 1 };
    let inner = quoted
        .get(length..quoted.len().saturating_sub(length))
        .ok_or("unable to unescape string")?;
    if raw.is_some() || !inner.contains('\\') {
        return Ok(inner.as_bytes().to_vec());
    }
    unescaped(inner, is_bytes)
}

fn is_triple(quoted: &str) -> bool {
    quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\""))
}

fn unescaped(text: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend_from_slice(before.as_bytes());
        rest = push_escape(&mut out, after, is_bytes)?;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Reads what follows a backslash; returns the rest.
fn push_escape<'a>(
    out: &mut Vec<u8>,
    text: &'a str,
    is_bytes: bool,
) -> Result<&'a str, &'static str> {
    const BAD: &str = "unable to unescape string";
    let letter =
        text.chars().next().ok_or("unable to unescape string, found '\\' as last character")?;
    let rest = &text[letter.len_utf8()..];
    let plain = match letter {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '\'' | '"' | '`' | '?' => letter as u8,
        'x' | 'X' => return push_code(out, rest.get(..2), 16, is_bytes).map(|()| &rest[2..]),
        'u' if !is_bytes => return push_code(out, rest.get(..4), 16, false).map(|()| &rest[4..]),
        'U' if !is_bytes => return push_code(out, rest.get(..8), 16, false).map(|()| &rest[8..]),
        '0'..='3' => return push_code(out, text.get(..3), 8, is_bytes).map(|()| &text[3..]),
        _ => return Err(BAD),
    };
    out.push(plain);
    Ok(rest)
}

fn push_code(
    out: &mut Vec<u8>,
    digits: Option<&str>,
    base: u32,
    is_bytes: bool,
) -> Result<(), &'static str> {
    let digits = digits.ok_or("unable to unescape string")?;
    let code = u32::from_str_radix(digits, base).map_err(|_| "unable to unescape string")?;
    if is_bytes {
        out.push(code as u8);
        return Ok(());
    }
    let symbol = char::from_u32(code).ok_or("invalid unicode code point")?;
    out.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes());
    Ok(())
}
