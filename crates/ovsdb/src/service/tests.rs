//! Tests of the service: what a real server does not do, or cannot be made to do.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{ClientId, HangUp, Service, ServiceLimits};
use crate::engine::Engine;
use crate::frame::FrameLimits;
use crate::schema::DatabaseSchema;
use crate::value::Uuid;

const SCHEMA: &str = r#"{"name": "Lab", "version": "1.0.0", "tables": {
    "Site": {"isRoot": true, "columns": {"name": {"type": "string"}}}}}"#;

fn service(limits: ServiceLimits) -> Service {
    let mut drawn = 0;
    let uuids = move || {
        drawn += 1;
        Uuid::from_u128(drawn)
    };
    let mut service = Service::new(limits, Box::new(uuids));
    service.add_database(Engine::new(Arc::new(DatabaseSchema::parse(SCHEMA).unwrap())));
    service
}

fn small() -> ServiceLimits {
    ServiceLimits {
        frame: FrameLimits { size: 10_000, depth: 20 },
        output: 10_000,
        waiting: 2,
        monitors: 2,
        locks: 2,
        history: 3,
    }
}

fn say(service: &mut Service, client: ClientId, message: &Value, now: u64) -> Result<(), HangUp> {
    service.receive(client, message.to_string().as_bytes(), Duration::from_millis(now))
}

fn hear(service: &mut Service, client: ClientId) -> Vec<Value> {
    let output = service.take_output(client).expect("a client that reads");
    serde_json::Deserializer::from_slice(&output).into_iter().map(Result::unwrap).collect()
}

fn ask(service: &mut Service, client: ClientId, method: &str, params: Value) -> Value {
    say(service, client, &json!({ "id": 0, "method": method, "params": params }), 0).unwrap();
    hear(service, client).pop().unwrap_or(Value::Null)
}

fn insert(name: &str) -> Value {
    json!(["Lab", { "op": "insert", "table": "Site", "row": { "name": name } }])
}

fn wait_for(name: &str, timeout: u64) -> Value {
    json!(["Lab", { "op": "wait", "table": "Site", "where": [["name", "==", name]], "until": "==",
                    "columns": ["name"], "rows": [{ "name": name }], "timeout": timeout }])
}

#[test]
fn a_cancelled_transaction_is_answered() {
    let mut service = service(small());
    let client = service.connect();
    assert_eq!(ask(&mut service, client, "transact", wait_for("a", 100)), Value::Null);
    let cancel = json!({ "id": null, "method": "cancel", "params": [0] });
    say(&mut service, client, &cancel, 0).unwrap();
    assert_eq!(
        hear(&mut service, client),
        [json!({ "id": 0, "result": null, "error": "canceled" })]
    );
    assert_eq!(service.next_deadline(), None);
}

#[test]
fn waiting_ends_in_time_or_with_a_commit() {
    let mut service = service(small());
    let (patient, busy) = (service.connect(), service.connect());
    ask(&mut service, patient, "transact", wait_for("a", 100));
    ask(&mut service, patient, "transact", wait_for("b", 500));
    assert_eq!(service.next_deadline(), Some(Duration::from_millis(100)));
    service.tick(Duration::from_millis(99));
    assert_eq!(hear(&mut service, patient), [] as [Value; 0]);
    service.tick(Duration::from_millis(100));
    assert_eq!(hear(&mut service, patient)[0]["result"][0]["error"], "timed out");
    ask(&mut service, busy, "transact", insert("b"));
    assert_eq!(hear(&mut service, patient)[0]["result"], json!([{}]));
    assert_eq!(service.next_deadline(), None);
}

#[test]
fn nothing_is_kept_beyond_the_limits() {
    let mut service = service(small());
    let client = service.connect();
    for _ in 0..2 {
        assert_eq!(ask(&mut service, client, "transact", wait_for("never", 100)), Value::Null);
    }
    let third = ask(&mut service, client, "transact", wait_for("never", 100));
    assert_eq!(third["error"], "too many waiting transactions");
    for (at, want) in [(1, Value::Null), (2, Value::Null), (3, json!("too many monitors"))] {
        let answer = ask(&mut service, client, "monitor", json!(["Lab", at, { "Site": {} }]));
        assert_eq!(answer["error"], want);
    }
    for (lock, want) in [("a", Value::Null), ("b", Value::Null), ("c", json!("too many locks"))] {
        assert_eq!(ask(&mut service, client, "lock", json!([lock]))["error"], want);
    }
    let huge = json!({ "id": 0, "method": "echo", "params": ["x".repeat(20_000)] });
    assert!(matches!(say(&mut service, client, &huge, 0), Err(HangUp::Frame(_))));
}

#[test]
fn a_client_that_does_not_read_is_lost_and_the_others_stay() {
    let mut service = service(small());
    let (idle, busy) = (service.connect(), service.connect());
    ask(&mut service, idle, "monitor", json!(["Lab", "m", { "Site": {} }]));
    for _ in 0..5 {
        ask(&mut service, busy, "transact", insert(&"x".repeat(4_000)));
    }
    assert!(service.is_lost(idle));
    assert_eq!(service.take_output(idle), None);
    assert!(matches!(say(&mut service, idle, &json!({}), 0), Err(HangUp::Gone)));
    assert!(!service.is_lost(busy));
    service.disconnect(idle);
    assert!(ask(&mut service, busy, "transact", insert("y"))["error"].is_null());
}

#[test]
fn a_lock_passes_on_when_its_owner_leaves() {
    let mut service = service(small());
    let (first, second) = (service.connect(), service.connect());
    assert_eq!(ask(&mut service, first, "lock", json!(["l"]))["result"]["locked"], true);
    assert_eq!(ask(&mut service, second, "lock", json!(["l"]))["result"]["locked"], false);
    service.disconnect(first);
    assert_eq!(hear(&mut service, second)[0]["method"], "locked");
}

#[test]
fn the_past_is_known_as_far_as_it_is_remembered() {
    let mut service = service(small());
    let client = service.connect();
    let since = |service: &mut Service, id: &str| {
        let client = service.connect();
        let params = json!(["Lab", "m", { "Site": [{ "columns": ["name"] }] }, id]);
        let answer = ask(service, client, "monitor_cond_since", params)["result"].clone();
        service.disconnect(client);
        let rows = answer[2]["Site"].as_object().map_or(0, serde_json::Map::len);
        (answer[0].as_bool().unwrap(), answer[1].as_str().unwrap().to_owned(), rows)
    };
    let mut ids = vec![since(&mut service, &Uuid::nil().to_string()).1];
    for name in ["a", "b", "c", "d", "e"] {
        ask(&mut service, client, "transact", insert(name));
        ids.push(since(&mut service, &Uuid::nil().to_string()).1);
    }
    // Three changed rows are remembered, so the state three transactions ago is the oldest known.
    let found: Vec<(bool, usize)> = ids
        .iter()
        .map(|id| since(&mut service, id))
        .map(|(found, _, rows)| (found, rows))
        .collect();
    let forgotten = (false, 5);
    assert_eq!(found, [forgotten, forgotten, (true, 3), (true, 2), (true, 1), (true, 0)]);
}
