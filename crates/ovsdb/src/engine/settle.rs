//! Completes a draft before it is committed: references counted, garbage collected, weak
//! references pruned, limits and uniqueness checked.
//!
//! compat: ovsdb/transaction.c, ovsdb_txn_precommit: these stages in this order, so that the same
//! error wins.
//! Invariant: reads the committed rows, changes only the draft.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::catalog::{ReferenceColumn, RowId, TableId};
use super::draft::Draft;
use super::table::{UniqueKey, unique_key};
use crate::fault::Fault;
use crate::row::Row;
use crate::schema::{Strength, TableSchema};
use crate::value::{Datum, Uuid};

/// How many strong references each row gains or loses.
pub(super) type Gains = BTreeMap<RowId, i64>;

impl Draft<'_> {
    /// Makes the draft consistent, or tells why it cannot be.
    pub(super) fn settle(&mut self, uuids: &mut dyn FnMut() -> Uuid) -> Result<Gains, Fault> {
        self.drop_unchanged();
        let mut gains = self.count_references()?;
        self.check_deleted(&gains)?;
        self.collect_garbage(&mut gains);
        self.check_row_limits()?;
        self.prune_weak_references(uuids)?;
        self.check_uniqueness()?;
        self.drop_unchanged();
        Ok(gains)
    }

    fn drop_unchanged(&mut self) {
        let Self { edits, .. } = self;
        let edited = std::mem::take(edits);
        let changed = |(id, edit): &(RowId, super::draft::Edit)| {
            self.before(*id).map(|stored| &stored.row) != edit.row.as_ref()
        };
        let kept = edited.into_iter().filter(changed).collect();
        self.edits = kept;
    }

    pub(super) fn count_references(&self) -> Result<Gains, Fault> {
        let mut gains = Gains::new();
        for id in self.edits.keys() {
            for column in self.catalog.references(id.0) {
                if column.has(Strength::Strong) {
                    self.count_column(*id, column, &mut gains)?;
                }
            }
        }
        Ok(gains)
    }

    fn count_column(
        &self,
        id: RowId,
        column: &ReferenceColumn,
        gains: &mut Gains,
    ) -> Result<(), Fault> {
        let schema = self.catalog.table(id.0);
        let old = self.before(id).map(|stored| stored.row.get(schema, column.id));
        let new = self.row(id).map(|row| row.get(schema, column.id));
        let (lost, won) = moved(old, new);
        // compat: ovsdb/transaction.c, ovsdb_txn_adjust_atom_refs: no row keeps itself alive.
        let is_other = |target: &RowId| *target != id;
        for target in column.targets(Strength::Strong, &lost).filter(is_other) {
            *gains.entry(target).or_default() -= 1;
        }
        for target in column.targets(Strength::Strong, &won).filter(is_other) {
            if !self.is_taken(target) {
                return Err(self.dangling(id, column, target));
            }
            *gains.entry(target).or_default() += 1;
        }
        Ok(())
    }

    fn dangling(&self, id: RowId, column: &ReferenceColumn, target: RowId) -> Fault {
        let (table, row) = (self.catalog.table(id.0), id.1);
        let (column, lost) = (&table.column(column.id).name, target.1);
        let (table, other) = (&table.name, &self.catalog.table(target.0).name);
        Fault::new(
            Fault::REFERENTIAL_INTEGRITY,
            format!("{table} row {row} column {column} references nonexistent {other} row {lost}"),
        )
    }

    fn check_deleted(&self, gains: &Gains) -> Result<(), Fault> {
        for (id, edit) in &self.edits {
            let references = self.references(*id, gains);
            if edit.row.is_none() && references > 0 {
                let (table, uuid) = (&self.catalog.table(id.0).name, id.1);
                let problem = format!(
                    "cannot delete {table} row {uuid} because of {references} remaining reference(s)"
                );
                return Err(Fault::new(Fault::REFERENTIAL_INTEGRITY, problem));
            }
        }
        Ok(())
    }

    /// How many strong references the row will have.
    fn references(&self, id: RowId, gains: &Gains) -> i64 {
        let before = self.before(id).map_or(0, |stored| stored.references);
        // A count is bounded by what fits in memory, far below the limit of the type.
        before as i64 + gains.get(&id).copied().unwrap_or(0)
    }

    /// Removes rows of non-root tables that nothing refers to, and then what only they kept.
    fn collect_garbage(&mut self, gains: &mut Gains) {
        let mut suspects: Vec<RowId> = self.edits.keys().chain(gains.keys()).copied().collect();
        while let Some(id) = suspects.pop() {
            let schema = self.catalog.table(id.0);
            if schema.is_root || self.references(id, gains) != 0 {
                continue;
            }
            let Some(row) = self.row(id).cloned() else { continue };
            for column in self.catalog.references(id.0) {
                let targets = column.targets(Strength::Strong, row.get(schema, column.id));
                for target in targets.filter(|target| *target != id) {
                    *gains.entry(target).or_default() -= 1;
                    suspects.push(target);
                }
            }
            self.remove(id);
        }
    }

    fn check_row_limits(&self) -> Result<(), Fault> {
        let touched: BTreeSet<TableId> = self.edits.keys().map(|(table, _)| *table).collect();
        for id in touched {
            let table = self.committed(id);
            let Some(limit) = table.schema.max_rows else { continue };
            let mut rows = table.rows.len() as u64;
            for (uuid, edit) in self.edits_of(id) {
                match (table.rows.contains_key(&uuid), edit.row.is_some()) {
                    (false, true) => rows += 1,
                    (true, false) => rows -= 1,
                    (true, true) | (false, false) => {}
                }
            }
            if rows > limit {
                let name = &table.schema.name;
                let problem = format!("table {name} would have {rows} rows, the limit is {limit}");
                return Err(Fault::constraint(problem));
            }
        }
        Ok(())
    }

    /// Removes weak references to rows that are gone or never were.
    ///
    /// compat: ovsdb/transaction.c, assess_weak_refs: ovsdb-server 3.5 may leave one behind in a
    /// row that the same transaction changes, depending on the order of its hash tables. Here none
    /// stays.
    fn prune_weak_references(&mut self, uuids: &mut dyn FnMut() -> Uuid) -> Result<(), Fault> {
        let mut affected: BTreeSet<RowId> = BTreeSet::new();
        for (id, edit) in &self.edits {
            match edit.row {
                Some(_) => affected.extend([*id]),
                None => affected.extend(self.committed(id.0).weak_sources(id.1)),
            }
        }
        for id in affected {
            let Some(row) = self.row(id) else { continue };
            if let Some(pruned) = self.pruned(id, row)? {
                self.put(id, Arc::new(pruned), uuids);
            }
        }
        Ok(())
    }

    /// The row without references to rows that are gone, if it has any.
    fn pruned(&self, id: RowId, row: &Row) -> Result<Option<Row>, Fault> {
        let schema = self.catalog.table(id.0);
        let mut pruned: Option<Row> = None;
        for column in self.catalog.references(id.0) {
            if !column.has(Strength::Weak) {
                continue;
            }
            let datum = row.get(schema, column.id);
            let kept = column.without_lost(datum, |target| self.exists(target));
            if kept.len() == datum.len() {
                continue;
            }
            if !schema.column(column.id).kind.allows_count(kept.len()) {
                return Err(emptied(schema, column, id.1));
            }
            pruned.get_or_insert_with(|| row.clone()).put(schema, column.id, kept);
        }
        Ok(pruned)
    }

    fn check_uniqueness(&self) -> Result<(), Fault> {
        let mut taken: BTreeMap<(TableId, usize, UniqueKey), Uuid> = BTreeMap::new();
        for ((table, uuid), edit) in &self.edits {
            let Some(row) = &edit.row else { continue };
            let committed = self.committed(*table);
            for (at, columns) in committed.schema.indexes.iter().enumerate() {
                let key = unique_key(&committed.schema, columns, row);
                // A holder that the transaction changes too is judged by its new key.
                let holder = committed.holder(at, &key);
                let holder = holder.filter(|holder| !self.edits.contains_key(&(*table, *holder)));
                let twin = holder.or_else(|| taken.get(&(*table, at, key.clone())).copied());
                if let Some(twin) = twin {
                    let name = &committed.schema.name;
                    let problem = format!("{name} rows {uuid} and {twin} would both have {key:?}");
                    return Err(Fault::constraint(problem));
                }
                taken.insert((*table, at, key), *uuid);
            }
        }
        Ok(())
    }
}

/// The members that go, and those that come, when a column changes.
pub(super) fn moved(old: Option<&Datum>, new: Option<&Datum>) -> (Datum, Datum) {
    match (old, new) {
        (None, None) => (Datum::empty_set(), Datum::empty_set()),
        (Some(old), None) => (old.clone(), Datum::empty_set()),
        (None, Some(new)) => (Datum::empty_set(), new.clone()),
        (Some(old), Some(new)) if old.is_map() => (minus(old, new), minus(new, old)),
        (Some(old), Some(new)) => {
            // One pass over both, then only what moved: large sets change by few members.
            let moved = old.difference(new);
            let lost = moved.filter(|member, _| old.contains(member));
            (lost, moved.filter(|member, _| !old.contains(member)))
        }
    }
}

fn minus(left: &Datum, right: &Datum) -> Datum {
    left.filter(|key, value| match value {
        None => !right.contains(key),
        Some(_) => right.value(key) != value,
    })
}

fn emptied(schema: &TableSchema, column: &ReferenceColumn, uuid: Uuid) -> Fault {
    let (table, column) = (&schema.name, &schema.column(column.id).name);
    Fault::constraint(format!(
        "{table} row {uuid} column {column} would lose its last reference, which it must have"
    ))
}
