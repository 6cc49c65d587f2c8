use ovn::drawn::Value;
use ovn::sheet::Drawn;
use ovn::{Key, Sheet};
use ovsdb::Atom;
use udn_model::Part;

use super::draw;
use crate::example::Example;
use crate::names::ids;
use crate::parts;

mod default_network;
mod guard;
mod lacking;
mod layer3;
mod red;
mod rules;

/// By what rows of the router guard are known.
const GUARD: &str = "external_ids:k8s.ovn.org/owner-type=RouterGuard";

/// Every row of all parts as one line, without what all networks share and without the router
/// guard, which the wire's description does not have.
fn drawn(example: &Example) -> Vec<String> {
    let mut lines = all_drawn(example);
    lines.retain(|line| !line.contains(GUARD));
    lines
}

/// The same with the guard.
fn all_drawn(example: &Example) -> Vec<String> {
    let input = example.input();
    let parts = parts(&input);
    let sheets =
        parts.iter().filter(|part| **part != Part::Zone).map(|part| draw(part, &input).value);
    let mut lines: Vec<String> = sheets.flat_map(|sheet| lines(&sheet)).collect();
    lines.sort();
    lines
}

/// Those of them that begin with these words.
fn drawn_of(example: &Example, words: &str) -> Vec<String> {
    drawn(example).into_iter().filter(|line| line.starts_with(words)).collect()
}

fn lines(sheet: &Sheet) -> Vec<String> {
    sheet.rows().map(|(key, row)| line(key, row)).collect()
}

/// The table, the name or where the row is, and every column; marks of the network are left out.
fn line(key: &Key, row: &Drawn) -> String {
    let name = match row.datum("name").and_then(|name| name.as_str()) {
        Some(name) => name.to_owned(),
        None => row.places.iter().map(|place| format!("in {}", name(&place.parent))).collect(),
    };
    let columns = row.values.iter().filter(|(column, _)| **column != "name");
    let words = columns.flat_map(|(column, value)| words(column, value));
    let words: Vec<String> = [word(key.table()), name].into_iter().chain(words).collect();
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn words(column: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Datum(datum) if datum.is_map() => {
            let is_mark = |key: &Atom| matches!(key.as_str(), Some(ids::NETWORK | ids::TOPOLOGY));
            let entries = datum.entries().iter().filter(|(key, _)| !is_mark(key));
            entries.map(|(key, value)| format!("{column}:{}={}", text(key), text(value))).collect()
        }
        Value::Datum(datum) => {
            let atoms: Vec<String> = datum.atoms().iter().map(text).collect();
            vec![format!("{column}={}", atoms.join(","))]
        }
        Value::Rows(keys) => {
            let names: Vec<String> = keys.iter().map(name).collect();
            vec![format!("{column}={}", names.join(","))]
        }
        Value::RowMap(_) => unreachable!("no drawn row has such a column"),
    }
}

fn name(key: &Key) -> String {
    key.atoms().iter().map(text).collect()
}

fn text(atom: &Atom) -> String {
    atom.as_str().map_or_else(|| atom.to_string(), str::to_owned)
}

fn word(table: &str) -> String {
    let word = match table {
        "Logical_Switch" => "LS",
        "Logical_Switch_Port" => "LSP",
        "Logical_Router" => "LR",
        "Logical_Router_Port" => "LRP",
        "Logical_Router_Static_Route" => "route",
        "Logical_Router_Policy" => "policy",
        other => other,
    };
    word.to_owned()
}
