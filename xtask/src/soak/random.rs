//! Finds the random tests: all of the property shelf, and those elsewhere that are marked.
//!
//! Takes files; returns a [`RandomProgram`] for each program that holds some, with the inputs that
//! each of its property tests draws. Invariant: a mark is a test or a problem, never ignored.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::Item;

use crate::module_tree::{self, Places};
use crate::program::{Program, UNIT};
use crate::requirements::proof::{self, Subject};
use crate::shelf::Shelf;
use crate::text_file::TextFile;

/// How a random test outside the property shelf says so.
pub(crate) const MARK: &str = "// soak: draws from ";

/// The variables that a test may draw from.
pub(crate) const VARIABLES: [&str; 2] = ["UDN_SEED", "PROPTEST_RNG_SEED"];

/// What proptest draws where nobody says how much.
const USUAL_CASES: u64 = 256;

/// A program with random tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RandomProgram {
    pub(crate) program: Program,
    pub(crate) shelf: Shelf,
    /// The random tests by full path; `None` when all are.
    pub(crate) only: Option<BTreeSet<String>>,
    pub(crate) tests: BTreeMap<String, RandomTest>,
}

/// What the sources say of a random test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RandomTest {
    pub(crate) path: String,
    /// How many inputs proptest draws for it; `None` when it draws by itself.
    pub(crate) cases: Option<u64>,
}

/// A mark that stands above no test, or names no variable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadMark {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) reason: &'static str,
}

/// Finds every program with random tests, and the marks that mean nothing.
pub(crate) fn find(files: &[TextFile]) -> (Vec<RandomProgram>, Vec<BadMark>) {
    let mut bad = Vec::new();
    let mut found: BTreeMap<Program, RandomProgram> = BTreeMap::new();
    let candidates: Vec<(&TextFile, Shelf)> = files.iter().filter_map(candidate).collect();
    let programs = candidates.iter().filter_map(|(file, shelf)| program(file, *shelf)).collect();
    let places = module_tree::places(files, &programs);
    for (file, shelf) in candidates {
        let marked = marked(file, &mut bad);
        let Some(program) = program(file, shelf) else { continue };
        let entry = found.entry(program.clone()).or_insert_with(|| RandomProgram {
            program,
            shelf,
            only: (shelf != Shelf::Property).then(BTreeSet::new),
            tests: BTreeMap::new(),
        });
        entry.take_in(file, &marked, &places);
    }
    (found.into_values().collect(), bad)
}

impl RandomProgram {
    fn take_in(&mut self, file: &TextFile, marked: &[Vec<String>], places: &Places) {
        let inputs = property_tests(file);
        let known = places.get(&file.path).map(Vec::as_slice).unwrap_or_default();
        for place in known.iter().filter(|place| place.program == self.program) {
            let full = |inside: &Vec<String>| [place.module.as_slice(), inside].concat().join("::");
            if let Some(only) = &mut self.only {
                only.extend(marked.iter().map(&full));
            }
            let own = marked.iter().map(|inside| (inside, None));
            for (inside, cases) in own.chain(inputs.iter().map(|(it, cases)| (it, Some(*cases)))) {
                let test = RandomTest { path: file.path.clone(), cases };
                self.tests.insert(full(inside), test);
            }
        }
    }
}

/// A file that may hold random tests, and its shelf.
fn candidate(file: &TextFile) -> Option<(&TextFile, Shelf)> {
    let shelf = Shelf::of_file(file).filter(|_| file.is_rust())?;
    let is_candidate = shelf == Shelf::Property || file.text.contains(MARK);
    (is_candidate && !file.path.starts_with("xtask/")).then_some((file, shelf))
}

fn program(file: &TextFile, shelf: Shelf) -> Option<Program> {
    let name = if shelf == Shelf::Unit { UNIT } else { shelf.name() };
    Some(Program::new(module_tree::owner(&file.path)?, name))
}

/// The marked tests of a file, by their path inside of it.
fn marked(file: &TextFile, bad: &mut Vec<BadMark>) -> Vec<Vec<String>> {
    let modules = module_tree::inline_modules(file);
    let mut tests = Vec::new();
    for (line, text) in file.numbered_lines() {
        let Some(variable) = text.trim_start().strip_prefix(MARK) else { continue };
        let mut refuse = |reason| bad.push(BadMark { path: file.path.clone(), line, reason });
        if !VARIABLES.contains(&variable.trim()) {
            refuse("it names neither UDN_SEED nor PROPTEST_RNG_SEED");
            continue;
        }
        match proof::function_below(file, line) {
            Some((Subject::Test, name)) => {
                let around = modules.iter().filter(|it| (it.first..=it.last).contains(&line));
                let around = around.map(|module| module.name.clone());
                tests.push(around.chain([name]).collect());
            }
            Some((Subject::Scene | Subject::Bench, _)) | None => {
                refuse("it does not stand right above a test function");
            }
        }
    }
    tests
}

/// The tests inside `proptest! { … }`, with the number of inputs that each draws.
fn property_tests(file: &TextFile) -> Vec<(Vec<String>, u64)> {
    fn collect(items: &[Item], around: &[String], usual: u64, found: &mut Vec<(Vec<String>, u64)>) {
        for item in items {
            match item {
                Item::Macro(item) if item.mac.path.is_ident("proptest") => {
                    let cases = configured(item.mac.tokens.clone()).unwrap_or(usual);
                    let named = |name| ([around, &[name]].concat(), cases);
                    found.extend(functions(item.mac.tokens.clone()).into_iter().map(named));
                }
                Item::Mod(module) => {
                    if let Some((_, inside)) = &module.content {
                        let around = [around, &[module.ident.to_string()]].concat();
                        collect(inside, &around, usual, found);
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if let Ok(parsed) = syn::parse_file(&file.text) {
        let usual = field_of_cases(&file.text).unwrap_or(USUAL_CASES);
        collect(&parsed.items, &[], usual, &mut found);
    }
    found
}

/// Names of the functions that the macro holds.
fn functions(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs
        .filter_map(|(first, second)| match (first, second) {
            (TokenTree::Ident(word), TokenTree::Ident(name)) if word == "fn" => {
                Some(name.to_string())
            }
            _ => None,
        })
        .collect()
}

/// The number in `#![proptest_config(…)]`, if there is one.
fn configured(tokens: TokenStream) -> Option<u64> {
    let text = tokens.into_iter().take(3).map(|token| token.to_string()).collect::<String>();
    let (_, settings) = text.split_once("proptest_config")?;
    number(settings.trim_start_matches(|c: char| !c.is_ascii_digit()))
}

/// The number of a `cases: 1_000` anywhere in the file; the smallest of several.
fn field_of_cases(text: &str) -> Option<u64> {
    text.split("cases: ").skip(1).filter_map(number).min()
}

fn number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    text[..end].replace('_', "").parse().ok()
}

#[cfg(test)]
mod tests;
