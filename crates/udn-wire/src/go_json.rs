//! JSON as Go writes it.
//!
//! Invariant: the same value gives the same bytes as the other project's encoder, because a text
//! that differs is written again.

use serde::Serialize;

/// Writes compact JSON; characters that could end a script element are escaped.
// compat: encoding/json, Marshal escapes HTML
pub fn to_text(value: &impl Serialize) -> String {
    let plain = serde_json::to_string(value).expect("our types have text keys and plain values");
    // These characters stand only inside strings of compact JSON.
    if !plain.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return plain;
    }
    let mut text = String::with_capacity(plain.len() + 16);
    for character in plain.chars() {
        match character {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            '\u{2028}' => text.push_str("\\u2028"),
            '\u{2029}' => text.push_str("\\u2029"),
            other => text.push(other),
        }
    }
    text
}
