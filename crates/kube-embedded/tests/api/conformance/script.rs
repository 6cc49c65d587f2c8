//! The language that behaviours are written in.
//!
//! Reads the files under `cases/`; returns behaviours. A file is a list of lines:
//!
//! ```text
//! # a comment
//! before                          steps that run unseen before each behaviour that follows
//! == a name                       starts a behaviour; marks may follow: `(managed)` shows managedFields,
//!                                 `(unordered)` sorts the causes of a refusal
//! POST configmaps {metadata: …}   sends a request; the body is YAML, sent as JSON
//! ~POST …                         the same, unseen: it must succeed
//! =POST …                         shows the code alone
//! EDIT configmaps/a {…}           reads, merges and puts
//! APPLY, MERGE, STRATEGIC, JSON   patches
//! [Accept: text/plain]            headers stand between the verb and the path
//! let rv /metadata/resourceVersion      `${rv}` from the last answer
//! pick /a/b                       shows a part of the last answer
//! find /items /a/b=c              shows the first element of a list with this field
//! until 404 GET …                 repeats a request until it has the code, or `/a/b=value`
//! watch w GET …                   opens a watch
//! read w 2                        shows its next events
//! end w                           shows what is left of it, until the server ends it
//! ```
//!
//! A line that is indented belongs to the one before it.
//! Invariant: the order of behaviours is that of files and lines.

use std::path::Path;

/// Something a server does, under a name.
#[derive(Debug, Clone)]
pub(crate) struct Behaviour {
    pub(crate) name: String,
    pub(crate) marks: Marks,
    pub(crate) before: Vec<Step>,
    pub(crate) steps: Vec<Step>,
}

/// How the transcript of a behaviour is written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// It shows `managedFields`.
    pub(crate) is_managed: bool,
    /// It sorts the causes of a refusal, which the server gives in the order of a Go map.
    pub(crate) is_unordered: bool,
}

/// One line of a script.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send { ask: Ask, shown: Shown },
    Until { goal: Goal, ask: Ask },
    Let { name: String, pointer: String },
    Pick { pointer: String },
    Find { pointer: String, key: String, value: String },
    Watch { name: String, ask: Ask },
    Read { name: String, count: usize },
    End { name: String },
}

/// How much of an answer the transcript shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    All,
    Code,
    Nothing,
}

/// What a repeated request is to reach.
#[derive(Debug, Clone)]
pub(crate) enum Goal {
    Code(u16),
    Field { pointer: String, value: String },
}

/// A request as it is written.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    /// For the transcript.
    pub(crate) line: String,
    pub(crate) verb: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) path: String,
    pub(crate) body: String,
}

/// Reads every file of a folder.
pub(crate) fn behaviours(folder: &Path) -> Vec<Behaviour> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it is readable").path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("the file is text");
        let stem = path.file_stem().expect("it has a name").to_string_lossy();
        all.extend(parse(&stem, &text));
    }
    all
}

fn parse(stem: &str, text: &str) -> Vec<Behaviour> {
    let mut all: Vec<Behaviour> = Vec::new();
    let mut before = Vec::new();
    let mut is_before = false;
    for line in logical_lines(text) {
        if line == "before" {
            before.clear();
            is_before = true;
        } else if let Some(name) = line.strip_prefix("== ") {
            is_before = false;
            let (name, marks) = marked(name);
            let (name, before) = (format!("{stem}: {name}"), before.clone());
            all.push(Behaviour { name, marks, before, steps: Vec::new() });
        } else if is_before {
            before.push(step(&line));
        } else {
            let behaviour = all.last_mut().unwrap_or_else(|| panic!("{stem}: {line} has no name"));
            behaviour.steps.push(step(&line));
        }
    }
    all
}

fn marked(mut name: &str) -> (&str, Marks) {
    let mut marks = Marks::default();
    loop {
        if let Some(rest) = name.strip_suffix(" (managed)") {
            marks.is_managed = true;
            name = rest;
        } else if let Some(rest) = name.strip_suffix(" (unordered)") {
            marks.is_unordered = true;
            name = rest;
        } else {
            return (name, marks);
        }
    }
}

/// Joins indented lines to the one they belong to; drops comments and empty lines.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if line.starts_with("  ") => {
                last.push('\n');
                last.push_str(&line[2..]);
            }
            _ if line.trim().is_empty() || line.starts_with('#') => {}
            _ => lines.push(line.to_owned()),
        }
    }
    lines
}

fn step(line: &str) -> Step {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "let" => {
            let (name, pointer) = rest.split_once(' ').expect("a name and a pointer");
            Step::Let { name: name.to_owned(), pointer: pointer.to_owned() }
        }
        "pick" => Step::Pick { pointer: rest.to_owned() },
        "find" => {
            let (pointer, wanted) = rest.split_once(' ').expect("a pointer and a field");
            let (key, value) = wanted.split_once('=').expect("a field and its value");
            let (pointer, key, value) = (pointer.to_owned(), key.to_owned(), value.to_owned());
            Step::Find { pointer, key, value }
        }
        "until" => {
            let (goal, request) = rest.split_once(' ').expect("a goal and a request");
            Step::Until { goal: parse_goal(goal), ask: ask(request) }
        }
        "watch" => {
            let (name, request) = rest.split_once(' ').expect("a name and a request");
            Step::Watch { name: name.to_owned(), ask: ask(request) }
        }
        "read" => {
            let (name, count) = rest.split_once(' ').expect("a name and a count");
            Step::Read { name: name.to_owned(), count: count.parse().expect("it is a count") }
        }
        "end" => Step::End { name: rest.to_owned() },
        _ => sent(line),
    }
}

fn sent(line: &str) -> Step {
    let (shown, request) = match line.split_at(1) {
        ("~", request) => (Shown::Nothing, request),
        ("=", request) => (Shown::Code, request),
        _ => (Shown::All, line),
    };
    Step::Send { ask: ask(request), shown }
}

fn parse_goal(text: &str) -> Goal {
    match text.split_once('=') {
        Some((pointer, value)) => {
            Goal::Field { pointer: pointer.to_owned(), value: value.to_owned() }
        }
        None => Goal::Code(text.parse().expect("a goal is a code or a field")),
    }
}

fn ask(line: &str) -> Ask {
    let (verb, mut rest) = line.split_once(' ').unwrap_or_else(|| panic!("no path in {line}"));
    assert!(verb.chars().all(|c| c.is_ascii_uppercase()), "{line} is not a step");
    let mut headers = Vec::new();
    while let Some(inner) = rest.strip_prefix('[') {
        let (header, after) = inner.split_once("] ").expect("a header is closed");
        let (name, value) = header.split_once(": ").expect("a header has a value");
        headers.push((name.to_owned(), value.to_owned()));
        rest = after;
    }
    let (path, body) = rest.split_at(path_end(rest));
    let body = body.get(1..).unwrap_or("");
    let (line, verb) = (line.to_owned(), verb.to_owned());
    Ask { line, verb, headers, path: path.to_owned(), body: body.to_owned() }
}

/// Where the path ends: at the first space that is not within `${…}`.
fn path_end(text: &str) -> usize {
    let mut is_within = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' if text[..at].ends_with('$') => is_within = true,
            '}' => is_within = false,
            ' ' | '\n' if !is_within => return at,
            _ => {}
        }
    }
    text.len()
}
