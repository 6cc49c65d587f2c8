//! Compares the transcripts of two servers.
//!
//! Takes transcripts by name; returns what differs, and how.
//! Invariant: a difference that `known.txt` lists must exist, one that it does not list must not.

use std::collections::BTreeMap;

/// The most letters of a line that a difference shows.
const LONG: usize = 240;

/// Transcripts by the names of their behaviours.
pub(crate) type Transcripts = BTreeMap<String, String>;

/// The differences between two servers.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) equal: usize,
    /// By name, with the lines that differ.
    pub(crate) differing: BTreeMap<String, String>,
}

pub(crate) fn compare(left: &Transcripts, right: &Transcripts) -> Comparison {
    let mut differing = BTreeMap::new();
    for (name, one) in left {
        let other = right.get(name).map_or("", String::as_str);
        if one != other {
            differing.insert(name.clone(), difference(one, other));
        }
    }
    Comparison { equal: left.len() - differing.len(), differing }
}

impl Comparison {
    /// Why the comparison fails, given what is known to differ; empty where it does not.
    pub(crate) fn complaints(&self, known: &BTreeMap<String, String>) -> Vec<String> {
        let unknown = self.differing.keys().filter(|name| !known.contains_key(*name));
        let unknown = unknown.map(|name| format!("differs: {name}"));
        let stale = known.keys().filter(|name| !self.differing.contains_key(*name));
        let stale = stale.map(|name| format!("listed in known.txt, but equal or gone: {name}"));
        unknown.chain(stale).collect()
    }
}

/// Reads `name :: reason` lines.
pub(crate) fn known(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let pairs = lines.map(|line| line.split_once(" :: ").expect("a name, ` :: ` and a reason"));
    pairs.map(|(name, reason)| (name.to_owned(), reason.to_owned())).collect()
}

/// All transcripts as one text, which [`read`] takes apart.
pub(crate) fn write(transcripts: &Transcripts) -> String {
    let texts = transcripts.iter().map(|(name, text)| format!("=== {name}\n{text}"));
    texts.collect::<Vec<_>>().join("\n")
}

pub(crate) fn read(text: &str) -> Transcripts {
    let text = format!("\n{text}");
    let parts = text.split("\n=== ").skip(1);
    let parts = parts.map(|part| part.split_once('\n').unwrap_or((part, "")));
    parts.map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// The lines of both, those of one side alone marked, and long equal stretches left out.
fn difference(one: &str, other: &str) -> String {
    let (left, right): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let marked = mark(&left, &right);
    let near = |at: usize| {
        let range = at.saturating_sub(3)..(at + 4).min(marked.len());
        marked[range].iter().any(|(mark, _)| *mark != ' ')
    };
    let mut out = String::new();
    for (at, (mark, line)) in marked.iter().enumerate() {
        if near(at) || line.starts_with("> ") {
            let line = shorten(line, counterpart(&marked, at).unwrap_or(""));
            out.push_str(&format!("{mark} {line}\n"));
        }
    }
    out
}

/// The line that stands on the other side in place of a line of one side.
fn counterpart<'a>(marked: &[(char, &'a str)], at: usize) -> Option<&'a str> {
    let (mark, _) = marked[at];
    let other = match mark {
        '-' => '+',
        '+' => '-',
        _ => return None,
    };
    let is = |at: usize, mark: char| marked.get(at).is_some_and(|(it, _)| *it == mark);
    let start = (0..=at).rev().take_while(|at| is(*at, mark)).last()?;
    let length = (start..).take_while(|at| is(*at, mark)).count();
    let twin = if mark == '-' { at + length } else { at.checked_sub(length)? };
    is(twin, other).then(|| marked[twin].1)
}

/// Leaves out the start of a long line that its counterpart shares, and the end of what is long.
fn shorten(line: &str, counterpart: &str) -> String {
    let shared = line.chars().zip(counterpart.chars()).take_while(|(a, b)| a == b).count();
    let skipped = if shared > LONG / 2 { shared - LONG / 8 } else { 0 };
    let head = if skipped > 0 { "…" } else { "" };
    let rest: String = line.chars().skip(skipped).take(LONG).collect();
    let tail = if line.chars().count() > skipped + LONG { "…" } else { "" };
    format!("{head}{rest}{tail}")
}

/// Finds the longest sequence of lines that both have.
fn mark<'a>(left: &[&'a str], right: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = right.len() + 1;
    let mut lengths = vec![0_usize; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            lengths[i * width + j] = match left[i] == right[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < left.len() || j < right.len() {
        let is_same = i < left.len() && j < right.len() && left[i] == right[j];
        let drops = j == right.len()
            || (i < left.len() && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]);
        if is_same {
            out.push((' ', left[i]));
            (i, j) = (i + 1, j + 1);
        } else if drops {
            out.push(('-', left[i]));
            i += 1;
        } else {
            out.push(('+', right[j]));
            j += 1;
        }
    }
    out
}
