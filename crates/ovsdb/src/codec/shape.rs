//! Reads one value from any JSON source, directed by its column type.
//!
//! Invariant: no recursion; a value is at most four levels deep, deeper input is an error.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::Shape;
use crate::schema::ColumnType;
use crate::value::{Atom, Atoms};

mod atom;
mod members;
mod word;

pub(crate) use atom::{is_identifier, parse_uuid};

use atom::{AtomSeed, identifier};
use members::{MapSeed, SetSeed};
use word::{Word, WordSeed, end, next, too_short};

/// Decodes a value's shape; what the type allows beyond that is for [`ColumnType::admit`].
#[derive(Debug, Clone, Copy)]
pub struct ShapeSeed<'t> {
    pub kind: &'t ColumnType,
}

impl<'de> DeserializeSeed<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl ShapeSeed<'_> {
    fn one<E: Error>(&self, atom: Result<Atom, E>) -> Result<Shape, E> {
        if self.kind.is_map() {
            return Err(E::custom("expected [\"map\", [...]]"));
        }
        atom.map(|atom| Shape::Set(Atoms::from_buf([atom])))
    }
}

impl<'de> Visitor<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.kind.key.kind();
        if self.kind.is_map() {
            write!(f, "a map")
        } else {
            write!(f, "{kind}, or a set of {kind}")
        }
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Shape, E> {
        self.one(AtomSeed(self.kind.key.kind()).visit_bool(truth))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Shape, E> {
        self.one(AtomSeed(self.kind.key.kind()).visit_i64(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Shape, E> {
        self.one(AtomSeed(self.kind.key.kind()).visit_u64(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Shape, E> {
        self.one(AtomSeed(self.kind.key.kind()).visit_f64(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Shape, E> {
        self.one(AtomSeed(self.kind.key.kind()).visit_str(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Shape, A::Error> {
        let word = sequence.next_element_seed(WordSeed)?.ok_or_else(too_short::<A::Error>)?;
        let key = AtomSeed(self.kind.key.kind());
        let shape = match (word, &self.kind.value) {
            (Word::Set, None) => next(&mut sequence, SetSeed(key)).map(Shape::Set)?,
            (Word::Map, Some(value)) => {
                let value = AtomSeed(value.kind());
                next(&mut sequence, MapSeed { key, value }).map(Shape::Map)?
            }
            (Word::Uuid | Word::Named, None) => self.one(identifier(word, key.0, &mut sequence))?,
            (Word::Set | Word::Uuid | Word::Named, Some(_)) => {
                return Err(A::Error::custom("expected [\"map\", [...]]"));
            }
            (Word::Map, None) => return Err(A::Error::custom("a map where none is allowed")),
        };
        end(&mut sequence)?;
        Ok(shape)
    }
}
