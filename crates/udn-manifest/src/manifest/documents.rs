//! Divides a source into documents.
//!
//! Reads text; returns pieces of it that say anything, each with the line where it begins.
//! Invariant: a document that cannot be read costs no other document.

use super::tree::Span;
use super::{MAX_SOURCE, Object, Unreadable, json, object, yaml};

/// One document of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// From one.
    pub number: usize,
    /// The line of the source where it begins, from one.
    pub line: usize,
    pub text: &'a str,
}

/// The documents of a text that say anything.
///
/// A line that begins with `---` is a boundary wherever it stands, as it is for kubectl.
pub fn documents(text: &str) -> Documents<'_> {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    Documents { rest, line: 1, number: 0 }
}

/// Documents that are still to come.
#[derive(Debug, Clone)]
pub struct Documents<'a> {
    rest: &'a str,
    line: usize,
    number: usize,
}

impl<'a> Iterator for Documents<'a> {
    type Item = Document<'a>;

    fn next(&mut self) -> Option<Document<'a>> {
        while !self.rest.is_empty() {
            let (length, lines) = measure(self.rest);
            let (text, rest) = self.rest.split_at(length);
            let line = self.line;
            (self.rest, self.line) = (rest, line + lines);
            if says_anything(text) {
                self.number += 1;
                return Some(Document { number: self.number, line, text });
            }
        }
        None
    }
}

/// How many bytes and lines the first document has, its leading boundary included.
fn measure(text: &str) -> (usize, usize) {
    let mut length = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index > 0 && line.starts_with("---") {
            return (length, index);
        }
        length += line.len();
    }
    (length, text.split_inclusive('\n').count())
}

/// Whether there is more than comments, directives and the boundary itself.
fn says_anything(text: &str) -> bool {
    let is_silent = |line: &str| {
        let words = line.strip_prefix("---").unwrap_or(line).trim();
        words.is_empty() || words == "..." || words.starts_with('#') || line.starts_with('%')
    };
    !text.lines().all(is_silent)
}

impl Document<'_> {
    /// The objects that the document holds: one, several JSON texts, or the items of a list.
    pub fn objects(&self) -> Result<Vec<Object>, Unreadable> {
        if self.text.len() > MAX_SOURCE {
            let message = format!("is larger than {} MiB", MAX_SOURCE >> 20);
            return Err(Unreadable::at(Span::new(0..0), message));
        }
        if json::is_json(self.text) {
            let trees = json::read(self.text)?;
            return object::objects(self.text, trees);
        }
        if let Some(words) = self.words_after_boundary() {
            let message = format!("invalid document separator: `---` and `{words}` on one line");
            return Err(Unreadable::at(Span::new(0..3), message));
        }
        object::objects(self.text, [yaml::read(self.text)?])
    }

    /// What follows `---` on its line and is no comment; kubectl refuses it.
    fn words_after_boundary(&self) -> Option<&str> {
        let rest = self.text.strip_prefix("---")?;
        let words = rest.lines().next().unwrap_or_default().trim();
        (!words.is_empty() && !words.starts_with('#')).then_some(words)
    }
}
