//! Values as the server's messages print them.
//!
//! Reads JSON; returns the text that Go's verbs give.
//! Invariant: keys of objects come sorted, as Go prints them.

use serde_json::Value;

/// As `%v` prints: `map[a:1 b:[x y]]`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(plain).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
    }
}

/// The type as `%T` names it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// A text in quotes, as `%q` prints it.
pub(crate) fn quote(text: &str) -> String {
    kube_schema::quoted(text)
}

/// JSON as Go writes it: what HTML would read is written as an escape.
pub(crate) fn escape_html(json: String) -> String {
    let is_risky = |letter| matches!(letter, '<' | '>' | '&' | '\u{2028}' | '\u{2029}');
    if !json.contains(is_risky) {
        return json;
    }
    json.chars().fold(String::with_capacity(json.len() + 16), |mut text, letter| {
        match is_risky(letter) {
            true => text.push_str(&format!("\\u{:04x}", letter as u32)),
            false => text.push(letter),
        }
        text
    })
}
