//! Versions such as `1.2.3-rc.1`.
//!
//! Reads texts as `github.com/blang/semver` does; returns versions that compare.
//! Invariant: build metadata never counts in comparison.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::Value;
use crate::go_text::quoted;

/// A version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Semver {
    numbers: [u64; 3],
    release: Vec<Label>,
    build: Vec<String>,
}

/// A part of what follows the dash; numbers come before words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Number(u64),
    Word(String),
}

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "semver" => semver,
        "isSemver" => is_semver,
        "major" => |call| number(call, 0),
        "minor" => |call| number(call, 1),
        "patch" => |call| number(call, 2),
        _ => return None,
    })
}

impl Semver {
    pub(in crate::cel) fn is_same_as(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }

    pub(super) fn compare(&self, other: &Self) -> Ordering {
        // Without a label a version is the release itself, which comes last.
        let labels = match (self.release.is_empty(), other.release.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => self.release.cmp(&other.release),
        };
        self.numbers.cmp(&other.numbers).then(labels)
    }
}

impl fmt::Display for Semver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (place, label) in self.release.iter().enumerate() {
            let mark = if place == 0 { '-' } else { '.' };
            match label {
                Label::Number(number) => write!(f, "{mark}{number}")?,
                Label::Word(word) => write!(f, "{mark}{word}")?,
            }
        }
        for (place, part) in self.build.iter().enumerate() {
            write!(f, "{}{part}", if place == 0 { '+' } else { '.' })?;
        }
        Ok(())
    }
}

fn parsed(call: &Call<'_>) -> Result<Result<Semver, String>, Failure> {
    match call.args {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => Ok(parse(text)),
        [Value::String(text), Value::Bool(true)] => Ok(normalized(text).and_then(|it| parse(&it))),
        _ => Err(Failure::Mismatch),
    }
}

fn semver(call: &Call<'_>) -> Outcome {
    parsed(call)?.map(|version| Value::Semver(Arc::new(version))).map_err(Failure::new)
}

fn is_semver(call: &Call<'_>) -> Outcome {
    Ok(Value::Bool(parsed(call)?.is_ok()))
}

fn number(call: &Call<'_>, place: usize) -> Outcome {
    match call.args {
        [Value::Semver(version)] => Ok(Value::Int(version.numbers[place] as i64)),
        _ => Err(Failure::Mismatch),
    }
}

/// Adds what is missing and drops what is too much, so that `v1.02` reads as `1.2.0`.
/// (compat: library/semverlib.go, normalizeAndParse)
fn normalized(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(without_zeros).collect();
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".to_owned());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}

fn without_zeros(part: &str) -> String {
    if part.len() <= 1 {
        return part.to_owned();
    }
    let trimmed = part.trim_start_matches('0');
    let starts_with_digit = trimmed.starts_with(|first: char| first.is_ascii_digit());
    if starts_with_digit { trimmed.to_owned() } else { format!("0{trimmed}") }
}

/// compat: github.com/blang/semver/v4, Parse
fn parse(text: &str) -> Result<Semver, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts[..] else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let major = numeral(major, "major", "Major")?;
    let minor = numeral(minor, "minor", "Minor")?;
    let (rest, build) = match rest.split_once('+') {
        Some((rest, build)) => (rest, build.split('.').map(str::to_owned).collect()),
        None => (rest, vec![]),
    };
    let (patch, labels) = match rest.split_once('-') {
        Some((patch, labels)) => (patch, labels.split('.').collect()),
        None => (rest, vec![]),
    };
    let patch = numeral(patch, "patch", "Patch")?;
    let release = labels.into_iter().map(label).collect::<Result<_, _>>()?;
    for part in &build {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_plain(part) {
            return Err(format!("Invalid character(s) found in build meta data {}", quoted(part)));
        }
    }
    Ok(Semver { numbers: [major, minor, patch], release, build })
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-')
}

fn is_numeral(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_digit())
}

fn numeral(text: &str, name: &str, title: &str) -> Result<u64, String> {
    if !is_numeral(text) {
        return Err(format!("Invalid character(s) found in {name} number {}", quoted(text)));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!("{title} number must not contain leading zeroes {}", quoted(text)));
    }
    text.parse().map_err(|_| {
        let problem = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {problem}", quoted(text))
    })
}

fn label(text: &str) -> Result<Label, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if is_numeral(text) {
        if text.len() > 1 && text.starts_with('0') {
            let text = quoted(text);
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {text}"
            ));
        }
        return text.parse().map(Label::Number).map_err(|_| {
            format!("strconv.ParseUint: parsing {}: value out of range", quoted(text))
        });
    }
    if !is_plain(text) {
        return Err(format!("Invalid character(s) found in prerelease {}", quoted(text)));
    }
    Ok(Label::Word(text.to_owned()))
}
