//! Kubernetes' quantities in expressions.
//!
//! Reads texts and quantities; returns quantities, numbers and whether a text is a quantity.
//! Invariant: a quantity remembers whether it was computed, as the server's equality does.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::{Call, Failure, Implementation, Outcome};
use crate::cel::error::Error;
use crate::cel::value::Value;
use crate::quantity::{Amount, Quantity as Parsed};

/// A quantity.
#[derive(Debug, Clone)]
pub struct Quantity {
    amount: Amount,
    /// Whether it was computed; on the server such a one compares with others only from the left.
    is_computed: bool,
}

impl Quantity {
    /// compat: quantity.go, Equal takes values but sums are pointers
    pub(in crate::cel) fn equals(&self, other: &Self) -> Result<bool, Error> {
        if other.is_computed {
            return Err(Error::no_such_overload());
        }
        Ok(self.amount.compare(&other.amount) == Ordering::Equal)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.amount)
    }
}

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "quantity" => quantity,
        "isQuantity" => is_quantity,
        "sign" => |call| of_one(call, |amount| Ok(Value::Int(amount.sign()))),
        "asApproximateFloat" => |call| of_one(call, |amount| Ok(Value::Double(amount.to_float()))),
        "isInteger" => |call| of_one(call, |amount| Ok(Value::Bool(amount.to_int().is_some()))),
        "asInteger" => as_integer,
        "isGreaterThan" => |call| compared(call, |order| Value::Bool(order.is_gt())),
        "isLessThan" => |call| compared(call, |order| Value::Bool(order.is_lt())),
        "compareTo" => |call| compared(call, |order| Value::Int(order as i64)),
        "add" => |call| combined(call, Amount::plus),
        "sub" => |call| combined(call, |left, right| left.plus(&right.negated())),
        _ => return None,
    })
}

fn quantity(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text)] => {
            let amount = Parsed::parse(text).map_err(Failure::new)?.amount();
            Ok(Value::Quantity(Arc::new(Quantity { amount, is_computed: false })))
        }
        _ => Err(Failure::Mismatch),
    }
}

fn is_quantity(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(text)] => Ok(Value::Bool(Parsed::parse(text).is_ok())),
        _ => Err(Failure::Mismatch),
    }
}

fn of_one(call: &Call<'_>, read: fn(&Amount) -> Outcome) -> Outcome {
    match call.args {
        [Value::Quantity(quantity)] => read(&quantity.amount),
        _ => Err(Failure::Mismatch),
    }
}

fn as_integer(call: &Call<'_>) -> Outcome {
    of_one(call, |amount| {
        let int = amount.to_int().map(Value::Int);
        int.ok_or_else(|| Failure::new("cannot convert value to integer"))
    })
}

/// Compares quantities, and versions, which share these functions.
fn compared(call: &Call<'_>, read: fn(Ordering) -> Value) -> Outcome {
    match call.args {
        [Value::Quantity(left), Value::Quantity(right)] => {
            Ok(read(left.amount.compare(&right.amount)))
        }
        [Value::Semver(left), Value::Semver(right)] => Ok(read(left.compare(right))),
        _ => Err(Failure::Mismatch),
    }
}

fn combined(call: &Call<'_>, combine: fn(&Amount, &Amount) -> Amount) -> Outcome {
    let amount = match call.args {
        [Value::Quantity(left), Value::Quantity(right)] => combine(&left.amount, &right.amount),
        [Value::Quantity(left), Value::Int(right)] => {
            combine(&left.amount, &Amount::of_int(*right))
        }
        _ => return Err(Failure::Mismatch),
    };
    Ok(Value::Quantity(Arc::new(Quantity { amount, is_computed: true })))
}
