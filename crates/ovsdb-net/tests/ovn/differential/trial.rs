//! Runs the same transactions on the engine and on the real server, and compares.
//!
//! Invariant: a trial starts from an empty database on both sides; a transaction's own
//! identifiers depend only on its number, so that leaving others out does not change it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ovsdb::engine::{Context, Outcome, RowChange, Transacted};
use ovsdb::{DatabaseSchema, Engine};
use serde_json::{Value, json};

use super::ambiguity::is_ambiguous;
use super::canonical;
use super::dice::Dice;
use super::generate::HELD_LOCK;
use super::leftovers::has_leftovers;
use super::peer::Peer;

/// A transaction and its number in the sequence that it was drawn for.
pub(crate) type Numbered = (u64, Vec<Value>);

pub(crate) struct Trial<'p> {
    pub(crate) engine: Engine,
    peer: &'p mut Peer,
}

/// What one transaction did.
pub(crate) struct Seen {
    pub(crate) results: Vec<Value>,
    pub(crate) changes: Vec<RowChange>,
}

/// How the two sides differed.
#[derive(Debug)]
pub(crate) struct Mismatch {
    pub(crate) what: String,
    pub(crate) engine: Value,
    pub(crate) server: Value,
}

impl<'p> Trial<'p> {
    pub(crate) fn new(schema: &Arc<DatabaseSchema>, peer: &'p mut Peer) -> Self {
        let trial = Self { engine: Engine::new(Arc::clone(schema)), peer };
        let tables = schema.tables();
        let clear =
            tables.map(|table| json!({ "op": "delete", "table": &*table.name, "where": [] }));
        let cleared = trial.peer.transact(&clear.collect::<Vec<_>>());
        assert!(cleared.iter().all(|result| result.get("error").is_none()), "{cleared:?}");
        trial
    }

    /// Runs one transaction on both sides and compares the answers; nothing is seen, and nothing
    /// done, if the server's answer would depend on chance.
    pub(crate) fn run(
        &mut self,
        (number, operations): &Numbered,
    ) -> Result<Option<Seen>, Mismatch> {
        let mut engine = self.engine.clone();
        let ours = transact(&mut engine, *number, operations);
        if is_ambiguous(operations, &ours) {
            return Ok(None);
        }
        self.engine = engine;
        let theirs = self.peer.transact(operations);
        self.pair_inserted(&ours.results, &theirs);
        let compared: Vec<Value> =
            theirs.iter().map(|result| canonical::answer(&self.peer.read(result))).collect();
        let own: Vec<Value> = ours.results.iter().map(canonical::answer).collect();
        if own != compared {
            let what = "the answers differ".to_owned();
            return Err(Mismatch { what, engine: json!(ours.results), server: json!(theirs) });
        }
        if !ours.committed {
            self.unpair_inserted(&ours.results);
        }
        Ok(Some(Seen { results: theirs, changes: ours.changes }))
    }

    fn pair_inserted(&mut self, ours: &[Value], theirs: &[Value]) {
        for (ours, theirs) in ours.iter().zip(theirs) {
            if let (Some(ours), Some(theirs)) =
                (ours["uuid"][1].as_str(), theirs["uuid"][1].as_str())
            {
                self.peer.pair(ours, theirs);
            }
        }
    }

    fn unpair_inserted(&mut self, ours: &[Value]) {
        for ours in ours.iter().filter_map(|result| result["uuid"][1].as_str()) {
            self.peer.unpair(ours);
        }
    }

    /// Whether the server holds a weak reference to nothing, so that it differs by its own fault.
    pub(crate) fn server_has_leftovers(&mut self) -> bool {
        let schema = Arc::clone(self.engine.schema());
        let answers = self.peer.transact(&select_all(&schema));
        has_leftovers(&schema, &answers)
    }

    /// Compares every row of every table.
    pub(crate) fn compare_content(&mut self) -> Result<(), Mismatch> {
        let schema = Arc::clone(self.engine.schema());
        let selects = select_all(&schema);
        let (mut uuids, never) = (ovsdb::Uuid::nil, |_: &str| false);
        let mut context =
            Context { uuids: &mut uuids, holds_lock: &never, elapsed: Duration::ZERO };
        let Outcome::Finished(ours) = self.engine.transact_json(&selects, &mut context) else {
            panic!("a select does not wait");
        };
        let theirs = self.peer.transact(&selects);
        for ((table, ours), theirs) in schema.tables().zip(&ours.results).zip(&theirs) {
            let (ours, theirs) =
                (canonical::answer(ours), canonical::answer(&self.peer.read(theirs)));
            if ours != theirs {
                let what = format!("the rows of {} differ", table.name);
                return Err(Mismatch { what, engine: ours, server: theirs });
            }
        }
        Ok(())
    }
}

fn select_all(schema: &DatabaseSchema) -> Vec<Value> {
    let select = |table: &str| json!({ "op": "select", "table": table, "where": [] });
    schema.tables().map(|table| select(&table.name)).collect()
}

/// Runs a transaction on an engine; the identifiers it draws depend on the number alone.
fn transact(engine: &mut Engine, number: u64, operations: &[Value]) -> Transacted<Value> {
    let mut dice = Dice::new(number.wrapping_mul(0x1234_5678_9abc_def1));
    let mut uuids = || dice.uuid();
    let holds_lock = |lock: &str| lock == HELD_LOCK;
    let mut context =
        Context { uuids: &mut uuids, holds_lock: &holds_lock, elapsed: Duration::ZERO };
    match engine.transact_json(operations, &mut context) {
        Outcome::Finished(transacted) => transacted,
        Outcome::Blocked { timeout } => panic!("blocked until {timeout:?}: {operations:?}"),
    }
}

/// Runs a whole sequence and compares the answers, and in the end the rows.
pub(crate) fn replay(
    schema: &Arc<DatabaseSchema>,
    peer: &mut Peer,
    transactions: &[Numbered],
) -> Option<Mismatch> {
    let mut trial = Trial::new(schema, peer);
    let differs = transactions.iter().find_map(|transaction| trial.run(transaction).err());
    differs.or_else(|| trial.compare_content().err())
}

/// Leaves out as much of a failing sequence as possible.
pub(crate) fn shrink(
    schema: &Arc<DatabaseSchema>,
    peer: &mut Peer,
    mut failing: Vec<Numbered>,
) -> (Vec<Numbered>, Option<Mismatch>) {
    let fixed = with_identifiers(schema, &failing);
    if replay(schema, peer, &fixed).is_some() {
        failing = fixed;
    }
    let mut chunk = failing.len().div_ceil(2);
    while chunk > 0 {
        leave_out_transactions(schema, peer, &mut failing, chunk);
        chunk /= 2;
    }
    for at in (0..failing.len()).rev() {
        for operation in (0..failing[at].1.len()).rev() {
            let mut shorter = failing.clone();
            shorter[at].1.remove(operation);
            if replay(schema, peer, &shorter).is_some() {
                failing = shorter;
            }
        }
    }
    leave_out_transactions(schema, peer, &mut failing, 1);
    let mismatch = replay(schema, peer, &failing);
    (failing, mismatch)
}

/// Lets every insert ask for the identifier that the engine chose, and names rows by it, so that
/// nothing that the server does is left to chance.
fn with_identifiers(schema: &Arc<DatabaseSchema>, transactions: &[Numbered]) -> Vec<Numbered> {
    let mut engine = Engine::new(Arc::clone(schema));
    let mut fixed = transactions.to_vec();
    for (number, operations) in &mut fixed {
        let done = transact(&mut engine, *number, operations);
        let mut names = BTreeMap::new();
        for (operation, result) in operations.iter_mut().zip(&done.results) {
            let Some(uuid) = result["uuid"][1].as_str() else { continue };
            operation["uuid"] = json!(uuid);
            let name = operation.as_object_mut().and_then(|insert| insert.remove("uuid-name"));
            names.extend(
                name.map(|name| (json!(["named-uuid", name]).to_string(), json!(["uuid", uuid]))),
            );
        }
        operations.iter_mut().for_each(|operation| replace(operation, &names));
    }
    fixed
}

fn replace(json: &mut Value, names: &BTreeMap<String, Value>) {
    if json[0] == "named-uuid"
        && let Some(uuid) = names.get(&json.to_string())
    {
        json.clone_from(uuid);
    }
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, names)),
        Value::Object(members) => members.values_mut().for_each(|member| replace(member, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn leave_out_transactions(
    schema: &Arc<DatabaseSchema>,
    peer: &mut Peer,
    failing: &mut Vec<Numbered>,
    chunk: usize,
) {
    let mut at = 0;
    while at < failing.len() {
        let mut shorter = failing.clone();
        shorter.drain(at..(at + chunk).min(shorter.len()));
        if replay(schema, peer, &shorter).is_some() {
            *failing = shorter;
        } else {
            at += chunk;
        }
    }
}
