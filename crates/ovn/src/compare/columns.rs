//! Compares one drawn row with its counterpart: owned columns, shared entries, lists.
//!
//! Invariant: a column that the drawing leaves out is compared with its default.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::cache::RowView;
use ovsdb::value::{Atom, Datum, Uuid};

use super::lookup::Lookup;
use crate::drawn::Value;
use crate::key::Key;
use crate::plan::{ColumnChange, Content, Insert, Link, Missing, Plan, Target, Update};
use crate::rules::Treatment;
use crate::sheet::Drawn;

/// Plans a new row.
pub(super) fn insert_row(key: &Key, row: &Drawn, lookup: &Lookup<'_>, plan: &mut Plan) {
    let schema = lookup.rows.schema().table(key.table());
    let mut values = BTreeMap::new();
    for (column, value) in &row.values {
        if schema.is_some_and(|schema| schema.column_id(column).is_none()) {
            plan.skipped.insert((key.table(), column));
        } else if let Some(content) = content(value, lookup) {
            values.insert(*column, content);
        }
    }
    let place = |place: &crate::sheet::Place| {
        let target = lookup.target(&place.parent)?;
        Some((target, place.parent.clone(), place.column))
    };
    let places = row.places.iter().filter_map(place).collect();
    plan.inserts.push(Insert { key: key.clone(), values, places });
}

/// Plans what makes a standing row as drawn.
pub(super) fn compare_row(
    key: &Key,
    row: &Drawn,
    uuid: Uuid,
    lookup: &Lookup<'_>,
    plan: &mut Plan,
) {
    let Some(standing) = lookup.table(key.table()).and_then(|table| table.row(uuid)) else {
        return;
    };
    let changes = compare_columns(key, row, standing, lookup, plan);
    if !changes.is_empty() {
        plan.updates.push(Update { key: key.clone(), uuid, changes });
    }
    compare_lists(key, row, uuid, lookup, plan);
}

fn compare_columns(
    key: &Key,
    row: &Drawn,
    standing: RowView<'_>,
    lookup: &Lookup<'_>,
    plan: &mut Plan,
) -> BTreeMap<&'static str, ColumnChange> {
    let mut changes = BTreeMap::new();
    for (column, value) in &row.values {
        let Some(before) = standing.get(column) else {
            plan.skipped.insert((key.table(), column));
            continue;
        };
        let change = match Treatment::of(key.table(), column) {
            Treatment::Shared => compare_entries(column, value, row, before),
            Treatment::Owned => {
                plan.missing.extend(unresolved(key, value, lookup));
                compare_whole(value, before, lookup)
            }
            Treatment::List | Treatment::Foreign => None,
        };
        changes.extend(change.map(|change| (*column, change)));
    }
    for (id, before) in standing.row.columns() {
        let column = &standing.table.column(id);
        let Some(name) = undrawn(key, row, &column.name, lookup) else { continue };
        let after = Content::Datum(column.default().clone());
        changes.insert(name, ColumnChange::Set { before: before.clone(), after });
    }
    for (column, before) in forbidden_only(row, standing) {
        changes.extend(remove_entries(column, row, before).map(|change| (column, change)));
    }
    changes
}

/// An owned column that stands with a value although the drawing leaves it at its default.
fn undrawn(key: &Key, row: &Drawn, column: &str, lookup: &Lookup<'_>) -> Option<&'static str> {
    if row.values.contains_key(column) || Treatment::of(key.table(), column) != Treatment::Owned {
        return None;
    }
    // A column that our definitions lack was added by a newer OVN and is not ours.
    Some(lookup.rules.database.table(key.table())?.column(column)?.name)
}

/// Shared maps of which only absences are drawn.
fn forbidden_only<'r>(row: &Drawn, standing: RowView<'r>) -> Vec<(&'static str, &'r Datum)> {
    let columns: BTreeSet<&'static str> = row.absent.iter().map(|(column, _)| *column).collect();
    let undrawn = columns.into_iter().filter(|column| !row.values.contains_key(column));
    undrawn.filter_map(|column| standing.get(column).map(|datum| (column, datum))).collect()
}

/// A row that the column names and that is not there; the column then stays as it is.
fn unresolved(key: &Key, value: &Value, lookup: &Lookup<'_>) -> Option<Missing> {
    let needs = match value {
        Value::Datum(_) => None,
        Value::Rows(keys) => keys.iter().find(|key| lookup.target(key).is_none()),
        Value::RowMap(entries) => entries.values().find(|key| lookup.target(key).is_none()),
    }?;
    Some(Missing { row: key.clone(), needs: needs.clone() })
}

fn compare_whole(value: &Value, before: &Datum, lookup: &Lookup<'_>) -> Option<ColumnChange> {
    let after = content(value, lookup)?;
    (!is_equal(&after, before)).then(|| ColumnChange::Set { before: before.clone(), after })
}

fn is_equal(content: &Content, standing: &Datum) -> bool {
    let uuid = |target: &Target| match target {
        Target::Standing(uuid) => Some(Atom::Uuid(*uuid)),
        Target::New(_) => None,
    };
    match content {
        Content::Datum(datum) => datum == standing,
        Content::Rows(rows) => {
            let atoms: Option<Vec<Atom>> = rows.iter().map(uuid).collect();
            atoms.is_some_and(|atoms| Datum::set(atoms) == *standing)
        }
        Content::RowMap(entries) => {
            let entries: Option<Vec<(Atom, Atom)>> =
                entries.iter().map(|(key, row)| Some((key.clone(), uuid(row)?))).collect();
            entries.is_some_and(|entries| Datum::map(entries) == *standing)
        }
    }
}

fn compare_entries(
    column: &'static str,
    value: &Value,
    row: &Drawn,
    before: &Datum,
) -> Option<ColumnChange> {
    let Value::Datum(drawn) = value else { return None };
    let differs = |entry: &&(Atom, Atom)| before.value(&entry.0) != Some(&entry.1);
    let put: Vec<(Atom, Atom)> = drawn.entries().iter().filter(differs).cloned().collect();
    let remove = surplus_entries(column, row, before);
    entries_change(put, remove, before)
}

fn remove_entries(column: &'static str, row: &Drawn, before: &Datum) -> Option<ColumnChange> {
    entries_change(Vec::new(), surplus_entries(column, row, before), before)
}

fn surplus_entries(column: &'static str, row: &Drawn, before: &Datum) -> Vec<Atom> {
    let forbidden = row.absent.iter().filter(|(name, _)| *name == column).map(|(_, entry)| entry);
    forbidden.filter(|entry| before.contains(entry)).cloned().collect()
}

fn entries_change(
    put: Vec<(Atom, Atom)>,
    remove: Vec<Atom>,
    before: &Datum,
) -> Option<ColumnChange> {
    if put.is_empty() && remove.is_empty() {
        return None;
    }
    let touched = put.iter().map(|(key, _)| key).chain(&remove);
    let before =
        touched.filter_map(|key| Some((key.clone(), before.value(key)?.clone()))).collect();
    Some(ColumnChange::Entries { before, put, remove })
}

/// Plans which lists the row enters and leaves.
fn compare_lists(key: &Key, row: &Drawn, uuid: Uuid, lookup: &Lookup<'_>, plan: &mut Plan) {
    let mut wanted: BTreeSet<(&'static str, &'static str, Target)> = BTreeSet::new();
    for place in &row.places {
        match lookup.target(&place.parent) {
            Some(target) => {
                wanted.insert((place.parent.table(), place.column, target));
            }
            None => plan.missing.push(Missing { row: key.clone(), needs: place.parent.clone() }),
        }
    }
    let link = |parent: Target, parent_table, column| Link {
        row: uuid,
        label: key.to_string(),
        table: key.table(),
        parent,
        parent_table,
        column,
    };
    for (table, column) in lookup.rules.lists_of(key.table()) {
        let Some(parents) = lookup.table(table.name) else { continue };
        for parent in parents.find(column.name, &[Atom::Uuid(uuid)]) {
            let place = (table.name, column.name, Target::Standing(*parent));
            let is_ours =
                || parents.row(*parent).is_some_and(|row| lookup.rules.owner(row).is_some());
            if !wanted.remove(&place) && is_ours() {
                plan.unlinks.push(link(place.2, table.name, column.name));
            }
        }
    }
    for (table, column, parent) in wanted {
        plan.links.push(link(parent, table, column));
    }
}

fn content(value: &Value, lookup: &Lookup<'_>) -> Option<Content> {
    match value {
        Value::Datum(datum) => Some(Content::Datum(datum.clone())),
        Value::Rows(keys) => {
            keys.iter().map(|key| lookup.target(key)).collect::<Option<_>>().map(Content::Rows)
        }
        Value::RowMap(entries) => entries
            .iter()
            .map(|(at, key)| Some((at.clone(), lookup.target(key)?)))
            .collect::<Option<_>>()
            .map(Content::RowMap),
    }
}
