//! Regular expressions: `matches`, `find`, `findAll`.
//!
//! Reads a text and a pattern of Go's syntax; returns what Go's `regexp` finds.
//! Invariant: a pattern that Go refuses is refused here in Go's words, and the other way round.

mod class;
mod translate;

use regex::{Regex, RegexBuilder};

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::Value;

/// No pattern may need more memory than this when compiled.
const SIZE_LIMIT: usize = 8 << 20;

/// How deep groups may nest. (compat: Go's regexp/syntax, maxHeight)
const NEST_LIMIT: u32 = 1000;

/// A compiled pattern of Go's syntax.
#[derive(Debug, Clone)]
pub(crate) struct GoRegex(Regex);

impl GoRegex {
    /// Compiles; the error is what `regexp.Compile` says.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let translated = translate::translated(pattern).map_err(|problem| problem.to_string())?;
        let mut builder = RegexBuilder::new(&translated);
        let built = builder.size_limit(SIZE_LIMIT).nest_limit(NEST_LIMIT).build();
        built.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => {
                format!("error parsing regexp: expression too large: `{pattern}`")
            }
            _ => format!("error parsing regexp: invalid character class range: `{pattern}`"),
        })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    pub(in crate::cel) fn find(&self, text: &str) -> Value {
        Value::string(self.0.find(text).map_or("", |found| found.as_str()))
    }

    /// All matches, or the first so many.
    pub(in crate::cel) fn find_all(&self, text: &str, limit: i64) -> Value {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut found: Vec<Value> = Vec::new();
        let mut last_end = None;
        for part in self.0.find_iter(text) {
            // Go takes no empty match right behind another match.
            let is_echo = part.is_empty() && last_end == Some(part.start());
            last_end = Some(part.end());
            if found.len() == limit {
                break;
            }
            if !is_echo {
                found.push(Value::string(part.as_str()));
            }
        }
        Value::list(found)
    }
}

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "matches" => matches,
        "find" => find_first,
        "findAll" => find_all,
        _ => return None,
    })
}

/// Compiling costs as much as the pattern is long, many times over; counts and classes of Unicode
/// can make a short one large.
fn compile(call: &Call<'_>, pattern: &str) -> Result<GoRegex, Failure> {
    let may_grow = pattern.contains(['{', '^', '.']) || pattern.contains("\\p");
    let growth = if may_grow { 20_000 } else { 1_000 };
    call.fuel.burn(pattern.len().saturating_mul(100).saturating_add(growth))?;
    GoRegex::new(pattern).map_err(Failure::new)
}

fn matches(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text), Value::String(pattern)] => {
            Ok(Value::Bool(compile(call, pattern)?.is_match(text)))
        }
        [Value::String(_), _] | [Value::Duration(_) | Value::Timestamp(_), ..] => {
            Err(Failure::Error(Error::no_such_overload()))
        }
        _ => Err(Failure::new("no such overload: matches")),
    }
}

fn illegal(failure: Failure) -> Failure {
    match failure {
        Failure::Error(error) if !error.is_cost_exceeded() => {
            Failure::new(format!("Illegal regex: {error}"))
        }
        failure => failure,
    }
}

fn find_first(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text), Value::String(pattern)] => {
            Ok(compile(call, pattern).map_err(illegal)?.find(text))
        }
        _ => Err(Failure::Mismatch),
    }
}

fn find_all(call: &Call<'_>) -> Outcome {
    let (text, pattern, limit) = match call.args {
        [Value::String(text), Value::String(pattern)] => (text, pattern, -1),
        [Value::String(text), Value::String(pattern), Value::Int(limit)] => (text, pattern, *limit),
        _ => return Err(Failure::Mismatch),
    };
    Ok(compile(call, pattern).map_err(illegal)?.find_all(text, limit))
}
