//! Another writer damages what the controller wrote: row by row, column by column.
//!
//! Invariant: after each damage the rows are again those of a fresh build, and what belongs to others
//! is what it was.

use std::collections::BTreeSet;

use ovn::Rules;
use ovn::rules::Treatment;
use ovsdb::cache::{RowView, Table};
use ovsdb::op::{Condition, Mutation, Mutator, Operation};
use ovsdb::session::Outcome;
use ovsdb::{Atom, Cache, Datum, Uuid};

use super::databases::Side;
use super::rig::{Rig, in_its_own_time};
use super::rows::{Content, content, difference};
use super::stories::base;

/// The switch of ours in which somebody else has a port.
const GUESTS_SWITCH: &str = "plain_flat_ovn_layer2_switch";

/// Something done to a row.
pub(super) struct Damage {
    pub(super) row: Uuid,
    what: String,
    pub(super) operations: Vec<Operation>,
}

fn is_ours(row: RowView<'_>, rules: &Rules) -> bool {
    let is_listed = ["Meter_Band", "Gateway_Chassis", "Encap"].contains(&&*row.table.name);
    rules.owner(row).is_some() || is_listed
}

/// All of ours but the switch of the guest, who would go with it, and whom nobody here could bring back.
pub(super) fn ours<'a>(rows: &'a Cache, rules: &'a Rules) -> impl Iterator<Item = RowView<'a>> {
    let all = rows.tables().flat_map(Table::rows).filter(|row| is_ours(*row, rules));
    all.filter(|row| row.text("name") != Some(GUESTS_SWITCH))
}

/// The row goes: by itself, or out of every list that holds it.
pub(super) fn removal(row: RowView<'_>, rules: &Rules) -> Damage {
    let table = rules.database.table(&row.table.name).expect("it is a table of OVN's");
    let delete = || {
        let (table, conditions) = (table.name.into(), vec![Condition::row(row.uuid)]);
        vec![Operation::Delete { table, conditions }]
    };
    let out_of = |(parent, column): (
        &'static ovn::definition::TableDef,
        &'static ovn::definition::ColumnDef,
    )| {
        let mutations = vec![Mutation::new(column.name, Mutator::Delete, Datum::from(row.uuid))];
        Operation::Mutate { table: parent.name.into(), conditions: Vec::new(), mutations }
    };
    let operations = if table.is_root {
        delete()
    } else {
        rules.lists_of(table.name).into_iter().map(out_of).collect()
    };
    Damage { row: row.uuid, what: format!("{} {} removed", table.name, row.uuid), operations }
}

/// One column becomes something else.
pub(super) fn changes(row: RowView<'_>) -> Vec<Damage> {
    let mut changes = Vec::new();
    for (id, column) in row.table.columns() {
        let others = match Treatment::of(&row.table.name, &column.name) {
            Treatment::Owned => others_of(row.column(id)),
            // Of a shared map only what was drawn is ours.
            Treatment::Shared if row.column(id).is_empty() => Vec::new(),
            Treatment::Shared => vec![Datum::empty_map()],
            Treatment::List | Treatment::Foreign => Vec::new(),
        };
        for value in others {
            let what = format!("{}.{} of {}: {value:?}", row.table.name, column.name, row.uuid);
            let operation = Operation::Update {
                table: row.table.name.to_string().into(),
                conditions: vec![Condition::row(row.uuid)],
                row: [(column.name.to_string().into(), value)].into(),
            };
            changes.push(Damage { row: row.uuid, what, operations: vec![operation] });
        }
    }
    changes
}

/// Other values of the same type; the server refuses some of them.
fn others_of(datum: &Datum) -> Vec<Datum> {
    let mut others = Vec::new();
    if datum.is_map() {
        let extended = datum.entries().iter().cloned();
        let extra = (Atom::from("damage"), Atom::from("done"));
        others.push(Datum::map(extended.chain([extra])));
        others.extend((!datum.is_empty()).then(Datum::empty_map));
    } else {
        others.extend((!datum.is_empty()).then(Datum::empty_set));
        others.extend(datum.as_atom().and_then(other_than).map(Datum::from));
    }
    others
}

fn other_than(atom: &Atom) -> Option<Atom> {
    match (atom.as_str(), atom.as_integer(), atom.as_bool()) {
        (Some(text), _, _) => Some(Atom::from(format!("{text}1"))),
        (_, Some(number), _) => Some(Atom::from(number + 1)),
        (_, _, Some(is_so)) => Some(Atom::from(!is_so)),
        _ => None,
    }
}

/// What tells rows apart that are damaged alike: their table, and which sort of part owns them.
fn sort_of(row: RowView<'_>, rules: &Rules) -> String {
    let owner = rules.owner(row);
    let part = owner.as_ref().and_then(|it| it.as_str().split(' ').next()).unwrap_or_default();
    format!("{} of {part}", row.table.name)
}

/// Rows of a default network and of people, and a port of theirs in a switch of ours.
fn foreign(rows: &Cache) -> Vec<Operation> {
    let insert =
        |table: &'static str, id: &str, row: Vec<(&'static str, Datum)>| Operation::Insert {
            table: table.into(),
            row: row.into_iter().map(|(column, value)| (column.into(), value)).collect(),
            uuid_name: Some(id.to_owned()),
            uuid: None,
        };
    let named = |name: &str| ("name", Datum::from(name));
    let port = |id: &str| Datum::from(Atom::Named(id.into()));
    let switches = rows.table("Logical_Switch").expect("the schema has it");
    let ours = switches.rows().find(|it| it.text("name") == Some(GUESTS_SWITCH));
    let mutations = vec![Mutation::new("ports", Mutator::Insert, port("guest"))];
    vec![
        insert("Logical_Switch_Port", "pod", vec![named("default_pod")]),
        insert("Logical_Switch", "node", vec![named("node-1"), ("ports", port("pod"))]),
        insert("Logical_Router", "cluster", vec![named("ovn_cluster_router")]),
        insert(
            "Logical_Switch_Port",
            "guest",
            vec![named("guest"), ("type", Datum::from("router"))],
        ),
        Operation::Mutate {
            table: "Logical_Switch".into(),
            conditions: vec![Condition::row(ours.expect("it stands").uuid)],
            mutations,
        },
    ]
}

/// What stands where everything is as it should be.
async fn standing() -> (Rig, [Content; 2]) {
    let rig = Rig::start().await;
    rig.create(base()).await;
    let zone = rig.zone();
    rig.settle().await;
    rig.assert_well("before any damage").await;
    drop(zone);
    let rows = rig.databases.rows(Side::Northbound);
    rig.databases.write(Side::Northbound, &foreign(&rows)).await;
    rig.pause().await;
    let wanted =
        [Side::Northbound, Side::Southbound].map(|side| content(&rig.databases.rows(side)));
    (rig, wanted)
}

/// How much damage was done, as far as the server let it pass.
#[derive(Debug, Default)]
struct Count {
    repaired: usize,
    /// Rows that lost what shows whose they are. They stay, as anybody's do; once somebody has removed
    /// them, nothing is left of the damage.
    disowned: usize,
}

/// Does each damage and looks whether it is undone.
async fn damage(
    rig: &Rig,
    wanted: &[Content; 2],
    side: Side,
    choose: impl Fn(&Cache, &Rules, &mut BTreeSet<String>) -> Option<Damage>,
) -> Count {
    let (rules, mut done, mut count) =
        (side.rules(&rig.settings.node), BTreeSet::new(), Count::default());
    let writer = rig.databases.writer(side).await.clone();
    while let Some(damage) = choose(&rig.databases.rows(side), &rules, &mut done) {
        let before = rig.databases.rows(side);
        let outcome = writer.transact(&damage.operations).await.expect("the writer is connected");
        let after = rig.databases.rows(side);
        let is_same = difference(&content(&before), &content(&after)).is_empty();
        if !matches!(outcome, Outcome::Committed(_)) || is_same {
            continue;
        }
        rig.pause().await;
        if let Some(disowned) = disowned(&before, &after, damage.row, &rules) {
            rig.databases.write(side, &disowned.operations).await;
            rig.settle().await;
            count.disowned += 1;
        } else {
            count.repaired += 1;
        }
        for (side, wanted) in [Side::Northbound, Side::Southbound].into_iter().zip(wanted) {
            let left = difference(wanted, &content(&rig.databases.rows(side)));
            assert!(left.is_empty(), "{}\n{left}", damage.what);
        }
    }
    count
}

/// How a row goes that showed an owner before a damage and shows none since.
pub(super) fn disowned(before: &Cache, after: &Cache, row: Uuid, rules: &Rules) -> Option<Damage> {
    let find =
        |rows: &Cache| rows.tables().find_map(|table| table.row(row).map(|row| rules.owner(row)));
    let is_disowned = find(before)?.is_some() && find(after)?.is_none();
    let row = after.tables().find_map(|table| table.row(row))?;
    is_disowned.then(|| removal(row, rules))
}

/// The next row that was not removed, by what it holds.
fn next_removal(rows: &Cache, rules: &Rules, done: &mut BTreeSet<String>) -> Option<Damage> {
    let texts = |row: RowView<'_>| format!("{} {:?}", sort_of(row, rules), plain(row));
    let mut ours = ours(rows, rules);
    ours.find(|row| done.insert(texts(*row))).map(|row| removal(row, rules))
}

/// The next change of a column, once for each sort of row.
fn next_change(rows: &Cache, rules: &Rules, done: &mut BTreeSet<String>) -> Option<Damage> {
    for row in ours(rows, rules) {
        for (number, change) in changes(row).into_iter().enumerate() {
            let column = change.what.split(' ').next().unwrap_or_default().to_owned();
            if done.insert(format!("{} {column} {number}", sort_of(row, rules))) {
                return Some(change);
            }
        }
    }
    None
}

/// What a row holds besides references, which may be others after a repair.
fn plain(row: RowView<'_>) -> Vec<String> {
    let columns = row.row.columns().filter(|(_, datum)| datum.uuids().next().is_none());
    columns.map(|(id, datum)| format!("{}={datum:?}", row.table.column(id).name)).collect()
}

#[test]
fn every_row_that_somebody_removes_comes_back() {
    in_its_own_time(async {
        let (rig, wanted) = standing().await;
        let zone = rig.zone();
        rig.pause().await;
        let northbound = damage(&rig, &wanted, Side::Northbound, next_removal).await;
        let southbound = damage(&rig, &wanted, Side::Southbound, next_removal).await;
        println!("rows removed: {northbound:?}, {southbound:?}");
        let (northbound, southbound) = (northbound.repaired, southbound.repaired);
        assert!(northbound >= 100 && southbound >= 1, "{northbound} and {southbound} removals");
        rig.settle().await;
        let report = rig.report().await;
        rig.judge_report(&report).await.unwrap_or_else(|why| panic!("{why}"));
        drop(zone);
        rig.end().await;
    });
}

#[test]
fn every_column_that_somebody_changes_becomes_what_it_was() {
    in_its_own_time(async {
        let (rig, wanted) = standing().await;
        let zone = rig.zone();
        rig.pause().await;
        let northbound = damage(&rig, &wanted, Side::Northbound, next_change).await;
        let southbound = damage(&rig, &wanted, Side::Southbound, next_change).await;
        println!("columns changed: {northbound:?}, {southbound:?}");
        let (northbound, southbound) = (northbound.repaired, southbound.repaired);
        assert!(northbound >= 100 && southbound >= 4, "{northbound} and {southbound} changes");
        rig.settle().await;
        let report = rig.report().await;
        rig.judge_report(&report).await.unwrap_or_else(|why| panic!("{why}"));
        drop(zone);
        rig.end().await;
    });
}

/// Columns that OVN writes itself, as northd and ovn-controller do.
#[test]
fn what_ovn_writes_itself_is_left_alone() {
    in_its_own_time(async {
        let (rig, _) = standing().await;
        let zone = rig.zone();
        rig.settle().await;
        let (sent, rows) = (zone.fuse.count(), rig.databases.rows(Side::Northbound));
        let ports = rows.table("Logical_Switch_Port").expect("the schema has it");
        let written = [
            ("up", Datum::from(false)),
            ("dynamic_addresses", Datum::from("0a:00:00:00:00:01 10.0.0.1")),
            ("tag", Datum::from(7_i64)),
        ];
        let write = |uuid: Uuid| Operation::Update {
            table: "Logical_Switch_Port".into(),
            conditions: vec![Condition::row(uuid)],
            row: written.iter().map(|(column, value)| ((*column).into(), value.clone())).collect(),
        };
        let operations: Vec<Operation> = ports.rows().map(|row| write(row.uuid)).collect();
        rig.databases.write(Side::Northbound, &operations).await;
        rig.settle().await;
        assert_eq!(zone.fuse.count(), sent, "nobody answers to it");
        let rows = rig.databases.rows(Side::Northbound);
        for port in rows.table("Logical_Switch_Port").expect("the schema has it").rows() {
            for (column, value) in &written {
                assert_eq!(port.get(column), Some(value), "{column}");
            }
        }
        drop(zone);
        rig.end().await;
    });
}
