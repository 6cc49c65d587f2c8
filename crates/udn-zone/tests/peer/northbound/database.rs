//! Rows of a case as a standing database.

use std::collections::BTreeMap;

use ovn::definition::{BaseDef, ColumnDef, TableDef};
use ovn::{Rules, SimulatedDatabase};
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Operation, Values};
use ovsdb::value::AtomKind;
use ovsdb::{Atom, Datum};
use serde_json::Value;

/// A database that holds exactly these rows, by table.
pub(crate) fn load(rules: Rules, tables: &Value) -> SimulatedDatabase {
    let mut database = SimulatedDatabase::new(rules);
    let symbols = symbols(tables);
    let inserts: Vec<Operation> = rows(tables)
        .map(|(table, row)| Operation::Insert {
            table: table.to_owned().into(),
            row: values(database.rules().database.table(table).unwrap(), row, &symbols),
            uuid_name: row["_uuid"].as_str().map(|symbol| symbols[symbol].clone()),
            uuid: None,
        })
        .collect();
    database.transact(&inserts).expect("a case's rows fit the schema");
    database
}

/// The rows of which none stands with the told columns; references are not looked at.
pub(crate) fn missing<'c>(database: &SimulatedDatabase, tables: &'c Value) -> Vec<&'c Value> {
    let is_met = |table: &str, row: &Value| {
        let def = database.rules().database.table(table).unwrap();
        let told = values(def, row, &BTreeMap::new());
        let has = |row: RowView<'_>| told.iter().all(|(name, datum)| row.get(name) == Some(datum));
        database.rows().table(table).into_iter().flat_map(Table::rows).any(has)
    };
    rows(tables).filter(|(table, row)| !is_met(table, row)).map(|(_, row)| row).collect()
}

fn rows(tables: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let tables = tables.as_object().unwrap().iter();
    tables
        .flat_map(|(table, rows)| rows.as_array().unwrap().iter().map(|row| (table.as_str(), row)))
}

/// A name inside the transaction for each symbolic identifier.
fn symbols(tables: &Value) -> BTreeMap<String, String> {
    let symbols = rows(tables).filter_map(|(_, row)| row["_uuid"].as_str());
    symbols.enumerate().map(|(at, symbol)| (symbol.to_owned(), format!("row{at}"))).collect()
}

fn values(table: &TableDef, row: &Value, symbols: &BTreeMap<String, String>) -> Values {
    let columns = row.as_object().unwrap().iter().filter(|(name, _)| *name != "_uuid");
    let told = columns.filter_map(|(name, value)| {
        let column = table.column(name).unwrap_or_else(|| panic!("no column {name}"));
        Some((column.name.into(), datum(column, value, symbols)?))
    });
    told.collect()
}

/// `None` for references of which no target is told.
fn datum(column: &ColumnDef, value: &Value, symbols: &BTreeMap<String, String>) -> Option<Datum> {
    if let Some(entries) = value.as_object() {
        let entries = entries.iter().map(|(key, value)| (Atom::from(key.as_str()), text(value)));
        return Some(Datum::map(entries));
    }
    let atoms: Vec<Atom> = match value {
        Value::Array(members) => {
            members.iter().filter_map(|it| atom(column.key, it, symbols)).collect()
        }
        single => atom(column.key, single, symbols).into_iter().collect(),
    };
    (!atoms.is_empty()).then(|| Datum::set(atoms))
}

fn text(value: &Value) -> Atom {
    Atom::from(value.as_str().expect("maps of the cases hold texts"))
}

fn atom(kind: BaseDef, value: &Value, symbols: &BTreeMap<String, String>) -> Option<Atom> {
    match kind.kind() {
        AtomKind::Uuid => {
            symbols.get(value.as_str()?).map(|name| Atom::Named(name.as_str().into()))
        }
        AtomKind::Integer => value.as_i64().map(Atom::Integer),
        AtomKind::Boolean => value.as_bool().map(Atom::Boolean),
        AtomKind::String => value.as_str().map(Atom::from),
        AtomKind::Real => None,
    }
}
