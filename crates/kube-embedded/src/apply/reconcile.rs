//! Brings records of owners up to a schema that changed since they were written.
//!
//! Reads sets of fields, most of them still in their wire form; returns sets that fit the schema.
//! Invariant: who owned a part of what is now atomic owns all of it.

use kube_schema::Kind;
use serde_json::{Map, Value};

use super::fields::Fields;
use super::names;
use super::shape::{Form, Type};

/// Whether a set needs no change.
pub(super) fn is_current(ty: Type<'_>, wire: &Value) -> bool {
    wire.as_object().into_iter().flatten().all(|(name, below)| {
        let is_bare = below.as_object().is_none_or(Map::is_empty);
        match type_below(ty, name) {
            Some(ty) if !is_bare => !is_atomic(ty) && is_current(ty, below),
            Some(_) | None => true,
        }
    })
}

/// A set in which what is atomic is owned as a whole.
pub(super) fn reconciled(ty: Type<'_>, mut fields: Fields) -> Fields {
    for (name, child) in &mut fields.below {
        let Some(ty) = type_below(ty, name) else {
            continue;
        };
        let below = std::mem::take(child);
        let is_part = !below.below.is_empty() && is_atomic(ty);
        *child = if is_part { Fields::leaf() } else { reconciled(ty, below) };
    }
    fields
}

fn type_below<'a>(ty: Type<'a>, name: &str) -> Option<Type<'a>> {
    match names::field_of(name) {
        Some(field) => ty.field(field),
        None => Some(ty.items()),
    }
}

fn is_atomic(ty: Type<'_>) -> bool {
    let Type::Known { schema, .. } = ty else {
        return false;
    };
    let may_hold = matches!(schema.kind, Some(Kind::Object | Kind::Array) | None);
    may_hold && matches!(ty.form(None), Form::Leaf)
}
