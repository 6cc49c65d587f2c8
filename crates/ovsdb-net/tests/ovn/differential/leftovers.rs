//! Finds weak references to nothing in the server's own content.
//!
//! ovsdb-server 3.5 can leave such a reference behind, depending on the order in which it happens
//! to look at rows (see `ambiguity`). The ambiguity check foresees most of these; this one tells the
//! rest from a mistake of the engine, which never leaves one.
//! Invariant: reads only what the server says.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::codec::{Shape, shape_from_json};
use ovsdb::schema::{BaseType, ColumnSchema, Strength};
use ovsdb::{Atom, DatabaseSchema, Uuid};
use serde_json::Value;

/// Whether a weak reference names a row that is not there; `answers` are selects of every table,
/// in the order of the schema.
pub(crate) fn has_leftovers(schema: &DatabaseSchema, answers: &[Value]) -> bool {
    let rows = |answer: &Value| answer["rows"].as_array().cloned().unwrap_or_default();
    let identifiers = |answer: &Value| -> BTreeSet<Uuid> {
        rows(answer).iter().filter_map(|row| row["_uuid"][1].as_str()?.parse().ok()).collect()
    };
    let standing: BTreeMap<&str, BTreeSet<Uuid>> = schema
        .tables()
        .zip(answers)
        .map(|(table, answer)| (&*table.name, identifiers(answer)))
        .collect();
    schema.tables().zip(answers).any(|(table, answer)| {
        rows(answer).iter().any(|row| {
            let mut columns = table.columns();
            columns.any(|(_, column)| names_nothing(column, &row[&*column.name], &standing))
        })
    })
}

fn names_nothing(
    column: &ColumnSchema,
    value: &Value,
    standing: &BTreeMap<&str, BTreeSet<Uuid>>,
) -> bool {
    let is_gone = |base: &BaseType, atom: &Atom| {
        let weak = base.reference().filter(|reference| reference.strength == Strength::Weak);
        weak.zip(atom.as_uuid()).is_some_and(|(reference, uuid)| {
            !standing.get(&*reference.table).is_some_and(|rows| rows.contains(&uuid))
        })
    };
    let (key, map_value) = (&column.kind.key, column.kind.value.as_ref());
    match shape_from_json(&column.kind, value).expect("the server's values fit its schema") {
        Shape::Set(atoms) => atoms.iter().any(|atom| is_gone(key, atom)),
        Shape::Map(entries) => entries.iter().any(|(at, held)| {
            is_gone(key, at) || map_value.is_some_and(|base| is_gone(base, held))
        }),
    }
}
