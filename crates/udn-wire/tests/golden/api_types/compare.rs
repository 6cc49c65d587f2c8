//! Walks through a Rust type and a schema together.
//!
//! A type tells what it is made of when it is read: a struct names its fields, a number its size.
//! This reader hands out values as the schema describes them and notes where the two differ.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::Value;

type Failure = serde::de::value::Error;

/// Where a type and a schema differ.
pub(crate) fn differences<T: DeserializeOwned>(path: &str, schema: &Value) -> Vec<String> {
    let mut told = Vec::new();
    let walk = Walk { schema, path: path.to_owned(), told: &mut told };
    if let Err(failure) = T::deserialize(walk) {
        told.push(format!("{path}: {failure}"));
    }
    told
}

/// One place in both.
struct Walk<'a> {
    schema: &'a Value,
    path: String,
    told: &'a mut Vec<String>,
}

impl<'a> Walk<'a> {
    fn below(&mut self, schema: &'a Value, step: &str) -> Walk<'_> {
        let path = format!("{}{step}", self.path);
        Walk { schema, path, told: self.told }
    }

    fn tell(&mut self, what: &str) {
        self.told.push(format!("{}: {what}", self.path));
    }

    /// Whether the schema has this type here.
    fn has_type(&mut self, wanted: &str, mine: &str) -> bool {
        let found = self.schema["type"].as_str().unwrap_or("thing without type");
        let is_same = found == wanted;
        if !is_same {
            let article = if found.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
            self.tell(&format!("{mine} for {article} {found}"));
        }
        is_same
    }

    fn has_number(&mut self, format: &str, mine: &str) {
        let found = self.schema["format"].as_str().unwrap_or("any size").to_owned();
        if self.has_type("integer", mine) && found != format {
            self.tell(&format!("{mine} for an integer of {found}"));
        }
    }

    /// A type that takes certain words says which it expects.
    fn has_words(&mut self, expected: &dyn Expected) {
        let expected = Told(expected).to_string();
        let words = self.schema["enum"].as_array().into_iter().flatten();
        let words: Vec<&str> = words.filter_map(Value::as_str).collect();
        let (is_free, words) = (expected == "a string", words.join(" or "));
        if (is_free && !words.is_empty()) || (!is_free && expected != words) {
            self.tell(&format!("{expected} for {}", self.schema["enum"]));
        }
    }

    fn has_fields(&mut self, fields: &[&str]) {
        let properties = self.schema["properties"].as_object();
        for name in properties.into_iter().flat_map(|it| it.keys()) {
            if !fields.contains(&name.as_str()) {
                self.tell(&format!("the type has no field {name}"));
            }
        }
        for name in fields {
            if self.schema["properties"].get(name).is_none() {
                self.tell(&format!("the schema has no field {name}"));
            }
        }
    }
}

/// What a visitor expects, as a text.
struct Told<'a>(&'a dyn Expected);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserializer<'de> for Walk<'_> {
    type Error = Failure;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Failure> {
        Err(Failure::custom(format!("{} has a type that this test does not know", self.path)))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        self.has_type("boolean", "bool");
        visitor.visit_bool(true)
    }

    fn deserialize_i32<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        self.has_number("int32", "i32");
        visitor.visit_i32(7)
    }

    fn deserialize_i64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        self.has_number("int64", "i64");
        visitor.visit_i64(7)
    }

    fn deserialize_str<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        if self.has_type("string", "a string") {
            self.has_words(&visitor);
        }
        visitor.visit_str("text")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Failure> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        let has_items = self.has_type("array", "a list");
        visitor.visit_seq(Item(has_items.then_some(self)))
    }

    fn deserialize_map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Failure> {
        let has_entries = self.has_type("object", "a map");
        let entry = has_entries.then_some("key");
        let has_schema = self.schema["additionalProperties"].is_object();
        if has_entries && !has_schema {
            self.tell("a map for an object with fields");
        }
        let names = entry.filter(|_| has_schema).into_iter().collect();
        visitor.visit_map(Fields { walk: self, names, now: "" })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Failure> {
        let mut names = Vec::new();
        if self.has_type("object", "a struct") {
            self.has_fields(fields);
            let both = |name: &&str| self.schema["properties"].get(name).is_some();
            names = fields.iter().copied().filter(both).rev().collect();
        }
        visitor.visit_map(Fields { walk: self, names, now: "" })
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct newtype_struct
        tuple tuple_struct enum identifier ignored_any
    }
}

/// The one item of a list.
struct Item<'a>(Option<Walk<'a>>);

impl<'de> SeqAccess<'de> for Item<'_> {
    type Error = Failure;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Failure> {
        let Some(mut walk) = self.0.take() else { return Ok(None) };
        let items = &walk.schema["items"];
        seed.deserialize(walk.below(items, "[]")).map(Some)
    }
}

/// The fields that both have.
struct Fields<'a> {
    walk: Walk<'a>,
    /// From the last to the first.
    names: Vec<&'static str>,
    now: &'static str,
}

impl<'de> MapAccess<'de> for Fields<'_> {
    type Error = Failure;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Failure> {
        let Some(name) = self.names.pop() else { return Ok(None) };
        self.now = name;
        let key = StrDeserializer::<Failure>::new(name);
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Failure> {
        let schema = self.walk.schema;
        let (schema, step) = match schema["properties"].get(self.now) {
            Some(schema) => (schema, format!(".{}", self.now)),
            None => (&schema["additionalProperties"], "{}".to_owned()),
        };
        seed.deserialize(self.walk.below(schema, &step))
    }
}
