//! Counts what the transactions exercised, as the real server saw it.
//!
//! Invariant: a constraint counts only when the server named it, an action only when rows show it.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::engine::RowChange;
use ovsdb::schema::Strength;
use ovsdb::{Datum, Uuid};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) operations: usize,
    pub(crate) transactions: usize,
    pub(crate) committed: usize,
    hits: BTreeMap<String, usize>,
}

/// What the server's explanations say was violated.
const VIOLATIONS: &[(&str, &str)] = &[
    ("is not one of the allowed values", "constraint: enumeration"),
    ("length", "constraint: string length"),
    ("members but", "constraint: member count"),
    ("exactly one member", "constraint: member count"),
    ("Attempted to store", "constraint: member count after mutation"),
    ("greater than the schema-defined limit", "constraint: row limit"),
    ("identical values", "constraint: uniqueness index"),
    ("immutable column", "constraint: immutable column"),
    ("contains duplicates", "constraint: duplicates after mutation"),
    ("contains duplicate", "constraint: duplicate member"),
    ("references nonexistent row", "reference: strong to nothing refused"),
    ("remaining reference", "reference: deletion of referenced row refused"),
    ("disallow an empty column", "reference: last weak reference refused"),
    ("not allowed to be empty", "reference: last weak reference refused"),
    ("all-zeros UUID", "reference: last weak reference refused"),
    ("out of range", "arithmetic: out of range"),
    ("Division by zero", "arithmetic: division by zero"),
    ("\"where\" clause test failed", "wait: timed out"),
    ("not held", "assert: lock not held"),
    ("aborted by request", "abort"),
];

impl Tally {
    pub(crate) fn hit(&mut self, what: &str) {
        *self.hits.entry(what.to_owned()).or_default() += 1;
    }

    pub(crate) fn count(&self, what: &str) -> usize {
        self.hits.get(what).copied().unwrap_or(0)
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.operations += other.operations;
        self.transactions += other.transactions;
        self.committed += other.committed;
        for (what, count) in other.hits {
            *self.hits.entry(what).or_default() += count;
        }
    }

    /// Counts the operations that the server ran, and why it refused one.
    pub(crate) fn see_answers(&mut self, operations: &[Value], results: &[Value]) {
        self.transactions += 1;
        for (operation, result) in operations.iter().zip(results) {
            if result.is_null() {
                break;
            }
            self.operations += 1;
            self.see_operation(operation, result);
        }
        let error = results.iter().find(|result| result.get("error").is_some());
        match error {
            None => self.committed += 1,
            Some(error) => self.see_error(error),
        }
    }

    fn see_operation(&mut self, operation: &Value, result: &Value) {
        let op = operation["op"].as_str().unwrap_or("?");
        self.hit(&format!("operation: {op}"));
        if result.get("error").is_some() {
            return;
        }
        self.hit(&format!("operation succeeded: {op}"));
        for condition in operation["where"].as_array().into_iter().flatten() {
            match condition[1].as_str() {
                Some(function) => self.hit(&format!("condition: {function}")),
                None => self.hit("condition: constant"),
            }
        }
        for mutation in operation["mutations"].as_array().into_iter().flatten() {
            self.hit(&format!("mutator: {}", mutation[1].as_str().unwrap_or("?")));
        }
        for member in ["uuid", "uuid-name"] {
            if operation.get(member).is_some() {
                self.hit(&format!("insert with {member}"));
            }
        }
    }

    fn see_error(&mut self, error: &Value) {
        let tag = error["error"].as_str().unwrap_or("?");
        self.hit(&format!("error: {tag}"));
        let details = error["details"].as_str().unwrap_or("");
        if details.contains("is not in the valid range") {
            let is_real = details.contains('.');
            self.hit(if is_real { "constraint: real range" } else { "constraint: integer range" });
        }
        if let Some((_, what)) = VIOLATIONS.iter().find(|(text, _)| details.contains(text)) {
            self.hit(what);
        }
    }

    /// Counts what happened to rows that no operation named.
    pub(crate) fn see_changes(&mut self, operations: &[Value], changes: &[RowChange]) {
        let deleted_from: BTreeSet<&str> = operations
            .iter()
            .filter(|operation| operation["op"] == "delete")
            .filter_map(|operation| operation["table"].as_str())
            .collect();
        let inserted = operations.iter().filter(|operation| operation["op"] == "insert").count();
        let appeared = changes.iter().filter(|change| change.old.is_none()).count();
        if inserted > appeared && deleted_from.is_empty() {
            self.hit("reference: unreferenced insert collected");
        }
        let gone: BTreeSet<Uuid> =
            changes.iter().filter(|change| change.new.is_none()).map(|c| c.uuid).collect();
        let mut collected = 0;
        let mut kept_by_collected = 0;
        for change in changes {
            let (Some(old), None) = (&change.old, &change.new) else { continue };
            if !change.table.is_root && !deleted_from.contains(&*change.table.name) {
                collected += 1;
                let refers = change.table.columns().any(|(id, column)| {
                    column.kind.has_reference(Strength::Strong)
                        && old.get(&change.table, id).uuids().any(|uuid| gone.contains(&uuid))
                });
                kept_by_collected += usize::from(refers);
            }
        }
        if collected > 0 {
            self.hit("reference: garbage collected");
        }
        if kept_by_collected > 0 {
            self.hit("reference: collected in cascade");
        }
        for change in changes {
            if loses_weak(change, &gone) {
                self.hit("reference: weak pruned");
            }
        }
    }

    /// Whether `what` was seen often enough, else a line that says so.
    pub(crate) fn shortfall(&self, what: &str, floor: usize) -> Option<String> {
        let count = self.count(what);
        (count < floor).then(|| format!("{what}: {count} of {floor}"))
    }
}

fn loses_weak(change: &RowChange, gone: &BTreeSet<Uuid>) -> bool {
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return false };
    change.table.columns().any(|(id, column)| {
        let lost = |old: &Datum, new: &Datum| {
            let kept: BTreeSet<Uuid> = new.uuids().collect();
            old.uuids().any(|uuid| !kept.contains(&uuid) && gone.contains(&uuid))
        };
        column.kind.has_reference(Strength::Weak)
            && lost(old.get(&change.table, id), new.get(&change.table, id))
    })
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { operations, transactions, committed, hits } = self;
        let rate = 100 * committed / transactions.max(&1);
        writeln!(f, "{operations} operations, {transactions} transactions, {rate} % committed")?;
        hits.iter().try_for_each(|(what, count)| writeln!(f, "{count:8}  {what}"))
    }
}
