//! What must hold for any sheets over any standing rows.
//!
//! Parts draw random rows of most northbound tables; the in-memory engine, which is tested against
//! the real server, applies the plans.

use std::collections::{BTreeMap, BTreeSet};

use drawing::draw;
use items::{Item, grounded_parts, parts};
use ovn::audit::{Problem, audit};
use ovn::northbound::DATABASE;
use ovn::{Owner, Plan, Rules, Sheet, SimulatedDatabase};
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Operation, Values};
use ovsdb::{Datum, Row, Uuid};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

mod drawing;
mod items;

/// Rows show their part in a name of the form `part.rest`, or in `external_ids`.
fn owner(row: RowView<'_>) -> Option<Owner> {
    let named = ["name", "logical_port"].iter().find_map(|column| row.text(column));
    let text = row.entry("external_ids", "part").or(named)?;
    let part = text.split_once('.')?.0;
    part.starts_with("part").then(|| Owner::new(part))
}

fn rules() -> Rules {
    Rules::new(&DATABASE, owner)
}

fn draw_all(parts: &[Vec<Item>]) -> Vec<Sheet> {
    (0_u8..).zip(parts).map(|(part, items)| draw(part, items)).collect()
}

/// Plans and applies; a refusal by the database fails the test with the plan shown.
fn settle(database: &mut SimulatedDatabase, sheets: &[Sheet]) -> Plan {
    let plan = database.plan(sheets).expect("generated sheets can be compared");
    if let Err(fault) = database.apply(&plan) {
        panic!("refused: {fault}\n{plan}");
    }
    plan
}

/// Adds rows that belong to nobody we know.
fn add_foreign_rows(database: &mut SimulatedDatabase) {
    let row = |name: &str| Values::from([("name".into(), Datum::from(name))]);
    let insert = |table: &'static str, row, uuid_name: &str| Operation::Insert {
        table: table.into(),
        row,
        uuid_name: Some(uuid_name.to_owned()),
        uuid: None,
    };
    let mut switch = row("admin-switch");
    switch.insert("ports".into(), Datum::from(ovsdb::Atom::Named("port".into())));
    database
        .transact(&[
            insert("Logical_Switch", switch, "switch"),
            insert("Logical_Switch_Port", row("admin-port"), "port"),
            insert("Port_Group", row("admin_group"), "group"),
        ])
        .expect("foreign rows are valid");
}

/// Every row of the database whose owner satisfies the test.
fn rows_of(
    database: &SimulatedDatabase,
    of: impl Fn(Option<Owner>) -> bool,
) -> BTreeMap<Uuid, Row> {
    let tables = database.rows().tables();
    let rows = tables.flat_map(Table::rows);
    rows.filter(|row| of(owner(*row))).map(|row| (row.uuid, row.row.clone())).collect()
}

fn cases(number: u32) -> Config {
    // A failing case stays in the tree, beside this file.
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases: number, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn second_plan_is_empty(before in parts(), after in parts()) {
        let mut database = SimulatedDatabase::new(rules());
        add_foreign_rows(&mut database);
        settle(&mut database, &draw_all(&before));
        let sheets = draw_all(&after);
        settle(&mut database, &sheets);
        let again = database.plan(&sheets).expect("the same sheets can be compared again");
        prop_assert!(again.is_empty(), "{again}");
    }

    #[test]
    fn an_incremental_history_ends_where_a_fresh_start_ends(
        before in grounded_parts(),
        after in grounded_parts(),
    ) {
        let mut incremental = SimulatedDatabase::new(rules());
        settle(&mut incremental, &draw_all(&before));
        let sheets = draw_all(&after);
        settle(&mut incremental, &sheets);
        let mut fresh = SimulatedDatabase::new(rules());
        settle(&mut fresh, &sheets);
        let again = incremental.plan(&sheets).expect("comparable");
        prop_assert!(again.is_complete(), "{again}");
        prop_assert_eq!(content(&incremental), content(&fresh));
    }

    #[test]
    fn rows_of_other_owners_stay_untouched(before in parts(), after in parts()) {
        let mut database = SimulatedDatabase::new(rules());
        add_foreign_rows(&mut database);
        settle(&mut database, &draw_all(&before));
        // Only the first part changes; its rows may be in the lists of others, so lists that
        // others own are left out of the comparison.
        let first = Owner::new("part0");
        let others = |database: &SimulatedDatabase| {
            let rows = rows_of(database, |owner| owner.as_ref() != Some(&first));
            rows.into_iter().map(|(uuid, row)| (uuid, without_lists(database, uuid, &row))).collect()
        };
        let kept: BTreeMap<Uuid, Vec<(String, Datum)>> = others(&database);
        settle(&mut database, &[draw(0, &after[0])]);
        let now: BTreeMap<Uuid, Vec<(String, Datum)>> = others(&database);
        for (uuid, row) in &kept {
            // Rows without an owner mark belong to whom lists them.
            if is_marked_or_foreign(row) {
                prop_assert_eq!(Some(row), now.get(uuid));
            }
        }
    }

    #[test]
    fn the_order_of_drawing_does_not_matter(
        before in parts(),
        after in parts(),
        turn in 0..20_usize,
    ) {
        let mut database = SimulatedDatabase::new(rules());
        settle(&mut database, &draw_all(&before));
        let sheets = draw_all(&after);
        let mut shuffled: Vec<Sheet> = sheets.iter().map(|sheet| redraw_rotated(sheet, turn)).collect();
        shuffled.rotate_left(turn % 3);
        prop_assert_eq!(database.plan(&sheets).unwrap(), database.plan(&shuffled).unwrap());
    }

    #[test]
    fn an_empty_sheet_removes_exactly_its_part(before in parts()) {
        let mut database = SimulatedDatabase::new(rules());
        add_foreign_rows(&mut database);
        let sheets = draw_all(&before);
        settle(&mut database, &sheets);
        let gone: Vec<Sheet> = sheets.iter().map(|sheet| Sheet::new(sheet.owner.clone())).collect();
        settle(&mut database, &gone);
        let left = rows_of(&database, |_| true);
        prop_assert_eq!(left.len(), 3, "the foreign rows and nothing else");
    }

    #[test]
    fn what_was_applied_has_no_dangling_rows_and_no_orphans(before in parts()) {
        let mut database = SimulatedDatabase::new(rules());
        let sheets = draw_all(&before);
        settle(&mut database, &sheets);
        let owners: BTreeSet<Owner> = sheets.iter().map(|sheet| sheet.owner.clone()).collect();
        let notes = audit(database.rows(), database.rules(), Some(&owners));
        // Generated names may point at ports that no part drew; everything else must be clean.
        let serious = notes.iter().find(|note| match &note.problem {
            Problem::DanglingReference { column, .. } => column != "logical_port",
            Problem::DuplicateName { .. } | Problem::Orphan { .. } => true,
            Problem::DuplicateAddress { .. } => false,
        });
        prop_assert_eq!(serious, None);
    }
}

/// Every row with all its columns, identifiers replaced by what they stand for.
fn content(database: &SimulatedDatabase) -> Vec<String> {
    let rows = || database.rows().tables().flat_map(Table::rows);
    let is_plain = |datum: &Datum| datum.uuids().next().is_none();
    let plain = |row: RowView<'_>| {
        let columns = row.row.columns().filter(|(_, datum)| is_plain(datum));
        format!("{} {:?}", row.table.name, columns.collect::<Vec<_>>())
    };
    let texts: BTreeMap<Uuid, String> = rows().map(|row| (row.uuid, plain(row))).collect();
    let whole = |row: RowView<'_>| {
        let references = row.row.columns().filter(|(_, datum)| !is_plain(datum));
        let named = references.map(|(id, datum)| {
            let mut targets: Vec<&str> = datum
                .uuids()
                .map(|uuid| texts.get(&uuid).map_or("nothing", String::as_str))
                .collect();
            targets.sort_unstable();
            format!("{} → {targets:?}", row.table.column(id).name)
        });
        format!("{} {:?}", plain(row), named.collect::<Vec<_>>())
    };
    let mut content: Vec<String> = rows().map(whole).collect();
    content.sort();
    content
}

fn is_marked_or_foreign(row: &[(String, Datum)]) -> bool {
    let unmarked = ["chassis_name", "rate"];
    !row.iter().any(|(column, _)| unmarked.contains(&column.as_str()))
}

fn without_lists(database: &SimulatedDatabase, uuid: Uuid, row: &Row) -> Vec<(String, Datum)> {
    let tables: Vec<_> = database.rows().tables().collect();
    let table = tables.iter().find(|table| table.row(uuid).is_some()).expect("the row stands");
    let schema = table.schema();
    row.columns()
        .map(|(id, datum)| (schema.column(id).name.to_string(), datum.clone()))
        .filter(|(column, _)| {
            ovn::rules::Treatment::of(&schema.name, column) != ovn::rules::Treatment::List
        })
        .collect()
}

/// The same sheet, built by inserting its rows in another order.
fn redraw_rotated(sheet: &Sheet, turn: usize) -> Sheet {
    let mut rows: Vec<_> = sheet.rows().map(|(key, row)| (key.clone(), row.clone())).collect();
    let turn = turn.checked_rem(rows.len()).unwrap_or(0);
    rows.rotate_left(turn);
    Sheet::from_rows(sheet.owner.clone(), rows)
}
