//! What the engine answers to each operation, in its own form, typed, and as JSON.
//!
//! Invariant: all forms say the same; only JSON and the engine's own form carry `_version`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::field::Field;
use crate::codec::{DecodedRow, atom_to_json};
use crate::fault::Fault;
use crate::op::OpResult;
use crate::row::Row;
use crate::schema::TableSchema;
use crate::value::{Atom, Datum, Uuid};

/// The answer to one operation.
#[derive(Debug)]
pub(crate) enum Answer {
    Done,
    Inserted(Uuid),
    Count(u64),
    Rows(Selection),
    Failed(Fault),
    NotReached,
}

/// The rows that a `select` found, cut down to some fields.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) table: Arc<TableSchema>,
    pub(crate) fields: Vec<Field>,
    pub(crate) rows: Vec<Vec<Datum>>,
}

impl From<Answer> for OpResult {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Done => Self::Done,
            Answer::Inserted(uuid) => Self::Inserted(uuid),
            Answer::Count(count) => Self::Count(count),
            Answer::Rows(selection) => Self::Rows(selection.into_rows()),
            Answer::Failed(fault) => Self::Failed(fault),
            Answer::NotReached => Self::NotReached,
        }
    }
}

impl From<Answer> for Value {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Done => json!({}),
            Answer::Inserted(uuid) => json!({ "uuid": atom_to_json(&Atom::Uuid(uuid)) }),
            Answer::Count(count) => json!({ "count": count }),
            Answer::Rows(selection) => json!({ "rows": selection.into_json() }),
            Answer::Failed(fault) => fault_to_json(&fault),
            Answer::NotReached => Self::Null,
        }
    }
}

/// A fault as an operation's result carries it.
pub(crate) fn fault_to_json(fault: &Fault) -> Value {
    let mut object = Map::from_iter([("error".to_owned(), json!(fault.tag))]);
    if let Some(details) = &fault.details {
        object.insert("details".to_owned(), json!(details));
    }
    Value::Object(object)
}

/// A value as JSON.
pub(crate) fn datum_to_json(datum: &Datum) -> Value {
    if datum.is_map() {
        let entry = |(key, value): &(Atom, Atom)| json!([atom_to_json(key), atom_to_json(value)]);
        return json!(["map", datum.entries().iter().map(entry).collect::<Vec<_>>()]);
    }
    match datum.as_atom() {
        Some(atom) => atom_to_json(atom),
        None => json!(["set", datum.atoms().iter().map(atom_to_json).collect::<Vec<_>>()]),
    }
}

impl Selection {
    fn into_rows(self) -> Vec<DecodedRow> {
        let Self { table, fields, rows } = self;
        let decode = |values: Vec<Datum>| {
            let mut decoded = DecodedRow::default();
            let mut columns = Vec::new();
            for (field, datum) in fields.iter().zip(values) {
                match field {
                    Field::Uuid => decoded.uuid = datum.as_atom().and_then(Atom::as_uuid),
                    Field::Version => {}
                    Field::Column(id) => columns.push((*id, datum)),
                }
            }
            decoded.row = Row::new(&table, columns);
            decoded
        };
        rows.into_iter().map(decode).collect()
    }

    fn into_json(self) -> Vec<Value> {
        let object = |values: &Vec<Datum>| {
            let members = self.fields.iter().zip(values);
            let member = |(field, datum): (&Field, &Datum)| {
                (field.name(&self.table).to_owned(), datum_to_json(datum))
            };
            Value::Object(members.map(member).collect())
        };
        self.rows.iter().map(object).collect()
    }
}
