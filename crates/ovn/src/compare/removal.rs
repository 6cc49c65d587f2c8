//! Plans the end of rows that a part owns and no longer draws.
//!
//! Invariant: a row goes only if its owner is one of the sheets' owners; a row that others still
//! need stays and is reported.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::cache::RowView;
use ovsdb::value::{Atom, Datum, Uuid};

use super::DrawnRow;
use super::lookup::{Answer, Lookup};
use crate::definition::{ColumnDef, TableDef};
use crate::key::{Identity, Key, label};
use crate::plan::{Delete, Held, Link, Plan, Reason, Target};
use crate::rules::{OWNER_INDEX, belongs_to_parent, is_list, owner_key};
use crate::sheet::Sheet;

/// Adds to the plan whatever must go.
pub(super) fn remove_surplus(sheets: &[&Sheet], lookup: &Lookup<'_>, plan: &mut Plan) {
    let mut removal = Removal::new(lookup, plan);
    removal.collect_owned(sheets);
    removal.collect_duplicates();
    let held = removal.hold_back();
    // Who goes needs no list any more; a list that may not be empty could not even be emptied first.
    plan.unlinks.retain(|link| !removal.takes_away(link));
    let mut unlinks = removal.unlink_surplus();
    unlinks.extend(removal.unlink_unmarked());
    let deletes = removal.deletes();
    plan.held.extend(held);
    plan.unlinks.extend(unlinks);
    plan.deletes.extend(deletes);
}

struct Removal<'a> {
    lookup: &'a Lookup<'a>,
    /// Standing rows that are drawn.
    kept: BTreeSet<Uuid>,
    /// Rows that leave a list of a standing row, as (row, parent).
    leaving: BTreeSet<(Uuid, Uuid)>,
    /// Columns that are written.
    rewritten: BTreeSet<(Uuid, &'static str)>,
    /// Rows that go, by table and identifier, with whether the table is a root table.
    surplus: BTreeMap<(&'static str, Uuid), bool>,
}

impl<'a> Removal<'a> {
    fn new(lookup: &'a Lookup<'a>, plan: &Plan) -> Self {
        let kept = lookup.answers().filter_map(|(_, answer)| match answer {
            Answer::Standing { uuid, .. } => Some(*uuid),
            Answer::New(_) | Answer::Missing { .. } | Answer::Taken(_) => None,
        });
        let leaving = plan.unlinks.iter().filter_map(|link| match link.parent {
            Target::Standing(parent) => Some((link.row, parent)),
            Target::New(_) => None,
        });
        let written = |update: &crate::plan::Update| {
            let uuid = update.uuid;
            update.changes.keys().map(move |column| (uuid, *column)).collect::<Vec<_>>()
        };
        Self {
            lookup,
            kept: kept.collect(),
            leaving: leaving.collect(),
            rewritten: plan.updates.iter().flat_map(written).collect(),
            surplus: BTreeMap::new(),
        }
    }

    fn collect_owned(&mut self, sheets: &[&Sheet]) {
        for table in self.lookup.rules.database.tables {
            let rows = self.lookup.table(table.name).filter(|rows| !rows.is_empty());
            let Some(rows) = rows else { continue };
            if belongs_to_parent(table.name) || Identity::of(table) == Some(Identity::Single) {
                continue;
            }
            for sheet in sheets {
                let owned = rows.find(OWNER_INDEX, &owner_key(&sheet.owner)).iter();
                let gone = owned.filter(|uuid| !self.kept.contains(uuid));
                self.surplus.extend(gone.map(|uuid| ((table.name, *uuid), table.is_root)));
            }
        }
    }

    fn collect_duplicates(&mut self) {
        for (drawn, answer) in self.lookup.answers() {
            if let Answer::Standing { duplicates, .. } = answer
                && !duplicates.is_empty()
                && let Some(table) = self.lookup.rules.database.table(drawn.key.table())
            {
                let rows = duplicates.iter().map(|uuid| ((table.name, *uuid), table.is_root));
                self.surplus.extend(rows);
            }
        }
    }

    /// Takes back rows that others still need; that may make them need further rows.
    fn hold_back(&mut self) -> Vec<Held> {
        let mut all = Vec::new();
        loop {
            let kept: Vec<Held> = self
                .surplus
                .keys()
                .filter_map(|(table, uuid)| {
                    let row = self.lookup.table(table)?.row(*uuid)?;
                    let reason = self.foreign_child(table, row);
                    let reason = reason.or_else(|| self.remaining_referrer(table, row))?;
                    Some(Held { table, uuid: *uuid, label: label(table, row), reason })
                })
                .collect();
            if kept.is_empty() {
                return all;
            }
            for held in &kept {
                self.surplus.remove(&(held.table, held.uuid));
            }
            all.extend(kept);
        }
    }

    /// The owner of a row below this one that would be lost with it.
    fn foreign_child(&self, table: &str, row: RowView<'_>) -> Option<Reason> {
        let table = self.lookup.rules.database.table(table)?;
        for column in lists(table) {
            let child = self.lookup.rules.database.table(column.key.target()?)?;
            if child.is_root || belongs_to_parent(child.name) {
                continue;
            }
            let rows = self.lookup.table(child.name)?;
            let listed = row.get(column.name).into_iter().flat_map(Datum::uuids);
            let stays = |uuid: &Uuid| {
                !self.surplus.contains_key(&(child.name, *uuid))
                    && !self.leaving.contains(&(*uuid, row.uuid))
            };
            let mut owners =
                listed.filter(stays).filter_map(|uuid| self.lookup.rules.owner(rows.row(uuid)?));
            if let Some(owner) = owners.next() {
                return Some(Reason::Carries(owner));
            }
        }
        None
    }

    /// A row that stays and still refers to this one once the plan is applied.
    fn remaining_referrer(&self, table: &str, row: RowView<'_>) -> Option<Reason> {
        for (referrer_table, column) in self.lookup.rules.holders_of(table) {
            let Some(referrers) = self.lookup.table(referrer_table.name) else { continue };
            let found = referrers.find(column.name, &[Atom::Uuid(row.uuid)]).iter();
            let stays = |referrer: &&Uuid| {
                !self.surplus.contains_key(&(referrer_table.name, **referrer))
                    && !self.rewritten.contains(&(**referrer, column.name))
            };
            if let Some(referrer) = found.copied().find(|referrer| stays(&referrer)) {
                let label = referrers.row(referrer).map(|row| label(referrer_table.name, row));
                return Some(Reason::ReferredBy(label.unwrap_or_default()));
            }
        }
        None
    }

    /// Whether the row that would be taken out of a list is in one that goes itself.
    fn takes_away(&self, link: &Link) -> bool {
        match link.parent {
            Target::Standing(parent) => self.surplus.contains_key(&(link.parent_table, parent)),
            Target::New(_) => false,
        }
    }

    fn deletes(&self) -> Vec<Delete> {
        let roots = self.surplus.iter().filter(|(_, is_root)| **is_root);
        roots
            .filter_map(|((table, uuid), _)| {
                let row = self.lookup.table(table)?.row(*uuid)?;
                Some(Delete { table, uuid: *uuid, label: label(table, row) })
            })
            .collect()
    }

    /// Takes rows that are not root out of every list that keeps them alive, unless it goes too.
    fn unlink_surplus(&self) -> Vec<Link> {
        let mut unlinks = Vec::new();
        for (table, uuid) in self.surplus.iter().filter(|(_, root)| !**root).map(|(row, _)| row) {
            let row = self.lookup.table(table).and_then(|rows| rows.row(*uuid));
            for (parent_table, column) in self.lookup.rules.lists_of(table) {
                let Some(parents) = self.lookup.table(parent_table.name) else { continue };
                let holders = parents.find(column.name, &[Atom::Uuid(*uuid)]).iter();
                let staying = holders
                    .filter(|parent| !self.surplus.contains_key(&(parent_table.name, **parent)));
                unlinks.extend(staying.map(|parent| Link {
                    row: *uuid,
                    label: row.map_or_else(|| (*table).to_owned(), |row| label(table, row)),
                    table,
                    parent: Target::Standing(*parent),
                    parent_table: parent_table.name,
                    column: column.name,
                }));
            }
        }
        unlinks
    }

    /// Takes rows that show no owner out of the lists of drawn rows, unless they are drawn.
    fn unlink_unmarked(&self) -> Vec<Link> {
        let mut unlinks = Vec::new();
        for (DrawnRow { key, .. }, answer) in self.lookup.answers() {
            let Answer::Standing { uuid, .. } = answer else { continue };
            let Some(table) = self.lookup.rules.database.table(key.table()) else { continue };
            for column in lists(table) {
                let target = column.key.target().filter(|target| belongs_to_parent(target));
                let Some(child) = target else { continue };
                unlinks.extend(self.unmarked_in(key, *uuid, child, column));
            }
        }
        unlinks
    }

    fn unmarked_in(
        &self,
        parent: &Key,
        parent_uuid: Uuid,
        child: &'static str,
        column: &ColumnDef,
    ) -> Vec<Link> {
        let parent_row = self.lookup.table(parent.table()).and_then(|rows| rows.row(parent_uuid));
        let list = parent_row.and_then(|row| row.get(column.name));
        let undrawn =
            list.into_iter().flat_map(Datum::uuids).filter(|uuid| !self.kept.contains(uuid));
        undrawn
            .map(|uuid| {
                let row = self.lookup.table(child).and_then(|rows| rows.row(uuid));
                Link {
                    row: uuid,
                    label: row.map_or_else(|| child.to_owned(), |row| label(child, row)),
                    table: child,
                    parent: Target::Standing(parent_uuid),
                    parent_table: parent.table(),
                    column: column.name,
                }
            })
            .collect()
    }
}

fn lists(table: &'static TableDef) -> impl Iterator<Item = &'static ColumnDef> {
    table.columns.iter().filter(|column| is_list(table, column))
}
