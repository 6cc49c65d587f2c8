//! Which values are equal.
//!
//! Reads two values; returns a verdict, or the error of values that do not compare.
//! Invariant: the left side decides how lists compare, as on the server.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::list::{Scalar, item_key};
use super::order::numbers;
use super::{Key, List, ListKind, Map, Value};
use crate::cel::error::Error;
use crate::cel::fuel::Fuel;

/// Compares as `==` does. Values of different types are different, not an error.
pub(in crate::cel) fn equal(left: &Value, right: &Value, fuel: &Fuel) -> Result<bool, Error> {
    fuel.burn(0)?;
    match (left, right) {
        (Value::Error(error), _) => Err(Error::clone(error)),
        (Value::Null, right) => Ok(matches!(right, Value::Null)),
        (_, Value::Null) => Ok(false),
        (Value::Bool(left), Value::Bool(right)) => Ok(left == right),
        (Value::String(left), Value::String(right)) => Ok(left == right),
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => {
            Ok(numbers(left, right) == Some(Ordering::Equal))
        }
        (Value::Bytes(left), Value::Bytes(right)) => Ok(left == right),
        (Value::Timestamp(left), Value::Timestamp(right)) => Ok(left == right),
        (Value::Duration(left), Value::Duration(right)) => Ok(left == right),
        (Value::Type(left), Value::Type(right)) => Ok(left == right),
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (None, right) => Ok(right.is_none()),
            (Some(_), None) => Ok(false),
            (Some(left), Some(right)) => equal(left, right, fuel),
        },
        (Value::List(left), right) => lists(left, right, fuel),
        (Value::Map(left), right) => maps(left, right, fuel),
        (
            Value::Bool(_)
            | Value::String(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
            | Value::Type(_)
            | Value::Optional(_),
            _,
        ) => Ok(false),
        (Value::Ip(_) | Value::Cidr(_), _) => networks(left, right),
        (Value::Quantity(left), Value::Quantity(right)) => left.equals(right),
        (Value::Url(left), Value::Url(right)) => Ok(left == right),
        (Value::Semver(left), Value::Semver(right)) => Ok(left.is_same_as(right)),
        (Value::Format(left), Value::Format(right)) => Ok(left.name() == right.name()),
        (Value::Quantity(_) | Value::Url(_) | Value::Semver(_) | Value::Format(_), right) => {
            Err(mismatch(right))
        }
    }
}

fn networks(left: &Value, right: &Value) -> Result<bool, Error> {
    match (left, right) {
        (Value::Ip(left), Value::Ip(right)) => Ok(left == right),
        (Value::Cidr(left), Value::Cidr(right)) => Ok(left == right),
        (_, right) => Err(mismatch(right)),
    }
}

fn mismatch(right: &Value) -> Error {
    match right {
        Value::Error(error) => Error::clone(error),
        _ => Error::no_such_overload(),
    }
}

fn lists(left: &List, right: &Value, fuel: &Fuel) -> Result<bool, Error> {
    let Value::List(right) = right else {
        return match left.kind() {
            ListKind::Plain => Ok(false),
            ListKind::Atomic | ListKind::Set | ListKind::Map { .. } => Err(mismatch(right)),
        };
    };
    if left.items().len() != right.items().len() {
        return Ok(false);
    }
    match left.kind() {
        kind @ (ListKind::Plain | ListKind::Atomic) => {
            for (left, right) in left.items().iter().zip(right.items()) {
                if !part(equal(left, right, fuel), *kind == ListKind::Atomic)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        ListKind::Set => {
            fuel.burn(left.items().len() + right.items().len())?;
            let known: BTreeSet<_> = left.items().iter().filter_map(Scalar::of).collect();
            let is_known = |item| Scalar::of(item).is_some_and(|item| known.contains(&item));
            Ok(right.items().iter().all(is_known))
        }
        ListKind::Map { keys } => keyed_lists(left, right, keys, fuel),
    }
}

/// What a part's comparison means for the whole: literals take no notice of parts that do not
/// compare, values of a schema do.
fn part(outcome: Result<bool, Error>, is_of_schema: bool) -> Result<bool, Error> {
    match outcome {
        Err(error) if !is_of_schema && !error.is_cost_exceeded() => Ok(true),
        outcome => outcome,
    }
}

fn keyed_lists(left: &List, right: &List, keys: &[String], fuel: &Fuel) -> Result<bool, Error> {
    let mut known = BTreeMap::new();
    for item in left.items() {
        known.insert(item_key(item, keys), item);
    }
    for item in right.items() {
        match known.get(&item_key(item, keys)) {
            None => return Ok(false),
            Some(left) if !equal(left, item, fuel)? => return Ok(false),
            Some(_) => {}
        }
    }
    Ok(true)
}

fn maps(left: &Map, right: &Value, fuel: &Fuel) -> Result<bool, Error> {
    let Value::Map(right) = right else {
        return if left.is_of_schema() { Err(mismatch(right)) } else { Ok(false) };
    };
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, value) in left.entries() {
        let Some(other) = counterpart(right, &key) else { return Ok(false) };
        if !part(equal(value, other, fuel), left.is_of_schema())? {
            return Ok(false);
        }
    }
    hidden_parts(left, right)
}

fn counterpart<'a>(map: &'a Map, key: &Key) -> Option<&'a Value> {
    map.lookup(&Value::from(key)).ok().flatten()
}

/// Unseen properties differ only where both objects have them.
fn hidden_parts(left: &Map, right: &Map) -> Result<bool, Error> {
    for (name, value) in left.hidden() {
        let differs = match right.hidden().get(name) {
            Some(other) => value != other,
            None => value.is_null() && right.field(name).is_some(),
        };
        if differs {
            return Ok(false);
        }
    }
    Ok(true)
}
