//! Draws transactions that know the database: most commit, some are wrong in one known way.
//!
//! Invariant: a transaction holds at most one deliberate mistake per operation, because the
//! server does not say in which order it looks for several.

use std::collections::BTreeSet;
use std::sync::Arc;

use ovsdb::schema::{ColumnSchema, TableSchema};
use ovsdb::{Atom, Datum, Engine, Uuid};
use serde_json::{Value, json};

use super::dice::Dice;
use super::links::Links;

/// A lock that the client of every run owns.
pub(crate) const HELD_LOCK: &str = "held";

/// How many rows a database may have before deletions outweigh insertions.
const COMFORTABLE_ROWS: usize = 90;

/// How often something is done, and what.
type Move<'a> = (usize, fn(&mut Draw<'a>));

pub(crate) struct Draw<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) links: &'a Links,
    pub(crate) dice: &'a mut Dice,
    pub(crate) operations: Vec<Value>,
    /// Rows that earlier operations of the transaction insert, and how to refer to them.
    pub(crate) pending: Vec<(Arc<str>, Atom)>,
    names: usize,
    /// Nothing may follow, because it could show an identifier that only one side knows.
    pub(crate) is_closed: bool,
}

impl<'a> Draw<'a> {
    /// One transaction.
    pub(crate) fn transaction(
        engine: &'a Engine,
        links: &'a Links,
        dice: &'a mut Dice,
    ) -> Vec<Value> {
        let (operations, pending) = (Vec::new(), Vec::new());
        let mut draw =
            Self { engine, links, dice, operations, pending, names: 0, is_closed: false };
        let moves = 1 + draw.dice.below(4);
        let mistake = draw.dice.chance(32).then(|| draw.dice.below(moves));
        for at in 0..moves {
            if mistake == Some(at) {
                draw.mistake();
            } else if !draw.is_closed {
                draw.correct_move();
            }
        }
        draw.operations
    }

    pub(crate) fn push(&mut self, operation: Value) {
        self.operations.push(operation);
    }

    fn rows(&self) -> usize {
        self.engine.schema().tables().map(|table| self.engine.count(&table.name)).sum()
    }

    fn correct_move(&mut self) {
        let crowded = self.rows() > COMFORTABLE_ROWS;
        let weights: &[Move<'a>] = &[
            (if crowded { 8 } else { 34 }, Self::grow),
            (12, Self::update),
            (22, Self::mutate),
            (12, Self::select),
            (6, Self::satisfied_wait),
            (7, Self::remark),
            (if crowded { 22 } else { 5 }, Self::delete),
            (if crowded { 18 } else { 8 }, Self::unlink),
            (4, Self::swap_keys),
        ];
        let total: usize = weights.iter().map(|(weight, _)| weight).sum();
        let mut roll = self.dice.below(total);
        for (weight, act) in weights {
            if roll < *weight {
                return act(self);
            }
            roll -= weight;
        }
    }

    /// Inserts a row, and for tables whose rows need a parent, the reference from it.
    fn grow(&mut self) {
        let open = self.links.tables().filter(|table| self.has_room(table));
        let open: Vec<Arc<TableSchema>> = open.cloned().collect();
        let Some(table) = self.dice.pick(&open).cloned() else { return };
        self.insert_attached(&table, 0);
    }

    fn has_room(&self, table: &TableSchema) -> bool {
        let pending = self.pending.iter().filter(|(name, _)| *name == table.name).count();
        let count = (self.engine.count(&table.name) + pending) as u64;
        table.max_rows.is_none_or(|limit| count < limit)
    }

    /// Inserts a row; the operation that refers to it may come before or after.
    pub(crate) fn insert_attached(
        &mut self,
        table: &Arc<TableSchema>,
        depth: usize,
    ) -> Option<Atom> {
        if !self.has_room(table) {
            return None;
        }
        let first = self.operations.len();
        let atom = self.insert(table, None, depth);
        if !table.is_root && depth == 0 && !self.dice.chance(8) {
            let after = self.operations.len();
            self.attach(table, &atom);
            let is_named = matches!(atom, Atom::Named(_));
            // A name that is mentioned before an insert with a wish of its own means nothing.
            let has_wish = self.operations[after - 1].get("uuid").is_some();
            if is_named && !has_wish && self.dice.chance(20) {
                self.operations[first..].rotate_left(after - first);
            }
        }
        Some(atom)
    }

    /// Makes some row refer to a new one.
    fn attach(&mut self, table: &Arc<TableSchema>, atom: &Atom) {
        let Some(link) = self.dice.pick(self.links.parents(&table.name)).cloned() else { return };
        let standing = self.existing(&link.table.name);
        let column = link.table.column(link.column).clone();
        let datum = self.datum_around(&column, atom);
        if let Some(parent) = self.dice.pick(&standing).copied()
            && self.dice.chance(75)
        {
            let condition = json!([["_uuid", "==", ["uuid", parent.to_string()]]]);
            let table = &*link.table.name;
            if column.kind.is_composite() && self.dice.chance(80) {
                self.push(json!({ "op": "mutate", "table": table, "where": condition,
                                  "mutations": [[&*column.name, "insert", datum]] }));
            } else {
                self.push(json!({ "op": "update", "table": table, "where": condition,
                                  "row": { &*column.name: datum } }));
            }
            return;
        }
        if self.has_room(&link.table) {
            let parent = self.insert(&link.table, Some((&column, datum)), 1);
            if !link.table.is_root {
                self.attach(&link.table, &parent);
            }
        }
    }

    /// Inserts a row with every column that it cannot do without, and some others.
    pub(crate) fn insert(
        &mut self,
        table: &Arc<TableSchema>,
        preset: Option<(&ColumnSchema, Datum)>,
        depth: usize,
    ) -> Atom {
        let mut row = serde_json::Map::new();
        for (_, column) in table.columns() {
            let (name, datum) = match &preset {
                Some((given, datum)) if given.name == column.name => (&given.name, datum.clone()),
                Some(_) | None => {
                    let needed = self.links.is_required(table, column);
                    if !needed && !self.dice.chance(30) {
                        continue;
                    }
                    (&column.name, self.datum(table, column, depth + 1))
                }
            };
            row.insert(name.to_string(), json!(datum));
        }
        let mut operation = json!({ "op": "insert", "table": &*table.name, "row": row });
        let wish = self.dice.chance(30).then(|| self.dice.uuid());
        if let Some(uuid) = wish {
            operation["uuid"] = json!(uuid.to_string());
        }
        self.names += 1;
        let name = format!("row{}", self.names);
        let by_name = wish.is_none() || self.dice.chance(30);
        if by_name {
            operation["uuid-name"] = json!(name);
        }
        let atom =
            if by_name { Atom::Named(name.into()) } else { Atom::Uuid(wish.unwrap_or_default()) };
        self.push(operation);
        self.pending.push((Arc::clone(&table.name), atom.clone()));
        atom
    }

    /// The columns of a table that may change freely; indexed ones would clash too often.
    pub(crate) fn changeable<'t>(&self, table: &'t TableSchema) -> Vec<&'t ColumnSchema> {
        let columns = table.columns().map(|(_, column)| column);
        columns.filter(|column| column.mutable && !self.links.is_indexed(table, column)).collect()
    }

    fn update(&mut self) {
        let Some(table) = self.filled_table() else { return };
        let condition = self.conditions(&table);
        let mut row = serde_json::Map::new();
        for _ in 0..=self.dice.below(2) {
            let columns = self.changeable(&table);
            let Some(column) = self.dice.pick(&columns).copied() else { continue };
            row.insert(column.name.to_string(), json!(self.datum(&table, column, 1)));
        }
        self.push(json!({ "op": "update", "table": &*table.name, "where": condition, "row": row }));
    }

    fn select(&mut self) {
        let Some(table) = self.filled_table() else { return };
        let condition = self.any_conditions(&table);
        let mut operation = json!({ "op": "select", "table": &*table.name, "where": condition });
        if self.dice.chance(70) {
            let mut columns: Vec<String> = Vec::new();
            for (_, column) in table.columns() {
                if self.dice.chance(25) {
                    columns.push(column.name.to_string());
                }
            }
            if self.dice.chance(50) {
                columns.push("_uuid".to_owned());
            }
            operation["columns"] = json!(columns);
        }
        self.push(operation);
    }

    /// A wait that is true of the committed rows, if nothing in the transaction changed them.
    fn satisfied_wait(&mut self) {
        let Some(table) = self.filled_table() else { return };
        let touched = |operation: &Value| operation["op"] != "select" && operation["op"] != "wait";
        if self.operations.iter().any(touched) {
            return;
        }
        let uuids = self.existing(&table.name);
        let Some(uuid) = self.dice.pick(&uuids).copied() else { return };
        let Some(view) = self.engine.row(&table.name, uuid) else { return };
        let chosen: Vec<_> = table.columns().filter(|_| self.dice.chance(40)).collect();
        let columns: Vec<&str> = chosen.iter().map(|(_, column)| &*column.name).collect();
        let row: serde_json::Map<String, Value> = chosen
            .iter()
            .map(|(id, column)| (column.name.to_string(), json!(view.column(*id))))
            .collect();
        let (until, rows) =
            if self.dice.chance(70) { ("==", vec![json!(row)]) } else { ("!=", vec![]) };
        self.push(json!({ "op": "wait", "table": &*table.name, "timeout": 0, "until": until,
            "where": [["_uuid", "==", ["uuid", uuid.to_string()]]],
            "columns": columns, "rows": rows }));
    }

    fn remark(&mut self) {
        let remark = match self.dice.below(3) {
            0 => json!({ "op": "comment", "comment": "a remark" }),
            1 => json!({ "op": "commit", "durable": self.dice.chance(50) }),
            _ => json!({ "op": "assert", "lock": HELD_LOCK }),
        };
        self.push(remark);
    }

    fn delete(&mut self) {
        let Some(table) = self.filled_table() else { return };
        let condition = match self.loose_row(&table) {
            Some(uuid) if !self.dice.chance(20) => {
                json!([["_uuid", "==", ["uuid", uuid.to_string()]]])
            }
            None if !self.dice.chance(10) => return,
            Some(_) | None => self.conditions(&table),
        };
        self.push(json!({ "op": "delete", "table": &*table.name, "where": condition }));
    }

    /// A row that no other row keeps alive.
    fn loose_row(&mut self, table: &TableSchema) -> Option<Uuid> {
        let mut kept = BTreeSet::new();
        for link in self.links.parents(&table.name) {
            let holders = self.engine.rows(&link.table.name);
            holders.for_each(|holder| kept.extend(holder.column(link.column).uuids()));
        }
        let loose = self.existing(&table.name).into_iter().filter(|uuid| !kept.contains(uuid));
        let loose: Vec<Uuid> = loose.collect();
        self.dice.pick(&loose).copied()
    }

    /// Takes references out of a column, so that rows lose what kept them alive.
    fn unlink(&mut self) {
        let links: Vec<_> = self.links.all().collect();
        let Some((_, link)) = self.dice.pick(&links) else { return };
        let (table, column) = (&link.table, link.table.column(link.column));
        let rows = self.engine.rows(&table.name);
        let holding = rows.filter(|row| !row.column(link.column).is_empty());
        let holding: Vec<Uuid> = holding.map(|row| row.uuid).collect();
        let Some(uuid) = self.dice.pick(&holding).copied() else { return };
        let condition = json!([["_uuid", "==", ["uuid", uuid.to_string()]]]);
        if column.kind.min == 0 && self.dice.chance(50) {
            let empty = if column.kind.is_map() { Datum::empty_map() } else { Datum::empty_set() };
            self.push(json!({ "op": "update", "table": &*table.name, "where": condition,
                              "row": { &*column.name: empty } }));
        } else {
            let argument = self.removable(table, column);
            self.push(json!({ "op": "mutate", "table": &*table.name, "where": condition,
                              "mutations": [[&*column.name, "delete", argument]] }));
        }
    }

    /// Two rows exchange their keys, which is no violation within one transaction.
    fn swap_keys(&mut self) {
        let keyed = self.links.tables().filter(|table| {
            table.indexes.iter().flatten().all(|id| table.column(*id).mutable)
                && !table.indexes.is_empty()
                && self.engine.count(&table.name) >= 2
        });
        let keyed: Vec<_> = keyed.cloned().collect();
        let Some(table) = self.dice.pick(&keyed).cloned() else { return };
        let rows: Vec<_> = self.engine.rows(&table.name).collect();
        let (Some(a), Some(b)) = (self.dice.pick(&rows).copied(), self.dice.pick(&rows).copied())
        else {
            return;
        };
        for (row, other) in [(a, b), (b, a)] {
            let keys = table.indexes.iter().flatten();
            let keys: serde_json::Map<String, Value> = keys
                .map(|id| (table.column(*id).name.to_string(), json!(other.column(*id))))
                .collect();
            self.push(json!({ "op": "update", "table": &*table.name, "row": keys,
                "where": [["_uuid", "==", ["uuid", row.uuid.to_string()]]] }));
        }
    }

    pub(crate) fn filled_table(&mut self) -> Option<Arc<TableSchema>> {
        let filled = self.links.tables().filter(|table| self.engine.count(&table.name) > 0);
        let filled: Vec<Arc<TableSchema>> = filled.cloned().collect();
        self.dice.pick(&filled).cloned()
    }

    pub(crate) fn existing(&self, table: &str) -> Vec<Uuid> {
        self.engine.rows(table).map(|row| row.uuid).collect()
    }
}
