//! Reads one atom.
//!
//! Invariant: a number is an integer if it has no fraction, however it is written.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

use super::word::{TextSeed, Word, WordSeed, end, mismatch, next, too_short};
use crate::value::{Atom, AtomKind, Real, Uuid};

/// One atom of a known type.
#[derive(Clone, Copy)]
pub(super) struct AtomSeed(pub(super) AtomKind);

impl<'de> DeserializeSeed<'de> for AtomSeed {
    type Value = Atom;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Atom, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AtomSeed {
    type Value = Atom;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Atom, E> {
        match self.0 {
            AtomKind::Boolean => Ok(Atom::Boolean(truth)),
            kind => Err(mismatch(kind, "a boolean")),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Atom, E> {
        match self.0 {
            AtomKind::Integer => Ok(Atom::Integer(number)),
            AtomKind::Real => self.visit_f64(number as f64),
            kind => Err(mismatch(kind, "a number")),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Atom, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => self.visit_f64(number as f64),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Atom, E> {
        match self.0 {
            AtomKind::Integer => match to_integer(number) {
                Some(number) => Ok(Atom::Integer(number)),
                None => Err(E::custom(format_args!("expected integer, found {number}"))),
            },
            AtomKind::Real => match Real::new(number) {
                Some(number) => Ok(Atom::Real(number)),
                None => Err(E::custom("a number out of range")),
            },
            kind => Err(mismatch(kind, "a number")),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Atom, E> {
        match self.0 {
            AtomKind::String => Ok(Atom::String(text.into())),
            kind => Err(mismatch(kind, "a string")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Atom, A::Error> {
        let word = sequence.next_element_seed(WordSeed)?.ok_or_else(too_short::<A::Error>)?;
        let atom = match word {
            Word::Uuid | Word::Named => identifier(word, self.0, &mut sequence)?,
            Word::Set | Word::Map => {
                return Err(A::Error::custom(format_args!("expected {}, found a list", self.0)));
            }
        };
        end(&mut sequence)?;
        Ok(atom)
    }
}

/// compat: lib/json.c: a number without a fraction is an integer, however it is written.
fn to_integer(number: f64) -> Option<i64> {
    // 2^63 is exact in f64; every integral value below it fits.
    let fits = number.fract() == 0.0
        && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    fits.then_some(number as i64)
}

pub(super) fn identifier<'de, A: SeqAccess<'de>>(
    word: Word,
    kind: AtomKind,
    sequence: &mut A,
) -> Result<Atom, A::Error> {
    if kind != AtomKind::Uuid {
        return Err(mismatch(kind, "a uuid"));
    }
    let text = next(sequence, TextSeed)?;
    match word {
        Word::Named if is_identifier(&text) => Ok(Atom::Named(text)),
        Word::Named => Err(A::Error::custom(format_args!("{text:?} is not an identifier"))),
        Word::Uuid | Word::Set | Word::Map => match parse_uuid(&text) {
            Some(uuid) => Ok(Atom::Uuid(uuid)),
            None => Err(A::Error::custom(format_args!("{text:?} is not a valid UUID"))),
        },
    }
}

/// Whether a text may be a `uuid-name`.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Reads the one form the protocol has: 36 characters with hyphens.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() == 36 { Uuid::try_parse(text).ok() } else { None }
}
