//! Reads what a mark says: ids alone, one id with what is missing, or one id with a bench.
//!
//! Takes the words after `// proves:`; returns [`Claim`]s or what is wrong with them.
//! Invariant: a half says what is missing.

use super::register::Id;

/// What a mark claims of one requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) id: Id,
    pub(crate) extent: Extent,
}

/// How much of a requirement a test shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// All but this, in words.
    Half(String),
    /// Whole, together with the recorded figures of this bench.
    WithBench(String),
}

/// Reads the words of a mark.
pub(crate) fn read(words: &str) -> Result<Vec<Claim>, String> {
    let words = words.trim();
    if let Some((id, missing)) = words.split_once(" half") {
        let missing = missing.strip_prefix(':').unwrap_or("").trim();
        if missing.is_empty() {
            return Err("a half says what is missing: `T-12 half: the EgressIP rules`".to_owned());
        }
        return Ok(vec![claim(id, Extent::Half(missing.to_owned()))?]);
    }
    if let Some((id, bench)) = words.split_once(" with bench") {
        let bench = bench.trim();
        if bench.is_empty() || bench.contains(' ') {
            return Err("it names no bench: `X-17 with bench sandbox`".to_owned());
        }
        return Ok(vec![claim(id, Extent::WithBench(bench.to_owned()))?]);
    }
    words.split(',').map(|id| claim(id, Extent::Whole)).collect()
}

fn claim(id: &str, extent: Extent) -> Result<Claim, String> {
    let id = id.trim();
    let parsed = Id::parse(id).ok_or_else(|| format!("`{id}` is not an id such as L-07"))?;
    Ok(Claim { id: parsed, extent })
}

#[cfg(test)]
mod tests;
