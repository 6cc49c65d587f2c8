//! Checks that tests neither sleep nor are switched off.
//!
//! Takes files; returns problems. Invariant: a test that must wait for real time says why, in a
//! `// waits: …` on that line or the one above.

use super::problem::Problem;
use crate::text_file::TextFile;

const REASON: &str = "// waits:";

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    files.iter().filter(|file| file.is_rust()).flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut above = "";
    for (number, line) in file.numbered_lines() {
        if file.is_test_code() && sleeps(line) && !has_reason(line) && !has_reason(above) {
            let text = "a test sleeps; wait for the event, pass time in, or say `// waits: why`";
            problems.push(Problem::at(file, number, text));
        }
        if is_switched_off(line) {
            let text = "a test is switched off; mend it, or move it to the shelf it needs";
            problems.push(Problem::at(file, number, text));
        }
        above = line;
    }
    problems
}

/// Whether the line calls a function named `sleep` or `sleep_until`.
fn sleeps(line: &str) -> bool {
    ["sleep(", "sleep_until("].iter().any(|call| {
        line.match_indices(call).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    })
}

fn has_reason(line: &str) -> bool {
    line.split_once(REASON).is_some_and(|(_, reason)| !reason.trim().is_empty())
}

fn is_switched_off(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("#[ignore") || (line.starts_with("//") && line.contains("```ignore"))
}

#[cfg(test)]
mod tests;
