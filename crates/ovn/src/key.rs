//! The identity of a row: how a drawn row finds its counterpart among the standing ones.
//!
//! Declared once per table, because it is part of the wire: another controller on the same
//! database recognises rows by the same means.
//! Invariant: the key of a drawn row and the key of the row it became are equal.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use ovsdb::cache::{Index, IndexKey, RowView};
use ovsdb::value::{Atom, Datum};

use crate::definition::TableDef;
use crate::drawn::{Value, Values};

/// The `external_ids` entry in which rows without a name carry their identity.
// compat: pkg/libovsdb/ops/db_object_ids.go, PrimaryIDKey
pub const PRIMARY_ID: &str = "k8s.ovn.org/id";

/// The name of the index that finds rows by identity.
pub const IDENTITY_INDEX: &str = "identity";

/// The identity of one row.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(Arc<Parts>);

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        // Keys are shared rather than made anew, so the same one often meets itself.
        if Arc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { self.0.cmp(&other.0) }
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Parts {
    table: &'static str,
    atoms: IndexKey,
    /// Present when the atoms are unique only among the rows of one parent.
    parent: Option<Key>,
}

impl Key {
    /// A row of a table that is found by one text, such as its name.
    pub fn named(table: &TableDef, name: &str) -> Self {
        Self::new(table.name, IndexKey::from_buf([Atom::from(name)]), None)
    }

    pub(crate) fn new(table: &'static str, atoms: IndexKey, parent: Option<Self>) -> Self {
        Self(Arc::new(Parts { table, atoms, parent }))
    }

    pub fn table(&self) -> &'static str {
        self.0.table
    }

    pub fn atoms(&self) -> &[Atom] {
        &self.0.atoms
    }

    pub fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.table)?;
        for atom in self.atoms().iter().filter(|atom| atom.as_str() != Some("")) {
            write!(f, " {atom}")?;
        }
        match self.parent() {
            Some(parent) => write!(f, " of {parent}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How rows of a table are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// By these columns, unique in the table.
    Columns(&'static [&'static str]),
    /// By the primary id in `external_ids`, or without one by these columns among the rows of
    /// one parent.
    IdOrWithin(&'static [&'static str]),
    /// By these columns among the rows of one parent.
    Within(&'static [&'static str]),
    /// There is one row.
    Single,
}

impl Identity {
    /// The identity of a table's rows; `None` for tables that nobody draws.
    pub fn of(table: &TableDef) -> Option<Self> {
        let declared = match table.name {
            "Load_Balancer" | "Logical_Router" | "Logical_Switch" => Self::Columns(&["name"]),
            "ACL" => Self::IdOrWithin(&["direction", "priority", "match"]),
            "DHCP_Options" => Self::IdOrWithin(&["cidr"]),
            "DNS" => Self::IdOrWithin(&[]),
            "Logical_Router_Policy" => Self::IdOrWithin(&["priority", "match"]),
            "Logical_Router_Static_Route" => {
                Self::IdOrWithin(&["ip_prefix", "policy", "nexthop", "output_port", "route_table"])
            }
            "NAT" => Self::IdOrWithin(&[
                "type",
                "external_ip",
                "logical_ip",
                "logical_port",
                "match",
                "external_port_range",
            ]),
            "QoS" if !table.is_root => Self::IdOrWithin(&["direction", "priority", "match"]),
            // Those of the switch, which nothing but an id tells apart.
            "QoS" | "Queue" => Self::IdOrWithin(&[]),
            "Forwarding_Group" => Self::Within(&["name"]),
            "HA_Chassis" if table.column("chassis_name").is_some() => {
                Self::Within(&["chassis_name"])
            }
            "Load_Balancer_Health_Check" => Self::Within(&["vip"]),
            "Meter_Band" => Self::Within(&["action", "rate", "burst_size"]),
            "Controller" => Self::Within(&["target"]),
            "Mirror" if !table.is_root => Self::Within(&["name"]),
            "NB_Global" | "Open_vSwitch" | "SB_Global" | "SSL" => Self::Single,
            _ => return table.indexes.first().map(|columns| Self::Columns(columns)),
        };
        Some(declared)
    }

    /// The key of a row that is being drawn.
    pub fn key_of_drawn(
        self,
        table: &'static TableDef,
        values: &Values,
        parent: Option<&Key>,
    ) -> Key {
        if let Self::IdOrWithin(_) = self
            && let Some(Value::Datum(ids)) = values.get("external_ids")
            && let Some(id) = ids.text(PRIMARY_ID)
        {
            return Key::new(table.name, IndexKey::from_buf([Atom::from(id)]), None);
        }
        let atom = |column: &&'static str| match values.get(column) {
            Some(Value::Datum(datum)) => identity_atom(datum),
            Some(Value::Rows(_) | Value::RowMap(_)) => absent(),
            None => default_atom(table, column),
        };
        let atoms = self.columns().iter().map(atom).collect();
        let scope = if self.is_scoped() { parent.cloned() } else { None };
        Key::new(table.name, atoms, scope)
    }

    /// The index that finds standing rows of the table by the atoms of their key.
    pub fn index(self, table: &'static TableDef) -> Index {
        let mut columns = self.columns().to_vec();
        if let Self::IdOrWithin(_) = self {
            columns.push("external_ids");
        }
        Index::new(IDENTITY_INDEX, table.name, columns, move |row, emit| emit(self.atoms_of(row)))
    }

    /// The atoms of a standing row's key.
    pub fn atoms_of(self, row: RowView<'_>) -> IndexKey {
        if let Self::IdOrWithin(_) = self
            && let Some(id) = row.get("external_ids").and_then(|ids| ids.under(PRIMARY_ID))
        {
            // The row's own text, which index and row then share.
            return IndexKey::from_buf([id.clone()]);
        }
        let atom = |column: &&str| row.get(column).map_or_else(absent, identity_atom);
        self.columns().iter().map(atom).collect()
    }

    /// Whether a row without a primary id is told apart only within its parent.
    pub fn is_scoped(self) -> bool {
        matches!(self, Self::Within(_) | Self::IdOrWithin(_))
    }

    fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Columns(columns) | Self::IdOrWithin(columns) | Self::Within(columns) => columns,
            Self::Single => &[],
        }
    }
}

/// A column as part of a key; an absent optional value counts as the empty text.
fn identity_atom(datum: &Datum) -> Atom {
    datum.as_atom().cloned().unwrap_or_else(absent)
}

fn absent() -> Atom {
    Atom::from("")
}

fn default_atom(table: &TableDef, column: &str) -> Atom {
    let Some(column) = table.column(column) else { return absent() };
    if column.min == 0 { absent() } else { column.key.kind().default_atom() }
}

/// A standing row's identity, for people.
pub(crate) fn label(table: &'static str, row: RowView<'_>) -> String {
    let name = row.text("name").filter(|name| !name.is_empty());
    match name.or_else(|| row.entry("external_ids", PRIMARY_ID)) {
        Some(name) => format!("{table} {name}"),
        None => format!("{table} {}", row.uuid),
    }
}
