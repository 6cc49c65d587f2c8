//! Tells whether a run leaves something out, so that it says nothing about requirements.
//!
//! Reads the request and the environment; returns the reason as a phrase.
//! Invariant: every variable by which a test of ours runs less than it holds is listed here.

use crate::args::TestRequest;

/// Variables with which tests run a part of what they hold, draw other inputs than the stored
/// ones, or believe instead of checking.
const SELECTING: [&str; 7] = [
    "CONFORMANCE",
    "CONFORMANCE_STORED",
    "ONLY",
    "PROPTEST_CASES",
    "UDN_CASES",
    "UDN_SEED",
    "UPDATE",
];

/// Why the run is partial; `None` when every test runs as it stands.
pub(crate) fn reason(request: &TestRequest, is_set: impl Fn(&str) -> bool) -> Option<String> {
    if let Some(filter) = &request.filter {
        return Some(format!("only tests with `{filter}` in their name"));
    }
    if !request.passed_on.is_empty() {
        return Some(format!("the test programs were told `{}`", request.passed_on.join(" ")));
    }
    let variable = SELECTING.into_iter().find(|name| is_set(name))?;
    Some(format!("{variable} is set"))
}

#[cfg(test)]
mod tests;
