//! The text of an expression, and complaints about places in it.
//!
//! Reads text; returns places as lines and columns, and complaints as cel-go prints them.
//! Invariant: places count characters, not bytes.

use super::error::CompileError;

/// No more complaints than this are listed. (compat: cel-go common/errors.go)
const MOST_ISSUES: usize = 100;

/// Lines longer than this are not shown. (compat: cel-go common/error.go)
const LONGEST_SNIPPET: usize = 16_384;

/// An expression's text.
#[derive(Debug, Clone)]
pub(super) struct Source {
    characters: Vec<char>,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let after_breaks = characters.iter().enumerate().filter(|(_, it)| **it == '\n');
        let lines = [0].into_iter().chain(after_breaks.map(|(place, _)| place + 1)).collect();
        Self { characters, lines }
    }

    pub(super) fn characters(&self) -> &[char] {
        &self.characters
    }

    pub(super) fn text(&self, start: usize, end: usize) -> String {
        self.characters[start.min(end)..end.min(self.characters.len())].iter().collect()
    }

    /// Line from 1 and column from 0.
    fn location(&self, place: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= place);
        (line, place - self.lines[line - 1])
    }

    fn snippet(&self, line: usize) -> String {
        let start = self.lines[line - 1];
        let end = self.lines.get(line).map_or(self.characters.len(), |next| next - 1);
        self.text(start, end)
    }
}

/// One complaint; without a place it is about the whole expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issue {
    place: Option<usize>,
    message: String,
}

/// Complaints in the order they were found.
#[derive(Debug, Default)]
pub(super) struct Issues {
    list: Vec<Issue>,
    found: usize,
}

impl Issues {
    pub(super) fn report(&mut self, place: usize, message: impl Into<String>) {
        self.push(Issue { place: Some(place), message: message.into() });
    }

    pub(super) fn report_whole(&mut self, message: impl Into<String>) {
        self.push(Issue { place: None, message: message.into() });
    }

    fn push(&mut self, issue: Issue) {
        self.found += 1;
        if self.list.len() < MOST_ISSUES {
            self.list.push(issue);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found == 0
    }

    /// Returns the error that lists these complaints, if there are any.
    pub(super) fn into_result(mut self, source: &Source) -> Result<(), CompileError> {
        if self.is_empty() {
            return Ok(());
        }
        self.list.sort_by_key(|issue| issue.place.map(|place| source.location(place)));
        let mut lines: Vec<String> = self.list.iter().map(|issue| display(issue, source)).collect();
        if self.found > MOST_ISSUES {
            lines.push(format!("{} more errors were truncated", self.found - MOST_ISSUES));
        }
        Err(CompileError::new(lines.join("\n")))
    }
}

fn display(issue: &Issue, source: &Source) -> String {
    let Some(place) = issue.place else {
        return format!("ERROR: <input>:-1:0: {}", issue.message);
    };
    let (line, column) = source.location(place);
    let head = format!("ERROR: <input>:{line}:{}: {}", column + 1, issue.message);
    let snippet = source.snippet(line).replace('\t', " ");
    if snippet.len() > LONGEST_SNIPPET {
        return head;
    }
    let mut marks = String::new();
    for symbol in snippet.chars().take(column) {
        marks.push(if symbol.len_utf8() > 1 { '\u{ff0e}' } else { '.' });
    }
    let is_wide = snippet.chars().nth(column).is_some_and(|symbol| symbol.len_utf8() > 1);
    marks.push(if is_wide { '\u{ff3e}' } else { '^' });
    format!("{head}\n | {snippet}\n | {marks}")
}
