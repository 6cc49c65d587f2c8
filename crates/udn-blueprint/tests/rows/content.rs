//! The whole content of a database as texts, identifiers replaced by what they stand for.

use std::collections::BTreeMap;

use ovn::SimulatedDatabase;
use ovsdb::cache::{RowView, Table};
use ovsdb::{Datum, Uuid};

/// Every row with all its columns; a reference shows what its row holds.
#[allow(dead_code, reason = "each shelf uses a part of this")]
pub(crate) fn content(database: &SimulatedDatabase) -> Vec<String> {
    content_of(database, &|_| true)
}

/// The same of some rows alone.
pub(crate) fn content_of(
    database: &SimulatedDatabase,
    is_wanted: &dyn Fn(RowView<'_>) -> bool,
) -> Vec<String> {
    let rows = || database.rows().tables().flat_map(Table::rows);
    let texts: BTreeMap<Uuid, String> = rows().map(|row| (row.uuid, plain(row))).collect();
    let wanted = rows().filter(|row| is_wanted(*row));
    let mut content: Vec<String> = wanted.map(|row| whole(row, &texts)).collect();
    content.sort();
    content
}

fn plain(row: RowView<'_>) -> String {
    let columns = row.row.columns().filter(|(_, datum)| is_plain(datum));
    let columns = columns.map(|(id, datum)| format!("{}={datum:?}", row.table.column(id).name));
    format!("{} {}", row.table.name, columns.collect::<Vec<_>>().join(" "))
}

fn whole(row: RowView<'_>, texts: &BTreeMap<Uuid, String>) -> String {
    let references = row.row.columns().filter(|(_, datum)| !is_plain(datum));
    let named = references.map(|(id, datum)| {
        let text = |uuid| texts.get(&uuid).map_or("nothing", String::as_str);
        let mut targets: Vec<&str> = datum.uuids().map(text).collect();
        targets.sort_unstable();
        format!("\n    {} → {}", row.table.column(id).name, targets.join("\n        "))
    });
    plain(row) + &named.collect::<String>()
}

fn is_plain(datum: &Datum) -> bool {
    datum.uuids().next().is_none()
}
