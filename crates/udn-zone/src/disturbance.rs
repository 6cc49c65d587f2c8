//! Whom a change of rows disturbs.
//!
//! Reads what changed in a replica; returns the owners whose rows may no longer be as drawn.
//! Invariant: a row that came, went or changed in a column that is drawn disturbs its owner, or who
//! lists it if it shows none; a list that changed disturbs the owners of the rows that came into it
//! or left it.

use std::collections::BTreeSet;

use ovn::rules::{Treatment, belongs_to_parent};
use ovn::{Owner, Rules};
use ovsdb::cache::{Change, ChangeKind, RowView};
use ovsdb::{Atom, Cache, Datum};

#[cfg(test)]
mod tests;

/// The owners that one change disturbs; rows are as they are after it.
pub fn disturbed(change: &Change, rows: &Cache, rules: &Rules) -> BTreeSet<Owner> {
    let standing = rows.table(&change.table.name).and_then(|table| table.row(change.uuid));
    let own = standing.and_then(|row| rules.owner(row));
    match &change.kind {
        ChangeKind::Inserted => own.into_iter().collect(),
        ChangeKind::Deleted { row } => {
            let gone = RowView { table: &change.table, uuid: change.uuid, row };
            rules.owner(gone).into_iter().collect()
        }
        ChangeKind::Modified { undo } => {
            let Some(standing) = standing else { return BTreeSet::new() };
            let (mut owners, mut is_redrawn) = (BTreeSet::new(), false);
            for (id, difference) in undo.columns() {
                let column = &*change.table.column(id).name;
                match Treatment::of(&change.table.name, column) {
                    Treatment::Owned | Treatment::Shared => is_redrawn = true,
                    Treatment::Foreign => {}
                    Treatment::List => {
                        let list = List { table: &change.table.name, column, own: own.as_ref() };
                        owners.extend(list.owners(difference, rows, rules));
                    }
                }
            }
            if is_redrawn {
                owners.extend(own);
                owners.extend(listing_owners(standing, rows, rules));
                owners.extend(former_owner(change, standing, rules));
            }
            owners
        }
    }
}

/// A list column of a row.
struct List<'a> {
    table: &'a str,
    column: &'a str,
    own: Option<&'a Owner>,
}

impl List<'_> {
    /// The owners of rows that came into the list or left it, as far as they stand: of a row that is
    /// gone, its own change tells. Rows that show no owner belong to whom lists them.
    fn owners(&self, difference: &Datum, rows: &Cache, rules: &Rules) -> Vec<Owner> {
        let Some(table) = rules.listed_in(self.table, self.column) else { return Vec::new() };
        if belongs_to_parent(table) {
            return self.own.into_iter().cloned().collect();
        }
        let members = rows.table(table);
        let moved = difference.uuids().filter_map(|uuid| rules.owner(members?.row(uuid)?));
        moved.collect()
    }
}

/// The owners of the rows that list a row which shows no owner of its own.
fn listing_owners(row: RowView<'_>, rows: &Cache, rules: &Rules) -> Vec<Owner> {
    let table = &*row.table.name;
    let lists = if belongs_to_parent(table) { rules.lists_of(table) } else { Vec::new() };
    let parents = lists.into_iter().filter_map(|(parent, column)| {
        let parents = rows.table(parent.name)?;
        let listing = parents.find(column.name, &[Atom::Uuid(row.uuid)]).iter();
        Some(listing.filter_map(|uuid| rules.owner(parents.row(*uuid)?)).collect::<Vec<_>>())
    });
    parents.flatten().collect()
}

/// Whose the row was, if somebody made it look like another's.
fn former_owner(change: &Change, standing: RowView<'_>, rules: &Rules) -> Option<Owner> {
    let former = change.former(standing.row)?;
    rules.owner(RowView { table: &change.table, uuid: change.uuid, row: &former })
}
