//! Where a mistake stands, and what the server says to it: both written down beforehand.
//!
//! Reads the manifests under `tests/validate/lines` and `lines.txt`, which has a line
//! `FILE:LINE:COLUMN: TEXT` for each mistake. Invariant: nothing writes `lines.txt` but a person.

use std::collections::BTreeSet;
use std::fs;

use udn_manifest::manifest::documents;

use super::{cluster, complaint, findings, folder, kubectl, line, printed, udn, word};

/// A line of `lines.txt`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mistake {
    file: String,
    line: u64,
    column: u64,
    /// As kubectl prints it.
    text: String,
}

impl Mistake {
    fn read(row: &str) -> Self {
        let mut parts = row.splitn(4, ':');
        let mut next = || parts.next().expect("FILE:LINE:COLUMN: TEXT").trim_start().to_owned();
        let (file, line, column, text) = (next(), next(), next(), next());
        let number = |text: String| text.parse().expect("a number");
        Self { file, line: number(line), column: number(column), text }
    }
}

fn written() -> BTreeSet<Mistake> {
    let rows = fs::read_to_string(folder("tests/validate/lines.txt")).expect("it is there");
    rows.lines().map(Mistake::read).collect()
}

/// What the program says to the file, offline.
fn told(file: &str) -> BTreeSet<Mistake> {
    let path = folder("tests/validate/lines").join(file);
    let path = path.to_str().expect("a plain path");
    let findings = findings(&udn(&["validate", "-f", path, "-o", "json"], ""));
    let of_server = findings.iter().filter(|it| word(it, "source") != "cluster");
    let mistakes = of_server.map(|it| Mistake {
        file: file.to_owned(),
        line: it["line"].as_u64().expect("a number"),
        column: it["column"].as_u64().expect("a number"),
        text: line(it),
    });
    mistakes.collect()
}

/// The texts of the mistakes in each document of a file, which begins and ends at a line.
fn by_document(text: &str, mistakes: &[&Mistake]) -> Vec<(String, BTreeSet<String>)> {
    let number = |line: usize| u64::try_from(line).expect("a line number fits");
    let starts: Vec<u64> = documents(text).map(|it| number(it.line)).collect();
    let ends = starts.iter().skip(1).copied().chain([u64::MAX]);
    let lines = starts.iter().copied().zip(ends);
    let inside = |(start, end): (u64, u64)| {
        let here = mistakes.iter().filter(|it| (start..end).contains(&it.line));
        here.map(|it| it.text.clone()).collect()
    };
    documents(text).zip(lines).map(|(it, lines)| (it.text.to_owned(), inside(lines))).collect()
}

// proves: X-07
#[test]
fn mistakes_are_told_offline_at_their_lines_in_the_servers_words() {
    let (cluster, written) = (cluster(&["lines"]), written());
    let files: BTreeSet<&str> = written.iter().map(|it| it.file.as_str()).collect();
    let (mut sound, mut wrong) = (0, 0);
    for file in files {
        let mistakes: Vec<&Mistake> = written.iter().filter(|it| it.file == file).collect();
        let expected: BTreeSet<Mistake> = mistakes.iter().copied().cloned().collect();
        assert_eq!(told(file), expected, "{file}");
        let text = fs::read_to_string(folder("tests/validate/lines").join(file)).expect("a text");
        for (document, texts) in by_document(&text, &mistakes) {
            let online = kubectl(&cluster, &["create", "--dry-run=server", "-f", "-"], &document);
            assert_eq!(printed(&complaint(&online)), texts, "{document}");
            if texts.is_empty() { sound += 1 } else { wrong += 1 }
        }
    }
    assert_eq!((sound, wrong), (1, 8), "documents");
}

#[test]
fn people_are_shown_the_same_places() {
    for mistake in written().iter().filter(|it| !it.text.starts_with("<nil>")) {
        let Mistake { file, line, column, .. } = mistake;
        let path = folder("tests/validate/lines").join(file);
        let output = udn(&["validate", "-f", path.to_str().expect("a plain path")], "");
        let shown = String::from_utf8(output.stdout).expect("it prints text");
        let place = format!("{file}:{line}:{column}\n");
        assert!(shown.contains(&place), "{place} is not in\n{shown}");
    }
}
