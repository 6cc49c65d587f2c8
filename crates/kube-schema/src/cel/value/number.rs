//! Numbers of different types beside each other.
//!
//! Reads numbers; returns whether and how one type holds another's value.
//! Invariant: a conversion is exact or does not happen.

use super::Value;

/// The whole number that a numeric value is, if it is one.
pub(in crate::cel) fn exact_int(value: &Value) -> Option<i128> {
    match value {
        Value::Int(int) => Some(i128::from(*int)),
        Value::Uint(uint) => Some(i128::from(*uint)),
        Value::Double(real) if real.fract() == 0.0 && real.abs() < 1e20 => Some(*real as i128),
        _ => None,
    }
}

/// Cuts off the fraction; fails outside of what an int holds, both ends left out.
/// (compat: overflow.go, doubleToInt64Checked)
pub(in crate::cel) fn double_to_int(real: f64) -> Option<i64> {
    (real > i64::MIN as f64 && real < i64::MAX as f64).then_some(real as i64)
}

/// (compat: overflow.go, doubleToUint64Checked)
pub(in crate::cel) fn double_to_uint(real: f64) -> Option<u64> {
    (real >= 0.0 && real < u64::MAX as f64).then_some(real as u64)
}
