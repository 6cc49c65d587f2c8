//! Lowers a plan to the operations of one guarded transaction.
//!
//! Invariant: every row that the plan takes for granted is guarded by a `wait` that fails at once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ovsdb::op::{Condition, Function, Mutation, Mutator, Name, Operation, Until, Values};
use ovsdb::value::{Atom, Datum, Uuid};

use super::{ColumnChange, Content, Insert, Plan, Target, Update};
use crate::definition::DatabaseDef;
use crate::key::Identity;

impl Plan {
    /// The transaction: guards first, then inserts, updates, lists, deletes.
    pub fn operations(&self, database: &DatabaseDef) -> Vec<Operation> {
        let lists = self.lists();
        let mut operations = Vec::new();
        operations.extend(self.guards(database, &lists));
        operations.extend(self.inserts.iter().enumerate().map(|(at, row)| insert(at, row, &lists)));
        operations.extend(self.updates.iter().flat_map(update));
        operations.extend(lists.iter().filter_map(|(list, change)| mutate(list, change)));
        operations.extend(self.deletes.iter().map(|delete| Operation::Delete {
            table: Cow::Borrowed(delete.table),
            conditions: vec![Condition::row(delete.uuid)],
        }));
        operations
    }

    /// All list changes, gathered by list.
    fn lists(&self) -> BTreeMap<List, ListChange> {
        let mut lists: BTreeMap<List, ListChange> = BTreeMap::new();
        for (at, row) in self.inserts.iter().enumerate() {
            for (parent, key, column) in &row.places {
                let list = List { parent: parent.clone(), table: key.table(), column };
                lists.entry(list).or_default().enter.insert(new_row(at));
            }
        }
        for link in &self.links {
            let list =
                List { parent: link.parent.clone(), table: link.parent_table, column: link.column };
            lists.entry(list).or_default().enter.insert(Atom::Uuid(link.row));
        }
        for link in &self.unlinks {
            let list =
                List { parent: link.parent.clone(), table: link.parent_table, column: link.column };
            lists.entry(list).or_default().leave.insert(Atom::Uuid(link.row));
        }
        lists
    }

    fn guards(&self, database: &DatabaseDef, lists: &BTreeMap<List, ListChange>) -> Vec<Operation> {
        let parents: BTreeSet<(&'static str, Uuid)> = lists
            .keys()
            .filter_map(|list| match list.parent {
                Target::Standing(uuid) => Some((list.table, uuid)),
                Target::New(_) => None,
            })
            .collect();
        let unique = self.inserts.iter().filter_map(|row| guard_absence(database, row));
        let exist = parents.into_iter().map(|(table, uuid)| guard_presence(table, uuid));
        let unchanged = self.updates.iter().filter_map(guard_columns);
        exist.chain(unchanged).chain(unique).collect()
    }
}

/// A list column of one row.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct List {
    parent: Target,
    table: &'static str,
    column: &'static str,
}

/// What enters and leaves one list.
#[derive(Debug, Default)]
struct ListChange {
    enter: BTreeSet<Atom>,
    leave: BTreeSet<Atom>,
}

fn insert(at: usize, row: &Insert, lists: &BTreeMap<List, ListChange>) -> Operation {
    let mut values: Values = row
        .values
        .iter()
        .map(|(column, content)| (Cow::Borrowed(*column), lower(content)))
        .collect();
    // Children of a new row go into its first value, which satisfies columns that must not be empty.
    let own = lists.iter().filter(|(list, _)| list.parent == Target::New(at));
    for (list, change) in own {
        values.insert(Cow::Borrowed(list.column), Datum::set(change.enter.iter().cloned()));
    }
    Operation::Insert {
        table: Cow::Borrowed(row.key.table()),
        row: values,
        uuid_name: Some(row_name(at)),
        uuid: None,
    }
}

fn update(update: &Update) -> Vec<Operation> {
    let table: Name = Cow::Borrowed(update.key.table());
    let mut row = Values::new();
    let mut mutations = Vec::new();
    for (column, change) in &update.changes {
        match change {
            ColumnChange::Set { after, .. } => {
                row.insert(Cow::Borrowed(*column), lower(after));
            }
            ColumnChange::Entries { put, remove, before: _ } => {
                // A map insert keeps an existing key, so the key goes first.
                let keys = put.iter().map(|(key, _)| key).chain(remove);
                mutations.push(Mutation::new(*column, Mutator::Delete, Datum::set(keys.cloned())));
                if !put.is_empty() {
                    let entries = Datum::map(put.iter().cloned());
                    mutations.push(Mutation::new(*column, Mutator::Insert, entries));
                }
            }
        }
    }
    let conditions = vec![Condition::row(update.uuid)];
    let mut operations = Vec::new();
    if !row.is_empty() {
        let conditions = conditions.clone();
        operations.push(Operation::Update { table: table.clone(), conditions, row });
    }
    if !mutations.is_empty() {
        operations.push(Operation::Mutate { table, conditions, mutations });
    }
    operations
}

fn mutate(list: &List, change: &ListChange) -> Option<Operation> {
    let Target::Standing(parent) = list.parent else { return None };
    let one = |mutator, atoms: &BTreeSet<Atom>| {
        (!atoms.is_empty())
            .then(|| Mutation::new(list.column, mutator, Datum::set(atoms.iter().cloned())))
    };
    // What enters goes first: a list that must not be empty never is.
    let mutations: Vec<Mutation> =
        [one(Mutator::Insert, &change.enter), one(Mutator::Delete, &change.leave)]
            .into_iter()
            .flatten()
            .collect();
    Some(Operation::Mutate {
        table: Cow::Borrowed(list.table),
        conditions: vec![Condition::row(parent)],
        mutations,
    })
}

fn guard_presence(table: &'static str, uuid: Uuid) -> Operation {
    let row = Values::from([(Cow::Borrowed("_uuid"), Datum::from(uuid))]);
    wait(table, vec![Condition::row(uuid)], vec![Cow::Borrowed("_uuid")], vec![row])
}

/// Refuses when another row took the identity meanwhile; unique indexes do that by themselves.
fn guard_absence(database: &DatabaseDef, row: &Insert) -> Option<Operation> {
    let table = database.table(row.key.table())?;
    let Some(Identity::Columns(columns)) = Identity::of(table) else { return None };
    if !table.is_root || table.indexes.contains(&columns) {
        return None;
    }
    let value = |column: &&'static str| match row.values.get(column) {
        Some(Content::Datum(datum)) => {
            Some(Condition::new(*column, Function::Equal, datum.clone()))
        }
        Some(Content::Rows(_) | Content::RowMap(_)) | None => None,
    };
    let conditions: Vec<Condition> = columns.iter().filter_map(value).collect();
    if conditions.len() != columns.len() {
        return None;
    }
    Some(wait(table.name, conditions, vec![Cow::Borrowed("_uuid")], Vec::new()))
}

/// Refuses when a column that is about to change is no longer what compare saw.
fn guard_columns(update: &Update) -> Option<Operation> {
    let mut row = Values::new();
    for (column, change) in &update.changes {
        if let ColumnChange::Set { before, .. } = change {
            row.insert(Cow::Borrowed(*column), before.clone());
        }
    }
    let columns: Vec<Name> = row.keys().cloned().collect();
    if columns.is_empty() {
        return Some(guard_presence(update.key.table(), update.uuid));
    }
    Some(wait(update.key.table(), vec![Condition::row(update.uuid)], columns, vec![row]))
}

fn wait(
    table: &'static str,
    conditions: Vec<Condition>,
    columns: Vec<Name>,
    rows: Vec<Values>,
) -> Operation {
    Operation::Wait {
        table: Cow::Borrowed(table),
        conditions,
        columns: Some(columns),
        until: Until::Equal,
        rows,
        timeout: Some(0),
    }
}

fn lower(content: &Content) -> Datum {
    match content {
        Content::Datum(datum) => datum.clone(),
        Content::Rows(rows) => Datum::set(rows.iter().map(target_atom)),
        Content::RowMap(entries) => {
            Datum::map(entries.iter().map(|(key, row)| (key.clone(), target_atom(row))))
        }
    }
}

fn target_atom(target: &Target) -> Atom {
    match target {
        Target::Standing(uuid) => Atom::Uuid(*uuid),
        Target::New(at) => new_row(*at),
    }
}

fn new_row(at: usize) -> Atom {
    Atom::Named(row_name(at).into())
}

fn row_name(at: usize) -> String {
    format!("row{at}")
}
