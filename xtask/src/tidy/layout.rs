//! Checks how files are named, how long they are, and that each opens with its header.
//!
//! Takes files; returns problems. Invariant: test code and generated code may be long, never
//! badly named.

use super::problem::Problem;
use crate::text_file::TextFile;

/// The longest a source file may be.
const MOST_LINES: usize = 500;

/// Names that say nothing about what is inside.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "misc", "manager", "handler", "data", "info"];

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    files.iter().filter(|file| file.is_rust()).flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Problem> {
    [check_name(file), check_length(file), check_header(file)].into_iter().flatten().collect()
}

fn check_name(file: &TextFile) -> Option<Problem> {
    if file.name() == "mod.rs" {
        let folder = file.folders().last().unwrap_or("foo");
        let text = format!("move it to {folder}.rs beside the folder; there is no mod.rs here");
        return Some(Problem::in_file(&file.path, text));
    }
    let stem = file.name().trim_end_matches(".rs");
    let mut names = file.folders().chain([stem]);
    let empty = names.find(|name| EMPTY_NAMES.contains(name))?;
    let text = format!("`{empty}` says nothing; name it after what is inside");
    Some(Problem::in_file(&file.path, text))
}

fn check_length(file: &TextFile) -> Option<Problem> {
    let lines = file.text.lines().count();
    if lines <= MOST_LINES || file.is_test_code() || file.is_generated() {
        return None;
    }
    let text = format!("{lines} lines, the most is {MOST_LINES}; split it by what it decides");
    Some(Problem::in_file(&file.path, text))
}

/// `tests.rs` needs no header: the module it tests has one.
fn check_header(file: &TextFile) -> Option<Problem> {
    let first = file.text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    if first.starts_with("//!") || file.name() == "tests.rs" {
        return None;
    }
    Some(Problem::at(file, 1, "no `//!` header; say what it does, reads and returns"))
}

#[cfg(test)]
mod tests;
