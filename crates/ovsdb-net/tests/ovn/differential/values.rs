//! Draws values that fit a column.
//!
//! Invariant: every value satisfies its type; references name rows that exist or are pending, but
//! for a few weak ones that are meant to vanish.

use std::sync::Arc;

use ovsdb::schema::{BaseType, Bounds, ColumnSchema, Strength, TableSchema};
use ovsdb::value::Real;
use ovsdb::{Atom, Datum, Uuid};

use super::generate::Draw;

const WORDS: &[&str] = &["a", "b", "c", "dd", "ee", "ff", "ggg", "hh\u{e4}\u{1f600}"];

impl Draw<'_> {
    /// A value of a column; `depth` bounds how many rows it may insert to refer to.
    pub(crate) fn datum(
        &mut self,
        table: &TableSchema,
        column: &ColumnSchema,
        depth: usize,
    ) -> Datum {
        if self.links.is_indexed(table, column) {
            return self.unused(table, column);
        }
        let kind = &column.kind;
        let most = kind.max.map_or(3, |max| max.min(3)) as usize;
        let least = kind.min as usize;
        let count = least + self.dice.below(most - least + 1);
        let mut members: Vec<(Atom, Option<Atom>)> = Vec::new();
        for at in 0..count {
            // What cannot be left out is inserted if need be, however deep.
            let depth = if at < least { 0 } else { depth };
            if let Some(key) = self.member(&kind.key, depth)
                && let Some(value) = self.entry(kind.value.as_ref(), depth)
            {
                members.push((key, value));
            }
        }
        assemble(kind.is_map(), members)
    }

    /// A value of a column that holds this reference, and other things it may need.
    pub(crate) fn datum_around(&mut self, column: &ColumnSchema, atom: &Atom) -> Datum {
        let kind = &column.kind;
        match &kind.value {
            None => Datum::from(atom.clone()),
            Some(value) if kind.key.reference().is_some() => {
                Datum::map([(atom.clone(), self.atom(value, 3))])
            }
            Some(_) => Datum::map([(self.atom(&kind.key, 3), atom.clone())]),
        }
    }

    /// A value that no row of the table has yet, if one is easily found.
    fn unused(&mut self, table: &TableSchema, column: &ColumnSchema) -> Datum {
        let mut candidate = Datum::empty_set();
        for _ in 0..6 {
            candidate = Datum::from(match column.kind.key.bounds() {
                Bounds::String { .. } if column.kind.key.enumeration().is_none() => {
                    Atom::from(format!("n{}", self.dice.below(5000)))
                }
                Bounds::Integer { min, max } => {
                    Atom::Integer(self.dice.between((*min).max(-4000), (*max).min(4000)))
                }
                Bounds::String { .. }
                | Bounds::Real { .. }
                | Bounds::Boolean
                | Bounds::Uuid { .. } => self.atom(&column.kind.key, 3),
            });
            let taken = |row: ovsdb::cache::RowView<'_>| row.get(&column.name) == Some(&candidate);
            if !self.engine.rows(&table.name).any(taken) {
                break;
            }
        }
        candidate
    }

    fn entry(&mut self, base: Option<&BaseType>, depth: usize) -> Option<Option<Atom>> {
        match base {
            None => Some(None),
            Some(base) => self.member(base, depth).map(Some),
        }
    }

    /// An atom, unless it has to refer to a row and there is none.
    fn member(&mut self, base: &BaseType, depth: usize) -> Option<Atom> {
        match base.reference() {
            None => Some(self.atom(base, depth)),
            Some(reference) => {
                let (target, strength) = (Arc::clone(&reference.table), reference.strength);
                self.reference(&target, strength, depth)
            }
        }
    }

    fn reference(&mut self, table: &str, strength: Strength, depth: usize) -> Option<Atom> {
        if strength == Strength::Weak && self.dice.chance(6) {
            return Some(Atom::Uuid(self.dice.uuid()));
        }
        let standing = self.existing(table);
        let pending = self.pending.iter().filter(|(name, _)| **name == *table);
        let pending: Vec<Atom> = pending.map(|(_, atom)| atom.clone()).collect();
        if !pending.is_empty() && self.dice.chance(40) {
            return self.dice.pick(&pending).cloned();
        }
        let is_needed = depth == 0 && standing.is_empty();
        if strength == Strength::Strong && (is_needed || depth < 3 && self.dice.chance(40)) {
            let target = self.engine.schema().table(table).cloned()?;
            return self.insert_attached(&target, depth + 1);
        }
        if strength == Strength::Weak && is_needed {
            return Some(Atom::Uuid(self.dice.uuid()));
        }
        self.dice.pick(&standing).copied().map(Atom::Uuid)
    }

    /// An atom of the type that refers to nothing.
    pub(crate) fn atom(&mut self, base: &BaseType, _depth: usize) -> Atom {
        if let Some(allowed) = base.enumeration() {
            let picked = self.dice.pick(allowed.atoms()).cloned();
            return picked.unwrap_or_else(|| base.kind().default_atom());
        }
        match base.bounds() {
            Bounds::Integer { min, max } => {
                if self.dice.chance(8) {
                    // The server multiplies very large numbers wrongly; these stay below.
                    let (min, max) = ((*min).max(-1_000_000), (*max).min(10_000_000_000));
                    return Atom::Integer(if self.dice.chance(50) { min } else { max });
                }
                let (low, high) = ((*min).max(-9), (*max).min((*min).max(0).saturating_add(9)));
                Atom::Integer(self.dice.between(low.min(high), high))
            }
            Bounds::Real { .. } => {
                let quarters = self.dice.between(-4, 20) as f64 / 4.0;
                Real::new(quarters).map_or(Atom::Real(Real::ZERO), Atom::Real)
            }
            Bounds::Boolean => Atom::Boolean(self.dice.chance(50)),
            Bounds::String { min, max } => {
                let fitting = WORDS
                    .iter()
                    .filter(|word| (*min..=*max).contains(&(word.chars().count() as u64)));
                let fitting: Vec<&str> = fitting.copied().collect();
                Atom::from(self.dice.pick(&fitting).copied().unwrap_or("a"))
            }
            Bounds::Uuid { .. } => Atom::Uuid(Uuid::from_u128(self.dice.between(1, 5) as u128)),
        }
    }
}

fn assemble(is_map: bool, members: Vec<(Atom, Option<Atom>)>) -> Datum {
    if is_map {
        let pairs = members.into_iter().filter_map(|(key, value)| Some((key, value?)));
        return Datum::map(pairs);
    }
    Datum::set(members.into_iter().map(|(key, _)| key))
}
