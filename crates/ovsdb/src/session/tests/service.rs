//! Tests of what a session does once it is synced: transactions, probes, locks, refusals.

use super::*;

#[test]
fn effects_are_told_before_the_outcome() {
    let mut server = Server::synced();
    let id = server.session.transact(&[insert()]).unwrap();
    let request = server.expect("transact");
    assert_eq!(
        request["params"],
        json!(["d", { "op": "insert", "table": "T", "row": { "name": "a" } }])
    );
    let update = server.update(1, TWO, &json!({ "T": { ONE: { "insert": { "name": "a" } } } }));
    server.say(&update);
    server
        .say(&json!({ "id": request["id"], "result": [{ "uuid": ["uuid", ONE] }], "error": null }));
    let events = server.events();
    assert!(matches!(events[0], Event::Changed(_)));
    let outcome = Outcome::Committed(vec![OpResult::Inserted(uuid(ONE))]);
    assert_eq!(events[1..], [Event::Transacted { id, outcome }]);
}

#[test]
fn an_outcome_that_overtakes_its_effects_is_held_back() {
    let mut server = Server::synced();
    let id = server.session.transact(&[insert()]).unwrap();
    server.reply("transact", &json!([{ "uuid": ["uuid", ONE] }]));
    assert_eq!(server.events(), []);
    let update = server.update(1, TWO, &json!({ "T": { ONE: { "insert": { "name": "a" } } } }));
    server.say(&update);
    server.reply("echo", &json!([]));
    let events = server.events();
    assert!(matches!(events[0], Event::Changed(_)));
    assert!(matches!(&events[1], Event::Transacted { id: told, .. } if *told == id));
}

#[test]
fn an_outcome_waits_for_a_replica_that_is_asked_for_anew() {
    let mut server = Server::synced();
    let id = server.session.transact(&[insert()]).unwrap();
    let transact = server.expect("transact");
    server.say(&json!({ "id": null, "method": "monitor_canceled", "params": ["d#1"] }));
    let result = json!([{ "uuid": ["uuid", ONE] }]);
    server.say(&json!({ "id": transact["id"], "result": result, "error": null }));
    assert_eq!(server.events(), [Event::Unsynced]);
    server.reply("get_schema", &schema());
    let rows = json!({ "T": { ONE: { "insert": { "name": "a" } } } });
    server.reply("monitor_cond_since", &json!([true, TWO, rows]));
    let events = server.events();
    assert_eq!(events[1], Event::Synced(SyncKind::Resumed));
    assert!(matches!(&events[2], Event::Transacted { id: told, .. } if *told == id), "{events:?}");
}

#[test]
fn effects_are_replicated_while_leaving() {
    let mut server = Server::connected(settings());
    server.greet(&member(true, 5));
    server.reply("monitor_cond_since", &json!([false, ONE, {}]));
    let id = server.session.transact(&[insert()]).unwrap();
    let transact = server.expect("transact");
    server.events();
    // All of this may arrive at once, before the owner can hang up.
    server.server_update(&json!({ "modify": { "leader": false } }));
    let update = server.update(1, TWO, &json!({ "T": { ONE: { "insert": { "name": "a" } } } }));
    server.say(&update);
    let result = json!([{ "uuid": ["uuid", ONE] }]);
    server.say(&json!({ "id": transact["id"], "result": result, "error": null }));
    let events = server.events();
    assert!(matches!(events[2], Event::Changed(_)), "{events:?}");
    assert!(matches!(&events[3], Event::Transacted { id: told, .. } if *told == id), "{events:?}");
    assert!(server.session.cache().table("T").unwrap().row(uuid(ONE)).is_some());
}

#[test]
fn transactions_are_sent_up_to_the_bound_and_refused_beyond_the_queue() {
    let mut server = Server::synced();
    server.session.queue =
        Queue::new(SessionLimits { in_flight: 2, queued: 1, ..SessionLimits::default() });
    let comment = [Operation::Comment { comment: "x".to_owned() }];
    let ids: Vec<_> = (0..3).map(|_| server.session.transact(&comment).unwrap()).collect();
    let refused = server.session.transact(&comment).unwrap_err();
    assert!(matches!(refused, TransactError::Full { queued: 1, .. }));
    let first = server.expect("transact");
    server.expect("transact");
    assert!(server.says_nothing());
    server.say(&json!({ "id": first["id"], "result": [{}], "error": null }));
    server.expect("transact");
    let outcome = Outcome::Committed(vec![OpResult::Done]);
    assert_eq!(server.events(), [Event::Transacted { id: ids[0], outcome }]);
}

#[test]
fn a_lost_connection_tells_sent_from_unsent() {
    let mut server = Server::synced();
    server.session.queue = Queue::new(SessionLimits { in_flight: 1, ..SessionLimits::default() });
    let sent = server.session.transact(&[insert()]).unwrap();
    let unsent = server.session.transact(&[insert()]).unwrap();
    server.session.disconnected();
    let told = |id, outcome| Event::Transacted { id, outcome };
    let want = [Event::Unsynced, told(sent, Outcome::Unknown), told(unsent, Outcome::NotSent)];
    assert_eq!(server.events(), want);
    assert_eq!(server.session.transact(&[insert()]), Err(TransactError::NotSynced));
    // Nothing is repeated by itself.
    server.connect();
    server.greet(&standalone());
    server.reply("monitor_cond_since", &json!([true, ONE, {}]));
    assert!(server.says_nothing());
}

#[test]
fn failures_say_where_and_why() {
    let check = |answer: Value, want: Place| {
        let mut server = Server::synced();
        server.session.transact(&[insert(), Operation::Abort {}]).unwrap();
        server.reply("transact", &answer);
        let events = server.events();
        let [Event::Transacted { outcome: Outcome::Failed { at, fault, .. }, .. }] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!((*at, &*fault.tag), (want, "oops"), "{answer}");
    };
    let done = json!({ "uuid": ["uuid", ONE] });
    check(json!([{ "error": "oops" }, null]), Place::Operation(0));
    check(json!([done, { "error": "oops", "details": "x" }]), Place::Operation(1));
    check(json!([done, {}, { "error": "oops" }]), Place::Commit);
    let mut server = Server::synced();
    server.session.transact(&[insert()]).unwrap();
    server.refuse("transact", &json!({ "error": "oops", "syntax": "x" }));
    let events = server.events();
    assert!(format!("{events:?}").contains("at: Request"), "{events:?}");
}

#[test]
fn a_server_busy_with_the_first_state_is_given_time() {
    let mut server = Server::connected(settings());
    server.greet(&standalone());
    let interval = settings().probe_interval.unwrap();
    let request = server.expect("monitor_cond_since");
    for silent in 1..10 {
        server.session.wake(NOW + interval * silent).unwrap();
    }
    server.say(&json!({ "id": request["id"], "result": [false, ONE, {}], "error": null }));
    assert!(server.session.is_synced());
}

#[test]
fn a_server_that_never_tells_the_state_is_given_up() {
    let limit = Duration::from_secs(30);
    let mut server = Server::connected(SessionSettings { sync_timeout: Some(limit), ..settings() });
    server.greet(&standalone());
    // It answers probes, and that is all it does.
    server.session.receive(b" ", NOW + limit / 2).unwrap();
    server.session.wake(NOW + limit - Duration::from_secs(1)).unwrap();
    let error = server.session.wake(NOW + limit).unwrap_err();
    assert!(matches!(error, SessionError::NeverSynced), "{error}");
}

#[test]
fn a_silent_server_is_asked_then_given_up() {
    let interval = Duration::from_secs(5);
    let mut server = Server::synced();
    assert_eq!(server.session.next_wake(), Some(NOW + interval));
    server.session.wake(NOW + interval / 2).unwrap();
    assert!(server.says_nothing());
    server.session.wake(NOW + interval).unwrap();
    server.reply("echo", &json!([]));
    assert_eq!(server.session.next_wake(), Some(NOW + interval));
    server.session.wake(NOW + interval).unwrap();
    server.expect("echo");
    server.session.wake(NOW + interval + interval / 2).unwrap();
    let error = server.session.wake(NOW + interval * 2).unwrap_err();
    assert!(matches!(error, SessionError::Silent));
    server.session.disconnected();
    assert_eq!(server.session.next_wake(), None);
}

#[test]
fn the_servers_own_questions_are_answered() {
    let mut server = Server::synced();
    server.say(&json!({ "id": "echo", "method": "echo", "params": ["hello"] }));
    assert_eq!(server.heard(), json!({ "id": "echo", "result": ["hello"], "error": null }));
    server.say(&json!({ "id": 7, "method": "dance", "params": [] }));
    assert_eq!(server.heard()["error"], "unknown method");
    let flood = json!({ "id": 1, "method": "echo", "params": ["x".repeat(1 << 20)] });
    let flooded =
        (0..100).any(|_| server.session.receive(flood.to_string().as_bytes(), NOW).is_err());
    assert!(flooded, "answers that nobody takes are bounded");
}

#[test]
fn locks_are_asked_for_on_every_connection() {
    let mut server = Server::synced();
    server.session.lock("l");
    server.reply("lock", &json!({ "locked": false }));
    server.say(&json!({ "id": null, "method": "locked", "params": ["l"] }));
    let told = |held| Event::Lock { name: "l".to_owned(), held };
    assert_eq!(server.events(), [told(true)]);
    server.say(&json!({ "id": null, "method": "stolen", "params": ["l"] }));
    assert_eq!(server.events(), [told(false)]);
    server.connect();
    server.expect("set_db_change_aware");
    server.expect("monitor_cond");
    server.reply("lock", &json!({ "locked": true }));
    server.session.unlock("l");
    server.expect("unlock");
}

#[test]
fn nonsense_is_refused() {
    let check = |message: Value, want: &str| {
        let error = Server::synced().fail(&message);
        assert!(error.contains(want), "{message}: {error}");
    };
    let update = |params: Value| json!({ "id": null, "method": "update3", "params": params });
    check(json!({ "id": 99, "result": [], "error": null }), "answered 99, which nobody asked");
    check(json!({ "id": "x", "result": [], "error": null }), "nobody asked");
    check(update(json!(["other", ONE, {}])), "nobody asked for");
    check(update(json!(["d#1", "x", {}])), "cannot be read");
    check(update(json!(["d#1", ONE, { "Nowhere": {} }])), "cannot be read");
    check(update(json!(["d#1", ONE, { "T": { ONE: { "insert": { "name": 3 } } } }])), "an update");
    check(update(json!(["d#1", ONE, { "T": { ONE: { "delete": null } } }])), "does not fit");
    check(update(json!([])), "cannot be read");
    check(json!({ "id": 1, "method": "echo" }), "not a message");
}

#[test]
fn an_update_that_does_not_fit_means_starting_over() {
    let mut server = Server::synced();
    let rows = json!({ "T": { ONE: { "insert": {} }, TWO: { "delete": null } } });
    let update = server.update(1, TWO, &rows);
    server.fail(&update);
    let events = server.events();
    assert!(matches!(&events[..], [Event::Changed(changes)] if changes.len() == 1), "{events:?}");
    server.connect();
    server.greet(&standalone());
    let request = server.expect("monitor_cond_since");
    assert_eq!(request["params"][3], json!(Uuid::nil().to_string()));
}
