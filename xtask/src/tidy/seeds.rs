//! Checks that tests play the same inputs in every run.
//!
//! Takes files; returns a problem for every line of test code that draws fresh randomness, and one
//! if cargo's own settings give property tests no seed.
//! Invariant: a test that needs fresh randomness says why, in a `// fresh: …` on that line.

use super::problem::Problem;
use crate::text_file::TextFile;

/// Where the seed of property tests is stored, and the name it goes by.
const SETTINGS: &str = ".cargo/config.toml";
const SEED: &str = "PROPTEST_RNG_SEED";

const REASON: &str = "// fresh:";

/// What of `fastrand` draws nothing by itself: the type, which a test makes from a seed.
const SEEDED: &str = "Rng";

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    let tests = files.iter().filter(|file| file.is_rust() && file.is_test_code());
    tests.flat_map(check_file).chain(check_settings(files)).collect()
}

fn check_file(file: &TextFile) -> Vec<Problem> {
    let fresh = |(number, line): (usize, &str)| {
        let source = fresh_source(line).filter(|_| !is_comment(line) && !has_reason(line))?;
        let text = format!(
            "a test draws fresh randomness from `{source}`; draw from a stored seed, \
             or say `// fresh: why` on the line"
        );
        Some(Problem::at(file, number, text))
    };
    file.numbered_lines().filter_map(fresh).collect()
}

/// What on this line is different in every run.
fn fresh_source(line: &str) -> Option<&'static str> {
    if after(line, "Rng::").any(|rest| ["new", "default"].contains(&word(rest))) {
        Some("Rng::new")
    } else if after(line, "fastrand::").any(|rest| word(rest) != SEEDED) {
        Some("fastrand")
    } else if after(line, "rand::").next().is_some() {
        Some("rand")
    } else if after(line, "RandomState").any(|rest| word(rest).is_empty()) {
        Some("RandomState")
    } else {
        None
    }
}

/// What follows each `name` that is no mere end of a longer name.
fn after<'a>(line: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    line.match_indices(name)
        .filter(|(at, _)| !line[..*at].ends_with(is_letter))
        .map(|(at, _)| &line[at + name.len()..])
}

/// The word at the beginning.
fn word(text: &str) -> &str {
    text.split(|c| !is_letter(c)).next().unwrap_or("")
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn has_reason(line: &str) -> bool {
    line.split_once(REASON).is_some_and(|(_, reason)| !reason.trim().is_empty())
}

/// Cargo hands the seed to every test it runs, unless the caller's environment has another.
fn check_settings(files: &[TextFile]) -> Option<Problem> {
    let settings = files.iter().find(|file| file.path == SETTINGS);
    let is_set = settings.is_some_and(|file| stored_seed(&file.text).is_some());
    let text = format!("{SEED} is not set; give it a number as text below [env]");
    (!is_set).then(|| Problem::in_file(SETTINGS, text))
}

fn stored_seed(settings: &str) -> Option<u64> {
    let settings: toml::Table = toml::from_str(settings).ok()?;
    settings.get("env")?.get(SEED)?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests;
