//! Differences between values, as updates carry them.
//!
//! Reads a value and a difference; returns the new value, or changes the value where it is.
//! Invariant: what a difference changed, the difference that comes back changes back.

use super::{Content, Datum};
use crate::value::{Atom, Atoms};

/// A difference that has more than this part of a value is merged with it in one pass.
const MERGE_FROM: usize = 16;

impl Datum {
    /// What [`Datum::apply_difference`] needs to turn this value into `new`; both are one rule.
    pub fn difference(&self, new: &Self) -> Self {
        match (self.is_map(), new.is_map()) {
            (false, false) => Self::of_atoms(symmetric_difference(self.atoms(), new.atoms())),
            (true, true) => Self(Content::Map(merge_entries(self.entries(), new.entries()).into())),
            (false, true) | (true, false) => new.clone(),
        }
    }

    /// Applies a difference as `update2` and `update3` carry it.
    ///
    /// In a set, a member of both goes, a member of only the difference comes. In a map, an equal
    /// entry goes, any other replaces what its key had.
    pub fn apply_difference(&self, difference: &Self) -> Self {
        match (self.is_map(), difference.is_map()) {
            (false, false) | (true, true) => self.difference(difference),
            // The other kind can only be an empty value: nothing to take over.
            (false, true) | (true, false) => self.clone(),
        }
    }

    /// Applies a difference in place; returns the one that takes it back.
    ///
    /// A small difference costs little on a long list, which is not copied.
    pub fn change(&mut self, difference: Self) -> Self {
        match (self.is_map(), difference.is_map()) {
            (false, false) if difference.len() * MERGE_FROM <= self.len() => {
                difference.atoms().iter().for_each(|atom| self.toggle(atom));
                // What was toggled is toggled back.
                difference
            }
            (false, true) => Self::empty_set(),
            (true, false) => Self::empty_map(),
            (false, false) | (true, true) => {
                let changed = self.apply_difference(&difference);
                let undo = changed.difference(self);
                *self = changed;
                undo
            }
        }
    }

    fn toggle(&mut self, atom: &Atom) {
        let Content::Many(atoms) = &mut self.0 else {
            *self = Self::of_atoms(symmetric_difference(self.atoms(), std::slice::from_ref(atom)));
            return;
        };
        match atoms.binary_search(atom) {
            Ok(at) => drop(atoms.remove(at)),
            Err(at) => atoms.insert(at, atom.clone()),
        }
        if atoms.len() == 1 {
            self.0 = atoms.pop().map_or(Content::Empty, Content::One);
        }
    }
}

fn symmetric_difference(old: &[Atom], toggled: &[Atom]) -> Atoms {
    let mut merged = Atoms::new();
    let (mut left, mut right) = (old.iter().peekable(), toggled.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a == b => {
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a < b => merged.extend(left.next().cloned()),
            (_, Some(_)) => merged.extend(right.next().cloned()),
            (Some(_), None) => merged.extend(left.next().cloned()),
            (None, None) => return merged,
        }
    }
}

fn merge_entries(old: &[(Atom, Atom)], changed: &[(Atom, Atom)]) -> Vec<(Atom, Atom)> {
    let mut merged = Vec::with_capacity(old.len());
    let (mut left, mut right) = (old.iter().peekable(), changed.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                let same = a == b;
                left.next();
                let entry = right.next();
                if !same {
                    merged.extend(entry.cloned());
                }
            }
            (Some(a), Some(b)) if a.0 < b.0 => merged.extend(left.next().cloned()),
            (_, Some(_)) => merged.extend(right.next().cloned()),
            (Some(_), None) => merged.extend(left.next().cloned()),
            (None, None) => return merged,
        }
    }
}
