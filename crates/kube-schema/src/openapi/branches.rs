//! `anyOf`, `oneOf`, `allOf` and `not`.
//!
//! Reads a value and the branches of its schema; returns mistakes of the best branch.
//! Invariant: the best branch is the one where most checks passed, the first among equals.

use serde_json::Value;

use super::fault::{Fault, Place};
use super::{Findings, judge_strictly};
use crate::correlate::Pair;
use crate::schema::Schema;

pub(super) fn judge(
    value: &Value,
    schema: &Schema,
    place: &Place<'_>,
    pair: Option<&Pair<'_>>,
) -> Findings {
    let mut found = Findings::default();
    let try_branch = |branch: &Schema| judge_strictly(value, branch, place, pair);
    if !schema.any_of.is_empty() {
        any_of(&mut found, schema.any_of.iter().map(try_branch), place);
    }
    if !schema.one_of.is_empty() {
        one_of(&mut found, schema.one_of.iter().map(try_branch), place);
    }
    if !schema.all_of.is_empty() {
        all_of(&mut found, schema.all_of.iter().map(try_branch), place);
    }
    if let Some(branch) = &schema.not
        && try_branch(branch).is_valid()
    {
        found.faults.push(Fault::of_branches(place, "must not validate the schema (not)"));
    }
    found.matches += 1;
    found
}

fn any_of(found: &mut Findings, results: impl Iterator<Item = Findings>, place: &Place<'_>) {
    let mut best: Option<Findings> = None;
    for result in results {
        if result.is_valid() {
            found.merge(result);
            return;
        }
        keep_best(&mut best, result);
    }
    found.faults.push(Fault::of_branches(place, "must validate at least one schema (anyOf)"));
    if let Some(best) = best {
        found.merge(best);
    }
}

fn keep_best(best: &mut Option<Findings>, result: Findings) {
    if best.as_ref().is_none_or(|best| result.matches > best.matches) {
        *best = Some(result);
    }
}

fn one_of(found: &mut Findings, results: impl Iterator<Item = Findings>, place: &Place<'_>) {
    let (mut best, mut first_valid, mut valid) = (None, None, 0);
    for result in results {
        if result.is_valid() {
            valid += 1;
            best = None;
            first_valid.get_or_insert(result);
        } else if valid == 0 {
            keep_best(&mut best, result);
        }
    }
    let why = match valid {
        1 => {
            if let Some(result) = first_valid {
                found.merge(result);
            }
            return;
        }
        0 => "Found none valid".to_owned(),
        _ => format!("Found {valid} valid alternatives"),
    };
    let what = format!("must validate one and only one schema (oneOf). {why}");
    found.faults.push(Fault::of_branches(place, &what));
    if let Some(best) = best {
        found.merge(best);
    }
}

fn all_of(found: &mut Findings, results: impl Iterator<Item = Findings>, place: &Place<'_>) {
    let (mut valid, mut total) = (0, 0);
    for result in results {
        total += 1;
        valid += usize::from(result.is_valid());
        found.merge(result);
    }
    if valid != total {
        let none = if valid == 0 { ". None validated" } else { "" };
        let what = format!("must validate all the schemas (allOf){none}");
        found.faults.push(Fault::of_branches(place, &what));
    }
}
