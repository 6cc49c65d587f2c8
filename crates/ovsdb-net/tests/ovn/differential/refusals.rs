//! Draws operations that the content of the database refuses, or that are no operations.
//!
//! Invariant: each is wrong in exactly one way.

use std::collections::BTreeSet;
use std::sync::Arc;

use ovsdb::schema::Strength;
use ovsdb::{Atom, Datum, Uuid};
use serde_json::json;

use super::generate::Draw;

impl Draw<'_> {
    pub(crate) fn taken_key(&mut self) -> Option<()> {
        let keyed = self
            .links
            .tables()
            .filter(|table| !table.indexes.is_empty() && self.engine.count(&table.name) > 0);
        let keyed: Vec<_> = keyed.cloned().collect();
        let table = self.dice.pick(&keyed).cloned()?;
        let index = self.dice.pick(&table.indexes).cloned()?;
        let rows: Vec<_> = self.engine.rows(&table.name).collect();
        let holder = *self.dice.pick(&rows)?;
        self.insert_attached(&table, 0)?;
        let at = self.operations.iter().rposition(|operation| {
            operation["op"] == "insert" && operation["table"] == *table.name
        })?;
        for id in index {
            let name = table.column(id).name.to_string();
            self.operations[at]["row"][name] = json!(holder.column(id));
        }
        Some(())
    }

    pub(crate) fn too_many_rows(&mut self) -> Option<()> {
        let limited = self
            .links
            .tables()
            .filter(|table| table.max_rows.is_some_and(|limit| limit < 4) && table.is_root);
        let limited: Vec<_> = limited.cloned().collect();
        let table = self.dice.pick(&limited).cloned()?;
        let room = table.max_rows?.saturating_sub(self.engine.count(&table.name) as u64);
        for _ in 0..=room {
            self.insert(&table, None, 3);
        }
        Some(())
    }

    pub(crate) fn strong_to_nothing(&mut self) -> Option<()> {
        let links: Vec<_> = self.links.all().collect();
        let (_, link) = self.dice.pick(&links)?;
        let (table, column) = (Arc::clone(&link.table), link.table.column(link.column).clone());
        let lost = match self.dice.below(3) {
            0 => {
                self.is_closed = true;
                Atom::Named("undefined".into())
            }
            1 => Atom::Uuid(Uuid::nil()),
            _ => Atom::Uuid(self.dice.uuid()),
        };
        let datum = self.datum_around(&column, &lost);
        if !table.is_root || self.dice.chance(50) {
            self.push(json!({ "op": "update", "table": &*table.name, "where": [],
                              "row": { &*column.name: datum } }));
        } else {
            self.insert(&table, Some((&column, datum)), 3);
        }
        Some(())
    }

    pub(crate) fn deletion_of_referenced(&mut self) -> Option<()> {
        let mut found = Vec::new();
        for (target, link) in self.links.all() {
            for row in self.engine.rows(&link.table.name) {
                let uuids = row.column(link.column).uuids();
                let standing = uuids.filter(|uuid| self.engine.row(target, *uuid).is_some());
                found.extend(standing.map(|uuid| (Arc::clone(target), uuid)));
            }
        }
        let (table, uuid) = self.dice.pick(&found).cloned()?;
        self.push(json!({ "op": "delete", "table": &*table,
                          "where": [["_uuid", "==", ["uuid", uuid.to_string()]]] }));
        Some(())
    }

    /// Unlinks or deletes every row that a column with at least one weak reference names.
    pub(crate) fn loss_of_last_weak(&mut self) -> Option<()> {
        let (table, column) = self
            .column(|_, column| column.kind.has_reference(Strength::Weak) && column.kind.min > 0)?;
        if self.dice.chance(40) {
            let lost = Datum::from(Atom::Uuid(self.dice.uuid()));
            self.insert(&table, Some((&column, lost)), 3);
            return Some(());
        }
        let rows: Vec<_> = self.engine.rows(&table.name).collect();
        let row = *self.dice.pick(&rows)?;
        let gone: BTreeSet<Uuid> = row.get(&column.name)?.uuids().collect();
        let target = column.kind.key.reference()?.table.clone();
        for link in self.links.parents(&target).to_vec() {
            let name = &*link.table.column(link.column).name;
            let is_map = link.table.column(link.column).kind.is_map();
            for holder in self.engine.rows(&link.table.name) {
                let held = holder.column(link.column);
                let kept = held.filter(|key, value| {
                    let is_gone = |atom: &Atom| atom.as_uuid().is_some_and(|u| gone.contains(&u));
                    !is_gone(key) && !value.is_some_and(is_gone)
                });
                debug_assert_eq!(is_map, kept.is_map());
                if kept.len() < held.len() {
                    self.operations.push(json!({ "op": "update", "table": &*link.table.name,
                        "where": [["_uuid", "==", ["uuid", holder.uuid.to_string()]]],
                        "row": { name: kept } }));
                }
            }
        }
        Some(())
    }

    pub(crate) fn unmet_wait(&mut self) -> Option<()> {
        let table = self.filled_table()?;
        let (until, rows) =
            if self.dice.chance(50) { ("==", json!([])) } else { ("!=", json!([{}])) };
        let mut wait = json!({ "op": "wait", "table": &*table.name, "where": [true],
                               "columns": [], "until": until, "rows": rows, "timeout": 0 });
        if self.dice.chance(40) {
            wait["columns"] = json!(["_uuid"]);
            wait["until"] = json!("==");
        }
        self.push(wait);
        Some(())
    }

    pub(crate) fn unheld_lock(&mut self) -> Option<()> {
        self.push(json!({ "op": "assert", "lock": "not_held" }));
        Some(())
    }

    pub(crate) fn abort(&mut self) -> Option<()> {
        self.push(json!({ "op": "abort" }));
        Some(())
    }

    pub(crate) fn taken_name(&mut self) -> Option<()> {
        let table = self.links.tables().find(|table| table.is_root)?.clone();
        for _ in 0..2 {
            self.insert(&table, None, 3);
            let last = self.operations.len() - 1;
            self.operations[last]["uuid-name"] = json!("twice");
        }
        Some(())
    }

    pub(crate) fn taken_uuid(&mut self) -> Option<()> {
        let table = self.filled_table()?;
        let uuids = self.existing(&table.name);
        let uuid = *self.dice.pick(&uuids)?;
        if self.dice.chance(50) {
            self.push(json!({ "op": "delete", "table": &*table.name,
                              "where": [["_uuid", "==", ["uuid", uuid.to_string()]]] }));
        }
        self.insert(&table, None, 3);
        let last = self.operations.len() - 1;
        self.operations[last]["uuid"] = json!(uuid.to_string());
        Some(())
    }

    /// Leaves out a column whose default is refused.
    pub(crate) fn missing_column(&mut self) -> Option<()> {
        let links = self.links;
        let (table, column) = self.column(|table, column| {
            links.is_required(table, column) && !links.is_indexed(table, column)
        })?;
        self.insert(&table, None, 3);
        let last = self.operations.len() - 1;
        self.operations[last]["row"].as_object_mut()?.remove(&*column.name);
        Some(())
    }

    pub(crate) fn wrong_syntax(&mut self) -> Option<()> {
        let table = self.filled_table()?;
        let (table, column) = (&*table.name, table.columns().next()?.1.name.clone());
        let wrong = [
            json!({ "op": "select", "table": "Nowhere", "where": [] }),
            json!({ "op": "select", "table": table }),
            json!({ "op": "select", "table": table, "where": true }),
            json!({ "op": "select", "table": table, "where": [["nothing", "==", 1]] }),
            json!({ "op": "select", "table": table, "where": [[&*column, "~", 1]] }),
            json!({ "op": "select", "table": table, "where": [["_uuid", "<", ["uuid", "x"]]] }),
            json!({ "op": "select", "table": table, "where": [["_uuid", "==", ["uuid", "x"]]] }),
            json!({ "op": "select", "table": table, "where": [["_uuid", "==", 5]] }),
            json!({ "op": "select", "table": table, "where": [["_uuid", "==", {}]] }),
            json!({ "op": "select", "table": table, "where": [["_uuid"]] }),
            json!({ "op": "select", "table": table, "where": [5] }),
            json!({ "op": "select", "table": table, "where": [], "columns": ["nothing"] }),
            json!({ "op": "select", "table": table, "where": [], "columns": [&*column, &*column] }),
            json!({ "op": "select", "table": table, "where": [], "columns": 5 }),
            json!({ "op": "select", "table": table, "where": [], "more": 5 }),
            json!({ "op": "mutate", "table": table, "where": [], "mutations": [["nothing", "+=", 1]] }),
            json!({ "op": "mutate", "table": table, "where": [], "mutations": [[&*column, "^=", 1]] }),
            json!({ "op": "mutate", "table": table, "where": [], "mutations": [[&*column, "+="]] }),
            json!({ "op": "mutate", "table": table, "where": [["nothing", "==", 1]],
                    "mutations": [[&*column, "^=", 1]] }),
            json!({ "op": "update", "table": table, "where": [], "row": { "nothing": 1 } }),
            json!({ "op": "update", "table": table, "where": [], "row": [] }),
            json!({ "op": "insert", "table": table, "row": {}, "uuid-name": "not a name" }),
            json!({ "op": "insert", "table": table, "row": {}, "uuid": "1234" }),
            json!({ "op": "insert", "table": table, "row": { "nothing": 1 } }),
            json!({ "op": "wait", "table": table, "where": [], "until": "=", "rows": [] }),
            json!({ "op": "wait", "table": table, "where": [], "until": "==", "rows": [5] }),
            json!({ "op": "wait", "table": table, "where": [], "until": "==", "rows": [], "timeout": -1 }),
            json!({ "op": "wait", "table": table, "where": [], "until": "==", "rows": [], "timeout": 0.5 }),
            json!({ "op": "commit" }),
            json!({ "op": "comment", "comment": 5 }),
            json!({ "op": "assert", "lock": "no name" }),
            json!({ "op": "vanish" }),
            json!({ "table": table }),
            json!(5),
        ];
        let picked = self.dice.pick(&wrong).cloned()?;
        self.push(picked);
        Some(())
    }
}
