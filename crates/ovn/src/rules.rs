//! Who writes what: declared once per table and column.
//!
//! Lists have no owner; some columns belong to northd, ovn-controller or ovs-vswitchd; some maps
//! are shared entry by entry.
//! Invariant: a column that OVN itself writes is never compared.

use std::collections::BTreeSet;
use std::sync::Arc;

use ovsdb::cache::{Cache, Index, IndexKey, RowView};
use ovsdb::value::Atom;

use crate::definition::{BaseDef, ColumnDef, DatabaseDef, TableDef};
use crate::key::Identity;

mod columns;
mod show;

pub use columns::Treatment;

/// The name of the index that finds rows by owner.
pub(crate) const OWNER_INDEX: &str = "owner";

/// The part that a row belongs to. Its text means something only to who made it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(Arc<str>);

impl Owner {
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Tells which part a standing row belongs to.
pub trait Ownership: Send + Sync {
    /// The owner that the row itself shows; `None` for rows of somebody else.
    fn owner(&self, row: RowView<'_>) -> Option<Owner>;
}

impl<F: Fn(RowView<'_>) -> Option<Owner> + Send + Sync> Ownership for F {
    fn owner(&self, row: RowView<'_>) -> Option<Owner> {
        self(row)
    }
}

/// A database together with who owns its rows.
#[derive(Clone)]
pub struct Rules {
    pub database: &'static DatabaseDef,
    ownership: Arc<dyn Ownership>,
    /// Indexes besides those that compare needs.
    further: Vec<Arc<Index>>,
}

impl Rules {
    pub fn new(database: &'static DatabaseDef, ownership: impl Ownership + 'static) -> Self {
        Self { database, ownership: Arc::new(ownership), further: Vec::new() }
    }

    /// The same rules for a replica with further indexes.
    pub fn with_indexes(mut self, indexes: impl IntoIterator<Item = Index>) -> Self {
        self.further.extend(indexes.into_iter().map(Arc::new));
        self
    }

    pub fn owner(&self, row: RowView<'_>) -> Option<Owner> {
        self.ownership.owner(row)
    }

    /// The indexes that a replica needs so that compare looks nothing up by scanning.
    pub fn indexes(&self) -> Vec<Arc<Index>> {
        let mut indexes = Vec::new();
        for table in self.database.tables {
            indexes.extend(Identity::of(table).map(|identity| identity.index(table)));
            if Identity::of(table).is_some() {
                indexes.push(self.owner_index(table));
            }
            let referring = table.columns.iter().filter(|column| is_followed(table, column));
            indexes.extend(
                referring.map(|column| Index::by_member(column.name, table.name, column.name)),
            );
        }
        indexes.into_iter().map(Arc::new).chain(self.further.iter().cloned()).collect()
    }

    fn owner_index(&self, table: &'static TableDef) -> Index {
        let ownership = Arc::clone(&self.ownership);
        let columns = table.columns.iter().map(|column| column.name);
        let relevant = columns.filter(|column| {
            matches!(Treatment::of(table.name, column), Treatment::Owned | Treatment::Shared)
        });
        Index::new(OWNER_INDEX, table.name, relevant.collect::<Vec<_>>(), move |row, emit| {
            if let Some(owner) = ownership.owner(row) {
                emit(owner_key(&owner));
            }
        })
    }

    /// The columns that keep rows of `table` from being deleted, apart from lists.
    pub(crate) fn holders_of(
        &self,
        table: &str,
    ) -> impl Iterator<Item = (&'static TableDef, &'static ColumnDef)> {
        let is_holder = |(table, column): &(&TableDef, &ColumnDef)| {
            !is_list(table, column) && matches!(column.key, BaseDef::Strong(_))
        };
        self.database.referrers(table).filter(is_holder)
    }

    /// The table whose rows a column of `table` lists.
    pub fn listed_in(&self, table: &str, column: &str) -> Option<&'static str> {
        let columns = self.database.table(table)?.columns;
        columns.iter().find(|it| it.name == column)?.key.target()
    }

    /// The list columns that may hold rows of `table`.
    pub fn lists_of(&self, table: &str) -> Vec<(&'static TableDef, &'static ColumnDef)> {
        self.database.referrers(table).filter(|(parent, column)| is_list(parent, column)).collect()
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rules({})", self.database.name)
    }
}

/// The owners of standing rows whose text begins so; looks at owners, not at rows.
pub fn standing_owners(rows: &Cache, beginning: &str) -> BTreeSet<Owner> {
    let from = Atom::from(beginning);
    let begins_so = |text: &&str| text.starts_with(beginning);
    let mut owners = BTreeSet::new();
    for table in rows.tables() {
        let texts = table.keys_from(OWNER_INDEX, &from).filter_map(Atom::as_str);
        owners.extend(texts.take_while(begins_so).map(Owner::new));
    }
    owners
}

pub(crate) fn owner_key(owner: &Owner) -> IndexKey {
    IndexKey::from_buf([Atom::from(owner.as_str())])
}

pub(crate) fn is_list(table: &TableDef, column: &ColumnDef) -> bool {
    Treatment::of(table.name, column.name) == Treatment::List
}

/// Whether it must be known which rows refer to a row through this column.
fn is_followed(table: &TableDef, column: &ColumnDef) -> bool {
    column.value.is_none() && (is_list(table, column) || matches!(column.key, BaseDef::Strong(_)))
}

/// Whether rows of the table show no owner of their own and belong to whom lists them.
pub fn belongs_to_parent(table: &str) -> bool {
    matches!(
        table,
        "Controller"
            | "Encap"
            | "Gateway_Chassis"
            | "HA_Chassis"
            | "Interface"
            | "Load_Balancer_Health_Check"
            | "Meter_Band"
    )
}
