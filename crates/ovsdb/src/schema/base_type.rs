//! The type of one atom, with its constraints.
//!
//! Invariant: a bound always belongs to the type that it bounds.

use std::sync::Arc;

use crate::fault::Fault;
use crate::value::{Atom, AtomKind, Datum, Real};

/// The type of a key or value.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseType {
    bounds: Bounds,
    /// The only atoms allowed, when present.
    enumeration: Option<Datum>,
}

/// An atomic type together with the constraint that fits it.
#[derive(Debug, Clone, PartialEq)]
pub enum Bounds {
    Integer {
        min: i64,
        max: i64,
    },
    Real {
        min: Option<Real>,
        max: Option<Real>,
    },
    Boolean,
    /// Lengths in characters.
    String {
        min: u64,
        max: u64,
    },
    Uuid {
        reference: Option<Reference>,
    },
}

/// A column whose uuids name rows of another table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub table: Arc<str>,
    pub strength: Strength,
}

/// What a reference does to the row that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// Keeps the row alive; it cannot be deleted.
    Strong,
    /// Disappears when the row is deleted.
    Weak,
}

impl BaseType {
    pub fn new(bounds: Bounds, enumeration: Option<Datum>) -> Self {
        Self { bounds, enumeration }
    }

    /// A uuid that refers to rows of `table`.
    pub fn reference_to(table: &str, strength: Strength) -> Self {
        let reference = Some(Reference { table: table.into(), strength });
        Self::new(Bounds::Uuid { reference }, None)
    }

    /// A type that allows only these atoms; the first tells which type.
    pub fn one_of<A: Into<Atom> + Clone>(allowed: &[A]) -> Self {
        let enumeration = Datum::set(allowed.iter().cloned());
        let kind = enumeration.atoms().first().map_or(AtomKind::String, Atom::kind);
        Self { enumeration: Some(enumeration), ..Self::from(kind) }
    }

    pub fn kind(&self) -> AtomKind {
        match self.bounds {
            Bounds::Integer { .. } => AtomKind::Integer,
            Bounds::Real { .. } => AtomKind::Real,
            Bounds::Boolean => AtomKind::Boolean,
            Bounds::String { .. } => AtomKind::String,
            Bounds::Uuid { .. } => AtomKind::Uuid,
        }
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    pub fn enumeration(&self) -> Option<&Datum> {
        self.enumeration.as_ref()
    }

    pub fn reference(&self) -> Option<&Reference> {
        match &self.bounds {
            Bounds::Uuid { reference } => reference.as_ref(),
            Bounds::Integer { .. }
            | Bounds::Real { .. }
            | Bounds::Boolean
            | Bounds::String { .. } => None,
        }
    }

    /// Whether some atom of the type is refused.
    pub fn has_constraints(&self) -> bool {
        self.enumeration.is_some() || *self != Self::from(self.kind())
    }

    /// Checks one atom of this type against the constraints.
    pub fn check(&self, atom: &Atom) -> Result<(), Fault> {
        if let Some(allowed) = &self.enumeration
            && !allowed.contains(atom)
        {
            let allowed: Vec<String> = allowed.atoms().iter().map(Atom::to_string).collect();
            let allowed = allowed.join(", ");
            return Err(Fault::constraint(format!(
                "{atom} is not one of the allowed values ({allowed})"
            )));
        }
        match (&self.bounds, atom) {
            (Bounds::Integer { min, max }, Atom::Integer(number)) => {
                within(number, Some(min), Some(max))
            }
            (Bounds::Real { min, max }, Atom::Real(number)) => {
                within(number, min.as_ref(), max.as_ref())
            }
            (Bounds::String { min, max }, Atom::String(text)) => check_length(text, *min, *max),
            _ => Ok(()),
        }
    }
}

fn within<T: PartialOrd + std::fmt::Debug>(
    number: &T,
    min: Option<&T>,
    max: Option<&T>,
) -> Result<(), Fault> {
    let low = min.is_some_and(|min| number < min);
    let high = max.is_some_and(|max| number > max);
    if low || high {
        return Err(Fault::constraint(format!(
            "{number:?} is not in the valid range {min:?} to {max:?}"
        )));
    }
    Ok(())
}

fn check_length(text: &str, min: u64, max: u64) -> Result<(), Fault> {
    let length = text.chars().count() as u64;
    if length < min || length > max {
        return Err(Fault::constraint(format!(
            "{text:?} has {length} characters, allowed are {min} to {max}"
        )));
    }
    Ok(())
}

impl From<AtomKind> for BaseType {
    fn from(kind: AtomKind) -> Self {
        let bounds = match kind {
            AtomKind::Integer => Bounds::Integer { min: i64::MIN, max: i64::MAX },
            AtomKind::Real => Bounds::Real { min: None, max: None },
            AtomKind::Boolean => Bounds::Boolean,
            AtomKind::String => Bounds::String { min: 0, max: u64::MAX },
            AtomKind::Uuid => Bounds::Uuid { reference: None },
        };
        Self { bounds, enumeration: None }
    }
}
