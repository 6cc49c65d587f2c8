//! The real server, asked over its socket, one transaction at a time.
//!
//! Invariant: identifiers that the server chose are translated to the engine's and back, so that
//! callers know only one kind.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Value, json};

pub(crate) struct Peer {
    stream: UnixStream,
    replies: serde_json::StreamDeserializer<
        'static,
        serde_json::de::IoRead<std::io::BufReader<UnixStream>>,
        Value,
    >,
    database: String,
    /// The engine's identifier for the server's, and the reverse.
    ours: BTreeMap<String, String>,
    theirs: BTreeMap<String, String>,
    asked: u64,
    /// The last request, to be shown if the server breaks the connection over it.
    last: String,
}

impl Peer {
    pub(crate) fn connect(socket: &Path, database: &str) -> Self {
        let stream = UnixStream::connect(socket).expect("the server listens");
        let reader = std::io::BufReader::new(stream.try_clone().expect("sockets can be cloned"));
        let replies = serde_json::Deserializer::from_reader(reader).into_iter();
        let (ours, theirs) = (BTreeMap::new(), BTreeMap::new());
        Self {
            stream,
            replies,
            database: database.to_owned(),
            ours,
            theirs,
            asked: 0,
            last: String::new(),
        }
    }

    /// Asks and waits for the answer.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.send(method, params);
        self.receive()
    }

    pub(crate) fn send(&mut self, method: &str, params: Value) {
        self.asked += 1;
        let request = json!({ "method": method, "params": params, "id": self.asked });
        self.last = request.to_string();
        self.stream.write_all(self.last.as_bytes()).expect("the server reads");
    }

    /// The result of the last request; notifications are skipped.
    pub(crate) fn receive(&mut self) -> Value {
        loop {
            let Some(message) = self.replies.next() else {
                panic!("the server hung up over {}", self.last);
            };
            let message = message.expect("the server sends JSON");
            if message["id"] == json!(self.asked) {
                assert!(message["error"].is_null(), "the server refused: {message}");
                return message["result"].clone();
            }
        }
    }

    /// Runs operations that speak of the engine's identifiers; the answers do so too, except
    /// for the identifiers of rows that this transaction inserted.
    pub(crate) fn transact(&mut self, operations: &[Value]) -> Vec<Value> {
        let mut params = vec![json!(self.database)];
        params.extend(operations.iter().map(|operation| translate(operation, &self.theirs)));
        let Value::Array(results) = self.call("transact", Value::Array(params)) else {
            panic!("a transaction is answered with a list");
        };
        results
    }

    /// Remembers which rows are the same.
    pub(crate) fn pair(&mut self, ours: &str, theirs: &str) {
        if ours != theirs {
            self.ours.insert(theirs.to_owned(), ours.to_owned());
            self.theirs.insert(ours.to_owned(), theirs.to_owned());
        }
    }

    /// Forgets pairs that a refused transaction made.
    pub(crate) fn unpair(&mut self, ours: &str) {
        if let Some(theirs) = self.theirs.remove(ours) {
            self.ours.remove(&theirs);
        }
    }

    /// Replaces the server's identifiers by the engine's.
    pub(crate) fn read(&self, answer: &Value) -> Value {
        translate(answer, &self.ours)
    }
}

fn translate(json: &Value, names: &BTreeMap<String, String>) -> Value {
    match json {
        Value::String(text) => Value::String(names.get(text).unwrap_or(text).clone()),
        Value::Array(items) => items.iter().map(|item| translate(item, names)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), translate(value, names))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => json.clone(),
    }
}
