//! A request of any kind and operation, as whoever knows its resource asks about it.
//!
//! Reads a request and the policies; returns the refusal, if there is one, and warnings.
//! Invariant: schemas play no part; only policies are asked.

use serde_json::Value;

use super::{Attempt, collect};
use crate::catalog::Catalog;
use crate::definition::Scope;
use crate::verdict::Subject;

/// What policies are asked about.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub kind: &'a str,
    /// The plural of the kind.
    pub resource: &'a str,
    pub scope: Scope,
    /// Empty for the object itself.
    pub subresource: &'a str,
    pub name: &'a str,
    pub namespace_name: &'a str,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub operation: &'static str,
    /// None for a deletion.
    pub object: Option<&'a Value>,
    pub old: Option<&'a Value>,
    /// The namespace the object is in.
    pub namespace: Option<&'a Value>,
    /// `userInfo` of whoever asks.
    pub user: &'a Value,
    pub is_dry_run: bool,
}

/// What policies say.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Opinion {
    /// The `Status` of the first denial.
    pub refusal: Option<Value>,
    pub warnings: Vec<String>,
}

impl Catalog {
    /// Asks the policies alone.
    pub fn ask(&self, question: &Question<'_>) -> Opinion {
        let subject = Subject {
            group: question.group.to_owned(),
            version: question.version.to_owned(),
            kind: question.kind.to_owned(),
            plural: question.resource.to_owned(),
            name: question.name.to_owned(),
        };
        let (denials, warnings) = collect(self, &Attempt::of_question(question, &subject));
        let refusal = denials.first().map(|denial| denial.status(&subject));
        Opinion { refusal, warnings }
    }
}
