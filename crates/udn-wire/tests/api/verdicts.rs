//! The table of expected verdicts, asked of a real kube-apiserver: a test for each requirement.
//!
//! Reads `tests/verdicts`; creates what must stand, and asks everything else as a dry run.
//! Invariant: the expected text was written beforehand; no judge of ours is asked here.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the test talks to a server, and says how many questions were asked"
)]

use serde_json::Value;

use crate::admission::requests::Verb as Sent;
use crate::admission::server::Server;
use crate::answer::Answer;
use crate::questions::{Question, Verb, files, questions};

/// The files that are about one requirement each; each has a test of its own.
const REQUIREMENTS: &[&str] = &[
    "A-01", "A-02", "A-03", "A-09", "L-01", "L-02", "L-03", "L-04", "L-05", "L-06", "L-07", "L-08",
    "L-26", "L-29",
];

/// What the server says to a question.
fn ask(server: &Server, question: &Question) -> Answer {
    let mut object = question.object.clone();
    if let Some(standing) = &question.standing {
        let standing = server.create(standing);
        let version = standing["metadata"]["resourceVersion"].clone();
        object["metadata"]["resourceVersion"] = version;
    }
    let verb = match question.verb {
        Verb::Create => Sent::Create,
        Verb::Update => Sent::Update,
        Verb::UpdateStatus => Sent::UpdateStatus,
    };
    let said = server.call(verb, &object, true);
    if let Ok(stored) = &said {
        assert_eq!(kept(stored, verb), kept(&object, verb), "{}", question.title);
    }
    Answer::of(said.err().as_ref())
}

/// The part of an object that a request writes, which must be stored as it was sent.
fn kept(object: &Value, verb: Sent) -> &Value {
    match verb {
        Sent::Create | Sent::Update => &object["spec"],
        Sent::UpdateStatus => &object["status"],
    }
}

/// The server gives the expected answer to every question of a file, of which some are accepted
/// and some refused.
fn check(file: &str) {
    let server = Server::shared();
    let questions = questions(file);
    let mut wrong = Vec::new();
    for question in &questions {
        let got = ask(server, question);
        if got != question.answer {
            wrong.push(format!("{}\n  want {}\n  got {got}", question.title, question.answer));
        }
    }
    let accepted = questions.iter().filter(|it| it.answer == Answer::Accepted).count();
    println!("{file}: {accepted} accepted, {} refused", questions.len() - accepted);
    assert!(0 < accepted && accepted < questions.len(), "{file} shows one side only");
    assert!(wrong.is_empty(), "{} answers differ\n\n{}", wrong.len(), wrong.join("\n\n"));
}

// proves: L-01
#[test]
fn localnet_union_holds() {
    check("L-01");
}

// proves: L-02
#[test]
fn localnet_role_is_secondary_only() {
    check("L-02");
}

// proves: L-03
#[test]
fn physical_network_name_has_its_length_and_characters() {
    check("L-03");
}

// proves: L-04
#[test]
fn mtu_is_within_its_limits() {
    check("L-04");
}

// proves: L-05
#[test]
fn vlan_union_and_its_numbers_hold() {
    check("L-05");
}

// proves: L-06
#[test]
fn localnet_subnets_go_with_ipam() {
    check("L-06");
}

// proves: L-07
#[test]
fn exclude_subnets_go_with_subnets() {
    check("L-07");
}

// proves: L-08
#[test]
fn exclude_subnets_outside_are_refused() {
    check("L-08");
}

// proves: L-26
#[test]
fn localnet_spec_is_immutable() {
    check("L-26");
}

// proves: L-29
#[test]
fn persistent_lifecycle_needs_ipam() {
    check("L-29");
}

// proves: A-01
#[test]
fn default_gateways_are_inside_the_subnets() {
    check("A-01");
}

// proves: A-02
#[test]
fn reserved_subnets_are_inside_the_subnets() {
    check("A-02");
}

// proves: A-03
#[test]
fn infrastructure_subnets_hold_gateways_and_nothing_reserved() {
    check("A-03");
}

// proves: A-09
#[test]
fn gateways_and_infrastructure_are_immutable() {
    check("A-09");
}

#[test]
fn everything_else_in_the_table_holds() {
    let files = files();
    let others: Vec<&String> =
        files.iter().filter(|file| !REQUIREMENTS.contains(&file.as_str())).collect();
    assert_eq!(files.len() - others.len(), REQUIREMENTS.len(), "a file is missing");
    others.iter().for_each(|file| check(file));
}
