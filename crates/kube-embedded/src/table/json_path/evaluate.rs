//! Follows JSONPath through objects.
//!
//! Reads a path and a value; returns all values it leads to, or none where it cannot be followed.
//! Invariant: a missing field is no error, an index out of range is one.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Comparison, JsonPath, Operand, Step};

pub(super) fn find<'a>(path: &JsonPath, root: &'a Value) -> Option<Vec<&'a Value>> {
    path.0.iter().try_fold(vec![root], |values, step| {
        let mut found = Vec::new();
        for value in values {
            follow(step, value, &mut found)?;
        }
        Some(found)
    })
}

fn follow<'a>(step: &Step, value: &'a Value, found: &mut Vec<&'a Value>) -> Option<()> {
    match step {
        Step::Field(name) => found.extend(value.get(name)),
        Step::All => found.extend(children(value)),
        Step::Everywhere => everywhere(value, found),
        Step::Index(index) => {
            let list = value.as_array()?;
            found.push(list.get(position(*index, list.len())?)?);
        }
        Step::Slice { start, end, stride } => {
            let list = value.as_array()?;
            let start = position(start.unwrap_or(0), list.len())?;
            let end = end.map_or(Some(list.len()), |end| position(end, list.len()))?;
            let stride = usize::try_from(*stride).ok().filter(|stride| *stride > 0)?;
            found.extend(list.get(start..end)?.iter().step_by(stride));
        }
        Step::AnyOf(steps) => {
            for step in steps {
                follow(step, value, found)?;
            }
        }
        Step::Filter { left, test } => {
            for item in value.as_array()? {
                if passes(left, test.as_ref(), item)? {
                    found.push(item);
                }
            }
        }
    }
    Some(())
}

/// An index, counted from the end where it is negative.
fn position(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(map) => map.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// The depth is that of an object the server accepted, which is bounded.
fn everywhere<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    found.push(value);
    for child in children(value) {
        everywhere(child, found);
    }
}

fn passes(left: &JsonPath, test: Option<&(Comparison, Operand)>, item: &Value) -> Option<bool> {
    let lefts = find(left, item)?;
    let Some((comparison, right)) = test else {
        return Some(!lefts.is_empty());
    };
    let rights = match right {
        Operand::Literal(literal) => vec![literal],
        Operand::Path(path) => find(path, item)?,
    };
    match (&lefts[..], &rights[..]) {
        ([], _) | (_, []) => Some(false),
        ([left], [right]) => {
            let order = order(left, right)?;
            Some(match comparison {
                Comparison::Equal => order.is_eq(),
                Comparison::NotEqual => order.is_ne(),
                Comparison::Less => order.is_lt(),
                Comparison::LessOrEqual => order.is_le(),
                Comparison::Greater => order.is_gt(),
                Comparison::GreaterOrEqual => order.is_ge(),
            })
        }
        _ => None,
    }
}

/// None for values that cannot be compared.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Number(left), Value::Number(right)) => match (left.as_i64(), right.as_i64()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
            // The server does not compare whole numbers with others.
            (Some(_), None) | (None, Some(_)) => None,
        },
        _ => None,
    }
}
