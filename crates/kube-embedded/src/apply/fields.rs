//! Sets of fields: who owns what is said in them.
//!
//! Built from objects and from `fieldsV1`; returns other sets, and `fieldsV1` again.
//! Invariant: names are kept in their wire form (`f:spec`, `k:{"name":"a"}`), written in one way
//! only, so that two names are of one field exactly if they are equal texts.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde_json::{Map, Value};

use super::names;

/// A field, and the fields below it, of which some belong to the set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// Whether the field itself belongs to the set.
    pub(super) is_member: bool,
    pub(super) below: BTreeMap<String, Fields>,
}

impl Fields {
    /// The field itself and nothing below it.
    pub(super) fn leaf() -> Self {
        Self { is_member: true, below: BTreeMap::new() }
    }

    /// A set of one field, reached through `path`.
    pub(super) fn insert<'a>(&mut self, path: impl IntoIterator<Item = &'a str>) {
        let mut fields = self;
        for name in path {
            fields = fields.below.entry(names::field(name)).or_default();
        }
        fields.is_member = true;
    }

    /// Reads `fieldsV1`; none if it is not one.
    pub(super) fn read(wire: &Value) -> Option<Self> {
        let mut fields = Self::default();
        for (name, below) in wire.as_object()? {
            match names::canonical(name) {
                // Names of kinds yet unknown are not kept.
                Ok(None) => continue,
                Ok(Some(_)) if name == "." => {}
                Ok(Some(name)) => {
                    let mut child = Self::read(below)?;
                    child.is_member = is_member(below);
                    fields.below.insert(name.into_owned(), child);
                }
                Err(names::Malformed) => return None,
            }
        }
        Some(fields)
    }

    /// Writes `fieldsV1`.
    pub(super) fn write(&self) -> Value {
        let mut wire = Map::new();
        for (name, child) in &self.below {
            let mut below = child.write();
            if child.is_member && !child.below.is_empty() {
                below["."] = Value::Object(Map::new());
            }
            wire.insert(name.clone(), below);
        }
        Value::Object(wire)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_member && self.below.is_empty()
    }

    /// Puts a set below a name, unless it is empty.
    pub(super) fn attach(&mut self, name: impl FnOnce() -> String, child: Self) {
        if !child.is_empty() {
            self.below.insert(name(), child);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.is_member |= other.is_member;
        for (name, child) in other.below {
            match self.below.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(child);
                }
                Entry::Occupied(mut place) => place.get_mut().add(child),
            }
        }
    }

    /// Takes away what another set has; what is below a field stays.
    pub(super) fn subtract(&mut self, other: &Self) {
        self.is_member &= !other.is_member;
        for (name, gone) in &other.below {
            if let Some(child) = self.below.get_mut(name) {
                child.subtract(gone);
                if child.is_empty() {
                    self.below.remove(name);
                }
            }
        }
    }

    /// Takes away the fields of another set and all that is below them.
    pub(super) fn subtract_whole(&mut self, other: &Self) {
        for (name, gone) in &other.below {
            if gone.is_member {
                self.below.remove(name);
            } else if let Some(child) = self.below.get_mut(name) {
                child.subtract_whole(gone);
                if child.is_empty() {
                    self.below.remove(name);
                }
            }
        }
    }

    /// What both sets have.
    pub(super) fn shared(&self, other: &Self) -> Self {
        let mut fields =
            Self { is_member: self.is_member && other.is_member, below: BTreeMap::new() };
        for (name, child) in &self.below {
            if let Some(theirs) = other.below.get(name) {
                fields.attach(|| name.clone(), child.shared(theirs));
            }
        }
        fields
    }

    /// Whether a set, still in its wire form, has a field of this one.
    pub(super) fn touches(&self, wire: &Value) -> bool {
        self.below.iter().any(|(name, child)| {
            wire.get(name)
                .is_some_and(|below| child.is_member && is_member(below) || child.touches(below))
        })
    }
}

/// Whether the field that a piece of `fieldsV1` stands for belongs to the set.
fn is_member(wire: &Value) -> bool {
    wire.as_object().is_some_and(|below| below.is_empty() || below.contains_key("."))
}

#[cfg(test)]
mod tests;
