//! A request, and what the server has to say to it.
//!
//! Invariant: whoever is refused is told why, in the words of what refuses.

use serde_json::Value;

use super::server::{Answer, Call};

/// A request that somebody sends.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) what: String,
    pub(crate) call: Call,
    pub(crate) want: Want,
}

/// What is to come of it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Want {
    Done,
    /// No role lets it pass: the verb, the resource, and its group.
    NoRole(&'static str, &'static str, &'static str),
    /// A policy refuses, with these words.
    Policy(&'static str),
}

impl Case {
    pub(crate) fn new(what: impl Into<String>, call: Call, want: Want) -> Self {
        Self { what: what.into(), call, want }
    }

    /// A change of an object, as a merge patch.
    pub(crate) fn patch(what: &str, path: &str, patch: Value, want: Want) -> Self {
        Self::new(what, Call::new("PATCH", path, patch), want)
    }

    /// What is wrong with an answer.
    pub(crate) fn judge(&self, answer: &Answer) -> Result<(), String> {
        let is_right = match self.want {
            Want::Done => answer.is_done(),
            Want::NoRole(verb, resource, group) => {
                answer.is_for_want_of_a_role(verb, resource, group)
            }
            Want::Policy(words) => {
                let message = answer.message();
                let is_refused = (400..500).contains(&answer.code);
                is_refused
                    && message.contains("ValidatingAdmissionPolicy")
                    && message.contains(words)
            }
        };
        let Self { what, call, want } = self;
        let told = || format!("{what}: {} {}: {want:?}, but {answer:?}", call.method, call.path);
        is_right.then_some(()).ok_or_else(told)
    }
}
