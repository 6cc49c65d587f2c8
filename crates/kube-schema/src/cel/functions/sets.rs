//! Lists as sets.
//!
//! Reads two lists; returns whether one holds the other's items.
//! Invariant: order and repetition do not matter.

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::{List, Value, equal};

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "sets.contains" => |call| pair(call, |call, list, parts| all(call, parts, list)),
        "sets.equivalent" => |call| {
            pair(call, |call, left, right| Ok(all(call, left, right)? && all(call, right, left)?))
        },
        "sets.intersects" => |call| pair(call, any),
        _ => return None,
    })
}

type Test = fn(&Call<'_>, &List, &List) -> Result<bool, Error>;

fn pair(call: &Call<'_>, test: Test) -> Outcome {
    match call.args {
        [Value::List(left), Value::List(right)] => Ok(Value::Bool(test(call, left, right)?)),
        _ => Err(Failure::Mismatch),
    }
}

fn all(call: &Call<'_>, items: &List, among: &List) -> Result<bool, Error> {
    for item in items.items() {
        if !is_among(call, item, among)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn any(call: &Call<'_>, items: &List, among: &List) -> Result<bool, Error> {
    for item in items.items() {
        if is_among(call, item, among)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_among(call: &Call<'_>, item: &Value, list: &List) -> Result<bool, Error> {
    for other in list.items() {
        match equal(item, other, call.fuel) {
            Ok(true) => return Ok(true),
            Err(error) if error.is_cost_exceeded() => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    Ok(false)
}
