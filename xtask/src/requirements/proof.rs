//! Finds the proofs: `// proves: L-07, L-08` right above a test, or anywhere in a bench.
//!
//! Takes files; returns [`Proof`]s and the marks that prove nothing.
//! Invariant: a mark is either a proof or a problem, never ignored.

use super::register::Id;
use crate::shelf::Shelf;
use crate::text_file::TextFile;

const MARK: &str = "// proves:";

/// A test that says it proves a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) id: Id,
    pub(crate) shelf: Shelf,
    pub(crate) path: String,
    pub(crate) line: usize,
    /// The test function, or the bench.
    pub(crate) test: String,
}

/// A mark that cannot count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadMark {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) reason: String,
}

/// Finds every mark in the Rust files.
pub(crate) fn find(files: &[TextFile]) -> (Vec<Proof>, Vec<BadMark>) {
    let mut proofs = Vec::new();
    let mut bad = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        for (line, text) in file.numbered_lines() {
            let Some(list) = text.trim_start().strip_prefix(MARK) else { continue };
            match read_mark(file, line, list) {
                Ok(found) => proofs.extend(found),
                Err(reason) => bad.push(BadMark { path: file.path.clone(), line, reason }),
            }
        }
    }
    (proofs, bad)
}

fn read_mark(file: &TextFile, line: usize, list: &str) -> Result<Vec<Proof>, String> {
    let shelf = Shelf::of_file(file).ok_or("the file's name tells no shelf")?;
    let test = match shelf {
        Shelf::Bench => bench_name(file),
        _ => test_below(file, line).ok_or("it does not stand right above a test function")?,
    };
    let proof = |word: &str| {
        let id = Id::parse(word).ok_or_else(|| format!("`{word}` is not an id such as L-07"))?;
        Ok(Proof { id, shelf, path: file.path.clone(), line, test: test.clone() })
    };
    list.split(',').map(|word| proof(word.trim())).collect()
}

/// The test function that follows the mark; comments and attributes may stand between.
fn test_below(file: &TextFile, mark: usize) -> Option<String> {
    let mut is_test = false;
    for line in file.text.lines().skip(mark).map(str::trim) {
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("::test(");
        } else if !line.starts_with("//") {
            return function_name(line).filter(|_| is_test);
        }
    }
    None
}

fn function_name(line: &str) -> Option<String> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = line.strip_prefix("fn ")?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(rest[..end].to_owned())
}

fn bench_name(file: &TextFile) -> String {
    file.name().trim_end_matches(".rs").to_owned()
}

#[cfg(test)]
mod tests;
