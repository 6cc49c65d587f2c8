//! Reads the members of sets and the entries of maps.
//!
//! Invariant: order and duplicates are kept as written; they are judged later.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use super::atom::AtomSeed;
use super::word::{end, next};
use crate::value::{Atom, Atoms};

pub(super) struct SetSeed(pub(super) AtomSeed);

impl<'de> DeserializeSeed<'de> for SetSeed {
    type Value = Atoms;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Atoms, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SetSeed {
    type Value = Atoms;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the members of a set")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Atoms, A::Error> {
        let mut atoms = Atoms::new();
        while let Some(atom) = sequence.next_element_seed(self.0)? {
            atoms.push(atom);
        }
        Ok(atoms)
    }
}

pub(super) struct MapSeed {
    pub(super) key: AtomSeed,
    pub(super) value: AtomSeed,
}

impl<'de> DeserializeSeed<'de> for MapSeed {
    type Value = Vec<(Atom, Atom)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for MapSeed {
    type Value = Vec<(Atom, Atom)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the entries of a map")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        let entry = || EntrySeed { key: self.key, value: self.value };
        while let Some(entry) = sequence.next_element_seed(entry())? {
            entries.push(entry);
        }
        Ok(entries)
    }
}

struct EntrySeed {
    key: AtomSeed,
    value: AtomSeed,
}

impl<'de> DeserializeSeed<'de> for EntrySeed {
    type Value = (Atom, Atom);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EntrySeed {
    type Value = (Atom, Atom);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pair of key and value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let key = next(&mut sequence, self.key)?;
        let value = next(&mut sequence, self.value)?;
        end(&mut sequence)?;
        Ok((key, value))
    }
}
