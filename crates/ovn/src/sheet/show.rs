//! Shows a sheet to people, as `ovn-nbctl show` would: rows below the rows that list them.
//!
//! Invariant: every drawn row appears exactly once.

use std::collections::BTreeMap;
use std::fmt;

use super::{Drawn, Sheet};
use crate::drawn::Value;
use crate::key::Key;
use crate::plain::plain;

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tree = Tree::new(self);
        writeln!(f, "sheet of {}", self.owner)?;
        tree.tops.iter().try_for_each(|key| tree.show(f, key, 1))
    }
}

/// Which drawn rows hang below which.
struct Tree<'s> {
    sheet: &'s Sheet,
    tops: Vec<&'s Key>,
    below: BTreeMap<&'s Key, Vec<&'s Key>>,
}

impl<'s> Tree<'s> {
    fn new(sheet: &'s Sheet) -> Self {
        let mut tree = Self { sheet, tops: Vec::new(), below: BTreeMap::new() };
        for (key, drawn) in sheet.rows() {
            match home(sheet, drawn) {
                Some(parent) => tree.below.entry(parent).or_default().push(key),
                None => tree.tops.push(key),
            }
        }
        tree
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, key: &'s Key, depth: usize) -> fmt::Result {
        let Some(drawn) = self.sheet.row(key) else { return Ok(()) };
        let indent = "    ".repeat(depth);
        write!(f, "{indent}{}", word(key.table()))?;
        key.atoms()
            .iter()
            .filter(|atom| atom.as_str() != Some(""))
            .try_for_each(|atom| write!(f, " {atom}"))?;
        for place in &drawn.places {
            if Some(&place.parent) != home(self.sheet, drawn) {
                let parent = &place.parent;
                write!(f, " (in {} of {parent})", place.column)?;
            }
        }
        writeln!(f)?;
        for (column, value) in &drawn.values {
            if !key.atoms().iter().any(|atom| is_atom(value, atom)) {
                writeln!(f, "{indent}    {column}: {}", text(value))?;
            }
        }
        let children = self.below.get(key).into_iter().flatten();
        children.into_iter().try_for_each(|child| self.show(f, child, depth + 1))
    }
}

/// The drawn row that a row is shown below.
fn home<'s>(sheet: &'s Sheet, drawn: &'s Drawn) -> Option<&'s Key> {
    drawn.places.iter().map(|place| &place.parent).find(|parent| sheet.row(parent).is_some())
}

fn is_atom(value: &Value, atom: &ovsdb::Atom) -> bool {
    matches!(value, Value::Datum(datum) if datum.as_atom() == Some(atom))
}

fn text(value: &Value) -> String {
    match value {
        Value::Datum(datum) => plain(datum),
        Value::Rows(keys) => {
            let keys: Vec<String> = keys.iter().map(Key::to_string).collect();
            keys.join(", ")
        }
        Value::RowMap(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(at, key)| format!("{at}={key}")).collect();
            entries.join(", ")
        }
    }
}

/// What people call a row of a table.
fn word(table: &str) -> &str {
    match table {
        "Logical_Switch" => "switch",
        "Logical_Router" => "router",
        "Logical_Switch_Port" | "Logical_Router_Port" => "port",
        "Logical_Router_Policy" => "policy",
        "Logical_Router_Static_Route" => "route",
        "NAT" => "nat",
        "ACL" => "acl",
        other => other,
    }
}
