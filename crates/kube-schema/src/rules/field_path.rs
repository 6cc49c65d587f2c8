//! The `fieldPath` of a rule: which field below the rule's own an error is told of.
//!
//! Reads a text such as `.spec['a.b']` and the schema it leads into; returns the path.
//! Invariant: a path that is returned leads only through fields of the schema.

use crate::path::{Path, Step};
use crate::schema::{Additional, Schema};

/// Why a text is not a path into a schema.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FieldPathError {
    #[error("does not refer to a valid field")]
    NoSuchField,
    #[error("unexpected end of JSON path")]
    End,
    #[error("expected {expected} but got {found}")]
    Unexpected { expected: &'static str, found: String },
    #[error("invalid string literal: invalid escape char \\{escape}")]
    Escape { escape: char },
}

/// Reads a `fieldPath` relative to `schema`.
pub(crate) fn read(text: &str, schema: &Schema) -> Result<Path, FieldPathError> {
    let (mut path, mut schema, mut rest) = (Path::root(), schema, text);
    while !rest.is_empty() {
        let (token, after) = next_token(rest);
        let name = match token {
            "." => {
                let (name, after) = some_token(after)?;
                rest = after;
                name.to_owned()
            }
            "[" => {
                let (literal, after) = some_token(after)?;
                rest = after;
                let name = unquoted(literal)?;
                let (bracket, after) = some_token(rest)?;
                if bracket != "]" {
                    return Err(unexpected("]", bracket));
                }
                rest = after;
                name
            }
            _ => return Err(unexpected("[ or .", token)),
        };
        let (step, below) = descend(&name, schema, path.is_root())?;
        path.push(step);
        schema = below;
    }
    Ok(path)
}

fn descend<'a>(
    name: &str,
    schema: &'a Schema,
    is_first: bool,
) -> Result<(Step, &'a Schema), FieldPathError> {
    if !schema.properties.is_empty() {
        let below = schema.properties.get(name).ok_or(FieldPathError::NoSuchField)?;
        return Ok((Step::Field(name.to_owned()), below));
    }
    match &schema.additional {
        // compat: schema/cel/validation.go appends the whole text as one child of the rule's path
        Additional::Of(values) if is_first => Ok((Step::Field(format!("[{name}]")), values)),
        Additional::Of(values) => Ok((Step::Key(name.to_owned()), values)),
        Additional::Unset | Additional::Any(_) => Err(FieldPathError::NoSuchField),
    }
}

fn some_token(text: &str) -> Result<(&str, &str), FieldPathError> {
    if text.is_empty() {
        return Err(FieldPathError::End);
    }
    Ok(next_token(text))
}

/// Splits off a delimiter, a quoted text, or what stands before the next delimiter.
fn next_token(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    if bytes[0] == b'\'' {
        let end = (1..bytes.len()).find(|&at| bytes[at] == b'\'' && bytes[at - 1] != b'\\');
        return text.split_at(end.map_or(text.len(), |at| at + 1));
    }
    match text.find(['.', '[', ']']) {
        Some(0) => text.split_at(1),
        Some(at) => text.split_at(at),
        None => (text, ""),
    }
}

fn unquoted(literal: &str) -> Result<String, FieldPathError> {
    let inner = literal
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .ok_or_else(|| unexpected("single quoted string", literal))?;
    let mut name = String::with_capacity(inner.len());
    let mut symbols = inner.chars();
    while let Some(symbol) = symbols.next() {
        if symbol != '\\' {
            name.push(symbol);
            continue;
        }
        match symbols.next() {
            None => name.push('\\'),
            Some('a') => name.push('\x07'),
            Some('b') => name.push('\x08'),
            Some('f') => name.push('\x0c'),
            Some('n') => name.push('\n'),
            Some('r') => name.push('\r'),
            Some('t') => name.push('\t'),
            Some('v') => name.push('\x0b'),
            Some(same @ ('\'' | '\\')) => name.push(same),
            Some(escape) => return Err(FieldPathError::Escape { escape }),
        }
    }
    Ok(name)
}

fn unexpected(expected: &'static str, found: &str) -> FieldPathError {
    FieldPathError::Unexpected { expected, found: found.to_owned() }
}

#[cfg(test)]
mod tests;
