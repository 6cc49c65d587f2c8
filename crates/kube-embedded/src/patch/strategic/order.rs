//! In which order the items of a merged list come.
//!
//! Reads merged items, the order the patch wants and the order the server had; returns the items.
//! Invariant: items are neither added nor lost.

use serde_json::Value;

use super::{DIRECTIVE, SET_ORDER, failure, missing_key, plain, wrong_type};
use crate::refusal::Refusal;

/// Weaves what the patch names into what only the server has.
pub(super) fn arrange(
    merged: Vec<Value>,
    wanted: &[Value],
    had: &[Value],
    key: &str,
) -> Result<Vec<Value>, Refusal> {
    if !key.is_empty() {
        merged.iter().chain(wanted).chain(had).try_for_each(|item| want_key(item, key))?;
    }
    let (mut named, mut rest): (Vec<_>, Vec<_>) =
        merged.into_iter().partition(|item| place(wanted, item, key).is_some());
    named.sort_by_key(|item| place(wanted, item, key));
    rest.sort_by_key(|item| place(had, item, key));
    Ok(weave(rest, named, had, key))
}

/// Refuses a patch whose items come in another order than it asks for.
pub(super) fn check(patch: &[Value], order: &[Value], key: &str) -> Result<(), Refusal> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    if !key.is_empty() {
        let odd = patch.iter().find(|item| !item.is_object());
        if let Some(odd) = odd {
            return Err(wrong_type("map[string]interface {}", odd));
        }
    }
    let mut order_left = order.iter();
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        want_key(item, key)?;
        if !order_left.any(|it| name(it, key) == name(item, key)) {
            let patch = plain(&Value::from(patch.to_vec()));
            let order = plain(&Value::from(order.to_vec()));
            return Err(failure(format!(
                "The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n"
            )));
        }
    }
    Ok(())
}

fn want_key(item: &Value, key: &str) -> Result<(), Refusal> {
    match item {
        _ if key.is_empty() => Ok(()),
        Value::Object(fields) if fields.contains_key(key) => Ok(()),
        Value::Object(fields) => Err(missing_key(fields, key)),
        other => Err(wrong_type("map[string]interface {}", other)),
    }
}

/// What tells an item from others.
fn name<'a>(item: &'a Value, key: &str) -> Option<&'a Value> {
    if key.is_empty() { Some(item) } else { item.get(key) }
}

fn place(list: &[Value], item: &Value, key: &str) -> Option<usize> {
    list.iter().position(|it| name(it, key) == name(item, key))
}

/// An item of the server goes before one of the patch only if it stood before it.
fn weave(rest: Vec<Value>, named: Vec<Value>, had: &[Value], key: &str) -> Vec<Value> {
    let mut woven = Vec::with_capacity(rest.len() + named.len());
    let (mut rest, mut named) = (rest.into_iter().peekable(), named.into_iter().peekable());
    while let (Some(left), Some(right)) = (rest.peek(), named.peek()) {
        let is_before = match (place(had, left, key), place(had, right, key)) {
            (Some(left), Some(right)) => left < right,
            _ => false,
        };
        woven.extend(if is_before { rest.next() } else { named.next() });
    }
    woven.extend(rest);
    woven.extend(named);
    woven
}
