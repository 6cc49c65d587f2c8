//! Conditions: which rows an operation applies to.
//!
//! Reads a row; answers yes or no.
//! Invariant: the argument of a clause fits its column and function, which was checked when the
//! clause was read.

use super::field::{Current, Field};
use crate::op::Function;
use crate::value::{Datum, Uuid};

/// A conjunction of clauses; without any it matches every row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter(pub(super) Vec<Clause>);

/// One condition.
#[derive(Debug, Clone)]
pub(crate) enum Clause {
    /// The server's extension: `true` and `false` in place of a condition.
    Constant(bool),
    Compare {
        field: Field,
        function: Function,
        argument: Datum,
    },
}

impl Filter {
    pub(crate) fn matches(&self, row: &Current<'_>) -> bool {
        self.0.iter().all(|clause| clause.matches(row))
    }

    /// Whether any clause matches, or there is none: how a monitor reads its condition.
    pub(crate) fn matches_any(&self, row: &Current<'_>) -> bool {
        self.0.is_empty() || self.0.iter().any(|clause| clause.matches(row))
    }

    /// Joins two conditions of a monitor; one without clauses matches everything.
    pub(crate) fn or(&mut self, other: Self) {
        if other.0.is_empty() {
            self.0.push(Clause::Constant(true));
        }
        self.0.extend(other.0);
    }

    /// The only row that can match, when a clause names one.
    pub(crate) fn only_row(&self) -> Option<Uuid> {
        self.0.iter().find_map(|clause| match clause {
            Clause::Compare { field: Field::Uuid, function, argument } => match function {
                Function::Equal | Function::Includes => argument.as_atom()?.as_uuid(),
                Function::Less
                | Function::LessOrEqual
                | Function::NotEqual
                | Function::GreaterOrEqual
                | Function::Greater
                | Function::Excludes => None,
            },
            Clause::Compare { .. } | Clause::Constant(_) => None,
        })
    }

    /// The value that a clause demands of a field, when one does.
    pub(crate) fn demanded(&self, wanted: Field) -> Option<&Datum> {
        self.0.iter().find_map(|clause| match clause {
            Clause::Compare { field, function: Function::Equal, argument } if *field == wanted => {
                Some(argument)
            }
            Clause::Compare { .. } | Clause::Constant(_) => None,
        })
    }
}

impl Clause {
    fn matches(&self, row: &Current<'_>) -> bool {
        match self {
            Self::Constant(truth) => *truth,
            Self::Compare { field, function, argument } => {
                holds(&row.value(*field), *function, argument)
            }
        }
    }
}

/// Whether a value stands in a relation to an argument.
fn holds(value: &Datum, function: Function, argument: &Datum) -> bool {
    // compat: ovsdb/condition.c: an absent optional number is in no order with any other.
    let ordered = || value.as_atom().zip(argument.as_atom());
    match function {
        Function::Less => ordered().is_some_and(|(a, b)| a < b),
        Function::LessOrEqual => ordered().is_some_and(|(a, b)| a <= b),
        Function::GreaterOrEqual => ordered().is_some_and(|(a, b)| a >= b),
        Function::Greater => ordered().is_some_and(|(a, b)| a > b),
        Function::Equal => value == argument,
        Function::NotEqual => value != argument,
        Function::Includes => members(argument).all(|(key, entry)| has(value, key, entry)),
        Function::Excludes => !members(argument).any(|(key, entry)| has(value, key, entry)),
    }
}

type Member<'a> = (&'a crate::value::Atom, Option<&'a crate::value::Atom>);

fn members(datum: &Datum) -> impl Iterator<Item = Member<'_>> {
    let entries = datum.entries().iter().map(|(key, value)| (key, Some(value)));
    datum.atoms().iter().map(|atom| (atom, None)).chain(entries)
}

fn has(datum: &Datum, key: &crate::value::Atom, entry: Option<&crate::value::Atom>) -> bool {
    match entry {
        None => datum.contains(key),
        Some(_) => datum.value(key) == entry,
    }
}
