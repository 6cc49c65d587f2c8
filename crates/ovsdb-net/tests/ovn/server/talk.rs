//! Raw messages to and from a server, and what two clients say to it.
//!
//! Invariant: a conversation is the same for every server that it is held with.

use std::io::{BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

pub(crate) const SWITCH: &str = "11111111-0000-4000-8000-000000000001";
pub(crate) const PORT: &str = "11111111-0000-4000-8000-000000000002";

pub(crate) fn fill() -> String {
    json!(["OVN_Northbound",
        { "op": "insert", "table": "Logical_Switch_Port", "uuid": PORT,
          "row": { "name": "p", "addresses": ["set", ["a", "b"]], "up": true } },
        { "op": "insert", "table": "Logical_Switch", "uuid": SWITCH,
          "row": { "name": "s", "ports": ["uuid", PORT],
                   "external_ids": ["map", [["k", "v"], ["l", "w"]]] } }])
    .to_string()
}

/// One client of one server, spoken to in raw messages.
pub(crate) struct Talker {
    pub(crate) stream: UnixStream,
    pub(crate) messages: serde_json::StreamDeserializer<
        'static,
        serde_json::de::IoRead<BufReader<UnixStream>>,
        Value,
    >,
}

impl Talker {
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout that is not zero");
        let reader = BufReader::new(stream.try_clone().expect("sockets can be cloned"));
        let messages = serde_json::Deserializer::from_reader(reader).into_iter();
        Self { stream, messages }
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.stream.write_all(message.to_string().as_bytes()).expect("the server reads");
    }

    /// Everything the server says until it has answered an `echo`.
    pub(crate) fn hear(&mut self) -> Vec<Value> {
        self.say(&json!({ "id": "barrier", "method": "echo", "params": [] }));
        let mut heard = Vec::new();
        loop {
            let message = self.messages.next().expect("the server stays").expect("it sends JSON");
            if message["id"] == "barrier" {
                return heard;
            }
            heard.push(message);
        }
    }
}

/// Errors by their tags alone, transaction ids by their being there.
pub(crate) fn canonical(message: &Value) -> Value {
    match message {
        Value::Object(members) => {
            let is_fault = members.get("error").is_some_and(Value::is_string);
            // A refusal may come with or without a null in place of the result.
            let kept = members.iter().filter(|(name, value)| {
                let is_text = is_fault && ["details", "syntax"].contains(&name.as_str());
                !(is_text || *name == "result" && value.is_null())
            });
            let mut object: serde_json::Map<String, Value> =
                kept.map(|(name, value)| (name.clone(), canonical(value))).collect();
            if object.get("method") == Some(&json!("update3")) {
                object["params"][1] = json!("transaction id");
            }
            if object.get("result").is_some_and(|result| result[0].is_boolean()) {
                object["result"][1] = json!("transaction id");
            }
            Value::Object(object)
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => message.clone(),
    }
}

/// What each of two clients says, one step after the other.
pub(crate) fn conversation() -> Vec<(usize, Value)> {
    let mut id = 0;
    let mut ask = |method: &str, params: Value| {
        id += 1;
        json!({ "id": id, "method": method, "params": params })
    };
    let this = json!([["_uuid", "==", ["uuid", SWITCH]]]);
    let columns = json!(["name", "ports", "external_ids", "copp"]);
    let update = |row: Value| {
        json!(["OVN_Northbound", { "op": "update", "table": "Logical_Switch", "where": this,
                                   "row": row }])
    };
    let wait = |name: &str, timeout: Value| {
        json!(["OVN_Northbound",
            { "op": "wait", "table": "Logical_Switch", "where": this, "columns": ["name"],
              "until": "==", "rows": [{ "name": name }], "timeout": timeout },
            { "op": "insert", "table": "Address_Set", "row": { "name": name },
              "uuid": format!("22222222-0000-4000-8000-0000000000{:02}", name.len()) }])
    };
    let filled: Value = serde_json::from_str(&fill()).expect("written as JSON");
    let set = json!({ "Address_Set": { "columns": ["name"] } });
    let watched =
        |filter: Value| json!({ "Logical_Switch": [{ "columns": columns, "where": filter }] });
    vec![
        (
            0,
            ask(
                "monitor",
                json!(["OVN_Northbound", "m", { "Logical_Switch": { "columns": columns } }]),
            ),
        ),
        (0, ask("monitor", json!(["OVN_Northbound", "m", set]))),
        (
            0,
            ask(
                "monitor_cond",
                json!(["OVN_Northbound", ["c"], watched(json!([["name", "==", "s"]]))]),
            ),
        ),
        (1, ask("monitor_cond_since", json!(["OVN_Northbound", null, watched(json!([])), SWITCH]))),
        (1, ask("monitor", json!(["OVN_Northbound", "sets", set]))),
        (1, ask("transact", filled)),
        (1, ask("transact", update(json!({ "external_ids": ["map", [["k", "x"], ["m", "y"]]] })))),
        (0, ask("transact", update(json!({ "name": "t" })))),
        (0, ask("transact", update(json!({ "name": "s" })))),
        (
            0,
            ask(
                "monitor_cond_change",
                json!([["c"], "d", { "Logical_Switch": [{ "where": [["name", "==", "t"], ["name", "==", "s2"]] }] }]),
            ),
        ),
        (0, ask("monitor_cond_change", json!([["c"], "d", {}]))),
        (1, ask("transact", update(json!({ "name": "s2" })))),
        (0, ask("transact", wait("longer", json!(60_000)))),
        (1, ask("transact", update(json!({ "name": "other" })))),
        (1, ask("transact", update(json!({ "name": "longer" })))),
        (0, ask("transact", wait("never", json!(300)))),
        (0, json!({ "id": null, "method": "cancel", "params": [15] })),
        (0, ask("monitor_cancel", json!(["d"]))),
        (0, ask("monitor_cancel", json!(["d"]))),
        (0, ask("lock", json!(["l"]))),
        (1, ask("lock", json!(["l"]))),
        (1, ask("lock", json!(["l"]))),
        (1, ask("transact", json!(["OVN_Northbound", { "op": "assert", "lock": "l" }]))),
        (0, ask("transact", json!(["OVN_Northbound", { "op": "assert", "lock": "l" }]))),
        (0, ask("unlock", json!(["l"]))),
        (0, ask("steal", json!(["l"]))),
        (0, ask("unlock", json!(["l"]))),
        (0, ask("unlock", json!(["l"]))),
        (0, ask("lock", json!(["not a name"]))),
        (0, ask("transact", json!(["Nowhere"]))),
        (0, ask("transact", json!([]))),
        (
            0,
            ask(
                "transact",
                json!(["_Server", { "op": "select", "table": "Database", "where": [],
            "columns": ["model", "connected", "leader", "cid", "sid", "index"] }]),
            ),
        ),
        (
            0,
            ask(
                "transact",
                json!(["_Server", { "op": "delete", "table": "Database", "where": [] }]),
            ),
        ),
        (0, ask("monitor", json!(["OVN_Northbound", "x", { "Nowhere": {} }]))),
        (0, ask("monitor", json!(["OVN_Northbound", "x", { "ACL": { "columns": ["nothing"] } }]))),
        (
            0,
            ask(
                "monitor_cond",
                json!(["OVN_Northbound", "x", { "ACL": { "where": [["log", "==", 1]] } }]),
            ),
        ),
        (0, ask("set_db_change_aware", json!([true]))),
        (0, ask("get_schema", json!(["Nowhere"]))),
        (0, ask("unheard_of", json!([]))),
        (
            1,
            ask(
                "transact",
                json!(["OVN_Northbound", { "op": "delete", "table": "Logical_Switch", "where": [] }]),
            ),
        ),
    ]
}
