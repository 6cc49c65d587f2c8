//! What answers of a server mean.

use kube::core::response::{StatusCause, StatusDetails};

use super::*;
use udn_wire::Kind;

fn status(code: u16, kind: &str, causes: &[&str]) -> Status {
    let cause = |reason: &&str| StatusCause {
        reason: (*reason).to_owned(),
        message: String::new(),
        field: String::new(),
    };
    let causes = causes.iter().map(cause).collect();
    let details = StatusDetails {
        name: String::new(),
        group: String::new(),
        kind: kind.to_owned(),
        uid: String::new(),
        causes,
        retry_after_seconds: 0,
    };
    // The words are those of another matter, so that only codes and causes can tell.
    let message = "the object has been modified".to_owned();
    Status { code, message, details: Some(details), ..<_>::default() }
}

fn check(status: Status, want: &str) {
    let (kind, namespace, name) = (Kind::Pod, "red".to_owned(), "red-1".to_owned());
    let target = Target { kind, namespace, name };
    let sent = Ok(Err(kube::Error::Api(Box::new(status))));
    let (_, outcome) = judge(&target, sent);
    assert_eq!(outcome.expect_err("it is a refusal").to_string(), want);
}

#[test]
fn a_namespace_that_ends_is_not_taken_for_a_change_by_somebody_else() {
    let ending = "the namespace of Pod red/red-1 is being terminated";
    check(status(403, "events", &["NamespaceTerminating"]), ending);
    check(status(404, "namespaces", &[]), ending);
}

#[test]
fn other_answers_keep_their_meaning() {
    let overtaken = "Pod red/red-1 was changed by somebody else";
    check(status(404, "pods", &[]), overtaken);
    check(status(409, "pods", &[]), overtaken);
    let refused = "Pod red/red-1 was refused by the server: the object has been modified";
    check(status(403, "events", &[]), refused);
    check(status(403, "namespaces", &["FieldValueInvalid"]), refused);
    let unavailable = "Pod red/red-1 could not be written: the object has been modified";
    check(status(500, "events", &["NamespaceTerminating"]), unavailable);
}
