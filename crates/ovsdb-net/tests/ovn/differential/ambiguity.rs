//! Transactions whose outcome depends on the order in which the server happens to look at rows.
//!
//! ovsdb-server 3.5 looks at each row of a transaction once when it removes weak references to
//! deleted rows. A row that it looks at before it comes to the deleted one keeps a reference to
//! nothing. That concerns rows that the transaction changes in another way too, whose strong
//! references it changes, or that lose references to several deleted rows; any other row is looked
//! at after the one it refers to. The engine always removes.
//! Invariant: errs on the side of calling a transaction ambiguous.

use std::collections::BTreeSet;

use ovsdb::engine::{RowChange, Transacted};
use ovsdb::row::Row;
use ovsdb::schema::{Strength, TableSchema};
use ovsdb::{Datum, Uuid};
use serde_json::Value;

pub(crate) fn is_ambiguous(operations: &[Value], transacted: &Transacted<Value>) -> bool {
    if !transacted.committed {
        return is_doubtful_refusal(operations, transacted);
    }
    let changes = &transacted.changes;
    let deleted = changes.iter().filter(|change| change.new.is_none());
    let deleted: BTreeSet<Uuid> = deleted.map(|change| change.uuid).collect();
    if deleted.is_empty() {
        return false;
    }
    let mut recounted: BTreeSet<Uuid> = changes.iter().flat_map(recounted).collect();
    // A row that is inserted and collected at once shows in no change, but was counted.
    let inserts = operations.iter().filter(|operation| operation["op"] == "insert");
    inserts.for_each(|insert| mentioned(&insert["row"], &mut recounted));
    changes.iter().any(|change| match (&change.old, &change.new) {
        (Some(old), Some(new)) => {
            let refers = references(&change.table, old, Strength::Weak).is_disjoint(&deleted);
            !refers
                && (recounted.contains(&change.uuid) || !only_pruned(change, old, new, &deleted))
        }
        (None, _) | (_, None) => false,
    })
}

/// A standing row loses its last weak reference, and the transaction changes that table itself.
fn is_doubtful_refusal(operations: &[Value], transacted: &Transacted<Value>) -> bool {
    let results = &transacted.results;
    let details = |result: &Value| result["details"].as_str().unwrap_or("").to_owned();
    let mut losses = results.iter().map(details).filter(|text| text.contains("lose its last"));
    let is_inserted = |text: &str| {
        let inserted = results.iter().filter_map(|result| result["uuid"][1].as_str());
        inserted.into_iter().any(|uuid| text.contains(uuid))
    };
    let is_changed = |text: &str| {
        operations.iter().filter(|operation| operation["op"] != "select").any(|operation| {
            operation["table"].as_str().is_some_and(|table| text.starts_with(&format!("{table} ")))
        })
    };
    losses.any(|text| !is_inserted(&text) && is_changed(&text))
}

/// The rows whose count of strong references may change with this row.
fn recounted(change: &RowChange) -> Vec<Uuid> {
    let strong = |row: &Option<std::sync::Arc<Row>>| {
        row.as_ref().map(|row| references(&change.table, row, Strength::Strong)).unwrap_or_default()
    };
    let (old, new) = (strong(&change.old), strong(&change.new));
    old.symmetric_difference(&new).copied().collect()
}

/// Whether the row lost references to deleted rows and nothing else happened to it.
fn only_pruned(change: &RowChange, old: &Row, new: &Row, deleted: &BTreeSet<Uuid>) -> bool {
    let is_gone = |datum: &Datum| datum.uuids().any(|uuid| deleted.contains(&uuid));
    change.columns().into_iter().all(|id| {
        let (old, new) = (old.get(&change.table, id), new.get(&change.table, id));
        let kept = old.filter(|key, value| {
            !is_gone(&Datum::from(key.clone()))
                && !value.is_some_and(|value| is_gone(&Datum::from(value.clone())))
        });
        change.table.column(id).kind.has_reference(Strength::Weak) && kept == *new
    })
}

fn references(table: &TableSchema, row: &Row, strength: Strength) -> BTreeSet<Uuid> {
    let columns = table.columns().filter(|(_, column)| column.kind.has_reference(strength));
    columns.flat_map(|(id, _)| row.get(table, id).uuids()).collect()
}

fn mentioned(json: &Value, uuids: &mut BTreeSet<Uuid>) {
    match json {
        Value::String(text) => uuids.extend(text.parse::<Uuid>().ok()),
        Value::Array(items) => items.iter().for_each(|item| mentioned(item, uuids)),
        Value::Object(members) => members.values().for_each(|member| mentioned(member, uuids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
