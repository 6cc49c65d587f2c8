//! Tests of this module.

use serde_json::{Value, json};

use super::{Condition, Function, Mutation, Mutator, Operation, Until};
use crate::value::{Atom, Datum, Uuid};

#[test]
fn operations_are_written_as_the_protocol_wants() {
    let check = |operation: Operation, want: Value| {
        assert_eq!(serde_json::to_value(&operation).unwrap(), want);
        assert_eq!(operation.name(), want["op"]);
        assert_eq!(operation.table(), want["table"].as_str());
    };
    let conditions = || vec![Condition::row(Uuid::from_u128(1))];
    let this = json!([["_uuid", "==", ["uuid", "00000000-0000-0000-0000-000000000001"]]]);
    check(
        Operation::Insert {
            table: "T".into(),
            row: [("a".into(), Datum::from("x"))].into(),
            uuid_name: Some("n".to_owned()),
            uuid: Some(Uuid::nil()),
        },
        json!({ "op": "insert", "table": "T", "row": { "a": "x" }, "uuid-name": "n",
                "uuid": "00000000-0000-0000-0000-000000000000" }),
    );
    check(
        Operation::Insert { table: "T".into(), row: [].into(), uuid_name: None, uuid: None },
        json!({ "op": "insert", "table": "T", "row": {} }),
    );
    check(
        Operation::Select {
            table: "T".into(),
            conditions: conditions(),
            columns: Some(vec!["a".into()]),
        },
        json!({ "op": "select", "table": "T", "where": this, "columns": ["a"] }),
    );
    check(
        Operation::Update {
            table: "T".into(),
            conditions: vec![],
            row: [("a".into(), Datum::empty_set())].into(),
        },
        json!({ "op": "update", "table": "T", "where": [], "row": { "a": ["set", []] } }),
    );
    let mutation =
        Mutation::new("m", Mutator::Insert, Datum::map([("k", Atom::Named("n".into()))]));
    check(
        Operation::Mutate {
            table: "T".into(),
            conditions: conditions(),
            mutations: vec![mutation],
        },
        json!({ "op": "mutate", "table": "T", "where": this,
                "mutations": [["m", "insert", ["map", [["k", ["named-uuid", "n"]]]]]] }),
    );
    check(
        Operation::Delete { table: "T".into(), conditions: conditions() },
        json!({ "op": "delete", "table": "T", "where": this }),
    );
    check(
        Operation::Wait {
            table: "T".into(),
            conditions: vec![],
            columns: None,
            until: Until::NotEqual,
            rows: vec![[("a".into(), Datum::from(true))].into()],
            timeout: Some(0),
        },
        json!({ "op": "wait", "table": "T", "where": [], "until": "!=", "rows": [{ "a": true }],
                "timeout": 0 }),
    );
    check(Operation::Commit { durable: true }, json!({ "op": "commit", "durable": true }));
    check(Operation::Abort {}, json!({ "op": "abort" }));
    check(
        Operation::Comment { comment: "c".to_owned() },
        json!({ "op": "comment", "comment": "c" }),
    );
    check(Operation::Assert { lock: "l".to_owned() }, json!({ "op": "assert", "lock": "l" }));
}

#[test]
fn symbols_are_read_back() {
    for function in Function::ALL {
        assert_eq!(Function::parse(function.symbol()), Some(function));
    }
    for mutator in Mutator::ALL {
        assert_eq!(Mutator::parse(mutator.symbol()), Some(mutator));
    }
    assert_eq!(Function::parse("=~"), None);
    assert_eq!(Mutator::parse("^="), None);
}
