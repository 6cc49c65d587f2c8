//! Which ports of the node's own pods OVN has brought up.
//!
//! Reads rows and their changes; returns counts.
//! Invariant: a change costs the same however many ports there are.

use std::collections::BTreeSet;

use ovn::drawn::Record;
use ovn::northbound::LogicalSwitchPort;
use ovsdb::Cache;
use ovsdb::cache::{Change, RowView, Table};
use ovsdb::value::Uuid;
use udn_blueprint::names::ids;

#[cfg(test)]
mod tests;

/// The ports of the node's own pods.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Ports {
    up: BTreeSet<Uuid>,
    down: BTreeSet<Uuid>,
}

impl Ports {
    /// The ports that stand.
    pub fn read(rows: &Cache) -> Self {
        let mut ports = Self::default();
        let standing = rows.table(LogicalSwitchPort::TABLE.name);
        for row in standing.into_iter().flat_map(Table::rows) {
            ports.put(row);
        }
        ports
    }

    /// Takes in a change; rows are as they are after it.
    pub fn hear(&mut self, change: &Change, rows: &Cache) {
        if *change.table.name != *LogicalSwitchPort::TABLE.name {
            return;
        }
        self.up.remove(&change.uuid);
        self.down.remove(&change.uuid);
        if let Some(row) = rows.table(&change.table.name).and_then(|it| it.row(change.uuid)) {
            self.put(row);
        }
    }

    /// How many are up.
    pub fn up(&self) -> usize {
        self.up.len()
    }

    /// How many are not: nobody has plugged them, or OVN is not done with them.
    pub fn down(&self) -> usize {
        self.down.len()
    }

    fn put(&mut self, row: RowView<'_>) {
        let marks = LogicalSwitchPort::EXTERNAL_IDS.read(row).unwrap_or_default();
        // Ports of pods elsewhere have the type `remote`.
        let is_own = LogicalSwitchPort::TYPE.read(row).is_some_and(|it| it.is_empty());
        if !is_own || !marks.contains_key(ids::POD) {
            return;
        }
        let is_up = LogicalSwitchPort::UP.read(row).flatten().unwrap_or(false);
        if is_up {
            self.up.insert(row.uuid)
        } else {
            self.down.insert(row.uuid)
        };
    }
}
