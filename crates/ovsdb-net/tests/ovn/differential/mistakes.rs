//! Draws operations that are wrong in exactly one way.
//!
//! Invariant: a mistake that the database gives no occasion for is replaced by another.

use std::sync::Arc;

use ovsdb::Uuid;
use ovsdb::op::Mutator;
use ovsdb::schema::{BaseType, Bounds, ColumnSchema, TableSchema};
use ovsdb::value::AtomKind;
use serde_json::{Value, json};

use super::clauses::{has_references, mutators};
use super::generate::Draw;

/// How often a mistake is drawn, and what makes it.
type Mistake<'a> = (usize, fn(&mut Draw<'a>) -> Option<()>);

impl<'a> Draw<'a> {
    /// Those whose count is asserted come often.
    const MISTAKES: [Mistake<'a>; 23] = [
        (5, Self::bad_enumeration),
        (3, Self::bad_integer),
        (15, Self::bad_real),
        (5, Self::bad_length),
        (6, Self::bad_count),
        (16, Self::bad_count_after_mutation),
        (6, Self::taken_key),
        (6, Self::too_many_rows),
        (8, Self::change_of_immutable),
        (6, Self::duplicate_member),
        (12, Self::duplicates_after_mutation),
        (6, Self::strong_to_nothing),
        (3, Self::deletion_of_referenced),
        (11, Self::loss_of_last_weak),
        (6, Self::division_by_zero),
        (6, Self::overflow),
        (6, Self::unmet_wait),
        (6, Self::unheld_lock),
        (7, Self::abort),
        (6, Self::taken_name),
        (6, Self::taken_uuid),
        (3, Self::missing_column),
        (7, Self::wrong_syntax),
    ];

    pub(crate) fn mistake(&mut self) {
        let total: usize = Self::MISTAKES.iter().map(|(weight, _)| weight).sum();
        for _ in 0..12 {
            let mut roll = self.dice.below(total);
            let found = Self::MISTAKES.iter().find(|(weight, _)| {
                let hit = roll < *weight;
                roll = roll.wrapping_sub(*weight);
                hit
            });
            if found.and_then(|(_, make)| make(self)).is_some() {
                return;
            }
        }
        self.push(json!({ "op": "abort" }));
    }

    /// Puts a value into a column: by insert, update, or as the argument of a condition.
    fn place(&mut self, table: &Arc<TableSchema>, column: &ColumnSchema, value: Value) {
        let name = &*table.name;
        match self.dice.below(4) {
            0 => {
                self.insert(table, None, 3);
                let last = self.operations.len() - 1;
                self.operations[last]["row"][&*column.name] = value;
            }
            1 => self.push(json!({ "op": "select", "table": name,
                                   "where": [[&*column.name, "==", value]] })),
            _ if column.mutable => self.push(json!({ "op": "update", "table": name,
                                   "where": [], "row": { &*column.name: value } })),
            _ => self.push(json!({ "op": "delete", "table": name,
                                   "where": [[&*column.name, "!=", value]] })),
        }
    }

    /// A column for which `fits` holds, with its table.
    pub(crate) fn column(
        &mut self,
        fits: impl Fn(&TableSchema, &ColumnSchema) -> bool,
    ) -> Option<(Arc<TableSchema>, ColumnSchema)> {
        let mut found = Vec::new();
        for table in self.links.tables() {
            let columns = table.columns().filter(|(_, column)| fits(table, column));
            found.extend(columns.map(|(_, column)| (Arc::clone(table), column.clone())));
        }
        self.dice.pick(&found).cloned()
    }

    fn bad_enumeration(&mut self) -> Option<()> {
        let (table, column) = self
            .column(|_, column| column.kind.key.enumeration().is_some() && !column.kind.is_map())?;
        self.place(&table, &column, json!("no such word"));
        Some(())
    }

    fn bad_integer(&mut self) -> Option<()> {
        let (table, column) = self.column(|_, column| {
            column.kind.key.kind() == AtomKind::Integer && column.kind.key.has_constraints()
        })?;
        let Bounds::Integer { min, max } = column.kind.key.bounds() else { return None };
        let value =
            if *max < i64::MAX && self.dice.chance(60) { max + 1 } else { min.checked_sub(1)? };
        if self.dice.chance(25) && column.kind.is_scalar() {
            let distance = value.checked_sub(*min)?;
            self.push(json!({ "op": "mutate", "table": &*table.name, "where": [],
                              "mutations": [[&*column.name, "+=", distance.max(1)]] }));
            return Some(());
        }
        self.place(&table, &column, json!(value));
        Some(())
    }

    fn bad_real(&mut self) -> Option<()> {
        let (table, column) = self.column(|_, column| {
            column.kind.key.kind() == AtomKind::Real && column.kind.key.has_constraints()
        })?;
        let value = if self.dice.chance(50) { 5000.5 } else { -5000.5 };
        self.place(&table, &column, json!(value));
        Some(())
    }

    fn bad_length(&mut self) -> Option<()> {
        let limited =
            |base: &BaseType| matches!(base.bounds(), Bounds::String { max, .. } if *max < 1000);
        let (table, column) = self.column(|_, column| limited(&column.kind.key))?;
        let is_short = matches!(column.kind.key.bounds(), Bounds::String { min, .. } if *min > 0);
        let short = is_short && self.dice.chance(50);
        self.place(&table, &column, json!(if short { String::new() } else { "\u{e4}".repeat(80) }));
        Some(())
    }

    fn bad_count(&mut self) -> Option<()> {
        let (table, column) = self.column(|_, column| {
            let bounded = column.kind.max.is_some_and(|max| max < 9) || column.kind.min > 0;
            bounded && !column.kind.is_map() && column.kind.key.kind() != AtomKind::Uuid
        })?;
        let few = column.kind.min > 0 && self.dice.chance(40);
        let word = self.atom(&column.kind.key, 3);
        let members = if few { vec![] } else { vec![json!(word); 9] };
        self.place(&table, &column, json!(["set", members]));
        Some(())
    }

    fn bad_count_after_mutation(&mut self) -> Option<()> {
        let table = self.filled_table()?;
        let uuids = self.existing(&table.name);
        let uuid = *self.dice.pick(&uuids)?;
        let view = self.engine.row(&table.name, uuid)?;
        let full = table.columns().filter(|(id, column)| {
            let count = view.column(*id).len();
            let is_full = column.kind.max.is_some_and(|max| count >= max as usize);
            let is_least = count > 0 && count == column.kind.min as usize;
            let is_plain = !has_references(column) && !column.kind.is_scalar() && column.mutable;
            is_plain && (is_full || is_least)
        });
        let full: Vec<_> = full.map(|(id, column)| (id, column.clone())).collect();
        let (id, column) = self.dice.pick(&full).cloned()?;
        let held = view.column(id).clone();
        let is_full = column.kind.max.is_some_and(|max| held.len() >= max as usize);
        let mut other = held.clone();
        for _ in 0..5 {
            if is_full && (other.is_empty() || other == held) {
                other = self.datum(&table, &column, 3);
            }
        }
        let (mutator, argument) = if is_full { ("insert", other) } else { ("delete", held) };
        self.push(json!({ "op": "mutate", "table": &*table.name,
            "where": [["_uuid", "==", ["uuid", uuid.to_string()]]],
            "mutations": [[&*column.name, mutator, argument]] }));
        Some(())
    }

    fn change_of_immutable(&mut self) -> Option<()> {
        let own =
            if self.dice.chance(70) { self.column(|_, column| !column.mutable) } else { None };
        if let Some((table, column)) = own {
            let value = json!(self.atom(&column.kind.key, 3));
            self.push(json!({ "op": "update", "table": &*table.name, "where": [],
                              "row": { &*column.name: value } }));
            return Some(());
        }
        let table = self.filled_table()?;
        let implicit = if self.dice.chance(50) { "_uuid" } else { "_version" };
        let value = json!(["uuid", Uuid::nil().to_string()]);
        let operation = if self.dice.chance(50) {
            json!({ "op": "update", "table": &*table.name, "where": [], "row": { implicit: value } })
        } else {
            json!({ "op": "mutate", "table": &*table.name, "where": [],
                    "mutations": [[implicit, "insert", value]] })
        };
        self.push(operation);
        Some(())
    }

    fn duplicate_member(&mut self) -> Option<()> {
        let (table, column) = self.column(|_, column| {
            column.kind.max.is_none_or(|max| max >= 2) && !has_references(column)
        })?;
        let key = json!(self.atom(&column.kind.key, 3));
        let value = match &column.kind.value {
            None => json!(["set", [key, key]]),
            Some(base) => {
                let value = json!(self.atom(base, 3));
                json!(["map", [[key, value], [key, value]]])
            }
        };
        self.place(&table, &column, value);
        Some(())
    }

    fn duplicates_after_mutation(&mut self) -> Option<()> {
        let mut found = Vec::new();
        for table in self.links.tables() {
            for row in self.engine.rows(&table.name) {
                for (id, column) in table.columns() {
                    if mutators(column).contains(&Mutator::Multiply) && row.column(id).len() > 1 {
                        let kind = column.kind.key.kind();
                        found.push((Arc::clone(table), row.uuid, column.name.clone(), kind));
                    }
                }
            }
        }
        let (table, uuid, column, kind) = self.dice.pick(&found).cloned()?;
        let (symbol, argument) = nullify(kind);
        self.push(json!({ "op": "mutate", "table": &*table.name,
            "where": [["_uuid", "==", ["uuid", uuid.to_string()]]],
            "mutations": [[&*column, symbol, argument]] }));
        Some(())
    }

    fn division_by_zero(&mut self) -> Option<()> {
        self.arithmetic(&["/=", "%="], json!(0))
    }

    fn overflow(&mut self) -> Option<()> {
        let engine = self.engine;
        let (table, column) = self.column(|table, column| {
            let plain = !column.kind.key.has_constraints() && column.mutable;
            let scalar = column.kind.is_scalar() && mutators(column).contains(&Mutator::Add);
            plain && scalar && engine.count(&table.name) > 0
        })?;
        let (column, kind) = (column.name, column.kind.key.kind());
        let most = if kind == AtomKind::Real { json!(1.5e308) } else { json!(i64::MAX) };
        let (symbol, argument) = nullify(kind);
        self.push(json!({ "op": "mutate", "table": &*table.name, "where": [],
            "mutations": [[&*column, symbol, argument], [&*column, "+=", most],
                          [&*column, "+=", most]] }));
        Some(())
    }

    fn arithmetic(&mut self, symbols: &[&str], argument: Value) -> Option<()> {
        let engine = self.engine;
        let (table, column) = self.column(|table, column| {
            let numeric = mutators(column).contains(&Mutator::Modulo) && column.mutable;
            numeric && column.kind.is_scalar() && engine.count(&table.name) > 0
        })?;
        let column = column.name;
        let symbol = *self.dice.pick(symbols)?;
        self.push(json!({ "op": "mutate", "table": &*table.name, "where": [],
                          "mutations": [[&*column, symbol, argument]] }));
        Some(())
    }
}

/// A mutation that makes any small number zero.
fn nullify(kind: AtomKind) -> (&'static str, Value) {
    match kind {
        AtomKind::Real => ("*=", json!(0)),
        // ovsdb-server 3.5 dies of a division error when a negative integer is multiplied by zero.
        AtomKind::Integer | AtomKind::Boolean | AtomKind::String | AtomKind::Uuid => {
            ("/=", json!(i64::MAX))
        }
    }
}
