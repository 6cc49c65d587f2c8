//! Whom a change of rows disturbs.
//!
//! Reads what changed in a replica; returns the owners whose rows may no longer be as drawn.
//! Invariant: a row that came, went or changed in a column that is drawn disturbs its owner; a list
//! that changed disturbs the owners of the rows that came into it or left it.

use std::collections::BTreeSet;

use ovn::rules::Treatment;
use ovn::{Owner, Rules};
use ovsdb::cache::{Change, ChangeKind, RowView};
use ovsdb::{Cache, Datum};

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
        let members = rules.listed_in(self.table, self.column);
        let members = members.and_then(|table| rows.table(table));
        let moved = difference.uuids().map(|uuid| {
            match members.and_then(|table| table.row(uuid)).and_then(|row| rules.owner(row)) {
                Some(owner) => Some(owner),
                None => self.own.filter(|_| !self.lists_owned_rows()).cloned(),
            }
        });
        moved.flatten().collect()
    }

    /// Whether rows in the list show an owner of their own.
    fn lists_owned_rows(&self) -> bool {
        !matches!(self.column, "bands" | "encaps" | "gateway_chassis")
    }
}

/// Whose the row was, if somebody made it look like another's.
fn former_owner(change: &Change, standing: RowView<'_>, rules: &Rules) -> Option<Owner> {
    let former = change.former(standing.row)?;
    rules.owner(RowView { table: &change.table, uuid: change.uuid, row: &former })
}
