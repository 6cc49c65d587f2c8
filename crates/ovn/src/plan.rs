//! The difference between a sheet and what stands, as steps and as one OVSDB transaction.
//!
//! Invariant: the transaction is guarded; if a row it relies on changed meanwhile, nothing of it
//! is applied and the caller compares again.

use std::collections::{BTreeMap, BTreeSet};

use ovsdb::value::{Atom, Datum, Uuid};

use crate::key::Key;
use crate::rules::Owner;

mod lower;
mod show;

/// What must be done so that the drawn rows stand.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// New rows.
    pub inserts: Vec<Insert>,
    /// Rows whose columns differ.
    pub updates: Vec<Update>,
    /// Standing rows that come into a list.
    pub links: Vec<Link>,
    /// Standing rows that leave a list.
    pub unlinks: Vec<Link>,
    /// Root rows that go; other rows go when their last list lets them.
    pub deletes: Vec<Delete>,
    /// Drawn rows that cannot be placed yet.
    pub missing: Vec<Missing>,
    /// Drawn rows whose place is taken by a row of somebody else.
    pub conflicts: Vec<Conflict>,
    /// Rows that stay although they are no longer drawn.
    pub held: Vec<Held>,
    /// Drawn columns that the server's schema does not have.
    pub skipped: BTreeSet<(&'static str, &'static str)>,
}

/// A row as the transaction can name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Standing(Uuid),
    /// Inserted by this plan; the position among its inserts.
    New(usize),
}

/// A new row.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    pub key: Key,
    pub values: BTreeMap<&'static str, Content>,
    pub places: Vec<(Target, Key, &'static str)>,
}

/// A column's new value, with rows by target.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Datum(Datum),
    Rows(BTreeSet<Target>),
    RowMap(BTreeMap<Atom, Target>),
}

/// Columns of one row that change.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    pub key: Key,
    pub uuid: Uuid,
    pub changes: BTreeMap<&'static str, ColumnChange>,
}

/// How one column changes.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnChange {
    Set {
        before: Datum,
        after: Content,
    },
    /// Entries of a shared map: those to write, and those to remove with what they hold now.
    Entries {
        before: Vec<(Atom, Atom)>,
        put: Vec<(Atom, Atom)>,
        remove: Vec<Atom>,
    },
}

/// A row entering or leaving a list of a standing row.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub row: Uuid,
    /// The row's identity, for people.
    pub label: String,
    pub table: &'static str,
    pub parent: Target,
    pub parent_table: &'static str,
    pub column: &'static str,
}

/// A root row that goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    pub table: &'static str,
    pub uuid: Uuid,
    /// The row's identity, for people.
    pub label: String,
}

/// A drawn row that needs a row which neither stands nor is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Missing {
    pub row: Key,
    pub needs: Key,
}

/// A drawn row whose identity is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    pub row: Key,
    pub taken_by: Option<Owner>,
    pub uuid: Uuid,
}

/// A row that stays although it is no longer drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub table: &'static str,
    pub uuid: Uuid,
    /// The row's identity, for people.
    pub label: String,
    pub reason: Reason,
}

/// Why a row stays.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Rows of this owner hang below it.
    Carries(Owner),
    /// This row, which stays, refers to it.
    ReferredBy(String),
}

impl Plan {
    /// Whether nothing would be written.
    pub fn is_empty(&self) -> bool {
        self.inserts.is_empty()
            && self.updates.is_empty()
            && self.links.is_empty()
            && self.unlinks.is_empty()
            && self.deletes.is_empty()
    }

    /// Whether every drawn row stands once the plan is applied.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.conflicts.is_empty() && self.held.is_empty()
    }
}
