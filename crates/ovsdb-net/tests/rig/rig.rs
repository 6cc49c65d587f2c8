//! What the tests of this crate share: clients with short delays, a second pair of eyes, and
//! comparing a replica with its server.
//!
//! Invariant: nothing here goes through the code under test, except to read its replica.

#![allow(clippy::unwrap_used)]
// Each test program uses a part of this.
#![allow(dead_code)]

use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use ovsdb::codec::{DecodedRow, RowSeed, Strictness};
use ovsdb::op::{Condition, Mutation, Mutator};
use ovsdb::session::SessionSettings;
use ovsdb::{Cache, Datum, Operation};
use ovsdb_net::backoff::BackoffSettings;
use ovsdb_net::{Client, ClientSettings, Remote};
use serde::de::DeserializeSeed;
use serde_json::{Value, json};
use udn_lab::ovn_root::OvnRoot;

pub(crate) const NORTHBOUND: &str = "OVN_Northbound";

/// Longer than anything here takes, so that what hangs fails.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

pub(crate) fn ovn_root() -> OvnRoot {
    OvnRoot::find().expect("the OVN root is prepared by `cargo xtask setup`")
}

pub(crate) fn unix_remote(socket: &Path) -> Remote {
    Remote::Unix(socket.to_owned())
}

/// Settings with delays that suit a test.
pub(crate) fn settings(remotes: Vec<Remote>) -> ClientSettings {
    let mut settings = ClientSettings::new(remotes, SessionSettings::new(NORTHBOUND));
    let (first, cap) = (Duration::from_millis(10), Duration::from_millis(200));
    settings.backoff = BackoffSettings { first, cap, seed: 7 };
    settings
}

pub(crate) async fn synced_client(settings: ClientSettings) -> Client {
    let client = Client::connect(settings).unwrap();
    within(client.wait_synced()).await.unwrap();
    client
}

/// Waits, but not for ever.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(LIMIT, future).await.expect("this should not take so long")
}

/// A transaction that adds a named switch and counts it; applied twice, it shows in both.
pub(crate) fn add_switch(name: &str) -> Vec<Operation> {
    vec![
        Operation::Insert {
            table: "Logical_Switch".into(),
            row: [("name".into(), Datum::from(name))].into(),
            uuid_name: None,
            uuid: None,
        },
        Operation::Mutate {
            table: "NB_Global".into(),
            conditions: Vec::<Condition>::new(),
            mutations: vec![Mutation::new("nb_cfg", Mutator::Add, 1)],
        },
    ]
}

/// The row that counts.
pub(crate) fn add_counter() -> Vec<Operation> {
    let row = Default::default();
    let table = "NB_Global".into();
    vec![Operation::Insert { table, row, uuid_name: None, uuid: None }]
}

pub(crate) fn switch_names(cache: &Cache) -> Vec<String> {
    let rows = cache.table("Logical_Switch").into_iter().flat_map(ovsdb::cache::Table::rows);
    let mut names: Vec<String> =
        rows.map(|row| row.text("name").unwrap_or_default().to_owned()).collect();
    names.sort();
    names
}

pub(crate) fn counter(cache: &Cache) -> i64 {
    let mut rows = cache.table("NB_Global").unwrap().rows();
    rows.next().unwrap().get("nb_cfg").unwrap().as_atom().unwrap().as_integer().unwrap()
}

/// A plain connection of a few lines, which knows nothing of ours.
pub(crate) struct Onlooker {
    stream: BufReader<UnixStream>,
}

impl Onlooker {
    pub(crate) fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    pub(crate) fn transact(&mut self, operations: &[Value]) -> Value {
        let mut params = vec![json!(NORTHBOUND)];
        params.extend_from_slice(operations);
        self.ask("transact", &Value::Array(params))
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let request = json!({ "id": "onlooker", "method": method, "params": params });
        self.stream.get_mut().write_all(request.to_string().as_bytes()).unwrap();
        loop {
            let message = self.next_message();
            match message["method"].as_str() {
                Some("echo") => {
                    let reply = json!({ "id": message["id"], "result": [], "error": null });
                    self.stream.get_mut().write_all(reply.to_string().as_bytes()).unwrap();
                }
                Some(_) => {}
                None => return message["result"].clone(),
            }
        }
    }

    fn next_message(&mut self) -> Value {
        let source = self.stream.by_ref();
        serde_json::Deserializer::from_reader(source).into_iter().next().unwrap().unwrap()
    }

    /// All rows of a table, as the server has them now.
    pub(crate) fn rows(&mut self, cache: &Cache, table: &str) -> Vec<DecodedRow> {
        let select = json!({ "op": "select", "table": table, "where": [] });
        let result = self.transact(&[select]);
        let schema = cache.schema().table(table).unwrap();
        let seed = RowSeed { table: schema, strictness: Strictness::Count };
        let rows = result[0]["rows"].as_array().unwrap().iter();
        let mut rows: Vec<DecodedRow> = rows.map(|row| seed.deserialize(row).unwrap()).collect();
        rows.sort_by_key(|row| row.uuid);
        rows
    }

    /// The first difference between the replica and the server, if there is one.
    pub(crate) fn difference(&mut self, cache: &Cache) -> Option<String> {
        cache.tables().find_map(|table| {
            let name = &table.schema().name;
            let theirs = self.rows(cache, name);
            let ours: Vec<DecodedRow> = table
                .rows()
                .map(|view| DecodedRow { uuid: Some(view.uuid), row: view.row.clone() })
                .collect();
            (ours != theirs).then(|| format!("{name}: {ours:?} instead of {theirs:?}"))
        })
    }
}
