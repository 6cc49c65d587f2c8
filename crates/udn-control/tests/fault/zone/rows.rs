//! What databases hold as texts, and what they should hold.
//!
//! Invariant: identifiers and columns that OVN writes itself are never compared, everything else is.

use std::collections::BTreeMap;

use ovn::rules::Treatment;
use ovn::{Rules, SimulatedDatabase};
use ovsdb::cache::{RowView, Table};
use ovsdb::{Cache, Datum, Uuid};
use udn_blueprint::owners;
use udn_control::zone::ZoneDryRun;

/// Each row as a text, in order; a reference shows what its row holds.
pub(crate) type Content = Vec<String>;

/// What stands for as long as the databases, once a network needed it.
const SHARED: [&str; 3] = ["Copp ", "Meter ", "Meter_Band "];

pub(crate) fn content(rows: &Cache) -> Content {
    let all = || rows.tables().flat_map(Table::rows);
    let texts: BTreeMap<Uuid, String> = all().map(|row| (row.uuid, plain(row))).collect();
    let drawn = all().filter(|row| &*row.table.name != "NB_Global");
    let mut content: Content = drawn.map(|row| whole(row, &texts)).collect();
    content.sort();
    content
}

/// What a zone that begins with empty databases and knows everything at once would write.
pub(crate) fn fresh(zone: &ZoneDryRun) -> [Content; 2] {
    let mut northbound = SimulatedDatabase::new(owners::northbound(zone.node()));
    for (title, sheets) in zone.sheets() {
        let plan = northbound.plan(sheets).expect("drawn rows can be compared");
        assert!(plan.is_complete(), "{title}: {plan}");
        northbound.apply(&plan).expect("the database takes what is drawn");
    }
    let mut southbound = SimulatedDatabase::new(owners::southbound());
    let plan = southbound.plan([&zone.southbound()]).expect("drawn rows can be compared");
    southbound.apply(&plan).expect("the database takes what is drawn");
    [content(northbound.rows()), content(southbound.rows())]
}

/// How what stands differs from what should; nothing if it does not.
pub(crate) fn difference(want: &Content, got: &Content) -> String {
    let needs_shared = want.iter().any(|it| SHARED.iter().any(|table| it.starts_with(table)));
    let counts = |it: &&String| needs_shared || !SHARED.iter().any(|table| it.starts_with(table));
    let (mut want, mut got) =
        (counted(want.iter().filter(counts)), counted(got.iter().filter(counts)));
    want.retain(|text, count| {
        got.get_mut(text).is_none_or(|other| {
            let both = (*other).min(*count);
            (*other, *count) = (*other - both, *count - both);
            *count > 0
        })
    });
    got.retain(|_, count| *count > 0);
    let lines = |sign: &str, rows: BTreeMap<&str, usize>| {
        rows.into_iter().map(|(row, count)| format!("{sign} {count} × {row}\n")).collect::<String>()
    };
    lines("missing", want) + &lines("too many", got)
}

fn counted<'a>(rows: impl Iterator<Item = &'a String>) -> BTreeMap<&'a str, usize> {
    let mut counted = BTreeMap::new();
    rows.for_each(|row| *counted.entry(row.as_str()).or_default() += 1);
    counted
}

/// What the audit says of a database.
pub(crate) fn audit(rows: &Cache, rules: &Rules) -> String {
    ovn::audit(rows, rules, None).iter().map(|note| format!("{note}\n")).collect()
}

fn plain(row: RowView<'_>) -> String {
    let columns = row.row.columns().filter(|(id, datum)| {
        let column = &*row.table.column(*id).name;
        let is_foreign = Treatment::of(&row.table.name, column) == Treatment::Foreign;
        is_plain(datum) && !datum.is_empty() && !is_foreign
    });
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
