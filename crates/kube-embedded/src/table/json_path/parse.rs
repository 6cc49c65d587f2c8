//! Reads JSONPath.
//!
//! Reads a text; returns steps, or none where the text is no path.
//! Invariant: a backslash takes the meaning from the letter after it.

use serde_json::Value;

use super::{Comparison, JsonPath, Operand, Step};

pub(super) fn path(text: &str) -> Option<JsonPath> {
    let mut steps = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '$' | '@' => &rest[1..],
            '[' => {
                let inside = &rest[1..];
                let end = closing_bracket(inside)?;
                steps.push(bracket(&inside[..end])?);
                &inside[end + 1..]
            }
            '.' if rest.starts_with("..") => {
                steps.push(Step::Everywhere);
                // The second dot leads to the field, unless brackets follow.
                if rest.starts_with("..[") { &rest[2..] } else { &rest[1..] }
            }
            '.' => field(&rest[1..], &mut steps),
            _ => return None,
        };
    }
    Some(JsonPath(steps))
}

/// Reads the name at the start of a text; returns what follows it.
fn field<'a>(text: &'a str, steps: &mut Vec<Step>) -> &'a str {
    let mut name = String::new();
    let mut is_escaped = false;
    let mut end = text.len();
    for (index, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => {
                is_escaped = false;
                name.push(letter);
            }
            '\\' => is_escaped = true,
            '.' | '[' | ']' | ',' | '$' | '@' | '{' | '}' | ' ' => {
                end = index;
                break;
            }
            _ => name.push(letter),
        }
    }
    match name.as_str() {
        "*" => steps.push(Step::All),
        _ => steps.push(Step::Field(name)),
    }
    text[end..].trim_start()
}

/// Where the bracket closes that stands before a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0, None);
    for (index, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(index),
            (None, ']') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

fn bracket(text: &str) -> Option<Step> {
    let text = text.trim();
    if text == "*" {
        return Some(Step::All);
    }
    if let Some(condition) = text.strip_prefix("?(") {
        return filter(condition.strip_suffix(')')?);
    }
    let parts = split_outside_quotes(text, ',');
    if parts.len() > 1 {
        return parts.into_iter().map(bracket).collect::<Option<_>>().map(Step::AnyOf);
    }
    // The server takes double quotes in filters only.
    if let Some(name) = within(text, '\'') {
        return Some(Step::Field(name.replace('\\', "")));
    }
    let numbers = text.split(':').map(|part| match part {
        "" => Some(None),
        digits => digits.parse::<i64>().ok().map(Some),
    });
    match numbers.collect::<Option<Vec<_>>>()?[..] {
        [Some(index)] => Some(Step::Index(index)),
        [start, end] => Some(Step::Slice { start, end, stride: 1 }),
        [start, end, stride] => Some(Step::Slice { start, end, stride: stride.unwrap_or(1) }),
        _ => None,
    }
}

fn filter(text: &str) -> Option<Step> {
    let is_operator = |letter| matches!(letter, '!' | '<' | '>' | '=');
    let Some(start) = text.find(is_operator) else {
        return Some(Step::Filter { left: path(text)?, test: None });
    };
    let length = text[start..].find(|letter| !is_operator(letter))?;
    let comparison = match &text[start..start + length] {
        "==" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        _ => return None,
    };
    let right = operand(text[start + length..].trim())?;
    Some(Step::Filter { left: path(&text[..start])?, test: Some((comparison, right)) })
}

fn operand(text: &str) -> Option<Operand> {
    if let Some(text) = within(text, '\'').or_else(|| within(text, '"')) {
        return Some(Operand::Literal(Value::from(text)));
    }
    if text.starts_with(['@', '$', '.']) {
        return path(text).map(Operand::Path);
    }
    let literal: Value = serde_json::from_str(text).ok()?;
    (literal.is_boolean() || literal.is_number()).then_some(Operand::Literal(literal))
}

fn within(text: &str, quote: char) -> Option<&str> {
    text.strip_prefix(quote)?.strip_suffix(quote)
}

fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let mut quote = None;
    text.split(|letter| match quote {
        Some(open) => {
            if open == letter {
                quote = None;
            }
            false
        }
        None => {
            if matches!(letter, '\'' | '"') {
                quote = Some(letter);
            }
            letter == separator
        }
    })
    .collect()
}
