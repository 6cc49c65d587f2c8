//! Which part of an old object a part of the new one corresponds to.
//!
//! Reads the new value, the old one and their schema; answers what belongs together and whether
//! it is unchanged.
//! Invariant: items of a list correspond only if keys tell them apart.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::number::Number;
use crate::schema::{ListType, Schema};

/// A value, the old value it corresponds to, and their schema.
#[derive(Debug)]
pub(crate) struct Pair<'a> {
    new: &'a Value,
    old: &'a Value,
    schema: &'a Schema,
    is_equal: Cell<Option<bool>>,
    by_key: OnceCell<ByKey<'a>>,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(new: &'a Value, old: &'a Value, schema: &'a Schema) -> Self {
        Self { new, old, schema, is_equal: Cell::new(None), by_key: OnceCell::new() }
    }

    /// The pair of a field, if both have it and the schema knows it.
    pub(crate) fn field(&self, name: &str) -> Option<Pair<'a>> {
        let (new, old) = (self.new.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        Some(Pair::new(new, old, self.schema.of_field(name)?))
    }

    /// The pair of a list's item, if keys tell its items apart.
    pub(crate) fn item(&self, index: usize) -> Option<Pair<'a>> {
        let new = self.new.as_array()?.get(index)?;
        let old_items = self.old.as_array()?;
        if self.schema.list_type != Some(ListType::Map) {
            return None;
        }
        let by_key = self.by_key.get_or_init(|| ByKey::new(old_items, self.schema));
        Some(Pair::new(new, by_key.find(new)?, self.schema.items.as_deref()?))
    }

    /// Whether the value is what it was; lists with keys may have changed their order.
    pub(crate) fn is_unchanged(&self) -> bool {
        if let Some(known) = self.is_equal.get() {
            return known;
        }
        let is_equal = self.compare();
        self.is_equal.set(Some(is_equal));
        is_equal
    }

    fn compare(&self) -> bool {
        match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                match self.schema.list_type {
                    Some(ListType::Map) => (0..new.len())
                        .all(|index| self.item(index).is_some_and(|item| item.is_unchanged())),
                    Some(ListType::Atomic | ListType::Set) | None => new == old,
                }
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.field(name).is_some_and(|it| it.is_unchanged()))
            }
            (new, old) => new == old,
        }
    }
}

/// The items of a list by the keys that tell them apart.
#[derive(Debug)]
pub(crate) struct ByKey<'a> {
    keys: &'a [String],
    items: BTreeMap<String, usize>,
    list: &'a [Value],
}

impl<'a> ByKey<'a> {
    /// Sorts the items of a list; of those with the same keys, the first counts.
    pub(crate) fn new(list: &'a [Value], schema: &'a Schema) -> Self {
        let mut items = BTreeMap::new();
        if schema.is_list_map() {
            for (place, item) in list.iter().enumerate() {
                if let Some(key) = key_of(item, &schema.list_map_keys) {
                    items.entry(key).or_insert(place);
                }
            }
        }
        Self { keys: &schema.list_map_keys, items, list }
    }

    /// The item with the keys of `like`.
    pub(crate) fn find(&self, like: &Value) -> Option<&'a Value> {
        self.place(like).map(|place| &self.list[place])
    }

    /// The place of the item with the keys of `like`.
    pub(crate) fn place(&self, like: &Value) -> Option<usize> {
        if self.items.is_empty() {
            return None;
        }
        self.items.get(&key_of(like, self.keys)?).copied()
    }
}

fn key_of(item: &Value, keys: &[String]) -> Option<String> {
    let fields = item.as_object()?;
    match keys {
        [key] => part_of(fields, key, |real| format!("{:x}", real.to_bits())),
        _ => keys.iter().map(|key| part_of(fields, key, |real| format!("{real:.6}"))).collect(),
    }
}

fn part_of(
    fields: &Map<String, Value>,
    key: &str,
    real_text: impl Fn(f64) -> String,
) -> Option<String> {
    match fields.get(key)? {
        Value::Bool(flag) => Some(format!("\0b{flag}")),
        Value::Number(number) => Some(match Number::of(number) {
            Number::Int(int) => format!("\0i{int}"),
            Number::Float(real) => format!("\0f{}", real_text(real)),
        }),
        Value::String(text) => Some(format!("\0s{}:{text}", text.len())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests;
