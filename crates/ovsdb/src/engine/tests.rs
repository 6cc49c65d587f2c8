//! Tests of the engine: what needs no real server to be judged.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Context, Engine, Outcome, Transacted};
use crate::cache::TableUpdates;
use crate::op::{Condition, Mutation, Mutator, OpResult, Operation, Until};
use crate::schema::DatabaseSchema;
use crate::value::{Atom, Datum, Uuid};

const SCHEMA: &str = r#"{
  "name": "Lab", "version": "1.0.0", "tables": {
    "Site": {"isRoot": true, "indexes": [["name"]], "columns": {
      "name": {"type": "string"},
      "parts": {"type": {"key": {"type": "uuid", "refTable": "Part"}, "min": 0, "max": "unlimited"}},
      "count": {"type": "integer"},
      "note": {"type": "string", "ephemeral": true}}},
    "Part": {"columns": {
      "tag": {"type": "string"},
      "next": {"type": {"key": {"type": "uuid", "refTable": "Part"}, "min": 0, "max": 1}}}},
    "Watch": {"isRoot": true, "columns": {
      "parts": {"type": {"key": {"type": "uuid", "refTable": "Part", "refType": "weak"},
                         "min": 0, "max": "unlimited"}}}}}}"#;

struct Lab {
    engine: Engine,
    drawn: u128,
}

impl Lab {
    fn new() -> Self {
        let schema = DatabaseSchema::parse(SCHEMA).unwrap();
        Self { engine: Engine::new(Arc::new(schema)), drawn: 0 }
    }

    fn run(&mut self, operations: Value, elapsed: Duration) -> Outcome<Value> {
        let Value::Array(operations) = operations else { panic!("a list of operations") };
        let Self { engine, drawn } = self;
        let mut uuids = || {
            *drawn += 1;
            Uuid::from_u128(*drawn)
        };
        let holds_lock = |lock: &str| lock == "mine";
        engine.transact_json(
            &operations,
            &mut Context { uuids: &mut uuids, holds_lock: &holds_lock, elapsed },
        )
    }

    fn transact(&mut self, operations: Value) -> Transacted<Value> {
        match self.run(operations, Duration::ZERO) {
            Outcome::Finished(transacted) => transacted,
            Outcome::Blocked { timeout } => panic!("blocked until {timeout:?}"),
        }
    }

    /// Runs operations that must commit.
    fn commit(&mut self, operations: Value) -> Transacted<Value> {
        let transacted = self.transact(operations);
        assert!(transacted.committed, "{:?}", transacted.results);
        transacted
    }

    /// The tag of the error that operations end with, and where it stands.
    fn refusal(&mut self, operations: Value) -> (usize, String) {
        let results = self.transact(operations).results;
        let at = results.iter().position(|result| result.get("error").is_some()).unwrap();
        (at, results[at]["error"].as_str().unwrap().to_owned())
    }
}

fn site(name: &str) -> Value {
    json!({ "op": "insert", "table": "Site", "row": { "name": name } })
}

#[test]
fn what_follows_a_failure_is_not_reached() {
    let mut lab = Lab::new();
    let transacted = lab.transact(json!([site("a"), { "op": "abort" }, site("b")]));
    assert!(!transacted.committed);
    assert!(transacted.changes.is_empty());
    assert_eq!(transacted.results.len(), 3);
    assert_eq!(transacted.results[1]["error"], "aborted");
    assert!(transacted.results[2].is_null());
    assert_eq!(lab.engine.count("Site"), 0);
}

#[test]
fn a_refused_commit_is_one_more_result() {
    let mut lab = Lab::new();
    lab.commit(json!([site("a")]));
    assert_eq!(lab.refusal(json!([site("a")])), (1, "constraint violation".to_owned()));
    let lost = json!(["uuid", Uuid::from_u128(77).to_string()]);
    let dangling =
        json!([{ "op": "update", "table": "Site", "where": [], "row": { "parts": lost } }]);
    assert_eq!(lab.refusal(dangling), (1, "referential integrity violation".to_owned()));
}

#[test]
fn rows_may_exchange_their_keys() {
    let mut lab = Lab::new();
    lab.commit(json!([site("a"), site("b")]));
    let rename = |from: &str, to: &str, count: i64| {
        json!({ "op": "update", "table": "Site", "where": [["count", "==", count]],
                "row": { "name": to, "count": from.len() } })
    };
    lab.commit(json!([{ "op": "update", "table": "Site", "where": [["name", "==", "b"]],
                        "row": { "count": 7 } }]));
    lab.commit(json!([rename("a", "b", 0), rename("b", "a", 7)]));
    let names: Vec<_> =
        lab.engine.rows("Site").map(|row| row.text("name").unwrap().to_owned()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn unreferenced_rows_are_collected_in_cascade() {
    let mut lab = Lab::new();
    lab.commit(json!([
        { "op": "insert", "table": "Part", "row": { "tag": "last" }, "uuid-name": "last" },
        { "op": "insert", "table": "Part", "row": { "next": ["named-uuid", "last"] },
          "uuid-name": "first" },
        { "op": "insert", "table": "Part", "row": { "tag": "stray" } },
        { "op": "insert", "table": "Watch", "row": { "parts": ["named-uuid", "last"] } },
        { "op": "insert", "table": "Site",
          "row": { "name": "a", "parts": ["named-uuid", "first"] } },
    ]));
    assert_eq!(lab.engine.count("Part"), 2);
    let changes = lab
        .commit(json!([{ "op": "update", "table": "Site", "where": [],
                         "row": { "parts": ["set", []] } }]))
        .changes;
    assert_eq!(lab.engine.count("Part"), 0);
    // The site, two parts, and the watch that lost its weak reference.
    assert_eq!(changes.len(), 4);
    let watch = lab.engine.rows("Watch").next().unwrap();
    assert!(watch.get("parts").unwrap().is_empty());
}

#[test]
fn a_row_does_not_keep_itself_alive() {
    let mut lab = Lab::new();
    lab.commit(json!([{ "op": "insert", "table": "Part", "uuid-name": "self",
                        "row": { "next": ["named-uuid", "self"] } }]));
    assert_eq!(lab.engine.count("Part"), 0);
}

#[test]
fn a_blocked_wait_tells_until_when() {
    let mut lab = Lab::new();
    let wait = json!([site("a"), { "op": "wait", "table": "Site", "where": [["name", "==", "b"]],
        "columns": ["name"], "until": "==", "rows": [{ "name": "b" }], "timeout": 500 }]);
    let timeout = Some(Duration::from_millis(500));
    assert_eq!(lab.run(wait.clone(), Duration::ZERO), Outcome::Blocked { timeout });
    assert_eq!(lab.engine.count("Site"), 0);
    let late = lab.run(wait.clone(), Duration::from_millis(500));
    let Outcome::Finished(late) = late else { panic!("the time is over") };
    assert_eq!(late.results[1]["error"], "timed out");
    lab.commit(json!([site("b")]));
    assert!(lab.transact(wait).committed);
}

#[test]
fn a_held_lock_satisfies_assert() {
    let mut lab = Lab::new();
    lab.commit(json!([{ "op": "assert", "lock": "mine" }]));
    let other = lab.refusal(json!([{ "op": "assert", "lock": "other" }]));
    assert_eq!(other, (0, "not owner".to_owned()));
}

#[test]
fn a_restart_forgets_ephemeral_columns() {
    let mut lab = Lab::new();
    lab.commit(json!([{ "op": "insert", "table": "Site", "row": { "name": "a", "note": "n" } }]));
    assert_eq!(lab.engine.restart().len(), 1);
    let row = lab.engine.rows("Site").next().unwrap();
    assert_eq!((row.text("name"), row.text("note")), (Some("a"), Some("")));
    assert_eq!(lab.engine.restart(), []);
}

#[test]
fn a_restored_engine_still_guards_its_rows() {
    let mut lab = Lab::new();
    lab.commit(json!([
        { "op": "insert", "table": "Part", "row": {}, "uuid-name": "part" },
        { "op": "insert", "table": "Site", "row": { "name": "a", "parts": ["named-uuid", "part"] } },
    ]));
    let content = lab.engine.snapshot();
    let schema = Arc::clone(lab.engine.schema());
    lab.engine = Engine::restore(schema, content.clone(), &mut Uuid::nil).unwrap();
    assert_eq!(lab.engine.snapshot(), content);
    assert_eq!(lab.refusal(json!([site("a")])).1, "constraint violation");
    let delete = json!([{ "op": "delete", "table": "Part", "where": [] }]);
    assert_eq!(lab.refusal(delete).1, "referential integrity violation");
}

#[test]
fn typed_operations_take_the_same_path() {
    let mut lab = Lab::new();
    let mut uuids = || Uuid::from_u128(9);
    let row = |name: &str| [("name".into(), Datum::from(name))].into();
    let operations = [
        Operation::Insert {
            table: "Part".into(),
            row: [].into(),
            uuid_name: Some("part".to_owned()),
            uuid: Some(Uuid::from_u128(5)),
        },
        Operation::Insert { table: "Site".into(), row: row("a"), uuid_name: None, uuid: None },
        Operation::Mutate {
            table: "Site".into(),
            conditions: vec![Condition::row(Uuid::from_u128(9))],
            mutations: vec![Mutation::new("parts", Mutator::Insert, Atom::Named("part".into()))],
        },
        Operation::Wait {
            table: "Site".into(),
            conditions: vec![],
            columns: Some(vec!["name".into()]),
            until: Until::Equal,
            rows: vec![row("a")],
            timeout: Some(0),
        },
        Operation::Select { table: "Site".into(), conditions: vec![], columns: None },
        Operation::Commit { durable: true },
    ];
    let mut context =
        Context { uuids: &mut uuids, holds_lock: &|_| false, elapsed: Duration::ZERO };
    let Outcome::Finished(done) = lab.engine.transact(&operations, &mut context) else {
        panic!("nothing to wait for");
    };
    assert!(done.committed && done.durable);
    assert_eq!(done.results[1], OpResult::Inserted(Uuid::from_u128(9)));
    assert_eq!(done.results[2], OpResult::Count(1));
    assert_eq!(done.results[3], OpResult::Done);
    let OpResult::Rows(rows) = &done.results[4] else { panic!("a select gives rows") };
    assert_eq!(rows[0].uuid, Some(Uuid::from_u128(9)));
    assert_eq!(TableUpdates::from_iter(done.changes).len(), 2);
    assert_eq!(lab.engine.count("Part"), 1);
}

#[test]
fn products_are_right_or_refused() {
    let check = |start: i64, factor: i64, want: Option<i64>| {
        let mut lab = Lab::new();
        lab.commit(json!([{ "op": "insert", "table": "Site", "row": { "count": start } }]));
        let mutate = json!([{ "op": "mutate", "table": "Site", "where": [],
                              "mutations": [["count", "*=", factor]] }]);
        let done = lab.transact(mutate);
        let count = lab.engine.rows("Site").next().unwrap().get("count").unwrap().clone();
        assert_eq!(done.committed.then_some(count), want.map(Datum::from), "{start} * {factor}");
    };
    check(-5, 0, Some(0));
    check(i64::MAX, 1, Some(i64::MAX));
    check(i64::MIN, -1, None);
    check(i64::MAX, 2, None);
}
