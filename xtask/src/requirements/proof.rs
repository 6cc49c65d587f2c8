//! Finds the proofs: `// proves: L-07, L-08` right above a test or a scene, or anywhere in a bench.
//!
//! Takes files; returns [`Proof`]s and the marks that prove nothing.
//! Invariant: a mark is either a proof or a problem, never ignored.

use std::collections::BTreeMap;

use super::mark::{self, Extent};
use super::register::Id;
use crate::module_tree::{self, Inline};
use crate::program::{Program, UNIT};
use crate::shelf::Shelf;
use crate::text_file::TextFile;

const MARK: &str = "// proves:";

/// The most requirements that one test shows; more are an umbrella over tests of their own.
const MOST_IDS: usize = 6;

/// The module whose tests play on the embedded server, and so prove nothing of a real one.
const EMBEDDED: &str = "embedded";

/// A test that says it proves a requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) id: Id,
    pub(crate) extent: Extent,
    pub(crate) shelf: Shelf,
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) subject: Subject,
    /// The test function, the scene or the bench.
    pub(crate) test: String,
    /// The modules inside the file that hold it.
    pub(crate) inline: Vec<String>,
}

/// What carries a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Test,
    /// An async function that generated tests play.
    Scene,
    Bench,
}

/// A mark that cannot count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadMark {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) reason: String,
}

impl Proof {
    /// The program that runs it; `None` for a bench.
    pub(crate) fn program(&self) -> Option<Program> {
        let owner = module_tree::owner(&self.path)?;
        match self.shelf {
            Shelf::Bench => None,
            Shelf::Unit => Some(Program::new(owner, UNIT)),
            shelf => Some(Program::new(owner, shelf.name())),
        }
    }
}

/// Finds every mark in the Rust files.
pub(crate) fn find(files: &[TextFile]) -> (Vec<Proof>, Vec<BadMark>) {
    let mut proofs = Vec::new();
    let mut bad = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && file.text.contains(MARK)) {
        let inline = module_tree::inline_modules(file);
        for (line, text) in file.numbered_lines() {
            let Some(words) = text.trim_start().strip_prefix(MARK) else { continue };
            match read_mark(file, &inline, (line, words)) {
                Ok(found) => proofs.extend(found),
                Err(reason) => bad.push(BadMark { path: file.path.clone(), line, reason }),
            }
        }
    }
    bad.extend(umbrellas(&proofs));
    (proofs, bad)
}

fn read_mark(
    file: &TextFile,
    modules: &[Inline],
    (line, words): (usize, &str),
) -> Result<Vec<Proof>, String> {
    let shelf = Shelf::of_file(file).ok_or("the file's place tells no shelf")?;
    let (subject, test) = match shelf {
        Shelf::Bench => (Subject::Bench, bench_name(file).ok_or("it is in no bench")?),
        _ => function_below(file, line)
            .filter(|(subject, _)| *subject == Subject::Test || shelf != Shelf::Unit)
            .ok_or("it does not stand right above a test function or a scene")?,
    };
    let around = modules.iter().filter(|module| (module.first..=module.last).contains(&line));
    let inline: Vec<String> = around.map(|module| module.name.clone()).collect();
    if shelf != Shelf::Bench && is_embedded(file, &inline) {
        return Err("the embedded server is not the real one; mark its twin".to_owned());
    }
    let proof = |mark::Claim { id, extent }| {
        let (path, test, inline) = (file.path.clone(), test.clone(), inline.clone());
        Proof { id, extent, shelf, path, line, subject, test, inline }
    };
    Ok(mark::read(words)?.into_iter().map(proof).collect())
}

fn is_embedded(file: &TextFile, inline: &[String]) -> bool {
    let is_below_tests = |path: &str| path.contains("/tests/");
    let stem = file.name().trim_end_matches(".rs");
    is_below_tests(&file.path)
        && (stem == EMBEDDED
            || file.folders().any(|folder| folder == EMBEDDED)
            || inline.iter().any(|module| module == EMBEDDED))
}

/// Tests with more marks than one test can show.
fn umbrellas(proofs: &[Proof]) -> Vec<BadMark> {
    type Carrier<'a> = (&'a str, &'a [String], &'a str);
    let mut carriers: BTreeMap<Carrier<'_>, Vec<&Proof>> = BTreeMap::new();
    for proof in proofs.iter().filter(|proof| proof.subject != Subject::Bench) {
        let carrier = (proof.path.as_str(), proof.inline.as_slice(), proof.test.as_str());
        carriers.entry(carrier).or_default().push(proof);
    }
    let too_many = carriers.into_values().filter(|marks| marks.len() > MOST_IDS);
    let bad = |marks: Vec<&Proof>| BadMark {
        path: marks[0].path.clone(),
        line: marks[0].line,
        reason: format!(
            "{} ids on one test are an umbrella: put the marks on what shows the lines",
            marks.len()
        ),
    };
    too_many.map(bad).collect()
}

/// The function that follows the mark; comments and attributes may stand between.
pub(crate) fn function_below(file: &TextFile, mark: usize) -> Option<(Subject, String)> {
    let mut is_test = false;
    for line in file.text.lines().skip(mark).map(str::trim) {
        if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("::test(");
        } else if !line.starts_with("//") {
            let (is_async, name) = function(line)?;
            return match (is_test, is_async) {
                (true, _) => Some((Subject::Test, name)),
                (false, true) => Some((Subject::Scene, name)),
                (false, false) => None,
            };
        }
    }
    None
}

/// Whether the function that begins here is async, and its name.
fn function(line: &str) -> Option<(bool, String)> {
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(')')?.1.trim_start(),
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (is_async, line) =
        line.strip_prefix("async ").map_or((false, line), |rest| (true, rest.trim_start()));
    let rest = line.strip_prefix("fn ")?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some((is_async, rest[..end].to_owned()))
}

/// The bench that a file belongs to: `benches/many.rs`, or anything below `benches/many/`.
fn bench_name(file: &TextFile) -> Option<String> {
    let (_, inside) = file.path.split_once("/benches/")?;
    Some(inside.split('/').next()?.trim_end_matches(".rs").to_owned())
}

#[cfg(test)]
mod tests;
