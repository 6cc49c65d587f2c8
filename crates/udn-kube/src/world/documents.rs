//! Divides a source into documents, and reads each into a JSON value.
//!
//! Reads text; returns documents with the line where each begins, and values or refusals.
//! Invariant: a document that cannot be read costs no other document.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// One document of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Document<'a> {
    /// From one.
    pub(super) number: usize,
    /// The line of the source where it begins, from one.
    pub(super) line: usize,
    text: &'a str,
}

/// Why a document cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    /// The line of the source.
    pub(super) line: usize,
    pub(super) message: String,
}

/// The documents of a text that say anything.
///
/// A line that begins with `---` is a boundary wherever it stands: YAML forbids it inside scalars.
pub(super) fn split(text: &str) -> Vec<Document<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut starts = vec![(0, 1)];
    let mut offset = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if offset > 0 && is_boundary(line) {
            starts.push((offset, index + 1));
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).map(|(offset, _)| *offset).chain([text.len()]);
    let pieces = starts.iter().zip(ends).map(|((start, line), end)| (*line, &text[*start..end]));
    let filled = pieces.filter(|(_, text)| says_anything(text));
    filled.zip(1..).map(|((line, text), number)| Document { number, line, text }).collect()
}

fn is_boundary(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Whether there is more than comments, directives and the boundary itself.
fn says_anything(text: &str) -> bool {
    let is_silent = |line: &str| {
        let words = line.strip_prefix("---").unwrap_or(line).trim();
        words.is_empty() || words.starts_with('#') || line.starts_with('%')
    };
    !text.lines().all(is_silent)
}

impl Document<'_> {
    /// The values that the document holds: one, or several JSON texts one after another.
    pub(super) fn values(&self) -> Result<Vec<Value>, Unreadable> {
        if !self.is_json() {
            return self.parse_yaml(false).map(|value| vec![value]);
        }
        let stream = serde_json::Deserializer::from_str(self.text).into_iter::<Value>();
        let values: Result<Vec<Value>, serde_json::Error> = stream.collect();
        values.map_err(|error| Unreadable {
            line: self.line_at(error.line()),
            message: without_place(&error.to_string()),
        })
    }

    /// Why the document is not a `T`, with the line; `None` if it is one.
    pub(super) fn objection<T: DeserializeOwned>(&self) -> Option<Unreadable> {
        self.parse_yaml::<T>(true).err()
    }

    fn is_json(&self) -> bool {
        let inside = self.text.trim_start().strip_prefix('{');
        inside.is_some_and(|inside| inside.trim_start().starts_with('"'))
    }

    /// Reads YAML; if asked to be strict, a number is no text.
    fn parse_yaml<T: DeserializeOwned>(&self, is_strict: bool) -> Result<T, Unreadable> {
        // Nodes and events are bounded by the size of the text; aliases keep their limits.
        let budget = serde_saphyr::budget! {
            max_events: usize::MAX,
            max_nodes: usize::MAX,
            max_total_scalar_bytes: usize::MAX,
        };
        let options = serde_saphyr::options! {
            budget: budget,
            legacy_octal_numbers: true,
            no_schema: is_strict,
            with_snippet: false,
        };
        serde_saphyr::from_str_with_options(self.text, options).map_err(|error| {
            let line = error.location().and_then(|it| usize::try_from(it.line()).ok());
            let message = without_place(&error.to_string());
            Unreadable { line: self.line_at(line.unwrap_or(1)), message }
        })
    }

    fn line_at(&self, line_of_document: usize) -> usize {
        self.line + line_of_document.saturating_sub(1)
    }
}

/// The message of a parser, without the place that it repeats at the end.
fn without_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}
