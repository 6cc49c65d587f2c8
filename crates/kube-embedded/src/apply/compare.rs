//! What changed from one object to the next, and which fields an object has.
//!
//! Reads objects and their type; returns sets of fields.
//! Invariant: equal objects give empty sets.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fields::Fields;
use super::names;
use super::shape::{Form, Type};

/// What changed.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Fields that are new or have another value.
    pub(super) set: Fields,
    pub(super) removed: Fields,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    fn attach(&mut self, name: impl Fn() -> String, child: Self) {
        self.set.attach(&name, child.set);
        self.removed.attach(&name, child.removed);
    }
}

/// Compares two objects.
pub(super) fn compare(ty: Type<'_>, old: Option<&Value>, new: Option<&Value>) -> Changes {
    let mut changes = Changes::default();
    let is_leaf = match (old, new) {
        (None, None) => return changes,
        (Some(_), None) => visit(&mut changes, ty, ty.form(old), old, new),
        (None, Some(_)) => visit(&mut changes, ty, ty.form(new), old, new),
        (Some(_), Some(_)) => {
            let (before, after) = (ty.form(old), ty.form(new));
            if std::mem::discriminant(&before) != std::mem::discriminant(&after) {
                visit(&mut changes, ty, before, old, new);
            }
            visit(&mut changes, ty, after, old, new)
        }
    };
    if !is_leaf {
        changes.set.is_member |= old.is_none();
        changes.removed.is_member |= new.is_none();
    }
    changes
}

/// Compares as one form; says whether the values were compared as a whole.
fn visit(
    changes: &mut Changes,
    ty: Type<'_>,
    form: Form<'_>,
    old: Option<&Value>,
    new: Option<&Value>,
) -> bool {
    match form {
        Form::Map => {
            let (old_fields, new_fields) = (fields_of(old), fields_of(new));
            if old_fields.is_none() && new_fields.is_none() {
                return whole(changes, old, new);
            }
            compare_maps(changes, ty, old_fields, new_fields);
            false
        }
        Form::Set | Form::Keyed(_) => {
            let (old_items, new_items) = (items_of(old), items_of(new));
            if old_items.is_empty() && new_items.is_empty() {
                return whole(changes, old, new);
            }
            if old_items != new_items {
                compare_lists(changes, ty, form, (old_items, new_items));
            }
            false
        }
        Form::Leaf => whole(changes, old, new),
    }
}

fn whole(changes: &mut Changes, old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => changes.set.is_member |= !is_same(old, new),
        (None, _) => changes.set.is_member = true,
        (Some(_), None) => changes.removed.is_member = true,
    }
    true
}

/// The fields of an object that has some.
fn fields_of(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object).filter(|fields| !fields.is_empty())
}

fn items_of(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn compare_maps(
    changes: &mut Changes,
    ty: Type<'_>,
    old: Option<&Map<String, Value>>,
    new: Option<&Map<String, Value>>,
) {
    for (name, new) in new.into_iter().flatten() {
        let old = old.and_then(|fields| fields.get(name));
        let change = compare(ty.field_or_guess(name), old, Some(new));
        changes.attach(|| names::field(name), change);
    }
    for (name, old) in old.into_iter().flatten() {
        if new.is_none_or(|fields| !fields.contains_key(name)) {
            let change = compare(ty.field_or_guess(name), Some(old), None);
            changes.attach(|| names::field(name), change);
        }
    }
}

fn compare_lists(
    changes: &mut Changes,
    ty: Type<'_>,
    form: Form<'_>,
    (old, new): (&[Value], &[Value]),
) {
    let mut items: BTreeMap<String, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
    for item in old {
        if let Ok(name) = ty.item_name(form, item) {
            items.entry(name).or_default().0.push(item);
        }
    }
    for item in new {
        if let Ok(name) = ty.item_name(form, item) {
            items.entry(name).or_default().1.push(item);
        }
    }
    for (name, (old, new)) in items {
        let change = compare_items(ty.items(), &old, &new);
        changes.attach(|| name.clone(), change);
    }
}

/// Compares the items of one name; several in one list are owned as one.
fn compare_items(ty: Type<'_>, old: &[&Value], new: &[&Value]) -> Changes {
    match (old, new) {
        ([] | [_], [] | [_]) => compare(ty, old.first().copied(), new.first().copied()),
        ([_, _, ..], [_, _, ..]) => {
            let mut changes = Changes::default();
            let is_equal =
                old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new));
            changes.set.is_member = !is_equal;
            changes
        }
        ([_, _, ..], new) => {
            let mut changes = compare(ty, None, new.first().copied());
            changes.removed.is_member = true;
            changes
        }
        (old, [_, _, ..]) => {
            let mut changes = compare(ty, old.first().copied(), None);
            changes.set.is_member = true;
            changes
        }
    }
}

/// Whether two values are one to the server, to which 1 and 1.0 are one number.
pub(super) fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || (left.is_f64() || right.is_f64()) && left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((name, left), (other, right))| name == other && is_same(left, right))
        }
        (left, right) => left == right,
    }
}

/// All fields of an object.
pub(super) fn gather(ty: Type<'_>, value: &Value) -> Fields {
    let form = ty.form(Some(value));
    match form {
        Form::Leaf => Fields::leaf(),
        Form::Map => {
            let mut fields = Fields::default();
            for (name, value) in value.as_object().into_iter().flatten() {
                let mut child = gather(ty.field_or_guess(name), value);
                let is_bare = value.is_null() || value.as_object().is_some_and(Map::is_empty);
                child.is_member |= is_bare || !ty.names(name);
                fields.attach(|| names::field(name), child);
            }
            fields
        }
        Form::Set | Form::Keyed(_) => gather_items(ty, form, items_of(Some(value))),
    }
}

fn gather_items(ty: Type<'_>, form: Form<'_>, items: &[Value]) -> Fields {
    let mut fields = Fields::default();
    for item in items {
        let Ok(name) = ty.item_name(form, item) else {
            continue;
        };
        let child = match fields.below.contains_key(&name) {
            true => Fields::leaf(),
            false => {
                let mut child = gather(ty.items(), item);
                child.is_member = true;
                child
            }
        };
        fields.below.insert(name, child);
    }
    fields
}
