//! The JSON form of values: RFC 7047 §5.1.
//!
//! Decoding is directed by the column's type and builds no intermediate tree, so that a large
//! initial state costs one pass over its text.
//! Invariant: encoding a decoded value gives what a server would have sent.

use serde::de::DeserializeSeed;
use serde::ser::{SerializeSeq, SerializeTuple};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::fault::Fault;
use crate::schema::{BaseType, ColumnType};
use crate::value::{Atom, AtomKind, Atoms, Datum};

mod row;
mod shape;
#[cfg(test)]
mod tests;
mod text;

pub use row::{DecodedRow, RowSeed};
pub use shape::ShapeSeed;
pub(crate) use shape::{is_identifier, parse_uuid};
pub(crate) use text::Text;

/// A value whose atoms have the right types and nothing else is checked yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Set(Atoms),
    Map(Vec<(Atom, Atom)>),
}

/// How much of a column's type a decoded value must satisfy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Everything: what a server demands of an operation.
    Whole,
    /// The number of members too: what a client expects of a row.
    Count,
    /// Atoms only: what a difference between two values satisfies.
    Atoms,
}

/// Reads the shape of a value of this type.
pub fn shape_from_json(kind: &ColumnType, json: &Value) -> Result<Shape, Fault> {
    ShapeSeed { kind }.deserialize(json).map_err(|error| Fault::syntax(error.to_string()))
}

/// Reads a value and checks every constraint of its type, as a server does.
pub fn datum_from_json(kind: &ColumnType, json: &Value) -> Result<Datum, Fault> {
    match shape_from_json(kind, json) {
        Ok(shape) => kind.admit(shape, Strictness::Whole),
        Err(fault) => Err(earlier_violation(kind, json).unwrap_or(fault)),
    }
}

/// A constraint that a member violates before the first member that is no atom at all.
///
/// compat: lib/ovsdb-data.c: the server reads and checks member by member and stops at the first
/// that is wrong, so the order decides which error it reports.
fn earlier_violation(kind: &ColumnType, json: &Value) -> Option<Fault> {
    let members = json.as_array()?.get(1)?.as_array()?;
    if !kind.allows_count(members.len()) {
        return None;
    }
    let one = ColumnType { min: 1, max: Some(1), ..kind.clone() };
    let word = if kind.is_map() { "map" } else { "set" };
    for member in members {
        let shape = shape_from_json(&one, &serde_json::json!([word, [member]])).ok()?;
        if let Err(fault) = one.check_atoms(&shape) {
            return Some(fault);
        }
    }
    None
}

/// Reads one atom, such as a limit in a schema.
pub fn atom_from_json(kind: AtomKind, json: &Value) -> Result<Atom, Fault> {
    let datum = datum_from_json(&ColumnType::scalar(BaseType::from(kind)), json)?;
    datum.as_atom().cloned().ok_or_else(|| Fault::syntax("expected one value"))
}

/// Writes one atom.
pub fn atom_to_json(atom: &Atom) -> Value {
    match atom {
        Atom::Integer(number) => Value::from(*number),
        Atom::Real(number) => Value::from(number.to_f64()),
        Atom::Boolean(truth) => Value::from(*truth),
        Atom::String(text) => Value::from(&**text),
        Atom::Uuid(uuid) => serde_json::json!(["uuid", uuid.to_string()]),
        Atom::Named(name) => serde_json::json!(["named-uuid", **name]),
    }
}

impl ColumnType {
    /// Turns a shape into a value, if it satisfies as much of the type as is asked for.
    pub fn admit(&self, shape: Shape, strictness: Strictness) -> Result<Datum, Fault> {
        let (count, word) = match &shape {
            Shape::Set(atoms) => (atoms.len(), "set"),
            Shape::Map(entries) => (entries.len(), "map"),
        };
        if strictness != Strictness::Atoms && !self.allows_count(count) {
            let max = self.max.map_or_else(|| "any number of".to_owned(), |max| max.to_string());
            let min = self.min;
            return Err(Fault::syntax(format!(
                "{word} must have {min} to {max} members but {count} are present"
            )));
        }
        if strictness == Strictness::Whole {
            self.check_atoms(&shape)?;
        }
        let datum = match shape {
            Shape::Set(atoms) => Datum::distinct_set(atoms),
            Shape::Map(entries) => Datum::distinct_map(entries),
        };
        // compat: lib/ovsdb-data.c, ovsdb_datum_sort: this error has no tag of its own.
        datum.map_err(|duplicate| {
            Fault::new(Fault::UNNAMED, format!("{word} contains duplicate: {duplicate}"))
        })
    }

    fn check_atoms(&self, shape: &Shape) -> Result<(), Fault> {
        match shape {
            Shape::Set(atoms) => atoms.iter().try_for_each(|atom| self.key.check(atom)),
            Shape::Map(entries) => entries.iter().try_for_each(|(key, value)| {
                self.key.check(key)?;
                self.value.as_ref().map_or(Ok(()), |base| base.check(value))
            }),
        }
    }
}

impl Serialize for Atom {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Real(number) => serializer.serialize_f64(number.to_f64()),
            Self::Boolean(truth) => serializer.serialize_bool(*truth),
            Self::String(text) => serializer.serialize_str(text),
            Self::Uuid(uuid) => {
                let mut buffer = uuid::Uuid::encode_buffer();
                let text: &str = uuid.hyphenated().encode_lower(&mut buffer);
                ("uuid", text).serialize(serializer)
            }
            Self::Named(name) => ("named-uuid", &**name).serialize(serializer),
        }
    }
}

impl Serialize for Datum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_map() {
            return ("map", Entries(self.entries())).serialize(serializer);
        }
        match self.as_atom() {
            Some(atom) => atom.serialize(serializer),
            None => {
                let mut pair = serializer.serialize_tuple(2)?;
                pair.serialize_element("set")?;
                pair.serialize_element(self.atoms())?;
                pair.end()
            }
        }
    }
}

struct Entries<'a>(&'a [(Atom, Atom)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for entry in self.0 {
            sequence.serialize_element(entry)?;
        }
        sequence.end()
    }
}
