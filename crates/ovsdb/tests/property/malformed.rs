//! Input that nobody vouches for gives an error value: no panic, no unbounded memory.
//!
//! A stored corpus of conversations and schemas, then many mutations of it from stored seeds. The
//! fuzz targets run the same bodies.

// Reading the corpus needs files, which the room itself must not touch.
#![allow(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]
// A test that cannot go on stops where it is.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use bodies::{converse, parse_schema, play};

mod bodies;

const MUTATIONS: u64 = 20_000;

fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

fn name(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

/// Reproducible numbers (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

/// The seed that `UDN_SEED` tells; `None` when the stored ones are to be played.
fn told() -> Option<u64> {
    let text = std::env::var("UDN_SEED").ok()?;
    Some(text.trim().parse().expect("UDN_SEED is a number"))
}

/// Things that parsers stumble over.
const TOKENS: [&[u8]; 22] = [
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"-9223372036854775809",
    b"1.5",
    b"\"\"",
    b"[]",
    b"{}",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    b"}",
    b"]",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\xff\xfe",
    b"[\"set\",[]]",
    b"[\"map\",[[1,2]]]",
    b"[\"uuid\",\"x\"]",
];

fn mutate(dice: &mut Dice, input: &[u8], others: &[(PathBuf, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.roll(2) {
        let at = dice.roll(bytes.len() + 1);
        let until = (at + dice.roll(64)).min(bytes.len());
        match dice.roll(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..until)),
            2 => drop(bytes.splice(at..at, bytes[at..until].to_vec())),
            3 => drop(bytes.splice(at..until.min(at + 4), dice.pick(&TOKENS).to_vec())),
            4 => drop(bytes.splice(at..at, dice.pick(&TOKENS).to_vec())),
            5 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
            _ => {
                let other = &dice.pick(others).1;
                let from = dice.roll(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes
}

// The name of a stored conversation begins with what must become of it.
#[test]
fn stored_conversations_end_as_their_names_say() {
    let corpus = corpus("session");
    assert!(corpus.len() >= 60, "only {} conversations are stored", corpus.len());
    for (path, said) in &corpus {
        let course = converse(said);
        let name = name(path);
        match name.split('-').next() {
            Some("good") => {
                assert_eq!(course.error, None, "{name}");
                assert!(course.was_synced, "{name}: {course:?}");
            }
            Some("open") => assert_eq!(course.error, None, "{name}"),
            Some("bad") => assert!(course.error.is_some(), "{name} was accepted: {course:?}"),
            _ => panic!("{name} does not say what must become of it"),
        }
    }
}

#[test]
fn stored_schemas_are_read_as_their_names_say() {
    let corpus = corpus("schema");
    assert!(corpus.len() >= 60, "only {} schemas are stored", corpus.len());
    for (path, text) in &corpus {
        let name = name(path);
        let is_good = parse_schema(text).is_some();
        assert_eq!(is_good, name.starts_with("good-"), "{name}");
        assert!(is_good || name.starts_with("bad-"), "{name} does not say what must become of it");
    }
}

#[test]
fn mutated_conversations_break_no_promise() {
    let corpus = corpus("session");
    let mut dice = Dice(told().unwrap_or(1));
    let (mut refused, mut synced) = (0, 0);
    for number in 0..MUTATIONS {
        let said = mutate(&mut dice, next_entry(number, &corpus), &corpus);
        let course = play(&said, 1 + dice.roll(300));
        refused += u64::from(course.error.is_some());
        synced += u64::from(course.was_synced);
    }
    println!("drew: {MUTATIONS} inputs");
    // The mutations must reach behind the greeting, and must not all be harmless.
    assert!(refused > MUTATIONS / 10, "only {refused} were refused");
    assert!(synced > MUTATIONS / 20, "only {synced} came as far as a replica");
}

#[test]
fn mutated_schemas_break_no_promise() {
    let corpus = corpus("schema");
    let mut dice = Dice(told().unwrap_or(2));
    let mut accepted = 0;
    for number in 0..MUTATIONS {
        let text = mutate(&mut dice, next_entry(number, &corpus), &corpus);
        accepted += u64::from(parse_schema(&text).is_some());
    }
    println!("drew: {MUTATIONS} inputs");
    assert!(accepted > MUTATIONS / 200, "only {accepted} were accepted");
}

/// Every entry gets its turn, and every other time it is one without a fault yet.
fn next_entry(number: u64, corpus: &[(PathBuf, Vec<u8>)]) -> &[u8] {
    let number = number as usize;
    if number.is_multiple_of(2) {
        return &corpus[number / 2 % corpus.len()].1;
    }
    let mut good = corpus.iter().filter(|(path, _)| name(path).starts_with("good-")).cycle();
    &good.nth(number / 2 % corpus.len()).expect("some entries are good").1
}
