//! Reads monitor requests from JSON.
//!
//! Invariant: a request that cannot be honoured wholly is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Method, Monitor, Wants, WatchedTable};
use crate::engine::field::Field;
use crate::engine::filter::Filter;
use crate::engine::step::Reader;
use crate::engine::symbols::Symbols;
use crate::fault::Fault;
use crate::schema::{DatabaseSchema, TableSchema};
use crate::value::Uuid;

impl Monitor {
    /// Reads the requests of one `monitor`, `monitor_cond` or `monitor_cond_since`.
    pub(in crate::service) fn read(
        id: Value,
        schema: &DatabaseSchema,
        method: Method,
        requests: &Value,
    ) -> Result<Self, Fault> {
        let mut tables = BTreeMap::new();
        for (name, requests) in as_object(requests)? {
            let table = find_table(schema, name)?;
            tables.insert(Arc::clone(&table.name), read_table(table, method, requests)?);
        }
        Ok(Self { id, database: schema.name.clone(), method, tables })
    }
}

/// Reads the new conditions of a `monitor_cond_change`.
pub(in crate::service) fn read_filters(
    schema: &DatabaseSchema,
    requests: &Value,
) -> Result<BTreeMap<Arc<str>, Filter>, Fault> {
    let mut filters = BTreeMap::new();
    for (name, requests) in as_object(requests)? {
        let table = find_table(schema, name)?;
        let mut filter = Filter::default();
        for request in each(requests) {
            let request = as_object(request)?;
            only(request, &["where", "columns"])?;
            filter.or(read_filter(table, request)?);
        }
        filters.insert(Arc::clone(&table.name), filter);
    }
    Ok(filters)
}

fn read_table(
    table: &Arc<TableSchema>,
    method: Method,
    requests: &Value,
) -> Result<WatchedTable, Fault> {
    let mut watched = WatchedTable {
        schema: Arc::clone(table),
        columns: Vec::new(),
        wants: Wants::NOTHING,
        filter: Filter::default(),
    };
    for request in each(requests) {
        let request = as_object(request)?;
        match method {
            Method::Rows => only(request, &["columns", "select"])?,
            Method::Differences | Method::Since => only(request, &["columns", "select", "where"])?,
        }
        let wants = read_wants(request)?;
        watched.wants = watched.wants.or(wants);
        for field in read_columns(table, request)? {
            if watched.columns.iter().any(|(known, _)| *known == field) {
                return Err(Fault::syntax("column name mentioned more than once"));
            }
            watched.columns.push((field, wants));
        }
        watched.filter.or(read_filter(table, request)?);
    }
    Ok(watched)
}

fn read_columns(table: &TableSchema, request: &Map<String, Value>) -> Result<Vec<Field>, Fault> {
    let Some(columns) = request.get("columns") else {
        return Ok(Field::all(table).into_iter().filter(|field| *field != Field::Uuid).collect());
    };
    let columns = columns.as_array().ok_or_else(|| Fault::syntax("array of columns expected"))?;
    let find = |column: &Value| {
        let name = column.as_str().ok_or_else(|| Fault::syntax("column name expected"))?;
        Field::find(table, name)
            .ok_or_else(|| Fault::syntax(format!("{name} is not a valid column name")))
    };
    columns.iter().map(find).collect()
}

fn read_wants(request: &Map<String, Value>) -> Result<Wants, Fault> {
    let mut wants = Wants { initial: true, insert: true, delete: true, modify: true };
    let Some(select) = request.get("select") else { return Ok(wants) };
    for (event, truth) in as_object(select)? {
        let truth = truth.as_bool().ok_or_else(|| Fault::syntax("boolean expected in select"))?;
        match event.as_str() {
            "initial" => wants.initial = truth,
            "insert" => wants.insert = truth,
            "delete" => wants.delete = truth,
            "modify" => wants.modify = truth,
            other => return Err(Fault::syntax(format!("no event {other:?} to select"))),
        }
    }
    Ok(wants)
}

/// A request without conditions wants every row.
fn read_filter(table: &TableSchema, request: &Map<String, Value>) -> Result<Filter, Fault> {
    let Some(conditions) = request.get("where") else { return Ok(Filter::default()) };
    let conditions = conditions.as_array().ok_or_else(|| Fault::syntax("array expected"))?;
    // A name in a condition means no row here, because no row is being inserted.
    let mut reader =
        Reader { symbols: &mut Symbols::default(), uuids: &mut Uuid::nil, is_taken: &|_, _| false };
    reader.filter(table, conditions)
}

fn each(requests: &Value) -> &[Value] {
    requests.as_array().map_or(std::slice::from_ref(requests), Vec::as_slice)
}

fn as_object(json: &Value) -> Result<&Map<String, Value>, Fault> {
    json.as_object().ok_or_else(|| Fault::syntax("object expected"))
}

fn only(object: &Map<String, Value>, allowed: &[&str]) -> Result<(), Fault> {
    match object.keys().find(|name| !allowed.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Fault::syntax(format!("member {name:?} is not allowed here"))),
    }
}

fn find_table<'s>(schema: &'s DatabaseSchema, name: &str) -> Result<&'s Arc<TableSchema>, Fault> {
    schema.table(name).ok_or_else(|| Fault::syntax(format!("no table named {name}")))
}
