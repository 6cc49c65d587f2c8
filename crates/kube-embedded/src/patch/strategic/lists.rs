//! Merges one list into another: by key where items are objects, as a set where they are not.
//!
//! Reads the current items and those of the patch; returns the merged items in their order.
//! Invariant: items that only the server has keep their order, and so do those of the patch.

use serde_json::{Map, Value};

use super::{
    DIRECTIVE, Strategy, failure, merge_maps, missing_key, nested_list, order, plain, type_name,
    unknown_directive,
};
use crate::refusal::Refusal;

pub(super) fn merge(
    current: Vec<Value>,
    patch: Vec<Value>,
    strategy: &Strategy<'_>,
) -> Result<Vec<Value>, Refusal> {
    if current.is_empty() && patch.is_empty() {
        return Ok(current);
    }
    want_one_type(&current, &patch)?;
    let is_keyed = current.iter().chain(&patch).any(Value::is_object);
    if !is_keyed {
        let merged = without_repeats(current.iter().chain(&patch));
        return order::arrange(merged, &patch, &current, "");
    }
    if strategy.key.is_empty() {
        return Err(failure("cannot merge lists without merge key"));
    }
    let (current, patch) = follow_directives(current, patch, strategy.key)?;
    let merged = merge_items(current.clone(), patch.clone(), strategy)?;
    order::arrange(merged, &patch, &current, strategy.key)
}

/// Items of two lists that merge must be of one type.
pub(super) fn want_one_type(current: &[Value], patch: &[Value]) -> Result<(), Refusal> {
    let mut items = current.iter().chain(patch);
    let Some(first) = items.next() else {
        return Err(failure("no elements in any of the given slices"));
    };
    if first.is_array() {
        return Err(nested_list());
    }
    if items.all(|item| type_name(item) == type_name(first)) {
        return Ok(());
    }
    let lists = Value::from(vec![Value::from(current.to_vec()), Value::from(patch.to_vec())]);
    Err(failure(format!("list element types are not identical: {}", plain(&lists))))
}

fn without_repeats<'a>(items: impl Iterator<Item = &'a Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    }
    kept
}

/// Carries out `$patch` of items; returns both lists without what it took away.
fn follow_directives(
    mut current: Vec<Value>,
    patch: Vec<Value>,
    key: &str,
) -> Result<(Vec<Value>, Vec<Value>), Refusal> {
    let mut kept = Vec::new();
    let mut is_replaced = false;
    for item in patch {
        let Some(fields) = item.as_object() else {
            continue;
        };
        let Some(directive) = fields.get(DIRECTIVE) else {
            kept.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let gone = fields.get(key).ok_or_else(|| missing_key(fields, key))?;
                current.retain(|item| item.get(key) != Some(gone));
            }
            Some("replace") => is_replaced = true,
            Some("merge") => {
                return Err(failure("merging lists cannot yet be specified in the patch"));
            }
            _ => return Err(unknown_directive(&directive.clone(), fields.clone())),
        }
    }
    Ok(if is_replaced { (kept, Vec::new()) } else { (current, kept) })
}

fn merge_items(
    mut current: Vec<Value>,
    patch: Vec<Value>,
    strategy: &Strategy<'_>,
) -> Result<Vec<Value>, Refusal> {
    for item in patch {
        let Value::Object(change) = item else {
            continue;
        };
        let name = change.get(strategy.key);
        let name = name.ok_or_else(|| missing_key(&change, strategy.key))?.clone();
        let found = current.iter_mut().find(|item| item.get(strategy.key) == Some(&name));
        match found {
            Some(item) => {
                let fields = item.as_object_mut().map(std::mem::take).unwrap_or_else(Map::new);
                *item = Value::Object(merge_maps(fields, change, strategy.items)?);
            }
            None => current.push(Value::Object(change)),
        }
    }
    Ok(current)
}
