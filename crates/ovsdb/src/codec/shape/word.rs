//! Reads the tagged lists that values are written as.
//!
//! Invariant: a list has exactly the elements that its tag calls for.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};

use crate::value::AtomKind;

/// The first element of a tagged list.
#[derive(Clone, Copy)]
pub(super) enum Word {
    Set,
    Map,
    Uuid,
    Named,
}

pub(super) struct WordSeed;

impl<'de> DeserializeSeed<'de> for WordSeed {
    type Value = Word;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Word, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for WordSeed {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"set\", \"map\", \"uuid\" or \"named-uuid\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
        match text {
            "set" => Ok(Word::Set),
            "map" => Ok(Word::Map),
            "uuid" => Ok(Word::Uuid),
            "named-uuid" => Ok(Word::Named),
            other => Err(E::custom(format_args!("{other:?} begins no value"))),
        }
    }
}

pub(super) struct TextSeed;

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = Box<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Box<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for TextSeed {
    type Value = Box<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Box<str>, E> {
        Ok(text.into())
    }
}

pub(super) fn next<'de, A: SeqAccess<'de>, S: DeserializeSeed<'de>>(
    sequence: &mut A,
    seed: S,
) -> Result<S::Value, A::Error> {
    sequence.next_element_seed(seed)?.ok_or_else(too_short)
}

pub(super) fn end<'de, A: SeqAccess<'de>>(sequence: &mut A) -> Result<(), A::Error> {
    match sequence.next_element::<IgnoredAny>()? {
        None => Ok(()),
        Some(_) => Err(A::Error::custom("a list with too many elements")),
    }
}

pub(super) fn too_short<E: Error>() -> E {
    E::custom("a list with too few elements")
}

pub(super) fn mismatch<E: Error>(kind: AtomKind, found: &str) -> E {
    E::custom(format_args!("expected {kind}, found {found}"))
}
