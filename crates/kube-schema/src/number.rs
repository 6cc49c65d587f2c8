//! A JSON number as the server holds it: a 64-bit integer, or a floating point number.
//!
//! Reads `serde_json` numbers; returns one of two kinds.
//! Invariant: a whole number that fits 64 signed bits and was written without `.` or `e` is an
//! integer, everything else is not.

/// A number, in one of the two forms Go's decoder gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    pub(crate) fn of(number: &serde_json::Number) -> Self {
        match number.as_i64() {
            Some(int) => Self::Int(int),
            None => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    pub(crate) fn as_float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(real) => real,
        }
    }
}
