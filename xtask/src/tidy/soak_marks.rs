//! Checks that `cargo xtask soak` finds every test that draws from a seed.
//!
//! Takes files; returns a problem for every mark that means nothing, and for every file off the
//! property shelf that draws and has no mark. Invariant: no random test is left out of the soak.

use super::problem::Problem;
use crate::shelf::Shelf;
use crate::soak::random;
use crate::text_file::TextFile;

/// What in test code shows that it draws from a seed.
const DRAWS: [&str; 3] = ["\"UDN_SEED\"", "seed::told(", "proptest! {"];

pub(crate) fn check(files: &[TextFile]) -> Vec<Problem> {
    let (_, bad) = random::find(files);
    let bad = bad.iter().map(|mark| {
        let text = format!("this `soak` mark means nothing: {}", mark.reason);
        Problem::at_place(&mark.path, mark.line, text)
    });
    bad.chain(files.iter().filter_map(unmarked)).collect()
}

fn unmarked(file: &TextFile) -> Option<Problem> {
    let shelf = Shelf::of_file(file).filter(|_| file.is_rust() && file.is_test_code())?;
    let is_ours = file.path.starts_with("crates/") && shelf != Shelf::Property;
    if !is_ours || file.text.contains(random::MARK) {
        return None;
    }
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let draws = |line: &str| DRAWS.iter().any(|word| line.contains(word));
    let (line, _) =
        file.numbered_lines().filter(|(_, it)| is_code(it)).find(|(_, it)| draws(it))?;
    let mark = random::MARK;
    let text = format!(
        "it draws from a seed; say `{mark}UDN_SEED` (or {}) above the test",
        "PROPTEST_RNG_SEED"
    );
    Some(Problem::at(file, line, text))
}

#[cfg(test)]
mod tests;
