//! OVSDB values: atoms, and the sets and maps that columns hold.
//!
//! A scalar is a set of one, as in the database itself, so every rule is written once.
//! Invariant: a [`Datum`] is sorted and has no two equal keys, so equality is structural.

use std::cmp::Ordering;
use std::fmt;

use smallvec::SmallVec;
use smol_str::SmolStr;
pub use uuid::Uuid;

mod datum;
#[cfg(test)]
mod tests;

pub(crate) use datum::Shared;
pub use datum::{Datum, DuplicateKey};

/// The atoms of a set; one atom, the common case, needs no allocation.
pub type Atoms = SmallVec<[Atom; 1]>;

/// One indivisible value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    Integer(i64),
    Real(Real),
    Boolean(bool),
    /// Up to 23 bytes need no allocation, and longer ones are shared when copied.
    String(SmolStr),
    Uuid(Uuid),
    /// A row inserted by the same transaction, by its `uuid-name`. Only operations hold these;
    /// no stored row does.
    Named(Box<str>),
}

impl Atom {
    /// The type of the atom, as a schema would name it.
    pub fn kind(&self) -> AtomKind {
        match self {
            Self::Integer(_) => AtomKind::Integer,
            Self::Real(_) => AtomKind::Real,
            Self::Boolean(_) => AtomKind::Boolean,
            Self::String(_) => AtomKind::String,
            Self::Uuid(_) | Self::Named(_) => AtomKind::Uuid,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The row identifier, if this is one.
    pub fn as_uuid(&self) -> Option<Uuid> {
        if let Self::Uuid(uuid) = self { Some(*uuid) } else { None }
    }

    /// The number, if this is an integer.
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }

    /// The truth value, if this is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(truth) = self { Some(*truth) } else { None }
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => fmt::Debug::fmt(text, f),
            Self::Named(name) => write!(f, "@{name}"),
            Self::Integer(_) | Self::Real(_) | Self::Boolean(_) | Self::Uuid(_) => {
                fmt::Display::fmt(self, f)
            }
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Real(number) => number.0.fmt(f),
            Self::Boolean(truth) => truth.fmt(f),
            Self::String(text) => text.fmt(f),
            Self::Uuid(uuid) => uuid.fmt(f),
            Self::Named(name) => write!(f, "@{name}"),
        }
    }
}

impl From<i64> for Atom {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Atom {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

impl From<&str> for Atom {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Atom {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<Uuid> for Atom {
    fn from(uuid: Uuid) -> Self {
        Self::Uuid(uuid)
    }
}

impl From<Real> for Atom {
    fn from(number: Real) -> Self {
        Self::Real(number)
    }
}

/// The five atomic types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AtomKind {
    Integer,
    Real,
    Boolean,
    String,
    Uuid,
}

impl AtomKind {
    /// The type's name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Uuid => "uuid",
        }
    }

    /// The value that a column of this type has before anyone sets it.
    pub fn default_atom(self) -> Atom {
        match self {
            Self::Integer => Atom::Integer(0),
            Self::Real => Atom::Real(Real::ZERO),
            Self::Boolean => Atom::Boolean(false),
            Self::String => Atom::String(SmolStr::default()),
            Self::Uuid => Atom::Uuid(Uuid::nil()),
        }
    }
}

impl fmt::Display for AtomKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A finite floating-point number that is never negative zero, and so has a total order.
#[derive(Debug, Clone, Copy)]
pub struct Real(f64);

impl Real {
    pub const ZERO: Self = Self(0.0);

    /// Refuses infinities and NaN, which JSON cannot carry.
    pub fn new(number: f64) -> Option<Self> {
        // Adding zero turns -0.0 into 0.0 and leaves every other number as it is.
        number.is_finite().then_some(Self(number + 0.0))
    }

    pub fn to_f64(self) -> f64 {
        self.0
    }
}

impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Real {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
