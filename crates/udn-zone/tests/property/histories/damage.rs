//! What others do to rows in a database.
//!
//! Invariant: a row that was ours shows an owner of ours afterwards, or is gone: what looks like
//! somebody else's is left alone, and then nothing could be compared.

use ovn::rules::{Treatment, belongs_to_parent};
use ovn::{Rules, SimulatedDatabase};
use ovsdb::cache::{Change, RowView, Table};
use ovsdb::op::{Condition, Mutation, Mutator, Operation, Values};
use ovsdb::{Atom, Datum, Uuid};
use proptest::prelude::*;
use proptest::sample::Index;

/// One thing that somebody does.
#[derive(Debug, Clone)]
pub(crate) enum Damage {
    /// Deletes a row, or takes it out of all lists.
    Remove(Index),
    /// Writes another value into a column.
    Alter(Index, Index),
    /// Puts a second row beside one, in the same list.
    Copy(Index),
    /// Writes rows of a network that is not there.
    Leave(u8),
    /// Writes rows of its own.
    Add(u32),
}

/// How the names of rows begin that are nobody's here.
pub(crate) const OF_OTHERS: &str = "admin";

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        4 => any::<Index>().prop_map(Damage::Remove),
        6 => (any::<Index>(), any::<Index>()).prop_map(|(row, column)| Damage::Alter(row, column)),
        2 => any::<Index>().prop_map(Damage::Copy),
        1 => (0..3_u8).prop_map(Damage::Leave),
        1 => any::<u32>().prop_map(Damage::Add),
    ]
}

/// Does it, if the database takes it; returns what changed.
pub(crate) fn inflict(database: &mut SimulatedDatabase, damage: &Damage) -> Vec<Change> {
    let operations = operations(database, damage);
    let mut tried = database.clone();
    let Ok((_, changes)) = tried.transact_and_tell(&operations) else { return Vec::new() };
    let is_fair = changes.iter().all(|change| is_fair(change, database, &tried));
    if !is_fair {
        return Vec::new();
    }
    *database = tried;
    changes
}

fn is_fair(change: &Change, before: &SimulatedDatabase, after: &SimulatedDatabase) -> bool {
    let owner = |database: &SimulatedDatabase| {
        let row = database.rows().table(&change.table.name)?.row(change.uuid)?;
        database.rules().owner(row)
    };
    let stands = after.rows().table(&change.table.name).and_then(|it| it.row(change.uuid));
    owner(before).is_none() || stands.is_none() || owner(after).is_some()
}

fn operations(database: &SimulatedDatabase, damage: &Damage) -> Vec<Operation> {
    match damage {
        Damage::Remove(row) => chosen(database, row).map(|it| remove(database, it)),
        Damage::Alter(row, column) => chosen(database, row).map(|it| alter(it, column)),
        Damage::Copy(row) => chosen(database, row).map(|it| copy(database, it)),
        Damage::Leave(number) => Some(leave(*number)),
        Damage::Add(number) => Some(add(*number)),
    }
    .unwrap_or_default()
}

/// One of the rows that are ours.
fn chosen<'d>(database: &'d SimulatedDatabase, index: &Index) -> Option<RowView<'d>> {
    let rows = database.rows().tables().flat_map(Table::rows);
    let is_ours = |row: &RowView<'_>| {
        belongs_to_parent(&row.table.name) || database.rules().owner(*row).is_some()
    };
    let mut rows: Vec<RowView<'d>> = rows.filter(is_ours).collect();
    rows.sort_by_key(|row| (row.table.name.clone(), row.uuid));
    (!rows.is_empty()).then(|| rows[index.index(rows.len())])
}

fn name_of(rules: &Rules, table: &str) -> &'static str {
    rules.database.table(table).expect("a table of the schema").name
}

fn remove(database: &SimulatedDatabase, row: RowView<'_>) -> Vec<Operation> {
    let conditions = vec![Condition::row(row.uuid)];
    let table = name_of(database.rules(), &row.table.name);
    let unlinks =
        parents(database, row).into_iter().map(|place| list(place, Mutator::Delete, row.uuid));
    unlinks.chain([Operation::Delete { table: table.into(), conditions }]).collect()
}

/// The rows that list a row: table, row and column.
type Place = (&'static str, Uuid, &'static str);

fn parents(database: &SimulatedDatabase, row: RowView<'_>) -> Vec<Place> {
    let lists = database.rules().lists_of(&row.table.name).into_iter();
    let places = lists.flat_map(|(table, column)| {
        let parents = database.rows().table(table.name).into_iter();
        let found = parents.flat_map(|it| it.find(column.name, &[Atom::Uuid(row.uuid)]).to_vec());
        found.map(|uuid| (table.name, uuid, column.name)).collect::<Vec<_>>()
    });
    places.collect()
}

fn list((table, uuid, column): Place, mutator: Mutator, member: impl Into<Atom>) -> Operation {
    let mutations = vec![Mutation::new(column, mutator, Datum::set([member.into()]))];
    Operation::Mutate { table: table.into(), conditions: vec![Condition::row(uuid)], mutations }
}

fn alter(row: RowView<'_>, column: &Index) -> Vec<Operation> {
    let columns = row.row.columns().filter(|(id, _)| {
        let name = &*row.table.column(*id).name;
        Treatment::of(&row.table.name, name) != Treatment::Foreign
    });
    let columns: Vec<_> = columns.collect();
    let (id, datum) = columns[column.index(columns.len())];
    let name = row.table.column(id).name.to_string();
    let values = Values::from([(name.into(), altered(datum))]);
    let conditions = vec![Condition::row(row.uuid)];
    vec![Operation::Update { table: row.table.name.to_string().into(), conditions, row: values }]
}

/// Another value: the first entry is gone, or says something else.
fn altered(datum: &Datum) -> Datum {
    if datum.is_map() {
        return Datum::map(datum.entries().iter().skip(1).cloned());
    }
    match datum.atoms() {
        [Atom::String(text)] => Datum::from(format!("{text}-altered").as_str()),
        [Atom::Integer(number)] => Datum::from(number + 1),
        [Atom::Boolean(is_so)] => Datum::from(!is_so),
        several => Datum::set(several.iter().skip(1).cloned()),
    }
}

fn copy(database: &SimulatedDatabase, row: RowView<'_>) -> Vec<Operation> {
    let told = row.row.columns().map(|(id, datum)| {
        let name = row.table.column(id).name.to_string();
        (name.into(), datum.clone())
    });
    let (table, uuid_name) = (row.table.name.to_string().into(), Some("copy".to_owned()));
    let insert = Operation::Insert { table, row: told.collect(), uuid_name, uuid: None };
    let places = parents(database, row).into_iter();
    let member = || Atom::Named("copy".into());
    [insert].into_iter().chain(places.map(|it| list(it, Mutator::Insert, member()))).collect()
}

fn leave(number: u8) -> Vec<Operation> {
    let name = format!("gone{number}");
    let marks = Datum::map([
        (Atom::from("k8s.ovn.org/network"), Atom::from(name.as_str())),
        (Atom::from("k8s.ovn.org/topology"), Atom::from("layer2")),
    ]);
    vec![switch(&format!("{name}_ovn_layer2_switch"), marks)]
}

fn add(number: u32) -> Vec<Operation> {
    vec![switch(&format!("{OF_OTHERS}-{number}"), Datum::empty_map())]
}

fn switch(name: &str, marks: Datum) -> Operation {
    let row = Values::from([("name".into(), Datum::from(name)), ("external_ids".into(), marks)]);
    Operation::Insert { table: "Logical_Switch".into(), row, uuid_name: None, uuid: None }
}
