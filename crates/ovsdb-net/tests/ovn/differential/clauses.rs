//! Draws conditions and mutations of all kinds.
//!
//! Invariant: every clause fits its column; only what the rows hold can still refuse it.

use std::sync::Arc;

use ovsdb::Datum;
use ovsdb::op::{Function, Mutator};
use ovsdb::schema::{ColumnSchema, Strength, TableSchema};
use ovsdb::value::AtomKind;
use serde_json::{Value, json};

use super::generate::Draw;

impl Draw<'_> {
    pub(crate) fn mutate(&mut self) {
        let Some(table) = self.filled_table() else { return };
        let condition = self.conditions(&table);
        let mut mutations = Vec::new();
        for _ in 0..=self.dice.below(2) {
            let changeable = self.changeable(&table).into_iter();
            let usable = changeable.filter(|c| !mutators(c).is_empty());
            let usable: Vec<&ColumnSchema> = usable.collect();
            let numeric: Vec<&ColumnSchema> =
                usable.iter().copied().filter(|c| mutators(c).contains(&Mutator::Add)).collect();
            let pool = if !numeric.is_empty() && self.dice.chance(50) { numeric } else { usable };
            let Some(column) = self.dice.pick(&pool).copied() else { continue };
            mutations.push(self.mutation(&table, column));
        }
        self.push(json!({ "op": "mutate", "table": &*table.name, "where": condition,
                          "mutations": mutations }));
    }

    fn mutation(&mut self, table: &Arc<TableSchema>, column: &ColumnSchema) -> Value {
        let choices = mutators(column);
        let mutator = self.dice.pick(&choices).copied().unwrap_or(Mutator::Insert);
        let argument = match mutator {
            Mutator::Insert => {
                let mut datum = self.datum(table, column, 1);
                if column.kind.max == Some(1) && self.dice.chance(60) {
                    datum = Datum::empty_set();
                }
                json!(datum)
            }
            Mutator::Delete => self.removable(table, column),
            Mutator::Add
            | Mutator::Subtract
            | Mutator::Multiply
            | Mutator::Divide
            | Mutator::Modulo => {
                let small = self.dice.between(1, 3);
                match column.kind.key.kind() {
                    AtomKind::Real => json!(small as f64 / 2.0),
                    AtomKind::Integer | AtomKind::Boolean | AtomKind::String | AtomKind::Uuid => {
                        json!(small)
                    }
                }
            }
        };
        json!([&*column.name, mutator.symbol(), argument])
    }

    /// Something to delete from a column: members that a row has, or keys of a map, or others.
    pub(crate) fn removable(&mut self, table: &Arc<TableSchema>, column: &ColumnSchema) -> Value {
        let uuids = self.existing(&table.name);
        let row = self.dice.pick(&uuids).and_then(|uuid| self.engine.row(&table.name, *uuid));
        let held = row.and_then(|row| row.get(&column.name)).cloned();
        let datum = match held {
            Some(held) if self.dice.chance(70) => held,
            Some(_) | None => self.datum(table, column, 1),
        };
        let room = datum.len().saturating_sub(usize::from(column.kind.min > 0));
        let kept: Vec<bool> =
            (0..datum.len()).map(|at| at < room && self.dice.chance(70)).collect();
        let mut at = 0;
        let part = datum.filter(|_, _| {
            at += 1;
            kept[at - 1]
        });
        if part.is_map() && self.dice.chance(40) {
            return json!(Datum::set(part.entries().iter().map(|(key, _)| key.clone())));
        }
        json!(part)
    }

    /// Conditions for operations that change rows: mostly exactly one row.
    pub(crate) fn conditions(&mut self, table: &Arc<TableSchema>) -> Value {
        let uuids = self.existing(&table.name);
        match self.dice.pick(&uuids) {
            Some(uuid) if self.dice.chance(75) => {
                json!([["_uuid", "==", ["uuid", uuid.to_string()]]])
            }
            Some(_) | None => self.any_conditions(table),
        }
    }

    /// Conditions of all kinds on all columns.
    pub(crate) fn any_conditions(&mut self, table: &Arc<TableSchema>) -> Value {
        let mut conditions = Vec::new();
        for _ in 0..=self.dice.below(2) {
            if self.dice.chance(6) {
                conditions.push(json!(self.dice.chance(80)));
                continue;
            }
            let columns: Vec<&ColumnSchema> = table.columns().map(|(_, column)| column).collect();
            let numeric: Vec<&ColumnSchema> =
                columns.iter().copied().filter(|column| is_ordered(column)).collect();
            let pool = if !numeric.is_empty() && self.dice.chance(50) { numeric } else { columns };
            let Some(column) = self.dice.pick(&pool).copied() else { continue };
            conditions.push(self.condition(table, column));
        }
        json!(conditions)
    }

    fn condition(&mut self, table: &Arc<TableSchema>, column: &ColumnSchema) -> Value {
        let usable: Vec<Function> = Function::ALL
            .into_iter()
            .filter(|function| !function.is_relational() || is_ordered(column))
            .collect();
        let function = self.dice.pick(&usable).copied().unwrap_or(Function::Equal);
        let uuids = self.existing(&table.name);
        let row = self.dice.pick(&uuids).and_then(|uuid| self.engine.row(&table.name, *uuid));
        let held = row.and_then(|row| row.get(&column.name)).cloned();
        let mut argument = match held {
            Some(held) if self.dice.chance(60) => held,
            Some(_) | None => self.datum(table, column, 2),
        };
        if function.is_relational() && argument.is_empty() {
            argument = Datum::from(self.atom(&column.kind.key, 2));
        }
        json!([&*column.name, function.symbol(), argument])
    }
}

fn is_ordered(column: &ColumnSchema) -> bool {
    let numeric = matches!(column.kind.key.kind(), AtomKind::Integer | AtomKind::Real);
    numeric && !column.kind.is_map() && column.kind.max == Some(1)
}

/// The mutators that fit a column.
pub(crate) fn mutators(column: &ColumnSchema) -> Vec<Mutator> {
    let mut usable = Vec::new();
    if !column.kind.is_scalar() {
        usable.extend([Mutator::Insert, Mutator::Delete]);
    }
    if column.kind.is_map() {
        return usable;
    }
    match column.kind.key.kind() {
        AtomKind::Integer => usable.extend([
            Mutator::Add,
            Mutator::Subtract,
            Mutator::Multiply,
            Mutator::Divide,
            Mutator::Modulo,
        ]),
        AtomKind::Real => {
            usable.extend([Mutator::Add, Mutator::Subtract, Mutator::Multiply, Mutator::Divide]);
        }
        AtomKind::Boolean | AtomKind::String | AtomKind::Uuid => {}
    }
    usable
}

/// Whether a column refers to rows.
pub(crate) fn has_references(column: &ColumnSchema) -> bool {
    column.kind.has_reference(Strength::Strong) || column.kind.has_reference(Strength::Weak)
}
