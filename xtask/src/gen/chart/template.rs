//! The few words of Helm's templates that the chart uses: a value, quoted or as JSON, and a condition around lines.
//!
//! Reads a template and values; returns what Helm would print, which a test with the real Helm shows.
//! Invariant: a word that is not known here is refused, never passed through.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::values::Values;

/// Returns the text of a template with the values' defaults.
pub(super) fn render(template: &str, options: &Values) -> Result<String> {
    let mut kept = Vec::new();
    // For each condition around the line: whether it holds.
    let mut conditions: Vec<bool> = Vec::new();
    for (number, line) in (1..).zip(template.lines()) {
        let place = || format!("line {number}");
        if let Some(word) = directive(line) {
            if word == "end" {
                conditions.pop().context("an end without an if").with_context(place)?;
            } else {
                let path = word.strip_prefix("if ").context("not if or end").with_context(place)?;
                conditions.push(is_true(value(path, options).with_context(place)?));
            }
        } else if conditions.iter().all(|holds| *holds) {
            kept.push(fill(line, options).with_context(place)?);
        }
    }
    ensure!(conditions.is_empty(), "an if without an end");
    Ok(format!("{}\n", kept.join("\n")))
}

/// The word of a line that has no other content.
fn directive(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("{{- ")?.strip_suffix(" }}")?;
    (!inside.contains("}}")).then_some(inside)
}

/// A line with its values.
fn fill(line: &str, options: &Values) -> Result<String> {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{ ") {
        let (word, after) = after.split_once(" }}").context("a value that does not end")?;
        filled.push_str(before);
        filled.push_str(&show(word, options)?);
        rest = after;
    }
    ensure!(!rest.contains("{{"), "only `{{{{ .Values.… }}}}` is known within a line");
    Ok(filled + rest)
}

fn show(word: &str, options: &Values) -> Result<String> {
    let (path, filter) = match word.split_once(" | ") {
        Some((path, filter)) => (path, Some(filter)),
        None => (word, None),
    };
    let value = value(path, options)?;
    match (filter, value) {
        (Some("toJson"), value) => Ok(value.to_string()),
        (Some("quote"), Value::String(text)) => Ok(Value::from(text.as_str()).to_string()),
        (None, Value::String(text)) => Ok(text.clone()),
        (None, Value::Number(_) | Value::Bool(_)) => Ok(value.to_string()),
        (_, value) => bail!("`{word}` cannot be shown: it is {value}"),
    }
}

fn value<'a>(path: &str, options: &'a Values) -> Result<&'a Value> {
    let name = path.strip_prefix(".Values.").with_context(|| format!("`{path}` is no value"))?;
    options.default_of(name).with_context(|| format!("the schema has no value `{name}`"))
}

/// What Helm takes for true.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(it) => *it,
        Value::Number(it) => it.as_f64() != Some(0.0),
        Value::String(it) => !it.is_empty(),
        Value::Array(it) => !it.is_empty(),
        Value::Object(it) => !it.is_empty(),
    }
}
