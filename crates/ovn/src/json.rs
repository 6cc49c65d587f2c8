//! Sheets and plans for programs: what `Display` tells people, as structured text.
//!
//! Invariant: rows are named by their keys, never by identifiers that differ between databases,
//! except where only the identifier is known.

use std::collections::BTreeMap;

use ovsdb::value::{Atom, Datum};
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::drawn::Value;
use crate::key::Key;
use crate::plan::{ColumnChange, Content, Plan, Target};
use crate::sheet::{Drawn, Sheet};

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for Sheet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tables: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
        for (key, drawn) in self.rows() {
            tables.entry(key.table()).or_default().push(Row { key, drawn });
        }
        let mut out = serializer.serialize_struct("Sheet", 2)?;
        out.serialize_field("owner", self.owner.as_str())?;
        out.serialize_field("tables", &tables)?;
        out.end()
    }
}

struct Row<'a> {
    key: &'a Key,
    drawn: &'a Drawn,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let places: Vec<String> =
            self.drawn.places.iter().map(|it| format!("{} {}", it.parent, it.column)).collect();
        let columns: BTreeMap<&str, Shown<'_>> = self
            .drawn
            .values
            .iter()
            .map(|(column, value)| (*column, Shown::drawn(value)))
            .collect();
        let mut out = serializer.serialize_struct("Row", 3)?;
        out.serialize_field("key", self.key)?;
        out.serialize_field("in", &places)?;
        out.serialize_field("columns", &columns)?;
        out.end()
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inserts: Vec<_> = self.inserts.iter().map(|row| self.insert(row)).collect();
        let updates: Vec<_> = self.updates.iter().map(|row| self.update(row)).collect();
        let link = |link: &crate::plan::Link| {
            format!("{} {} of {}", link.label, link.column, self.named(&link.parent))
        };
        let removed =
            self.unlinks.iter().map(link).chain(self.deletes.iter().map(|row| row.label.clone()));
        let mut out = serializer.serialize_struct("Plan", 5)?;
        out.serialize_field("inserts", &inserts)?;
        out.serialize_field("updates", &updates)?;
        out.serialize_field("links", &self.links.iter().map(link).collect::<Vec<_>>())?;
        out.serialize_field("removes", &removed.collect::<Vec<_>>())?;
        let missing = self.missing.iter().map(|it| format!("{} waits for {}", it.row, it.needs));
        let taken = self.conflicts.iter().map(|it| format!("{} is taken", it.row));
        let held = self.held.iter().map(|it| format!("{} stays", it.label));
        let problems: Vec<String> = missing.chain(taken).chain(held).collect();
        out.serialize_field("problems", &problems)?;
        out.end()
    }
}

#[derive(Serialize)]
struct Change<'a> {
    key: &'a Key,
    columns: BTreeMap<&'a str, Shown<'a>>,
}

impl Plan {
    fn insert<'a>(&'a self, row: &'a crate::plan::Insert) -> Change<'a> {
        let columns = row.values.iter().map(|(column, content)| (*column, self.shown(content)));
        Change { key: &row.key, columns: columns.collect() }
    }

    fn update<'a>(&'a self, row: &'a crate::plan::Update) -> Change<'a> {
        let columns = row.changes.iter().map(|(column, change)| {
            let shown = match change {
                ColumnChange::Set { after, .. } => self.shown(after),
                ColumnChange::Entries { put, .. } => Shown::Entries(put),
            };
            (*column, shown)
        });
        Change { key: &row.key, columns: columns.collect() }
    }

    fn shown<'a>(&'a self, content: &'a Content) -> Shown<'a> {
        match content {
            Content::Datum(datum) => Shown::Datum(datum),
            Content::Rows(rows) => Shown::Rows(rows.iter().map(|row| self.named(row)).collect()),
            Content::RowMap(entries) => {
                let entry = |(key, row): (&Atom, &Target)| format!("{key}={}", self.named(row));
                Shown::Rows(entries.iter().map(entry).collect())
            }
        }
    }

    fn named(&self, target: &Target) -> String {
        match target {
            Target::Standing(uuid) => uuid.to_string(),
            Target::New(at) => {
                self.inserts.get(*at).map(|row| row.key.to_string()).unwrap_or_default()
            }
        }
    }
}

/// What a column holds.
enum Shown<'a> {
    Datum(&'a Datum),
    Rows(Vec<String>),
    Entries(&'a [(Atom, Atom)]),
}

impl<'a> Shown<'a> {
    fn drawn(value: &'a Value) -> Self {
        match value {
            Value::Datum(datum) => Self::Datum(datum),
            Value::Rows(keys) => Self::Rows(keys.iter().map(Key::to_string).collect()),
            Value::RowMap(entries) => {
                Self::Rows(entries.iter().map(|(at, key)| format!("{at}={key}")).collect())
            }
        }
    }
}

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Rows(rows) => rows.serialize(serializer),
            Self::Entries(entries) => entries_of(entries, serializer),
            Self::Datum(datum) if datum.is_map() => entries_of(datum.entries(), serializer),
            Self::Datum(datum) => match datum.as_atom() {
                Some(atom) => Scalar(atom).serialize(serializer),
                None => serializer.collect_seq(datum.atoms().iter().map(Scalar)),
            },
        }
    }
}

fn entries_of<S: Serializer>(entries: &[(Atom, Atom)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_map(Some(entries.len()))?;
    for (key, value) in entries {
        out.serialize_entry(&key.to_string(), &Scalar(value))?;
    }
    out.end()
}

struct Scalar<'a>(&'a Atom);

impl Serialize for Scalar<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Atom::Integer(number) => serializer.serialize_i64(*number),
            Atom::Boolean(truth) => serializer.serialize_bool(*truth),
            Atom::String(text) => serializer.serialize_str(text),
            other @ (Atom::Real(_) | Atom::Uuid(_) | Atom::Named(_)) => {
                serializer.collect_str(other)
            }
        }
    }
}
