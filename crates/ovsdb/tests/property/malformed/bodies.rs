//! What is done with input that nobody vouches for; shared by the tests and the fuzz targets.
//!
//! Invariant: each body panics only if the code under test broke a promise.

use std::time::Duration;

use ovsdb::frame::FrameLimits;
use ovsdb::op::{Mutation, Mutator};
use ovsdb::session::{Event, SessionLimits, SessionSettings};
use ovsdb::{DatabaseSchema, Datum, Operation, Session};

/// The database that the stored conversations are about.
pub(crate) const DATABASE: &str = "d";

/// Small, so that a short input can reach them.
const LIMITS: FrameLimits = FrameLimits { size: 16 * 1024, depth: 24 };
const OUTPUT: usize = 8 * 1024;

/// How far a conversation came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    pub(crate) error: Option<String>,
    pub(crate) was_synced: bool,
    pub(crate) events: Vec<Event>,
}

/// Plays everything a server says to a new session, whole and in small pieces.
pub(crate) fn converse(said: &[u8]) -> Course {
    let whole = play(said, said.len().max(1));
    for piece in [1, 7, 100] {
        assert_eq!(play(said, piece), whole, "in pieces of {piece}");
    }
    whole
}

/// Plays everything a server says, in pieces of one size.
pub(crate) fn play(said: &[u8], piece: usize) -> Course {
    let mut session = new_session();
    let mut course = Course { error: None, was_synced: false, events: Vec::new() };
    let mut now = Duration::ZERO;
    session.connected(now);
    for bytes in pieces(said, piece) {
        now += Duration::from_millis(1);
        let outcome = session.receive(bytes, now);
        check_bounds(&session, piece);
        course.events.extend(std::iter::from_fn(|| session.next_event()));
        let is_first = session.is_synced() && !course.was_synced;
        course.was_synced |= is_first;
        if let Err(error) = outcome {
            // Whatever went wrong can be told, and told apart.
            let _ = error.retry();
            course.error = Some(error.to_string());
            break;
        }
        if is_first {
            submit(&mut session);
        }
    }
    check_survival(session, said, now);
    course
}

/// Cuts a stream into pieces of one size, and after every brace: what the owner of a session does
/// between two messages must not depend on the size.
fn pieces(said: &[u8], size: usize) -> impl Iterator<Item = &[u8]> {
    said.split_inclusive(|byte| *byte == b'}').flat_map(move |part| part.chunks(size))
}

/// Reads a schema; what can be read can be written and read again.
pub(crate) fn parse_schema(bytes: &[u8]) -> Option<DatabaseSchema> {
    let text = std::str::from_utf8(bytes).ok()?;
    let schema = DatabaseSchema::parse(text).ok()?;
    let again = DatabaseSchema::parse(&schema.to_json().to_string());
    assert_eq!(again.as_ref(), Ok(&schema), "a schema that was read must survive being written");
    Some(schema)
}

fn new_session() -> Session {
    let mut settings = SessionSettings::new(DATABASE);
    settings.limits = SessionLimits { frame: LIMITS, output: OUTPUT, ..SessionLimits::default() };
    Session::new(settings)
}

/// The answers to these are part of the stored conversations.
fn submit(session: &mut Session) {
    let row = [("name".into(), Datum::from("a"))].into();
    let insert = Operation::Insert { table: "T".into(), row, uuid_name: None, uuid: None };
    let select = Operation::Select { table: "T".into(), conditions: vec![], columns: None };
    let mutations = vec![Mutation::new("number", Mutator::Add, 1)];
    let mutate = Operation::Mutate { table: "T".into(), conditions: vec![], mutations };
    session.transact(&[insert, select, mutate]).expect("a synced session takes transactions");
    session.lock("l");
}

/// A server makes a session hold one message and the answers to its questions, not more.
fn check_bounds(session: &Session, piece: usize) {
    let own = 4 * 1024;
    let limit = LIMITS.size + OUTPUT + own + 2 * piece;
    assert!(session.buffered() <= limit, "{} bytes are held", session.buffered());
}

/// After the worst conversation the next one works.
fn check_survival(mut session: Session, said: &[u8], now: Duration) {
    session.disconnected();
    assert_eq!(session.next_wake(), None);
    assert!(!session.has_output());
    session.connected(now);
    let _ = session.receive(said, now);
    let _ = session.wake(now + Duration::from_secs(3600));
    session.disconnected();
    let mut unanswered = 0_i64;
    while let Some(event) = session.next_event() {
        unanswered -= i64::from(matches!(event, Event::Transacted { .. }));
    }
    assert!(unanswered <= 0);
    assert_eq!(session.in_flight(), 0);
}
