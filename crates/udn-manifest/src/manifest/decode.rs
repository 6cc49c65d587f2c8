//! Decodes a value into a type of ours, so that what does not fit is told with its path.
//!
//! Reads a JSON value; returns the decoded value, or a [`Misfit`] with the path to the value at
//! fault.
//! Invariant: it accepts what serde_json accepts and decodes it to the same.

use std::fmt;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde_json::Value;

use super::place::Step;

/// A value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub path: Vec<Step>,
    pub message: String,
}

/// Decodes a value.
pub fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, Misfit> {
    T::deserialize(Cursor(value)).map_err(|mut misfit| {
        misfit.path.reverse();
        misfit
    })
}

impl Misfit {
    /// Notes the way, from the inside to the outside.
    fn below(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Misfit {}

impl serde::de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { path: Vec::new(), message: message.to_string() }
    }
}

impl From<serde_json::Error> for Misfit {
    fn from(error: serde_json::Error) -> Self {
        <Self as serde::de::Error>::custom(error)
    }
}

#[derive(Debug, Clone, Copy)]
struct Cursor<'a>(&'a Value);

impl<'de> Deserializer<'de> for Cursor<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Items { items, next: 0 }),
            Value::Object(fields) => {
                visitor.visit_map(Fields { rest: fields.iter(), current: None })
            }
            scalar @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                Ok(scalar.deserialize_any(visitor)?)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        Ok(self.0.deserialize_enum(name, variants, visitor)?)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct Items<'de> {
    items: &'de [Value],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let index = self.next;
        let Some(item) = self.items.get(index) else { return Ok(None) };
        self.next += 1;
        let decoded = seed.deserialize(Cursor(item));
        decoded.map(Some).map_err(|misfit| misfit.below(Step::Index(index)))
    }
}

struct Fields<'de> {
    rest: serde_json::map::Iter<'de>,
    current: Option<(&'de String, &'de Value)>,
}

impl<'de> MapAccess<'de> for Fields<'de> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.current = self.rest.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        let name: StrDeserializer<'_, Misfit> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|misfit| misfit.below(Step::field(key)))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let (key, value) = self.current.take().expect("serde asks for a value after its key");
        seed.deserialize(Cursor(value)).map_err(|misfit| misfit.below(Step::field(key)))
    }
}
