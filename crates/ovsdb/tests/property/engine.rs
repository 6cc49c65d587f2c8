//! Any sequence of transactions: what the engine reports is enough to follow it, and what it
//! refuses leaves no trace.

use std::sync::Arc;
use std::time::Duration;

use ovsdb::cache::TableUpdates;
use ovsdb::engine::{Context, Outcome};
use ovsdb::{Cache, DatabaseSchema, Engine, Uuid};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kept_failures;

const SCHEMA: &str = r#"{
  "name": "Lab", "version": "1.0.0", "tables": {
    "Site": {"isRoot": true, "indexes": [["name"]], "columns": {
      "name": {"type": "string"},
      "level": {"type": {"key": "integer", "min": 0, "max": 1}},
      "marks": {"type": {"key": {"type": "integer", "maxInteger": 9}, "min": 0, "max": "unlimited"}},
      "notes": {"type": {"key": "string", "value": "string", "min": 0, "max": "unlimited"}},
      "parts": {"type": {"key": {"type": "uuid", "refTable": "Part"}, "min": 0, "max": "unlimited"}}}},
    "Part": {"columns": {
      "tag": {"type": "string"},
      "next": {"type": {"key": {"type": "uuid", "refTable": "Part"}, "min": 0, "max": 1}},
      "friends": {"type": {"key": {"type": "uuid", "refTable": "Part", "refType": "weak"},
                           "min": 0, "max": "unlimited"}}}}}}"#;

/// Sites are the rows 1 to 3, parts the rows 4 to 9, by the identifier that inserts ask for.
fn name(number: u128) -> Value {
    json!(["uuid", Uuid::from_u128(number).to_string()])
}

fn site() -> impl Strategy<Value = Value> {
    (1u128..4).prop_map(name)
}

fn part() -> impl Strategy<Value = Value> {
    (4u128..10).prop_map(name)
}

fn parts() -> impl Strategy<Value = Value> {
    proptest::collection::btree_set(4u128..10, 0..4)
        .prop_map(|numbers| json!(["set", numbers.into_iter().map(name).collect::<Vec<_>>()]))
}

fn marks() -> impl Strategy<Value = Value> {
    // Ten is one too many.
    proptest::collection::btree_set(0i64..11, 0..4).prop_map(|marks| json!(["set", marks]))
}

fn notes() -> impl Strategy<Value = Value> {
    proptest::collection::btree_map("[a-c]", "[x-z]", 0..3)
        .prop_map(|notes| json!(["map", notes.into_iter().collect::<Vec<_>>()]))
}

/// A few operations that belong together.
fn step() -> impl Strategy<Value = Vec<Value>> {
    let this = |row: &Value| json!([["_uuid", "==", row]]);
    let on = move |op: &str, table: &str, row: &Value| json!({ "op": op, "table": table, "where": this(row) });
    let with = |mut operation: Value, member: &str, value: Value| {
        operation[member] = value;
        vec![operation]
    };
    prop_oneof![
        4 => (part(), site(), parts()).prop_map(move |(part, site, friends)| vec![
            json!({ "op": "insert", "table": "Part", "uuid": part[1], "row": { "friends": friends } }),
            json!({ "op": "mutate", "table": "Site", "where": this(&site),
                    "mutations": [["parts", "insert", part]] }),
        ]),
        1 => (site(), "[a-d]", parts()).prop_map(|(site, name, parts)| vec![json!({
            "op": "insert", "table": "Site", "uuid": site[1],
            "row": { "name": name, "parts": parts } })]),
        3 => (site(), marks(), notes()).prop_map(move |(site, marks, notes)| with(
            on("update", "Site", &site), "row", json!({ "marks": marks, "notes": notes }))),
        2 => (site(), parts()).prop_map(move |(site, parts)| with(
            on("mutate", "Site", &site), "mutations", json!([["parts", "delete", parts]]))),
        2 => (part(), part()).prop_map(move |(part, next)| with(
            on("update", "Part", &part), "row", json!({ "next": next }))),
        2 => (part(), parts()).prop_map(move |(part, friends)| with(
            on("update", "Part", &part), "row", json!({ "friends": friends }))),
        1 => (site(), proptest::option::of(0i64..4)).prop_map(move |(site, level)| with(
            on("update", "Site", &site), "row",
            json!({ "level": level.map_or(json!(["set", []]), |level| json!(level)) }))),
        1 => site().prop_map(move |site| vec![on("delete", "Site", &site)]),
        1 => part().prop_map(move |part| vec![on("delete", "Part", &part)]),
        1 => Just(vec![json!({ "op": "abort" })]),
    ]
}

/// Transactions, the first of which gives the others something to work on.
fn history() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let transaction = proptest::collection::vec(step(), 1..4).prop_map(|steps| steps.concat());
    proptest::collection::vec(transaction, 1..30).prop_map(|mut history| {
        history.insert(0, start());
        history
    })
}

fn start() -> Vec<Value> {
    let part = |number: u128, friend: u128| {
        json!({ "op": "insert", "table": "Part", "uuid": name(number)[1],
                "row": { "friends": ["set", [name(friend)]] } })
    };
    let site = |number: u128, parts: &[Value]| {
        json!({ "op": "insert", "table": "Site", "uuid": name(number)[1],
                "row": { "name": format!("site {number}"), "parts": ["set", parts] } })
    };
    let kept = [name(4), name(5), name(6)];
    vec![part(4, 5), part(5, 6), part(6, 4), site(1, &kept), site(2, &kept[..1])]
}

fn new_engine() -> Engine {
    Engine::new(Arc::new(DatabaseSchema::parse(SCHEMA).expect("a schema")))
}

/// Runs a transaction; its changes if it was committed.
fn run(engine: &mut Engine, operations: &[Value]) -> Option<TableUpdates> {
    let mut uuids = || Uuid::from_u128(1 << 100);
    let mut context =
        Context { uuids: &mut uuids, holds_lock: &|_| false, elapsed: Duration::ZERO };
    match engine.transact_json(operations, &mut context) {
        Outcome::Finished(done) => done.committed.then(|| done.changes.into_iter().collect()),
        Outcome::Blocked { .. } => panic!("nothing here waits"),
    }
}

/// Everything that a cache holds, in the form of a snapshot.
fn content(cache: &Cache) -> TableUpdates {
    use ovsdb::cache::RowUpdate;
    let tables = cache.tables().filter(|table| !table.is_empty());
    TableUpdates(
        tables
            .map(|table| {
                let rows = table.rows().map(|row| (row.uuid, RowUpdate::Insert(row.row.clone())));
                (Arc::clone(&table.schema().name), rows.collect())
            })
            .collect(),
    )
}

proptest! {
    #![proptest_config(kept_failures())]

    #[test]
    fn a_cache_that_follows_equals_the_engine(history in history()) {
        let mut engine = new_engine();
        let mut cache = Cache::new(Arc::clone(engine.schema()), &[]);
        for operations in history {
            if let Some(updates) = run(&mut engine, &operations) {
                cache.apply(updates).expect("the updates fit");
            }
            prop_assert_eq!(content(&cache), engine.snapshot());
        }
    }

    #[test]
    fn a_refused_transaction_changes_nothing(history in history()) {
        let mut engine = new_engine();
        for operations in history {
            let before = engine.snapshot();
            if run(&mut engine, &operations).is_none() {
                prop_assert_eq!(engine.snapshot(), before);
            }
        }
    }

    #[test]
    fn an_engine_restored_at_any_point_goes_on_alike(history in history(), at in 0usize..30) {
        let mut engine = new_engine();
        for operations in history.iter().take(at) {
            run(&mut engine, operations);
        }
        let schema = Arc::clone(engine.schema());
        let mut other = Engine::restore(schema, engine.snapshot(), &mut Uuid::nil)
            .expect("a snapshot is consistent");
        for operations in history.iter().skip(at) {
            prop_assert_eq!(run(&mut engine, operations), run(&mut other, operations));
        }
    }

    #[test]
    fn no_reference_is_left_dangling(history in history()) {
        let mut engine = new_engine();
        for operations in history {
            run(&mut engine, &operations);
            for table in ["Site", "Part"] {
                for row in engine.rows(table) {
                    let columns: &[&str] =
                        if table == "Site" { &["parts"] } else { &["next", "friends"] };
                    for uuid in columns.iter().flat_map(|c| row.get(c).expect("a column").uuids()) {
                        prop_assert!(engine.row("Part", uuid).is_some());
                    }
                }
            }
        }
    }
}
