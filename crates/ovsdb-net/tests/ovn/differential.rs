//! The in-memory engine against a real ovsdb-server: the same random transactions, the same
//! answers, the same rows.
//!
//! Seeds are in `differential/seeds.txt`; a seed that ever failed is added there. `UDN_SEED=…`
//! runs that seed instead, to explore or to reproduce.

use std::sync::Arc;

use ovsdb::DatabaseSchema;
use serde_json::json;
use udn_lab::ovn_root::{Database, OvnRoot};
use udn_lab::ovsdb_server::{OvsdbServer, Schema};
use udn_lab::seed;

mod ambiguity;
mod canonical;
mod clauses;
mod dice;
mod generate;
mod leftovers;
mod links;
mod mistakes;
mod peer;
mod refusals;
mod tally;
mod trial;
mod values;

use dice::Dice;
use generate::{Draw, HELD_LOCK};
use links::Links;
use peer::Peer;
use tally::Tally;
use trial::{Mismatch, Numbered, Trial, shrink};

const SEEDS: &str = include_str!("differential/seeds.txt");
const LAB_SCHEMA: &str = include_str!("differential/lab.ovsschema");

/// Transactions per seed.
const TRANSACTIONS: u64 = 640;

/// How often everything that is counted has to be seen.
const FLOOR: usize = 100;

/// The server broke a rule of its own, and the comparison began anew.
const LEFTOVERS: &str = "server left a weak reference behind";

/// How often that may happen in a run; more would hide something.
const MOST_LEFTOVERS: usize = 20;

/// What must be seen at least [`FLOOR`] times, over all seeds and both schemas.
const WANTED: &[&str] = &[
    "operation succeeded: insert",
    "operation succeeded: select",
    "operation succeeded: update",
    "operation succeeded: mutate",
    "operation succeeded: delete",
    "operation succeeded: wait",
    "operation succeeded: commit",
    "operation succeeded: comment",
    "operation succeeded: assert",
    "operation: abort",
    "insert with uuid",
    "insert with uuid-name",
    "condition: <",
    "condition: <=",
    "condition: ==",
    "condition: !=",
    "condition: >=",
    "condition: >",
    "condition: includes",
    "condition: excludes",
    "condition: constant",
    "mutator: +=",
    "mutator: -=",
    "mutator: *=",
    "mutator: /=",
    "mutator: %=",
    "mutator: insert",
    "mutator: delete",
    "constraint: enumeration",
    "constraint: integer range",
    "constraint: real range",
    "constraint: string length",
    "constraint: member count",
    "constraint: member count after mutation",
    "constraint: row limit",
    "constraint: uniqueness index",
    "constraint: immutable column",
    "constraint: duplicate member",
    "constraint: duplicates after mutation",
    "reference: strong to nothing refused",
    "reference: deletion of referenced row refused",
    "reference: last weak reference refused",
    "reference: garbage collected",
    "reference: unreferenced insert collected",
    "reference: collected in cascade",
    "reference: weak pruned",
    "arithmetic: out of range",
    "arithmetic: division by zero",
    "wait: timed out",
    "assert: lock not held",
    "error: syntax error",
    "error: duplicate uuid-name",
    "error: duplicate uuid",
];

// soak: draws from UDN_SEED
#[test]
fn engine_and_server_agree() {
    let root = OvnRoot::find().expect("the OVN root is prepared");
    let northbound = std::fs::read_to_string(root.schema(Database::Northbound)).unwrap();
    let mut tally = Tally::default();
    let mut northbound_operations = 0;
    for text in [northbound.as_str(), LAB_SCHEMA] {
        let schema = Arc::new(DatabaseSchema::parse(text).expect("a schema that the server takes"));
        let server = OvsdbServer::builder(&root, Schema::Text(text.to_owned())).start().unwrap();
        let mut peer = Peer::connect(server.socket(), &schema.name);
        let lock = peer.call("lock", json!([HELD_LOCK]));
        assert_eq!(lock, json!({ "locked": true }));
        let mut seen = Tally::default();
        for seed in seeds() {
            explore(&schema, &mut peer, seed, &mut seen);
        }
        println!("{}: {seen}", schema.name);
        if schema.name == Database::Northbound.name() {
            northbound_operations = seen.operations;
        }
        tally.merge(seen);
    }
    println!("both: {tally}");
    println!("drew: {} transactions", tally.transactions);
    if seed::told().is_none() {
        let missing: Vec<String> =
            WANTED.iter().filter_map(|what| tally.shortfall(what, FLOOR)).collect();
        assert!(missing.is_empty(), "not seen often enough: {missing:#?}");
        assert!(northbound_operations >= 10_000, "only {northbound_operations} operations");
        assert!(tally.count(LEFTOVERS) <= MOST_LEFTOVERS, "too often left to chance");
        assert!(tally.committed * 100 >= tally.transactions * 60, "too few commit");
    }
}

fn seeds() -> Vec<u64> {
    let read = |text: &str| text.trim().parse().expect("a seed is a number");
    match seed::told() {
        Some(seed) => vec![seed],
        None => {
            let lines = SEEDS.lines().map(|line| line.split('#').next().unwrap_or("").trim());
            lines.filter(|line| !line.is_empty()).map(read).collect()
        }
    }
}

/// Runs one seed's transactions; a mismatch is made small and shown.
fn explore(schema: &Arc<DatabaseSchema>, peer: &mut Peer, seed: u64, tally: &mut Tally) {
    let links = Links::of(schema);
    let mut dice = Dice::new(seed);
    let mut history: Vec<Numbered> = Vec::new();
    let mut trial = Trial::new(schema, peer);
    for number in 0..TRANSACTIONS {
        let operations = Draw::transaction(&trial.engine, &links, &mut dice);
        history.push((number, operations));
        let is_last = number + 1 == TRANSACTIONS;
        let compared = step(&mut trial, &history[history.len() - 1], is_last, tally);
        let Err(mismatch) = compared else { continue };
        if !trial.server_has_leftovers() {
            drop(trial);
            return fail(schema, peer, seed, history, mismatch);
        }
        // The two sides cannot come together again; both begin anew.
        tally.hit(LEFTOVERS);
        drop(trial);
        history.clear();
        trial = Trial::new(schema, peer);
    }
}

/// Runs one transaction and, now and then, compares all rows.
fn step(
    trial: &mut Trial<'_>,
    transaction: &Numbered,
    is_last: bool,
    tally: &mut Tally,
) -> Result<(), Mismatch> {
    match trial.run(transaction)? {
        None => tally.hit("left out: the answer depends on chance"),
        Some(seen) => {
            tally.see_answers(&transaction.1, &seen.results);
            tally.see_changes(&transaction.1, &seen.changes);
        }
    }
    if transaction.0 % 6 == 5 || is_last { trial.compare_content() } else { Ok(()) }
}

fn fail(
    schema: &Arc<DatabaseSchema>,
    peer: &mut Peer,
    seed: u64,
    history: Vec<Numbered>,
    first: Mismatch,
) {
    let (smallest, mismatch) = shrink(schema, peer, history);
    let mismatch = mismatch.unwrap_or(first);
    for (number, operations) in &smallest {
        println!("transaction {number}:");
        operations.iter().for_each(|operation| println!("  {operation}"));
    }
    panic!(
        "seed {seed} on {}: {}\nengine: {}\nserver: {}",
        schema.name, mismatch.what, mismatch.engine, mismatch.server
    );
}
