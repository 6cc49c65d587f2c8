//! Our judgement of requests, held against a real kube-apiserver with our CRDs.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the test talks to a server, and says how many requests were judged"
)]

use std::collections::{BTreeMap, BTreeSet};

use kube_schema::{Catalog, Outcome, RuleRun, Schema, Verdict};
use serde_json::{Value, json};

mod agents;
mod breaches;
mod dice;
mod edits;
mod examples;
mod policies;
pub(crate) mod requests;
pub(crate) mod server;
mod templates;
mod updates;

use crate::catalog::catalog;
use requests::{Request, requests, standing};
use server::Server;

/// The requests by chance, besides about 1,100 from the tables.
const RANDOM: usize = 1_900;
/// What they are drawn from, unless `UDN_SEED` says otherwise.
const SEED: u64 = 5;

/// What is said of a number that is not of its field's kind. The server compares objects field by field in
/// an order that it draws for each request, and tells what it meets first: a field that differs, or one that is unlike
/// any other. Of such a request it is asked until it drew the order that we go by.
const UNLIKE: &str = "invalid data, expected";
/// With one field of each sort, every second draw is ours.
const DRAWS: usize = 40;

/// The objects that stand before the first update, by kind and name.
type Standing = BTreeMap<(String, String), Value>;

fn seed() -> u64 {
    let told = std::env::var("UDN_SEED").ok();
    told.map_or(SEED, |text| text.parse().expect("UDN_SEED is a number"))
}

fn key(object: &Value) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&object["kind"]), text(&object["metadata"]["name"]))
}

/// What we say to a request; the observer sees every rule that is run.
fn judge(
    catalog: &Catalog,
    request: &Request,
    standing: &Standing,
    observe: &mut dyn FnMut(RuleRun<'_>),
) -> Verdict {
    let operation = request.verb.of(standing.get(&key(&request.object)));
    catalog.judge(kube_schema::Request::new(request.object.clone(), operation), observe)
}

#[test]
fn every_rule_is_seen_to_hold_and_to_fail() {
    let catalog = catalog();
    let standing: Standing = standing().into_iter().map(|it| (key(&it), it)).collect();
    let mut wanted = BTreeSet::new();
    for crd in catalog.definitions() {
        for version in &crd.versions {
            collect(&version.schema, &crd.kind, &mut wanted);
        }
    }
    let (mut held, mut failed) = (BTreeSet::new(), BTreeSet::new());
    for request in requests(SEED, 0) {
        let kind = key(&request.object).0;
        judge(&catalog, &request, &standing, &mut |run| {
            let rule = (format!("{kind}.{}", run.path), run.rule.to_owned());
            match run.outcome {
                Outcome::Passed => held.insert(rule),
                Outcome::Failed => failed.insert(rule),
                Outcome::Errored => false,
            };
        });
    }
    let missing = |seen: &BTreeSet<_>| wanted.difference(seen).cloned().collect::<Vec<_>>();
    assert!(wanted.len() > 120, "only {} rules were found", wanted.len());
    assert_eq!(missing(&held), [], "rules that never hold");
    assert_eq!(missing(&failed), [], "rules that never fail");
}

/// The rules of a schema with the path of each, as an observer is told it.
fn collect(schema: &Schema, path: &str, rules: &mut BTreeSet<(String, String)>) {
    rules.extend(schema.rules.iter().map(|rule| (path.to_owned(), rule.rule.clone())));
    for (name, field) in &schema.properties {
        collect(field, &format!("{path}.{name}"), rules);
    }
    if let Some(items) = &schema.items {
        collect(items, &format!("{path}[]"), rules);
    }
}

// soak: draws from UDN_SEED
#[test]
fn the_server_says_the_same() {
    let server = Server::shared();
    let catalog = catalog();
    let standing: Standing = standing().iter().map(|it| (key(it), server.create(it))).collect();
    let requests = requests(seed(), RANDOM);
    let mut differences = Vec::new();
    let mut accepted = 0_usize;
    for request in &requests {
        let ours = judge(&catalog, request, &standing, &mut |_| {});
        let ask = || server.ask(request, standing.get(&key(&request.object)));
        let theirs = ask();
        accepted += usize::from(theirs.is_ok());
        let is_as_drawn = || (0..DRAWS).any(|_| compare(&ours, &ask()).is_none());
        let difference = compare(&ours, &theirs);
        if let Some(difference) = difference.filter(|it| !it.contains(UNLIKE) || !is_as_drawn()) {
            differences.push(format!("{:?} {}\n{difference}", request.verb, request.story));
        }
    }
    println!("{} requests, {accepted} accepted, {} differ", requests.len(), differences.len());
    println!("drew: {RANDOM} inputs");
    assert!(requests.len() >= 2_000, "too few requests: {}", requests.len());
    assert!(accepted * 10 >= requests.len() * 3, "too few accepted: {accepted}");
    let first: Vec<&str> = differences.iter().take(20).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differences\n\n{}", differences.len(), first.join("\n\n"));
}

#[test]
fn every_example_is_accepted() {
    let count = examples::apply_all(Server::shared(), &catalog());
    assert!(count >= 25, "only {count} objects were found");
}

// proves: A-18
#[test]
fn the_annotation_and_the_label_stay_as_they_were() {
    policies::annotation_and_label();
}

#[test]
fn a_node_writes_its_own_report_only() {
    policies::reports();
}

#[test]
fn a_node_agent_writes_what_is_its_own_nodes() {
    agents::own_objects();
}

/// How the two answers differ.
fn compare(ours: &Verdict, theirs: &Result<Value, Value>) -> Option<String> {
    match (ours.status(), theirs) {
        (None, Ok(stored)) => {
            let stored = Server::without_its_own(stored);
            let object = Server::without_its_own(&ours.object);
            (object != stored).then(|| format!("stored  {stored}\n  ours  {object}"))
        }
        (Some(refused), Err(status)) => {
            let (ours, theirs) = (essence(&refused), essence(status));
            (ours != theirs).then(|| format!("server  {theirs:#?}\n  ours  {ours:#?}"))
        }
        (None, Err(status)) => {
            Some(format!("server refuses  {}\n  ours accepts", status["message"]))
        }
        (Some(status), Ok(_)) => {
            Some(format!("server accepts\n  ours refuses  {}", status["message"]))
        }
    }
}

/// What must be the same of a refusal: all of it but the order of causes, which the server does not
/// keep from one request to the next.
fn essence(status: &Value) -> Value {
    let mut status = status.clone();
    let mut message = status["message"].as_str().unwrap_or_default().to_owned();
    if let Some(causes) = status["details"]["causes"].as_array_mut() {
        causes.sort_by_key(ToString::to_string);
        let text = |cause: &Value, key: &str| cause[key].as_str().unwrap_or_default().to_owned();
        let mut told: Vec<String> = causes
            .iter()
            .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")))
            .collect();
        // The longest first, as one may begin with another.
        told.sort_by_key(|cause| std::cmp::Reverse(cause.len()));
        for cause in told {
            message = message.replacen(&cause, "…", 1);
        }
    }
    json!({
        "code": status["code"], "reason": status["reason"],
        "message": message, "details": status["details"],
    })
}
