//! Reads manifests into a world.
//!
//! Reads named texts; returns a [`Reading`]: the world, and what could not be taken in.
//! Invariant: whatever the bytes, reading ends with a reading.

use std::fmt;

use serde::Serialize;
use udn_manifest::manifest::{Document, Object, Position, Span, Step, documents, path_text};

use super::World;
use super::insert::Refused;

/// What came of reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub world: World,
    /// What is wrong and was left out.
    pub problems: Vec<Problem>,
    /// What is not for us.
    pub skipped: Vec<Problem>,
}

/// Something in a manifest that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub source: String,
    /// Which document of the source, from one.
    pub document: usize,
    /// Which line of the source, from one.
    pub line: usize,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, document, line, message } = self;
        write!(f, "{source}:{line}: {message} (document {document})")
    }
}

impl Reading {
    pub(super) fn of<'a>(sources: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut reading = Self::default();
        for (source, bytes) in sources {
            reading.take_source(source, bytes);
        }
        reading
    }

    fn take_source(&mut self, source: &str, bytes: &[u8]) {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let (good, _) = bytes.split_at(error.valid_up_to());
                let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
                let message = "is not UTF-8 text; save it as UTF-8".to_owned();
                let source = source.to_owned();
                self.problems.push(Problem { source, document: 1, line, message });
                return;
            }
        };
        for document in documents(text) {
            let origin = SourceDocument { source, document };
            match document.objects() {
                Ok(objects) => objects.iter().for_each(|object| self.take(&origin, object)),
                Err(error) => {
                    let message = format!("cannot be read: {error}; mend the document");
                    self.problems.push(origin.problem(error.span, message));
                }
            }
        }
    }

    fn take(&mut self, origin: &SourceDocument<'_>, object: &Object) {
        if let [second, ..] = &object.second_keys()[..] {
            let path = path_text(&second.path);
            let message = format!("says {path} a second time; remove one of the two");
            self.problems.push(origin.problem(second.span, message));
            return;
        }
        match self.world.insert(&object.value) {
            Ok(()) => {}
            Err(Refused::OtherKind { message }) => {
                self.skipped.push(origin.problem_of(object, &[], message));
            }
            Err(Refused::Unfit { path, message }) => {
                self.problems.push(origin.problem_of(object, &path, message));
            }
        }
    }
}

/// Where the object at hand comes from.
#[derive(Debug, Clone, Copy)]
struct SourceDocument<'a> {
    source: &'a str,
    document: Document<'a>,
}

impl SourceDocument<'_> {
    /// A problem of one object, told at the field that has it.
    fn problem_of(&self, object: &Object, path: &[Step], message: String) -> Problem {
        let message = match object.item {
            Some(item) => format!("item {item}: {message}"),
            None => message,
        };
        if path.is_empty() && object.item.is_none() {
            let (source, line) = (self.source.to_owned(), self.document.line);
            return Problem { source, document: self.document.number, line, message };
        }
        self.problem(object.place(path).mark(self.document.text), message)
    }

    fn problem(&self, span: Span, message: String) -> Problem {
        let Document { number, line, text } = self.document;
        let Position { line, .. } = Position::of(text, span.range().start, line);
        Problem { source: self.source.to_owned(), document: number, line, message }
    }
}
