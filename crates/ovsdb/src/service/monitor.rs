//! What a client wants to be told of, and how it is told.
//!
//! Reads changes of rows; returns them as the client's monitor method writes them.
//! Invariant: a client that applies every update has exactly the rows that match its conditions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::engine::answer::datum_to_json;
use crate::engine::field::{Current, Field};
use crate::engine::filter::Filter;
use crate::engine::{Engine, RowChange};
use crate::row::Row;
use crate::schema::TableSchema;
use crate::value::Uuid;

mod read;

pub(super) use read::read_filters;

/// One monitor of one client.
#[derive(Debug)]
pub(super) struct Monitor {
    /// The client's name for it, any JSON value.
    pub(super) id: Value,
    pub(super) database: String,
    pub(super) method: Method,
    tables: BTreeMap<Arc<str>, WatchedTable>,
}

/// How the client asked, and so how it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// `monitor`: whole old and new rows.
    Rows,
    /// `monitor_cond`: differences.
    Differences,
    /// `monitor_cond_since`: differences and transaction ids.
    Since,
}

/// What a client wants to know of a table.
#[derive(Debug)]
struct WatchedTable {
    schema: Arc<TableSchema>,
    columns: Vec<(Field, Wants)>,
    /// The events of rows, which a client without columns may want too.
    wants: Wants,
    filter: Filter,
}

/// The events for which a client wants to know a column.
#[derive(Debug, Clone, Copy)]
struct Wants {
    initial: bool,
    insert: bool,
    delete: bool,
    modify: bool,
}

/// The event that a client sees, which its conditions may turn into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Initial,
    Insert,
    Modify,
    Delete,
}

/// A row that a client is told of, before and after.
struct Transition<'a> {
    old: Option<Current<'a>>,
    new: Option<Current<'a>>,
}

impl Monitor {
    /// Everything that matches now.
    pub(super) fn initial(&self, engine: &Engine) -> Value {
        let mut updates = Map::new();
        for (name, table) in &self.tables {
            let mut rows = Map::new();
            for current in engine.current_rows(name) {
                let seen = Transition { old: None, new: Some(current) };
                if table.filter.matches_any(&current)
                    && let Some(update) = table.update(self.method, Event::Initial, &seen)
                {
                    rows.insert(current.uuid.to_string(), update);
                }
            }
            add(&mut updates, name, rows);
        }
        Value::Object(updates)
    }

    /// What changes concern the client; `None` if none do.
    pub(super) fn updates(&self, changes: &[RowChange]) -> Option<Value> {
        let mut updates: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for change in changes {
            let Some(table) = self.tables.get(&change.table.name) else { continue };
            let seen = Transition::of(change);
            let was = seen.old.is_some_and(|old| table.filter.matches_any(&old));
            let is = seen.new.is_some_and(|new| table.filter.matches_any(&new));
            let event = match (was, is) {
                (false, false) => continue,
                (false, true) => Event::Insert,
                (true, true) => Event::Modify,
                (true, false) => Event::Delete,
            };
            if let Some(update) = table.update(self.method, event, &seen) {
                let rows = updates.entry(&change.table.name).or_default();
                rows.insert(change.uuid.to_string(), update);
            }
        }
        (!updates.is_empty()).then(|| json!(updates))
    }

    /// Takes new conditions; what the client has to be told because of them.
    pub(super) fn change_filters(
        &mut self,
        filters: BTreeMap<Arc<str>, Filter>,
        engine: &Engine,
    ) -> Option<Value> {
        let mut updates = Map::new();
        for (name, filter) in filters {
            let Some(table) = self.tables.get_mut(&name) else { continue };
            let before = std::mem::replace(&mut table.filter, filter);
            let mut rows = Map::new();
            for row in engine.current_rows(&name) {
                let (was, is) = (before.matches_any(&row), table.filter.matches_any(&row));
                let (event, seen) = match (was, is) {
                    (true, true) | (false, false) => continue,
                    (true, false) => (Event::Delete, Transition { old: Some(row), new: None }),
                    (false, true) => (Event::Insert, Transition { old: None, new: Some(row) }),
                };
                if let Some(update) = table.update(self.method, event, &seen) {
                    rows.insert(row.uuid.to_string(), update);
                }
            }
            add(&mut updates, &name, rows);
        }
        (!updates.is_empty()).then_some(Value::Object(updates))
    }

    /// The notification that carries updates, as method and parameters.
    pub(super) fn notification(&self, updates: Value, id: Uuid) -> (&'static str, Vec<Value>) {
        match self.method {
            Method::Rows => ("update", vec![self.id.clone(), updates]),
            Method::Differences => ("update2", vec![self.id.clone(), updates]),
            Method::Since => ("update3", vec![self.id.clone(), json!(id.to_string()), updates]),
        }
    }
}

impl<'a> Transition<'a> {
    fn of(change: &'a RowChange) -> Self {
        let view = |row: &'a Option<Arc<Row>>, version| {
            let row = row.as_deref()?;
            Some(Current { table: &change.table, uuid: change.uuid, version, row })
        };
        let old = view(&change.old, change.old_version);
        Self { old, new: view(&change.new, change.new_version) }
    }

    fn differs(&self, field: Field) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => old.value(field) != new.value(field),
            (None, _) | (_, None) => true,
        }
    }
}

impl WatchedTable {
    /// What the client is told of a row; `None` if it does not want to know.
    fn update(&self, method: Method, event: Event, seen: &Transition<'_>) -> Option<Value> {
        if !self.wants.event(event) {
            return None;
        }
        if event == Event::Modify && !self.columns.iter().any(|(field, _)| seen.differs(*field)) {
            return None;
        }
        match method {
            Method::Rows => Some(self.rows_update(event, seen)),
            Method::Differences | Method::Since => self.difference_update(event, seen),
        }
    }

    fn rows_update(&self, event: Event, seen: &Transition<'_>) -> Value {
        let all = |row: &Option<Current<'_>>| {
            self.object(event, |field| row.as_ref().map(|row| datum_to_json(&row.value(field))))
        };
        let changed = || {
            self.object(event, |field| {
                let old = seen.old.as_ref().filter(|_| seen.differs(field))?;
                Some(datum_to_json(&old.value(field)))
            })
        };
        match event {
            Event::Initial | Event::Insert => json!({ "new": all(&seen.new) }),
            Event::Delete => json!({ "old": all(&seen.old) }),
            Event::Modify => json!({ "old": changed(), "new": all(&seen.new) }),
        }
    }

    fn difference_update(&self, event: Event, seen: &Transition<'_>) -> Option<Value> {
        let set = || self.object(event, |field| self.set_value(field, seen.new.as_ref()?));
        Some(match event {
            Event::Initial => json!({ "initial": set() }),
            Event::Insert => json!({ "insert": set() }),
            Event::Delete => json!({ "delete": null }),
            Event::Modify => {
                let changed = self.object(event, |field| self.difference(field, seen));
                if changed.is_empty() {
                    return None;
                }
                json!({ "modify": changed })
            }
        })
    }

    /// A column's value unless it is the default, which the client knows.
    fn set_value(&self, field: Field, row: &Current<'_>) -> Option<Value> {
        let value = row.value(field);
        let is_default = match field {
            Field::Uuid | Field::Version => false,
            Field::Column(id) => self.schema.column(id).default() == &*value,
        };
        (!is_default).then(|| datum_to_json(&value))
    }

    /// compat: ovsdb/monitor.c: sets and maps of several as differences, the rest as new values.
    fn difference(&self, field: Field, seen: &Transition<'_>) -> Option<Value> {
        let (old, new) = (seen.old.as_ref()?.value(field), seen.new.as_ref()?.value(field));
        if old == new {
            return None;
        }
        let is_composite = field.kind(&self.schema).is_composite();
        Some(datum_to_json(&if is_composite { old.difference(&new) } else { new.into_owned() }))
    }

    fn object(&self, event: Event, value: impl Fn(Field) -> Option<Value>) -> Map<String, Value> {
        let wanted = self.columns.iter().filter(|(_, wants)| wants.event(event));
        let member = |(field, _): &(Field, Wants)| {
            Some((field.name(&self.schema).to_owned(), value(*field)?))
        };
        wanted.filter_map(member).collect()
    }
}

impl Wants {
    const NOTHING: Self = Self { initial: false, insert: false, delete: false, modify: false };

    fn or(self, other: Self) -> Self {
        Self {
            initial: self.initial || other.initial,
            insert: self.insert || other.insert,
            delete: self.delete || other.delete,
            modify: self.modify || other.modify,
        }
    }

    fn event(self, event: Event) -> bool {
        match event {
            Event::Initial => self.initial,
            Event::Insert => self.insert,
            Event::Modify => self.modify,
            Event::Delete => self.delete,
        }
    }
}

fn add(updates: &mut Map<String, Value>, table: &str, rows: Map<String, Value>) {
    if !rows.is_empty() {
        updates.insert(table.to_owned(), Value::Object(rows));
    }
}
