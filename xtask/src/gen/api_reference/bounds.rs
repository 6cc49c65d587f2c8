//! What a value may be, in a few words.
//!
//! Invariant: every bound of the schema is in the words.

use serde_json::Value;

use super::text;

/// The type of a field.
pub(super) fn type_of(schema: &Value) -> String {
    let kind = text(&schema["type"]);
    if kind == "array" {
        return format!("list of {}", plural(&schema["items"]));
    }
    if schema["additionalProperties"].is_object() {
        return format!("map of {}", plural(&schema["additionalProperties"]));
    }
    kind.to_owned()
}

fn plural(schema: &Value) -> String {
    match text(&schema["type"]) {
        "" => "values".to_owned(),
        kind => format!("{kind}s"),
    }
}

/// The bounds of a field, and those of its items.
pub(super) fn bounds(schema: &Value) -> String {
    let mut words = own_bounds(schema);
    let items = own_bounds(&schema["items"]);
    if !items.is_empty() {
        words.push(format!("each {}", items.join(", ")));
    }
    words.join("; ")
}

fn own_bounds(schema: &Value) -> Vec<String> {
    let choices = schema["enum"].as_array().into_iter().flatten();
    let choices: Vec<String> = choices.map(|it| format!("`{}`", text(it))).collect();
    let mut words = Vec::new();
    if !choices.is_empty() {
        words.push(choices.join(" or "));
    }
    words.extend(range(schema, "minimum", "maximum", ""));
    words.extend(range(schema, "minLength", "maxLength", " characters"));
    words.extend(range(schema, "minItems", "maxItems", " items"));
    words.extend(range(schema, "minProperties", "maxProperties", " fields"));
    if let Some(pattern) = schema["pattern"].as_str() {
        words.push(format!("matches `{}`", pattern.replace('|', "\\|")));
    }
    words
}

/// Both ends of a range, one, or none.
fn range(schema: &Value, least: &str, most: &str, unit: &str) -> Option<String> {
    match (schema[least].as_i64(), schema[most].as_i64()) {
        (Some(least), Some(most)) if least == most => Some(format!("{least}{unit}")),
        (Some(least), Some(most)) => Some(format!("{least} to {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
}
