//! Checks a whole northbound database for things that no single comparison can see.
//!
//! Reads the standing rows; returns notes. It is a second opinion on what was drawn and committed,
//! and runs in tests after every plan.
//! Invariant: a clean database gives no notes; a note names the row and says what is wrong.

use std::collections::BTreeSet;
use std::fmt;

use ovsdb::cache::{Cache, RowView, Table};
use ovsdb::value::{Atom, Uuid};

use crate::key::{IDENTITY_INDEX, Identity, label};
use crate::rules::{Owner, Rules};

mod addresses;
#[cfg(test)]
mod tests;

/// Something wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    pub table: &'static str,
    pub uuid: Uuid,
    /// The row's identity, for people.
    pub label: String,
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// A column names a row that does not exist.
    DanglingReference { column: String, target: String },
    /// Another row of the table has the same identity.
    DuplicateName { other: Uuid },
    /// Another port of the same switch has the same MAC or IP address.
    DuplicateAddress { address: String, other: String },
    /// The row's owner is none of those that exist.
    Orphan { owner: Owner },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.label)?;
        match &self.problem {
            Problem::DanglingReference { column, target } => {
                write!(f, "{column} refers to {target}, which does not exist")
            }
            Problem::DuplicateName { other } => write!(f, "has the same identity as row {other}"),
            Problem::DuplicateAddress { address, other } => {
                write!(f, "address {address} is also on {other}")
            }
            Problem::Orphan { owner } => write!(f, "belongs to {owner}, which does not exist"),
        }
    }
}

/// Everything wrong with the database; owners are checked when the existing ones are given.
pub fn audit(rows: &Cache, rules: &Rules, owners: Option<&BTreeSet<Owner>>) -> Vec<Note> {
    let mut notes = Vec::new();
    for table in rules.database.tables {
        let Some(standing) = rows.table(table.name) else { continue };
        for row in standing.rows() {
            let mut note = |problem| notes.push(Note::new(table.name, row, problem));
            dangling_rows(row, rows).into_iter().for_each(&mut note);
            dangling_names(row, rows).into_iter().for_each(&mut note);
            duplicate_name(table, row, standing).into_iter().for_each(&mut note);
            orphan(row, rules, owners).into_iter().for_each(&mut note);
        }
    }
    notes.extend(addresses::duplicates(rows));
    notes.sort();
    notes
}

impl Note {
    fn new(table: &'static str, row: RowView<'_>, problem: Problem) -> Self {
        let label = label(table, row);
        Self { table, uuid: row.uuid, label, problem }
    }
}

/// References by identifier to rows that are not there.
fn dangling_rows(row: RowView<'_>, rows: &Cache) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (id, datum) in row.row.columns() {
        let column = row.table.column(id);
        let bases = [Some(&column.kind.key), column.kind.value.as_ref()];
        for reference in bases.into_iter().flatten().filter_map(|base| base.reference()) {
            let Some(target) = rows.table(&reference.table) else { continue };
            let gone = datum.uuids().find(|uuid| target.row(*uuid).is_none());
            problems.extend(gone.map(|uuid| Problem::DanglingReference {
                column: column.name.to_string(),
                target: format!("{} {uuid}", reference.table),
            }));
        }
    }
    problems
}

/// References by name to ports that are not there.
fn dangling_names(row: RowView<'_>, rows: &Cache) -> Vec<Problem> {
    let router_port = &["Logical_Router_Port"][..];
    let any_port = &["Logical_Router_Port", "Logical_Switch_Port"][..];
    let named: Vec<(&'static str, Option<&str>, &[&str])> = match &*row.table.name {
        "Logical_Switch_Port" => vec![
            ("options:router-port", row.entry("options", "router-port"), router_port),
            ("parent_name", row.text("parent_name"), &["Logical_Switch_Port"][..]),
        ],
        "Logical_Router_Port" => vec![("peer", row.text("peer"), router_port)],
        "Logical_Router_Static_Route" => {
            vec![("output_port", row.text("output_port"), router_port)]
        }
        "Static_MAC_Binding" => vec![("logical_port", row.text("logical_port"), router_port)],
        "NAT" => vec![("logical_port", row.text("logical_port"), any_port)],
        _ => Vec::new(),
    };
    let absent = |name: &str, tables: &[&str]| {
        let key = [Atom::from(name)];
        !tables.iter().any(|table| {
            rows.table(table).is_some_and(|table| !table.find(IDENTITY_INDEX, &key).is_empty())
        })
    };
    named
        .into_iter()
        .filter_map(|(column, name, tables)| Some((column, name?, tables)))
        .filter(|(_, name, tables)| !name.is_empty() && absent(name, tables))
        .map(|(column, name, _)| {
            let (column, target) = (column.to_owned(), name.to_owned());
            Problem::DanglingReference { column, target }
        })
        .collect()
}

fn duplicate_name(
    table: &'static crate::definition::TableDef,
    row: RowView<'_>,
    standing: &Table,
) -> Option<Problem> {
    let identity = Identity::of(table)?;
    if !matches!(identity, Identity::Columns(_)) {
        return None;
    }
    let same = standing.find(IDENTITY_INDEX, &identity.atoms_of(row));
    let other = same.iter().find(|uuid| **uuid != row.uuid)?;
    Some(Problem::DuplicateName { other: *other })
}

fn orphan(row: RowView<'_>, rules: &Rules, owners: Option<&BTreeSet<Owner>>) -> Option<Problem> {
    let owner = rules.owner(row)?;
    let is_known = owners.is_none_or(|owners| owners.contains(&owner));
    (!is_known).then_some(Problem::Orphan { owner })
}
