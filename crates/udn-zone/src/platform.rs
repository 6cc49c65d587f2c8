//! Whether the node's OVN can carry what is drawn.
//!
//! Reads what northd writes of itself into the northbound database; returns what is wrong with it.
//! Invariant: an OVN that has not told its version is not judged: northd may be starting.

use ovn::drawn::Record;
use ovn::northbound::NbGlobal;
use ovsdb::Cache;

#[cfg(test)]
pub(crate) mod tests;

/// The oldest OVN with transit routers that span nodes, as year and month.
const OLDEST: (u16, u16) = (25, 3);

/// Under which northd tells its version.
// compat: OVN's northd/northd.c, northd_internal_version
const VERSION: &str = "northd_internal_version";

/// The version of an OVN that is too old, as it tells it.
pub(crate) fn outdated(rows: &Cache) -> Option<&str> {
    let row = rows.table(NbGlobal::TABLE.name)?.rows().next()?;
    let text = row.entry("options", VERSION)?;
    let version = text.split('-').next()?;
    parse(version).filter(|it| *it < OLDEST).map(|_| version)
}

fn parse(version: &str) -> Option<(u16, u16)> {
    let mut numbers = version.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
