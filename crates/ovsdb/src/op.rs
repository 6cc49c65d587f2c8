//! Operations of a transaction, and what the server answers to each.
//!
//! Operations are values that serialize to the JSON of RFC 7047 §5.2; building one touches nothing.
//! Invariant: an operation names tables and columns as the schema spells them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::codec::DecodedRow;
use crate::fault::Fault;
use crate::value::{Datum, Uuid};

#[cfg(test)]
mod tests;

/// A table or column name; the ones in generated code need no allocation.
pub type Name = Cow<'static, str>;

/// Columns and their values.
pub type Values = BTreeMap<Name, Datum>;

/// One step of a transaction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum Operation {
    Insert {
        table: Name,
        row: Values,
        /// How the rest of the transaction refers to the row.
        #[serde(rename = "uuid-name", skip_serializing_if = "Option::is_none")]
        uuid_name: Option<String>,
        /// The identifier the row is to have; the server picks one when absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        uuid: Option<Uuid>,
    },
    Select {
        table: Name,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
        #[serde(skip_serializing_if = "Option::is_none")]
        columns: Option<Vec<Name>>,
    },
    Update {
        table: Name,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
        row: Values,
    },
    Mutate {
        table: Name,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
        mutations: Vec<Mutation>,
    },
    Delete {
        table: Name,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
    },
    Wait {
        table: Name,
        #[serde(rename = "where")]
        conditions: Vec<Condition>,
        #[serde(skip_serializing_if = "Option::is_none")]
        columns: Option<Vec<Name>>,
        until: Until,
        rows: Vec<Values>,
        /// Milliseconds; without one the server waits for as long as it takes.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    Commit {
        durable: bool,
    },
    Abort {},
    Comment {
        comment: String,
    },
    Assert {
        lock: String,
    },
}

impl Operation {
    /// The table it works on, if any.
    pub fn table(&self) -> Option<&str> {
        match self {
            Self::Insert { table, .. }
            | Self::Select { table, .. }
            | Self::Update { table, .. }
            | Self::Mutate { table, .. }
            | Self::Delete { table, .. }
            | Self::Wait { table, .. } => Some(table),
            Self::Commit { .. } | Self::Abort {} | Self::Comment { .. } | Self::Assert { .. } => {
                None
            }
        }
    }

    /// The operation's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Insert { .. } => "insert",
            Self::Select { .. } => "select",
            Self::Update { .. } => "update",
            Self::Mutate { .. } => "mutate",
            Self::Delete { .. } => "delete",
            Self::Wait { .. } => "wait",
            Self::Commit { .. } => "commit",
            Self::Abort {} => "abort",
            Self::Comment { .. } => "comment",
            Self::Assert { .. } => "assert",
        }
    }
}

/// Which rows an operation applies to: `[column, function, value]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    pub column: Name,
    pub function: Function,
    pub value: Datum,
}

impl Condition {
    pub fn new(column: impl Into<Name>, function: Function, value: impl Into<Datum>) -> Self {
        Self { column: column.into(), function, value: value.into() }
    }

    /// Exactly the row with this identifier.
    pub fn row(uuid: Uuid) -> Self {
        Self { column: Cow::Borrowed("_uuid"), function: Function::Equal, value: uuid.into() }
    }
}

impl Serialize for Condition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.column, self.function.symbol(), &self.value).serialize(serializer)
    }
}

/// How a condition compares the column with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Function {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
    Includes,
    Excludes,
}

impl Function {
    pub const ALL: [Self; 8] = [
        Self::Less,
        Self::LessOrEqual,
        Self::Equal,
        Self::NotEqual,
        Self::GreaterOrEqual,
        Self::Greater,
        Self::Includes,
        Self::Excludes,
    ];

    /// The function on the wire.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::GreaterOrEqual => ">=",
            Self::Greater => ">",
            Self::Includes => "includes",
            Self::Excludes => "excludes",
        }
    }

    /// The function with this symbol.
    pub fn parse(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.symbol() == symbol)
    }

    /// Whether it needs an order, which only numbers have.
    pub fn is_relational(self) -> bool {
        match self {
            Self::Less | Self::LessOrEqual | Self::GreaterOrEqual | Self::Greater => true,
            Self::Equal | Self::NotEqual | Self::Includes | Self::Excludes => false,
        }
    }
}

/// A change relative to what the column holds: `[column, mutator, value]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutation {
    pub column: Name,
    pub mutator: Mutator,
    pub value: Datum,
}

impl Mutation {
    pub fn new(column: impl Into<Name>, mutator: Mutator, value: impl Into<Datum>) -> Self {
        Self { column: column.into(), mutator, value: value.into() }
    }
}

impl Serialize for Mutation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.column, self.mutator.symbol(), &self.value).serialize(serializer)
    }
}

/// What a mutation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Insert,
    Delete,
}

impl Mutator {
    pub const ALL: [Self; 7] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Modulo,
        Self::Insert,
        Self::Delete,
    ];

    /// The mutator on the wire.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+=",
            Self::Subtract => "-=",
            Self::Multiply => "*=",
            Self::Divide => "/=",
            Self::Modulo => "%=",
            Self::Insert => "insert",
            Self::Delete => "delete",
        }
    }

    /// The mutator with this symbol.
    pub fn parse(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mutator| mutator.symbol() == symbol)
    }
}

/// What a `wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Until {
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
}

/// The server's answer to one operation.
#[derive(Debug, Clone, PartialEq)]
pub enum OpResult {
    /// `wait`, `commit`, `comment`, `assert`.
    Done,
    Inserted(Uuid),
    /// Rows that `update`, `mutate` or `delete` matched.
    Count(u64),
    Rows(Vec<DecodedRow>),
    Failed(Fault),
    /// An earlier operation failed.
    NotReached,
}
