//! Asks for a replica of the wanted tables, and reads what the server sends for it.
//!
//! Invariant: a request names only tables and columns that the server's schema has.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::error::SessionError;
use super::settings::{Missing, Wanted, WantedTable};
use crate::cache::{TableUpdates, UpdateFormat, UpdatesSeed};
use crate::codec::{Text, parse_uuid};
use crate::op::Name;
use crate::schema::{DatabaseSchema, TableSchema};
use crate::value::Uuid;

/// The ways to ask, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Resumes after a known transaction.
    Since,
    /// Sends differences, and only rows that match.
    Conditional,
    /// RFC 7047 as it was written.
    Plain,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Since => "monitor_cond_since",
            Self::Conditional => "monitor_cond",
            Self::Plain => "monitor",
        }
    }

    /// What to try with a server that does not know this one.
    pub(super) fn fallback(self) -> Option<Self> {
        match self {
            Self::Since => Some(Self::Conditional),
            Self::Conditional => Some(Self::Plain),
            Self::Plain => None,
        }
    }

    pub(super) fn format(self) -> UpdateFormat {
        match self {
            Self::Since | Self::Conditional => UpdateFormat::Differences,
            Self::Plain => UpdateFormat::Rows,
        }
    }
}

/// What to ask for, and what cannot be had.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct MonitorRequest {
    tables: Map<String, Value>,
    pub(super) missing: Missing,
    /// Tables whose every row is asked for.
    pub(super) complete: Vec<String>,
}

impl MonitorRequest {
    /// Fits what is wanted to what the schema has.
    pub(super) fn new(wanted: &Wanted, schema: &DatabaseSchema) -> Self {
        let mut request = Self::default();
        match wanted {
            Wanted::Everything => {
                for table in schema.tables() {
                    request.add(&WantedTable::whole(table.name.to_string()), table);
                }
            }
            Wanted::Tables(tables) => {
                for wanted in tables {
                    match schema.table(&wanted.table) {
                        Some(table) => request.add(wanted, table),
                        None => request.missing.tables.push(wanted.table.clone()),
                    }
                }
            }
        }
        request
    }

    fn add(&mut self, wanted: &WantedTable, table: &TableSchema) {
        let (conditions, absent): (Vec<_>, Vec<_>) =
            wanted.conditions.iter().partition(|condition| has_column(table, &condition.column));
        self.miss(table, absent.into_iter().map(|condition| &condition.column));
        let columns: Vec<&str> = match &wanted.columns {
            None => table.columns().map(|(_, column)| &*column.name).collect(),
            Some(columns) => {
                let absent = columns.iter().filter(|column| table.find(column).is_none());
                self.miss(table, absent);
                let known = columns.iter().filter(|column| table.find(column).is_some());
                known.map(AsRef::as_ref).collect()
            }
        };
        let mut entry = json!({ "columns": columns });
        if wanted.conditions.is_empty() {
            self.complete.push(table.name.to_string());
        } else {
            // No condition left means no row can match; an empty list would mean every row.
            let never = json!([false]);
            entry["where"] = if conditions.is_empty() { never } else { json!(conditions) };
        }
        self.tables.insert(table.name.to_string(), json!([entry]));
    }

    fn miss<'a>(&mut self, table: &TableSchema, columns: impl Iterator<Item = &'a Name>) {
        let table = Name::from(table.name.to_string());
        self.missing.columns.extend(columns.map(|column| (table.clone(), column.clone())));
    }

    /// The parameter as the method wants it.
    pub(super) fn tables(&self, method: Method) -> Value {
        let mut tables = self.tables.clone();
        if method == Method::Plain {
            let entries = tables.values_mut().filter_map(Value::as_array_mut).flatten();
            for entry in entries.filter_map(Value::as_object_mut) {
                entry.remove("where");
            }
        }
        Value::Object(tables)
    }
}

fn has_column(table: &TableSchema, name: &str) -> bool {
    name == "_uuid" || table.find(name).is_some()
}

/// The server's answer to a request for a replica.
#[derive(Debug)]
pub(super) struct InitialState {
    /// Whether `updates` are only what came after the transaction named in the request.
    pub(super) found: bool,
    pub(super) last: Option<Uuid>,
    pub(super) updates: TableUpdates,
}

/// Reads the answer in the one pass that fills the rows.
pub(super) fn decode_initial(
    schema: &DatabaseSchema,
    method: Method,
    text: &RawValue,
) -> Result<InitialState, SessionError> {
    let malformed = |source| SessionError::Malformed { what: "an initial state", source };
    match method {
        Method::Since => {
            let mut json = serde_json::Deserializer::from_str(text.get());
            SinceSeed { schema }.deserialize(&mut json).map_err(malformed)
        }
        Method::Conditional | Method::Plain => {
            let updates = decode_updates(schema, method.format(), text)?;
            Ok(InitialState { found: false, last: None, updates })
        }
    }
}

/// Reads the updates of a notification.
pub(super) fn decode_updates(
    schema: &DatabaseSchema,
    format: UpdateFormat,
    text: &RawValue,
) -> Result<TableUpdates, SessionError> {
    let mut json = serde_json::Deserializer::from_str(text.get());
    let updates = UpdatesSeed { schema, format }.deserialize(&mut json);
    updates.map_err(|source| SessionError::Malformed { what: "an update", source })
}

/// An update as it arrived: decoded in the one pass over its text if it is for the replica.
#[derive(Debug)]
pub(super) enum Notified<'a> {
    Replica { last: Option<Uuid>, updates: TableUpdates },
    Other { monitor: Text<'a>, updates: &'a RawValue },
}

/// `[monitor, updates]`, or `[monitor, last transaction, updates]`.
#[derive(Debug)]
pub(super) struct NotifiedSeed<'s> {
    /// Updates with this name are for the replica; `None` while it follows nothing.
    pub(super) monitor: Option<&'s str>,
    pub(super) schema: &'s DatabaseSchema,
    pub(super) format: UpdateFormat,
    pub(super) names_transaction: bool,
}

impl NotifiedSeed<'_> {
    pub(super) fn read<'a>(self, params: &'a RawValue) -> Result<Notified<'a>, SessionError> {
        let mut json = serde_json::Deserializer::from_str(params.get());
        let notified = json.deserialize_seq(self);
        notified.map_err(|source| SessionError::Malformed { what: "an update", source })
    }
}

impl<'de> Visitor<'de> for NotifiedSeed<'_> {
    type Value = Notified<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an update")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Notified<'de>, A::Error> {
        let short = || A::Error::custom("a list with too few elements");
        let monitor = sequence.next_element::<Text<'de>>()?.ok_or_else(short)?;
        let last = match self.names_transaction {
            true => Some(read_last(&mut sequence)?),
            false => None,
        };
        let notified = if self.monitor == Some(&*monitor) {
            let seed = UpdatesSeed { schema: self.schema, format: self.format };
            let updates = sequence.next_element_seed(seed)?.ok_or_else(short)?;
            Notified::Replica { last, updates }
        } else {
            let updates = sequence.next_element()?.ok_or_else(short)?;
            Notified::Other { monitor, updates }
        };
        match sequence.next_element::<IgnoredAny>()? {
            None => Ok(notified),
            Some(_) => Err(A::Error::custom("a list with too many elements")),
        }
    }
}

/// `[found, last transaction, updates]`.
struct SinceSeed<'s> {
    schema: &'s DatabaseSchema,
}

impl<'de> DeserializeSeed<'de> for SinceSeed<'_> {
    type Value = InitialState;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<InitialState, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for SinceSeed<'_> {
    type Value = InitialState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[found, last transaction, updates]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<InitialState, A::Error> {
        let short = || A::Error::custom("a list with too few elements");
        let found = sequence.next_element::<bool>()?.ok_or_else(short)?;
        let last = read_last(&mut sequence)?;
        let seed = UpdatesSeed { schema: self.schema, format: UpdateFormat::Differences };
        let updates = sequence.next_element_seed(seed)?.ok_or_else(short)?;
        if sequence.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::custom("a list with too many elements"));
        }
        Ok(InitialState { found, last: Some(last), updates })
    }
}

/// Reads the name of the transaction that an update leads up to.
fn read_last<'de, A: SeqAccess<'de>>(sequence: &mut A) -> Result<Uuid, A::Error> {
    let text = sequence.next_element::<Text<'de>>()?;
    let text = text.ok_or_else(|| A::Error::custom("a list with too few elements"))?;
    let uuid = parse_uuid(&text);
    uuid.ok_or_else(|| A::Error::custom(format_args!("{:?} is not a valid UUID", &*text)))
}
