//! Mutations: changes relative to what a column holds.
//!
//! Reads the column's old value; returns the new one, or why it cannot be.
//! Invariant: a new value satisfies the column's whole type.

use crate::fault::Fault;
use crate::op::Mutator;
use crate::schema::{ColumnId, ColumnType};
use crate::value::{Atom, Datum, Real};

/// One mutation of one column, its argument checked.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(super) column: ColumnId,
    pub(super) mutator: Mutator,
    pub(super) argument: Datum,
}

impl Change {
    /// The value that follows from `old` in a column of this type.
    pub(super) fn apply(&self, kind: &ColumnType, old: &Datum) -> Result<Datum, Fault> {
        match self.mutator {
            Mutator::Add
            | Mutator::Subtract
            | Mutator::Multiply
            | Mutator::Divide
            | Mutator::Modulo => self.compute(kind, old),
            Mutator::Insert => counted(kind, union(old, &self.argument)),
            Mutator::Delete => counted(kind, subtract(old, &self.argument)),
        }
    }

    fn compute(&self, kind: &ColumnType, old: &Datum) -> Result<Datum, Fault> {
        let Some(operand) = self.argument.as_atom() else { return Ok(old.clone()) };
        let mut results = crate::value::Atoms::new();
        for atom in old.atoms() {
            let result = compute_atom(self.mutator, atom, operand)?;
            kind.key.check(&result)?;
            results.push(result);
        }
        Datum::distinct_set(results).map_err(|_| {
            let symbol = self.mutator.symbol();
            Fault::constraint(format!("result of {symbol:?} operation contains duplicates"))
        })
    }
}

fn compute_atom(mutator: Mutator, left: &Atom, right: &Atom) -> Result<Atom, Fault> {
    let out_of_range = || {
        let symbol = mutator.symbol();
        Fault::new(Fault::RANGE_ERROR, format!("result of {symbol:?} operation is out of range"))
    };
    match (left, right) {
        (Atom::Integer(left), Atom::Integer(right)) => {
            let result = compute_integer(mutator, *left, *right)?;
            result.map(Atom::Integer).ok_or_else(out_of_range)
        }
        (Atom::Real(left), Atom::Real(right)) => {
            let result = compute_real(mutator, left.to_f64(), right.to_f64())?;
            Real::new(result).map(Atom::Real).ok_or_else(out_of_range)
        }
        // Reading the mutation made sure that both have the column's numeric type.
        (other, _) => Ok(other.clone()),
    }
}

/// Integer arithmetic that never wraps.
///
/// compat: ovsdb/mutation.c, mul_int: ovsdb-server 3.5 refuses some products that fit, wraps some
/// that do not, and dies of a negative number times zero. Here a product is right or refused.
fn compute_integer(mutator: Mutator, left: i64, right: i64) -> Result<Option<i64>, Fault> {
    Ok(match mutator {
        Mutator::Add => left.checked_add(right),
        Mutator::Subtract => left.checked_sub(right),
        Mutator::Multiply => left.checked_mul(right),
        Mutator::Divide | Mutator::Modulo if right == 0 => return Err(division_by_zero()),
        Mutator::Divide => left.checked_div(right),
        Mutator::Modulo => left.checked_rem(right),
        Mutator::Insert | Mutator::Delete => Some(left),
    })
}

fn compute_real(mutator: Mutator, left: f64, right: f64) -> Result<f64, Fault> {
    Ok(match mutator {
        Mutator::Add => left + right,
        Mutator::Subtract => left - right,
        Mutator::Multiply => left * right,
        Mutator::Divide if right == 0.0 => return Err(division_by_zero()),
        Mutator::Divide => left / right,
        // `%=` is refused for reals when the mutation is read.
        Mutator::Modulo | Mutator::Insert | Mutator::Delete => left,
    })
}

fn division_by_zero() -> Fault {
    Fault::new(Fault::DOMAIN_ERROR, "division by zero")
}

/// Members of both; under a key of both the old entry stays.
fn union(old: &Datum, added: &Datum) -> Datum {
    let fresh = added.filter(|key, _| !old.contains(key));
    old.apply_difference(&fresh)
}

/// Members of only the old value; from a map, entries are removed by key or by key and value.
fn subtract(old: &Datum, removed: &Datum) -> Datum {
    old.filter(|key, value| match value {
        Some(_) if removed.is_map() => removed.value(key) != value,
        Some(_) | None => !removed.contains(key),
    })
}

fn counted(kind: &ColumnType, datum: Datum) -> Result<Datum, Fault> {
    if kind.allows_count(datum.len()) {
        return Ok(datum);
    }
    Err(Fault::constraint(format!("attempted to store {} elements in a column", datum.len())))
}
