//! Merges a configuration into an object.
//!
//! Reads both and their type; returns an object that has all fields of both.
//! Invariant: where both have a field, that of the configuration is taken.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::shape::{Form, Type};

/// Merges; none if nothing is left to say.
pub(super) fn merge(ty: Type<'_>, live: Option<&Value>, config: Option<&Value>) -> Option<Value> {
    let form = ty.form(config.or(live));
    match form {
        Form::Leaf => config.or(live).cloned(),
        Form::Map => {
            let old = live.and_then(Value::as_object).filter(|fields| !fields.is_empty());
            let new = config.and_then(Value::as_object).filter(|fields| !fields.is_empty());
            if old.is_none() && new.is_none() {
                return config.or(live).cloned();
            }
            merge_maps(ty, old, new)
        }
        Form::Set | Form::Keyed(_) => {
            let old = live.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let new = config.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            if old.is_empty() && new.is_empty() {
                return config.or(live).cloned();
            }
            let merged = Weave::new(ty, form, old, new).run();
            (!merged.is_empty()).then_some(Value::Array(merged))
        }
    }
}

fn merge_maps(
    ty: Type<'_>,
    old: Option<&Map<String, Value>>,
    new: Option<&Map<String, Value>>,
) -> Option<Value> {
    let mut merged = Map::new();
    let names = old.into_iter().chain(new).flat_map(Map::keys);
    for name in names.collect::<BTreeSet<_>>() {
        let old = old.and_then(|fields| fields.get(name));
        let new = new.and_then(|fields| fields.get(name));
        if let Some(value) = merge(ty.field_or_guess(name), old, new) {
            merged.insert(name.clone(), value);
        }
    }
    (!merged.is_empty()).then_some(Value::Object(merged))
}

/// Two lists becoming one: items of the configuration keep their order, and the items that only
/// the object has stay near those they stood by.
struct Weave<'a> {
    items: Type<'a>,
    old: VecDeque<(String, &'a Value)>,
    new: VecDeque<(String, &'a Value)>,
    /// By name; none for an item that is there twice.
    old_values: BTreeMap<String, Option<&'a Value>>,
    new_names: BTreeSet<String>,
    /// Names that both lists have, as the configuration orders them.
    shared: VecDeque<String>,
    placed: BTreeSet<String>,
    merged: Vec<Value>,
}

impl<'a> Weave<'a> {
    fn new(ty: Type<'a>, form: Form<'a>, old: &'a [Value], new: &'a [Value]) -> Self {
        let named = |items: &'a [Value]| -> VecDeque<(String, &'a Value)> {
            let name = |item: &'a Value| Some((ty.item_name(form, item).ok()?, item));
            items.iter().filter_map(name).collect()
        };
        let (old, new) = (named(old), named(new));
        let mut old_values = BTreeMap::new();
        for (name, value) in &old {
            let entry = old_values.entry(name.clone()).and_modify(|value| *value = None);
            entry.or_insert(Some(*value));
        }
        let new_names = new.iter().map(|(name, _)| name.clone()).collect();
        let shared = new.iter().map(|(name, _)| name);
        let shared = shared.filter(|name| old_values.contains_key(*name)).cloned().collect();
        let (placed, merged) = (BTreeSet::new(), Vec::new());
        Self { items: ty.items(), old, new, old_values, new_names, shared, placed, merged }
    }

    fn run(mut self) -> Vec<Value> {
        loop {
            let Some((left, value)) = self.old.front().cloned() else {
                match self.new.pop_front() {
                    Some((right, value)) => self.place(right, value),
                    None => return self.merged,
                }
                continue;
            };
            let is_met = self.new.front().is_some_and(|(right, _)| *right == left);
            let is_wanted = self.new_names.contains(&left);
            if is_met {
                self.old.pop_front();
            } else if !is_wanted {
                self.old.pop_front();
                self.merged.extend(merge(self.items, Some(value), None));
                continue;
            } else if self.is_later(&left) {
                self.old.pop_front();
                continue;
            } else if self.placed.contains(&left) {
                self.old.pop_front();
            }
            if let Some((right, value)) = self.new.pop_front() {
                self.place(right, value);
            }
        }
    }

    /// Whether another item that both lists have comes first.
    fn is_later(&self, name: &str) -> bool {
        !self.new.is_empty() && self.shared.front().is_some_and(|next| next != name)
    }

    fn place(&mut self, name: String, value: &'a Value) {
        let old = self.old_values.get(&name).copied().flatten();
        self.merged.extend(merge(self.items, old, Some(value)));
        if self.shared.front() == Some(&name) {
            self.shared.pop_front();
        }
        self.placed.insert(name);
    }
}
