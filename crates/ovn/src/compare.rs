//! Compares sheets with the standing rows.
//!
//! Every look-up goes through an index of the replica, so the cost grows with the sheets and not
//! with the tables.
//! Invariant: a row of another owner is never in the plan; applying the plan and comparing again
//! gives an empty plan.

use ovsdb::cache::Cache;

use crate::key::Key;
use crate::plan::{Missing, Plan};
use crate::rules::{Owner, Rules, Treatment};
use crate::sheet::{Drawn, Sheet};

mod columns;
mod lookup;
mod removal;
#[cfg(test)]
mod tests;

use lookup::{Answer, Lookup};

/// A sheet that cannot be compared: a mistake in what was drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    #[error("{row} is drawn twice with different content")]
    DrawnTwice { row: Key },
    #[error("{row} is drawn by both {first} and {second}")]
    TwoOwners { row: Key, first: Owner, second: Owner },
    #[error("column {column} of {row} is not for drawing")]
    NotDrawable { row: Key, column: &'static str },
    #[error("{row} is placed in {table}.{column}, which is not a list")]
    NotAList { row: Key, table: &'static str, column: &'static str },
}

/// The plan that makes one part stand as drawn.
pub fn compare(sheet: &Sheet, rows: &Cache, rules: &Rules) -> Result<Plan, CompareError> {
    compare_all([sheet], rows, rules)
}

/// One plan for several parts, which may refer to each other's new rows.
pub fn compare_all<'a>(
    sheets: impl IntoIterator<Item = &'a Sheet>,
    rows: &Cache,
    rules: &Rules,
) -> Result<Plan, CompareError> {
    let sheets: Vec<&Sheet> = sheets.into_iter().collect();
    let lookup = Lookup::new(&sheets, gather(&sheets)?, rows, rules);
    let mut plan = Plan::default();
    for (DrawnRow { key, row, .. }, answer) in lookup.answers() {
        match answer {
            Answer::Standing { uuid, .. } => {
                columns::compare_row(key, row, *uuid, &lookup, &mut plan);
            }
            Answer::New(_) => columns::insert_row(key, row, &lookup, &mut plan),
            Answer::Missing { needs } => {
                plan.missing.push(Missing { row: (*key).clone(), needs: needs.clone() });
            }
            Answer::Taken(conflict) => plan.conflicts.push(conflict.clone()),
        }
    }
    removal::remove_surplus(&sheets, &lookup, &mut plan);
    Ok(plan)
}

/// A drawn row, its identity, and who drew it.
#[derive(Debug, Clone, Copy)]
struct DrawnRow<'a> {
    key: &'a Key,
    row: &'a Drawn,
    owner: &'a Owner,
}

/// All drawn rows, ascending by key.
fn gather<'a>(sheets: &[&'a Sheet]) -> Result<Vec<DrawnRow<'a>>, CompareError> {
    let mut drawn = Vec::with_capacity(sheets.iter().map(|sheet| sheet.len()).sum());
    for sheet in sheets {
        if let Some(row) = sheet.clashes().next() {
            return Err(CompareError::DrawnTwice { row: row.clone() });
        }
        for (key, row) in sheet.rows() {
            check_drawing(key, row)?;
            drawn.push(DrawnRow { key, row, owner: &sheet.owner });
        }
    }
    drawn.sort_unstable_by(|a, b| a.key.cmp(b.key).then_with(|| a.owner.cmp(b.owner)));
    match drawn.windows(2).find(|pair| pair[0].key == pair[1].key) {
        Some([first, second]) => {
            let row = first.key.clone();
            let (first, second) = (first.owner.clone(), second.owner.clone());
            Err(CompareError::TwoOwners { row, first, second })
        }
        Some(_) | None => Ok(drawn),
    }
}

fn check_drawing(key: &Key, row: &Drawn) -> Result<(), CompareError> {
    for column in row.values.keys().copied() {
        match Treatment::of(key.table(), column) {
            Treatment::Owned | Treatment::Shared => {}
            Treatment::List | Treatment::Foreign => {
                return Err(CompareError::NotDrawable { row: key.clone(), column });
            }
        }
    }
    for place in &row.places {
        let (table, column) = (place.parent.table(), place.column);
        if Treatment::of(table, column) != Treatment::List {
            return Err(CompareError::NotAList { row: key.clone(), table, column });
        }
    }
    Ok(())
}
