//! Reads types from JSON values without the liberties that serde takes.
//!
//! Invariant: an object is read from an object only; a list of its values in order will not do.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value to read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strict<'a>(pub(super) &'a Value);

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(fields) => {
                let fields = fields.iter().map(|(key, field)| (key.as_str(), Strict(field)));
                visitor.visit_map(MapDeserializer::new(fields))
            }
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.iter().map(Strict)))
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                plain.deserialize_any(visitor)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.0.is_array() {
            return Err(Error::invalid_type(Unexpected::Seq, &visitor));
        }
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Strict<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
