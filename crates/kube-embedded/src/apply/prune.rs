//! Takes out of an object what its applier no longer applies and nobody else owns.
//!
//! Reads the merged object and sets of fields; returns the object without those fields.
//! Invariant: only fields that the applier owned before are taken away.

use serde_json::{Map, Value};

use super::compare::gather;
use super::fields::Fields;
use super::names;
use super::shape::{Form, Type};

/// Prunes; `last` is what the applier owned, `owned` what anyone owns now.
pub(super) fn prune(ty: Type<'_>, merged: Value, last: &Fields, owned: &Fields) -> Value {
    if last.is_empty() {
        return merged;
    }
    let last = with_holders(ty, last.clone());
    let all = with_holders(ty, gather(ty, &merged));

    let bare = without(ty, &merged, &last);
    let mut gone = all.clone();
    gone.subtract(&with_holders(ty, gather(ty, &bare)));
    gone.subtract(&with_holders(ty, owned.clone()));
    let pruned = without(ty, &merged, &gone);

    let mut gone = all;
    gone.subtract(&with_holders(ty, gather(ty, &pruned)));
    without(ty, &merged, &gone.shared(&last))
}

/// Adds the fields that hold others of the set, where the type names them: a struct goes when all
/// that is in it goes.
fn with_holders(ty: Type<'_>, mut fields: Fields) -> Fields {
    for (name, child) in &mut fields.below {
        let field = names::field_of(name);
        let below = field.map_or_else(|| ty.items(), |name| ty.field_or_guess(name));
        let held = with_holders(below, std::mem::take(child));
        let is_holder = !held.below.is_empty() && field.is_some_and(|name| ty.names(name));
        *child = Fields { is_member: held.is_member || is_holder, ..held };
    }
    fields
}

/// An object without some of its fields; null if none is left.
fn without(ty: Type<'_>, value: &Value, gone: &Fields) -> Value {
    let form = ty.form(Some(value));
    match (form, value) {
        (Form::Map, Value::Object(fields)) => {
            let mut kept = Map::new();
            for (name, value) in fields {
                match gone.below.get(&names::field(name)) {
                    Some(gone) if gone.is_member => {}
                    Some(gone) => {
                        kept.insert(name.clone(), without(ty.field_or_guess(name), value, gone));
                    }
                    None => {
                        kept.insert(name.clone(), value.clone());
                    }
                }
            }
            if kept.is_empty() { Value::Null } else { Value::Object(kept) }
        }
        (Form::Set | Form::Keyed(_), Value::Array(items)) => {
            let keep = |item: &Value| {
                let name = ty.item_name(form, item).ok();
                match name.and_then(|name| gone.below.get(&name)) {
                    Some(gone) if gone.is_member => None,
                    Some(gone) => Some(without(ty.items(), item, gone)),
                    None => Some(item.clone()),
                }
            };
            let kept: Vec<_> = items.iter().filter_map(keep).collect();
            if kept.is_empty() { Value::Null } else { Value::Array(kept) }
        }
        (Form::Leaf | Form::Map | Form::Set | Form::Keyed(_), value) => value.clone(),
    }
}
