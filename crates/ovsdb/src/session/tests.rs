//! Tests of this module: a conversation in which the test plays the server.

use serde_json::{Value, json};

use super::*;
use crate::cache::ChangeKind;
use crate::op::{Condition, Function, OpResult};
use crate::value::{Datum, Uuid};

mod service;

const NOW: Duration = Duration::from_secs(100);
const ONE: &str = "00000000-0000-0000-0000-000000000001";
const TWO: &str = "00000000-0000-0000-0000-000000000002";

/// The other side of a session.
struct Server {
    session: Session,
    framer: Framer,
}

impl Server {
    fn new(settings: SessionSettings) -> Self {
        Self { session: Session::new(settings), framer: Framer::default() }
    }

    fn connected(settings: SessionSettings) -> Self {
        let mut server = Self::new(settings);
        server.connect();
        server
    }

    /// A session that has all of an empty database.
    fn synced() -> Self {
        let mut server = Self::connected(settings());
        server.greet(&standalone());
        server.reply("monitor_cond_since", &json!([false, ONE, {}]));
        assert!(server.session.is_synced());
        server.events();
        server
    }

    fn connect(&mut self) {
        self.framer.clear();
        self.session.connected(NOW);
    }

    /// The next thing that the session says.
    fn heard(&mut self) -> Value {
        self.framer.push(&self.session.take_output());
        let message = self.framer.next_message().unwrap().expect("the session says something");
        serde_json::from_slice(message).unwrap()
    }

    fn expect(&mut self, method: &str) -> Value {
        let message = self.heard();
        assert_eq!(message["method"], method, "{message}");
        message
    }

    fn says_nothing(&mut self) -> bool {
        self.framer.push(&self.session.take_output());
        self.framer.next_message().unwrap().is_none()
    }

    fn say(&mut self, message: &Value) {
        self.session.receive(message.to_string().as_bytes(), NOW).unwrap();
    }

    fn fail(&mut self, message: &Value) -> String {
        self.session.receive(message.to_string().as_bytes(), NOW).unwrap_err().to_string()
    }

    fn reply(&mut self, method: &str, result: &Value) -> Value {
        let request = self.expect(method);
        self.say(&json!({ "id": request["id"], "result": result, "error": null }));
        request
    }

    fn refuse(&mut self, method: &str, error: &Value) {
        let request = self.expect(method);
        self.say(&json!({ "id": request["id"], "error": error }));
    }

    fn greet(&mut self, database: &Value) {
        self.reply("set_db_change_aware", &json!({}));
        self.reply("monitor_cond", &json!({ "Database": { TWO: { "initial": database } } }));
    }

    fn server_update(&mut self, update: &Value) {
        let updates = json!({ "Database": { TWO: update } });
        self.say(&json!({ "id": null, "method": "update2", "params": ["_Server", updates] }));
    }

    fn update(&mut self, generation: u64, last: &str, updates: &Value) -> Value {
        let params = json!([format!("d#{generation}"), last, updates]);
        json!({ "id": null, "method": "update3", "params": params })
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.session.next_event()).collect()
    }
}

fn settings() -> SessionSettings {
    SessionSettings::new("d")
}

fn schema() -> Value {
    json!({ "name": "d", "version": "1.0.0", "tables": {
        "T": { "isRoot": true, "columns": {
            "name": { "type": "string" },
            "tags": { "type": { "key": "string", "min": 0, "max": "unlimited" } } } },
        "U": { "isRoot": true, "columns": { "number": { "type": "integer" } } } } })
}

fn standalone() -> Value {
    let schema = schema().to_string();
    json!({ "name": "d", "model": "standalone", "connected": true, "leader": true, "schema": schema })
}

fn member(leader: bool, index: i64) -> Value {
    let mut row = standalone();
    row["model"] = "clustered".into();
    row["leader"] = leader.into();
    row["index"] = index.into();
    row["cid"] = json!(["uuid", ONE]);
    row
}

fn insert() -> Operation {
    let row = [("name".into(), Datum::from("a"))].into();
    Operation::Insert { table: "T".into(), row, uuid_name: None, uuid: None }
}

fn uuid(text: &str) -> Uuid {
    text.parse().unwrap()
}

#[test]
fn a_session_greets_then_syncs() {
    let mut server = Server::connected(settings());
    server.greet(&standalone());
    let request = server.expect("monitor_cond_since");
    let wanted = json!({
        "T": [{ "columns": ["name", "tags"] }],
        "U": [{ "columns": ["number"] }],
    });
    assert_eq!(request["params"], json!(["d", "d#1", wanted, Uuid::nil().to_string()]));
    let rows = json!({ "T": { ONE: { "initial": { "name": "a" } } } });
    server.say(&json!({ "id": request["id"], "result": [false, TWO, rows], "error": null }));
    let events = server.events();
    assert!(matches!(&events[0], Event::Schema { missing, .. } if missing.is_empty()));
    assert!(matches!(&events[1], Event::Changed(changes) if changes.len() == 1));
    assert_eq!(events[2..], [Event::Synced(SyncKind::Replaced)]);
    let row = server.session.cache().table("T").unwrap().row(uuid(ONE)).unwrap();
    assert_eq!(row.text("name"), Some("a"));
}

#[test]
fn a_session_resumes_after_the_last_transaction() {
    let mut server = Server::synced();
    let update = server.update(1, TWO, &json!({ "T": { ONE: { "insert": { "name": "a" } } } }));
    server.say(&update);
    server.session.disconnected();
    assert_eq!(server.events()[1..], [Event::Unsynced]);
    server.connect();
    server.greet(&standalone());
    let missed = json!({ "T": { ONE: { "modify": { "name": "b" } } } });
    let request = server.reply("monitor_cond_since", &json!([true, ONE, missed]));
    assert_eq!(request["params"][3], TWO);
    let events = server.events();
    let Event::Changed(changes) = &events[0] else { panic!("{events:?}") };
    assert!(matches!(changes[0].kind, ChangeKind::Modified { .. }));
    assert_eq!(events[1..], [Event::Synced(SyncKind::Resumed)]);
}

#[test]
fn a_whole_new_state_is_told_as_its_difference() {
    let mut server = Server::synced();
    let rows = json!({ "T": { ONE: { "insert": { "name": "a" } }, TWO: { "insert": {} } } });
    let update = server.update(1, TWO, &rows);
    server.say(&update);
    server.session.disconnected();
    server.events();
    server.connect();
    server.greet(&standalone());
    let rows = json!({ "T": { ONE: { "initial": { "name": "a" } } } });
    server.reply("monitor_cond_since", &json!([false, ONE, rows]));
    let events = server.events();
    let Event::Changed(changes) = &events[0] else { panic!("{events:?}") };
    assert_eq!(changes.len(), 1, "the unchanged row is not told");
    assert!(matches!(changes[0].kind, ChangeKind::Deleted { .. }));
    assert_eq!(events[1..], [Event::Synced(SyncKind::Replaced)]);
}

#[test]
fn an_old_server_is_asked_in_the_old_ways() {
    let mut server = Server::connected(settings());
    server.refuse("set_db_change_aware", &json!("unknown method"));
    server.refuse("monitor_cond", &json!({ "error": "unknown database" }));
    server.reply("get_schema", &schema());
    server.refuse("monitor_cond_since", &json!("unknown method"));
    server.refuse("monitor_cond", &json!("unknown method"));
    server.reply("monitor", &json!({ "T": { ONE: { "new": { "name": "a", "tags": "x" } } } }));
    assert!(server.session.is_synced());
    let row = json!({ "old": { "name": "a" }, "new": { "name": "b", "tags": "x" } });
    server
        .say(&json!({ "id": null, "method": "update", "params": ["d#3", { "T": { ONE: row } }] }));
    let row = server.session.cache().table("T").unwrap().row(uuid(ONE)).unwrap();
    assert_eq!(row.text("name"), Some("b"));
    assert_eq!(row.text("tags"), Some("x"));
}

#[test]
fn what_the_schema_lacks_is_left_out_and_told() {
    let mut conditional = WantedTable::columns("T", ["name", "future"]);
    conditional.conditions = vec![Condition::new("future", Function::Equal, "x")];
    let tables = vec![conditional, WantedTable::whole("Tomorrow")];
    let mut server =
        Server::connected(SessionSettings { tables: Wanted::Tables(tables), ..settings() });
    server.greet(&standalone());
    let request = server.reply("monitor_cond_since", &json!([false, ONE, {}]));
    // No condition that is left can match, so no row may.
    let wanted = json!({ "T": [{ "columns": ["name"], "where": [false] }] });
    assert_eq!(request["params"][2], wanted);
    let events = server.events();
    let Event::Schema { missing, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!(missing.tables, ["Tomorrow"]);
    assert_eq!(missing.columns, [("T".into(), "future".into()), ("T".into(), "future".into())]);
}

#[test]
fn only_the_leader_will_do() {
    let mut server = Server::connected(settings());
    server.greet(&member(false, 5));
    assert_eq!(server.events(), [Event::Leave(Leave::NotLeader)]);
    assert!(server.says_nothing());
    let mut server = Server::connected(SessionSettings { leader_only: false, ..settings() });
    server.greet(&member(false, 5));
    server.expect("monitor_cond_since");
}

#[test]
fn lost_leadership_is_told_at_once() {
    let mut server = Server::connected(settings());
    server.greet(&member(true, 5));
    server.reply("monitor_cond_since", &json!([false, ONE, {}]));
    assert!(server.session.is_leader());
    server.server_update(&json!({ "modify": { "index": 6 } }));
    assert!(server.session.is_synced());
    server.events();
    server.server_update(&json!({ "modify": { "leader": false } }));
    assert_eq!(server.events(), [Event::Unsynced, Event::Leave(Leave::LostLeadership)]);
    assert_eq!(server.session.transact(&[insert()]), Err(TransactError::NotSynced));
}

#[test]
fn a_server_that_will_not_do_says_why() {
    let check = |row: Value, want: Leave| {
        let mut server = Server::connected(settings());
        server.greet(&row);
        assert_eq!(server.events(), [Event::Leave(want)], "{row}");
    };
    let mut lost = member(true, 5);
    lost["connected"] = false.into();
    check(lost, Leave::ClusterLost);
    let mut joining = member(true, 5);
    joining["schema"] = json!(["set", []]);
    check(joining, Leave::NoDatabase);
    let mut other = standalone();
    other["name"] = "other".into();
    check(other, Leave::NoDatabase);
}

#[test]
fn a_server_that_shows_the_past_is_left() {
    let mut server = Server::connected(settings());
    server.greet(&member(true, 5));
    server.reply("monitor_cond_since", &json!([false, ONE, {}]));
    server.connect();
    server.events();
    server.greet(&member(true, 4));
    assert_eq!(server.events(), [Event::Leave(Leave::Stale)]);
    // A restored backup is behind for good; in the end it is taken.
    let attempts = (0..20).take_while(|_| {
        server.connect();
        server.greet(&member(true, 4));
        server.events().contains(&Event::Leave(Leave::Stale))
    });
    assert_eq!(attempts.count(), 9);
    // Another cluster counts anew.
    server.connect();
    let mut rebuilt = member(true, 1);
    rebuilt["cid"] = json!(["uuid", TWO]);
    server.greet(&rebuilt);
    server.expect("monitor_cond_since");
}

#[test]
fn a_converted_schema_is_read_anew() {
    let mut server = Server::synced();
    let update = server.update(1, TWO, &json!({ "T": { ONE: { "insert": { "name": "a" } } } }));
    server.say(&update);
    server.events();
    let mut converted = schema();
    converted["tables"]["T"]["columns"]["added"] = json!({ "type": "integer" });
    server.say(&json!({ "id": null, "method": "monitor_canceled", "params": ["d#1"] }));
    server.server_update(&json!({ "modify": { "schema": converted.to_string() } }));
    server.expect("get_schema");
    let request = server.expect("monitor_cond_since");
    assert_eq!(request["params"][3], json!(Uuid::nil().to_string()), "another question");
    let rows = json!({ "T": { ONE: { "initial": { "name": "a", "added": 3 } } } });
    server.say(&json!({ "id": request["id"], "result": [false, ONE, rows], "error": null }));
    let events = server.events();
    assert_eq!(events[0], Event::Unsynced);
    assert!(matches!(events[1], Event::Schema { .. }));
    let Event::Changed(changes) = &events[2] else { panic!("{events:?}") };
    assert!(changes[0].touches("added"), "the row itself stayed: {changes:?}");
    assert_eq!(events[3..], [Event::Synced(SyncKind::Replaced)]);
}

#[test]
fn the_answer_to_a_replaced_request_is_not_taken() {
    let mut server = Server::connected(settings());
    server.greet(&standalone());
    let first = server.expect("monitor_cond_since");
    let mut converted = schema();
    converted["tables"]["T"]["columns"].as_object_mut().unwrap().remove("tags");
    server.server_update(&json!({ "modify": { "schema": converted.to_string() } }));
    server.expect("monitor_cancel");
    let rows = json!({ "T": { ONE: { "initial": { "name": "a", "tags": "gone" } } } });
    server.say(&json!({ "id": first["id"], "result": [false, ONE, rows], "error": null }));
    assert!(!server.session.is_synced());
    server.reply("monitor_cond_since", &json!([false, TWO, {}]));
    assert!(server.session.is_synced());
    assert!(server.session.cache().table("T").unwrap().is_empty());
}

#[test]
fn a_schema_that_only_the_servers_own_database_tells_is_followed() {
    let mut server = Server::synced();
    let mut converted = schema();
    converted["version"] = "2.0.0".into();
    server.server_update(&json!({ "modify": { "schema": converted.to_string() } }));
    server.expect("monitor_cancel");
    server.reply("monitor_cond_since", &json!([true, TWO, {}]));
    assert!(server.session.is_synced());
    // A last update for the former request may still be on its way.
    let late = server.update(1, TWO, &json!({ "T": { ONE: { "insert": {} } } }));
    server.say(&late);
    assert!(server.session.cache().table("T").unwrap().is_empty());
}

#[test]
fn output_is_written_into_what_is_given_back() {
    let mut session = Session::new(settings());
    session.connected(Duration::ZERO);
    let greeting = session.exchange_output(Vec::with_capacity(10_000));
    session.lock("l");
    let request = session.exchange_output(greeting);
    assert_eq!(request, br#"{"method":"lock","params":["l"],"id":3}"#);
    assert!(request.capacity() >= 10_000);
    assert!(!session.has_output(), "what was given back is not said again");
    session.exchange_output(Vec::with_capacity(1 << 20));
    session.unlock("l");
    let request = session.exchange_output(Vec::new());
    assert_eq!(request, br#"{"method":"unlock","params":["l"],"id":4}"#);
    assert!(request.capacity() < 1 << 20, "a session keeps no more than it usually needs");
}
