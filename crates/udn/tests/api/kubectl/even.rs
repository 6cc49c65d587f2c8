//! Makes texts equal that differ by nature alone.
//!
//! Reads what kubectl said; returns it without times, numbers and names that a server makes up.
//! Invariant: what a user could rely on stays.

use std::sync::LazyLock;

use regex::Regex;

/// Patterns, and what stands in their place.
const RULES: &[(&str, &str)] = &[
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4}( \w+)?)?", "<time>"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
    (r#"resourceVersion"?: ?"\d+""#, "resourceVersion: <version>"),
    (r"Resource Version:\s+\d+", "Resource Version: <version>"),
    (r"https://127\.0\.0\.1:\d+", "<server>"),
    (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "<token>"),
    (r"(LIVE|MERGED)-\d+", "$1-<number>"),
    (r"kubectl-edit-\d+", "kubectl-edit-<number>"),
    (r#"Context "\w+" modified"#, "Context modified"),
    // What built-in fields are for is told in our own words or not at all.
    (r"(?s)\n*DESCRIPTION:\n.*?(FIELDS:|exit)", "\n$1"),
    (r"X509SHA256=[0-9a-f]+", "<credential>"),
    (r"(?m)(^|\s)(\d+[dhms]){1,2}(\s|$)", "${1}<age>${3}"),
    (r"10\.\d+\.\d+\.\d+", "<address>"),
    (r"([^\s]) {2,}", "$1  "),
    (r"(?m) +$", ""),
];

static EVEN: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    RULES.iter().map(|(rule, text)| (Regex::new(rule).expect("a pattern"), *text)).collect()
});

pub(crate) fn even(text: &str) -> String {
    EVEN.iter()
        .fold(text.to_owned(), |text, (rule, place)| rule.replace_all(&text, *place).into_owned())
}
