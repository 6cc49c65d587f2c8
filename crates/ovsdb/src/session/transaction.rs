//! Transactions on their way: waiting, sent, answered.
//!
//! Invariant: every transaction taken is reported exactly once; none is ever sent twice.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::{SessionError, TransactError};
use super::settings::SessionLimits;
use crate::codec::{DecodedRow, RowSeed, Strictness, Text, parse_uuid};
use crate::fault::Fault;
use crate::op::{Name, OpResult, Operation};
use crate::rpc::{self, TransactParams};
use crate::schema::DatabaseSchema;

/// Names a transaction within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId(pub(super) u64);

/// What became of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Done, with one result for each operation.
    Committed(Vec<OpResult>),
    /// Refused; nothing of it was applied.
    Failed { at: Place, fault: Fault, results: Vec<OpResult> },
    /// Sent, but the connection broke before the answer: applied once or not at all. Look before
    /// trying again.
    Unknown,
    /// Never sent; trying again is safe.
    NotSent,
}

/// Which part of a transaction failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The operation with this place in the transaction.
    Operation(usize),
    /// All operations were run, but their outcome breaks a constraint or could not be stored.
    Commit,
    /// The request as a whole, before any operation was run.
    Request,
}

/// What the answer to one operation will look like.
#[derive(Debug, Clone, PartialEq)]
enum Expected {
    Nothing,
    Identifier(Name),
    Count,
    Rows(Name),
}

impl Expected {
    fn of(operation: &Operation) -> Self {
        match operation {
            Operation::Insert { table, .. } => Self::Identifier(table.clone()),
            Operation::Select { table, .. } => Self::Rows(table.clone()),
            Operation::Update { .. } | Operation::Mutate { .. } | Operation::Delete { .. } => {
                Self::Count
            }
            Operation::Wait { .. }
            | Operation::Commit { .. }
            | Operation::Abort {}
            | Operation::Comment { .. }
            | Operation::Assert { .. } => Self::Nothing,
        }
    }
}

/// A transaction that was sent, and how to read its answer.
#[derive(Debug)]
pub(super) struct Sent {
    expected: Vec<Expected>,
}

/// The transactions that wait for their turn.
#[derive(Debug)]
pub(super) struct Queue {
    limits: SessionLimits,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    in_flight: usize,
}

#[derive(Debug)]
struct Waiting {
    id: TransactionId,
    text: Vec<u8>,
    sent: Sent,
}

impl Queue {
    pub(super) fn new(limits: SessionLimits) -> Self {
        Self { limits, waiting: VecDeque::new(), bytes: 0, in_flight: 0 }
    }

    /// Refuses when no more may wait.
    pub(super) fn check_room(&self) -> Result<(), TransactError> {
        let queued = self.waiting.len();
        let full = queued >= self.limits.queued || self.bytes >= self.limits.queued_bytes;
        if full { Err(TransactError::Full { queued, bytes: self.bytes }) } else { Ok(()) }
    }

    /// Writes the request to `output` if it is its turn, else keeps it.
    pub(super) fn add(
        &mut self,
        output: &mut Vec<u8>,
        id: TransactionId,
        database: &str,
        operations: &[Operation],
    ) -> Option<Sent> {
        let params = TransactParams { database, operations };
        let sent = Sent { expected: operations.iter().map(Expected::of).collect() };
        if self.has_turn() && self.waiting.is_empty() {
            rpc::write_request(output, id.0, "transact", &params);
            self.in_flight += 1;
            return Some(sent);
        }
        let mut text = Vec::new();
        rpc::write_request(&mut text, id.0, "transact", &params);
        self.bytes += text.len();
        self.waiting.push_back(Waiting { id, text, sent });
        None
    }

    /// Writes the next waiting request to `output` if it is its turn.
    pub(super) fn advance(&mut self, output: &mut Vec<u8>) -> Option<(TransactionId, Sent)> {
        if !self.has_turn() {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.bytes -= next.text.len();
        output.extend_from_slice(&next.text);
        self.in_flight += 1;
        Some((next.id, next.sent))
    }

    pub(super) fn answered(&mut self) {
        self.in_flight -= 1;
    }

    /// Gives up everything; returns those that were never sent.
    pub(super) fn disconnected(&mut self) -> Vec<TransactionId> {
        self.in_flight = 0;
        self.bytes = 0;
        self.waiting.drain(..).map(|waiting| waiting.id).collect()
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn has_turn(&self) -> bool {
        self.in_flight < self.limits.in_flight
    }
}

/// One element of the answer, before it is known to fit.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    uuid: Option<(Text<'a>, Text<'a>)>,
    count: Option<u64>,
    #[serde(borrow)]
    rows: Option<Vec<&'a RawValue>>,
    error: Option<String>,
    details: Option<String>,
}

impl Sent {
    /// Reads the answer that the server gave.
    pub(super) fn decode(
        &self,
        schema: &DatabaseSchema,
        answer: &RawValue,
    ) -> Result<Outcome, SessionError> {
        self.read(schema, answer)
            .map_err(|source| SessionError::Malformed { what: "a transaction's outcome", source })
    }

    /// Tables and identifiers of the rows that were inserted.
    pub(super) fn inserted<'a>(
        &'a self,
        results: &'a [OpResult],
    ) -> impl Iterator<Item = (&'a str, crate::value::Uuid)> {
        self.expected.iter().zip(results).filter_map(|pair| match pair {
            (Expected::Identifier(table), OpResult::Inserted(uuid)) => Some((&**table, *uuid)),
            _ => None,
        })
    }

    fn read(
        &self,
        schema: &DatabaseSchema,
        answer: &RawValue,
    ) -> Result<Outcome, serde_json::Error> {
        let answers: Vec<Option<Answer<'_>>> = rpc::decode(answer)?;
        let mut results = Vec::with_capacity(self.expected.len());
        let mut failed = None;
        for (at, answer) in answers.into_iter().enumerate() {
            let Some(answer) = answer else { continue };
            if let Some(tag) = answer.error {
                let fault = Fault { tag: tag.into(), details: answer.details };
                let expected = at < self.expected.len();
                let place = if expected { Place::Operation(at) } else { Place::Commit };
                failed.get_or_insert((place, fault.clone()));
                if expected {
                    results.push(OpResult::Failed(fault));
                }
            } else if failed.is_none() && at < self.expected.len() {
                results.push(self.expected[at].read(schema, answer)?);
            }
        }
        match failed {
            Some((at, fault)) => {
                results.resize(self.expected.len(), OpResult::NotReached);
                Ok(Outcome::Failed { at, fault, results })
            }
            None if results.len() == self.expected.len() => Ok(Outcome::Committed(results)),
            None => Err(misfit("an outcome with too few results")),
        }
    }
}

impl Expected {
    fn read(
        &self,
        schema: &DatabaseSchema,
        answer: Answer<'_>,
    ) -> Result<OpResult, serde_json::Error> {
        match self {
            Self::Nothing => Ok(OpResult::Done),
            Self::Identifier(_) => {
                let uuid = answer.uuid.filter(|(word, _)| &**word == "uuid");
                let uuid = uuid.and_then(|(_, text)| parse_uuid(&text));
                uuid.map(OpResult::Inserted).ok_or_else(|| misfit("an insert without a uuid"))
            }
            Self::Count => answer.count.map(OpResult::Count).ok_or_else(|| misfit("no count")),
            Self::Rows(table) => {
                let rows = answer.rows.ok_or_else(|| misfit("a select without rows"))?;
                let table = schema.table(table).ok_or_else(|| misfit("rows of no known table"))?;
                let seed = RowSeed { table, strictness: Strictness::Count };
                let rows: Result<Vec<DecodedRow>, _> =
                    rows.into_iter().map(|row| decode_row(seed, row)).collect();
                rows.map(OpResult::Rows)
            }
        }
    }
}

fn decode_row(seed: RowSeed<'_>, text: &RawValue) -> Result<DecodedRow, serde_json::Error> {
    use serde::de::DeserializeSeed;

    seed.deserialize(&mut serde_json::Deserializer::from_str(text.get()))
}

fn misfit(problem: &'static str) -> serde_json::Error {
    serde::de::Error::custom(problem)
}
