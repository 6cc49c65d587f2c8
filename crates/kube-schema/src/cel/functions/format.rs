//! Named formats, such as `format.dns1123Label()`.
//!
//! Reads a text; returns what Kubernetes says is wrong with it.
//! Invariant: the messages are those of apimachinery's validation.

use std::sync::LazyLock;

use regex::Regex;

use super::url::Url;
use super::{Call, Failure, Implementation, Outcome};
use crate::cel::value::Value;
use crate::formats::checker;

/// A format with a name, which judges texts.
pub struct NamedFormat {
    /// What functions call it.
    key: &'static str,
    name: &'static str,
    /// What the cost of a check counts as the length of a pattern.
    pattern_size: u64,
    problems: fn(&str) -> Vec<String>,
}

impl NamedFormat {
    pub(in crate::cel) fn name(&self) -> &'static str {
        self.name
    }

    pub(in crate::cel) fn pattern_size(&self) -> u64 {
        self.pattern_size
    }
}

impl std::fmt::Debug for NamedFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedFormat").field("name", &self.name).finish_non_exhaustive()
    }
}

/// compat: apiserver/pkg/cel/library/format.go, ConstantFormats
static FORMATS: [NamedFormat; 13] = [
    named("dns1123Label", "DNS1123Label", 30, dns1123_label),
    named("dns1123Subdomain", "DNS1123Subdomain", 60, dns1123_subdomain),
    named("dns1035Label", "DNS1035Label", 30, dns1035_label),
    named("qualifiedName", "QualifiedName", 60, qualified_name),
    named("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |it| dns1123_label(&masked(it))),
    named("dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", 60, |it| {
        dns1123_subdomain(&masked(it))
    }),
    named("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |it| dns1035_label(&masked(it))),
    named("labelValue", "LabelValue", 40, label_value),
    named("uri", "URI", 1103, |it| Url::request_problem(it).into_iter().collect()),
    named("uuid", "uuid", 70, |it| checked("uuid", it, "does not match the UUID format")),
    named("byte", "byte", 84, |it| checked("byte", it, "invalid base64")),
    named("date", "date", 71, |it| checked("date", it, "invalid date")),
    named("datetime", "datetime", 71, |it| checked("datetime", it, "invalid datetime")),
];

const fn named(
    key: &'static str,
    name: &'static str,
    pattern_size: u64,
    problems: fn(&str) -> Vec<String>,
) -> NamedFormat {
    NamedFormat { key, name, pattern_size, problems }
}

fn by_key(key: &str) -> Option<Value> {
    FORMATS.iter().find(|format| format.key == key).map(Value::Format)
}

pub(super) fn find(name: &str) -> Option<Implementation> {
    Some(match name {
        "validate" => validate,
        "format.named" => find_named,
        "format.dns1123Label" => |_| constant("dns1123Label"),
        "format.dns1123Subdomain" => |_| constant("dns1123Subdomain"),
        "format.dns1035Label" => |_| constant("dns1035Label"),
        "format.qualifiedName" => |_| constant("qualifiedName"),
        "format.dns1123LabelPrefix" => |_| constant("dns1123LabelPrefix"),
        "format.dns1123SubdomainPrefix" => |_| constant("dns1123SubdomainPrefix"),
        "format.dns1035LabelPrefix" => |_| constant("dns1035LabelPrefix"),
        "format.labelValue" => |_| constant("labelValue"),
        "format.uri" => |_| constant("uri"),
        "format.uuid" => |_| constant("uuid"),
        "format.byte" => |_| constant("byte"),
        "format.date" => |_| constant("date"),
        "format.datetime" => |_| constant("datetime"),
        _ => return None,
    })
}

fn constant(key: &str) -> Outcome {
    by_key(key).ok_or(Failure::Mismatch)
}

fn find_named(call: &Call<'_>) -> Outcome {
    match call.args {
        [Value::String(key)] => Ok(by_key(key).map_or(Value::Optional(None), Value::some)),
        _ => Err(Failure::Mismatch),
    }
}

fn validate(call: &Call<'_>) -> Outcome {
    let [Value::Format(format), Value::String(text)] = call.args else {
        return Err(Failure::Mismatch);
    };
    let problems = (format.problems)(text);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(problems.into_iter().map(Value::string).collect())))
}

fn checked(name: &str, text: &str, problem: &str) -> Vec<String> {
    match checker(name) {
        Some(is_valid) if !is_valid(text) => vec![problem.to_owned()],
        Some(_) | None => vec![],
    }
}

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const OLD_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

static LABEL_REGEX: LazyLock<Regex> = LazyLock::new(|| whole(LABEL));
static SUBDOMAIN_REGEX: LazyLock<Regex> = LazyLock::new(|| whole(SUBDOMAIN));
static OLD_LABEL_REGEX: LazyLock<Regex> = LazyLock::new(|| whole(OLD_LABEL));
static LABEL_KEY_REGEX: LazyLock<Regex> = LazyLock::new(|| whole(LABEL_KEY));
static LABEL_VALUE_REGEX: LazyLock<Regex> = LazyLock::new(|| whole(LABEL_VALUE));

fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^{pattern}$")).expect("the pattern is a constant")
}

/// A dash at the end of a prefix is as good as a letter.
fn masked(text: &str) -> String {
    match text.strip_suffix('-') {
        Some(head) if !head.is_empty() => {
            let shorter = head.char_indices().last().map_or(0, |(place, _)| place);
            format!("{}a", &head[..shorter])
        }
        _ => text.to_owned(),
    }
}

fn too_long(text: &str, most: usize, unit: &str) -> Option<String> {
    (text.len() > most).then(|| format!("must be no more than {most} {unit}"))
}

fn misfit(message: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|it| format!("'{it}', ")).collect();
    let examples = examples.join(" or ");
    format!("{message} (e.g. {examples}regex used for validation is '{pattern}')")
}

fn dns1123_label(text: &str) -> Vec<String> {
    let mut problems: Vec<String> = too_long(text, 63, "characters").into_iter().collect();
    if !LABEL_REGEX.is_match(text) {
        if SUBDOMAIN_REGEX.is_match(text) {
            problems.push("must not contain dots".to_owned());
        } else {
            let message = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
                           characters or '-', and must start and end with an alphanumeric character";
            problems.push(misfit(message, LABEL, &["my-name", "123-abc"]));
        }
    }
    problems
}

fn dns1123_subdomain(text: &str) -> Vec<String> {
    subdomain(text, "characters")
}

fn subdomain(text: &str, unit: &str) -> Vec<String> {
    let mut problems: Vec<String> = too_long(text, 253, unit).into_iter().collect();
    if !SUBDOMAIN_REGEX.is_match(text) {
        let message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric \
                       characters, '-' or '.', and must start and end with an alphanumeric character";
        problems.push(misfit(message, SUBDOMAIN, &["example.com"]));
    }
    problems
}

fn dns1035_label(text: &str) -> Vec<String> {
    let mut problems: Vec<String> = too_long(text, 63, "characters").into_iter().collect();
    if !OLD_LABEL_REGEX.is_match(text) {
        let message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                       start with an alphabetic character, and end with an alphanumeric character";
        problems.push(misfit(message, OLD_LABEL, &["my-name", "abc-123"]));
    }
    problems
}

fn qualified_name(text: &str) -> Vec<String> {
    let message = "must consist of alphanumeric characters, '-', '_' or '.', and must start and \
                   end with an alphanumeric character";
    let misfit = misfit(message, LABEL_KEY, &["MyName", "my.name", "123-abc"]);
    let mut problems = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        ["", name] => {
            problems.push("prefix part must be non-empty".to_owned());
            name
        }
        [prefix, name] => {
            let found = subdomain(prefix, "bytes");
            problems.extend(found.into_iter().map(|problem| format!("prefix part {problem}")));
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {misfit} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if let Some(problem) = too_long(name, 63, "bytes") {
        problems.push(format!("name part {problem}"));
    }
    if !LABEL_KEY_REGEX.is_match(name) {
        problems.push(format!("name part {misfit}"));
    }
    problems
}

fn label_value(text: &str) -> Vec<String> {
    let mut problems: Vec<String> = too_long(text, 63, "bytes").into_iter().collect();
    if !LABEL_VALUE_REGEX.is_match(text) {
        let message = "a valid label must be an empty string or consist of alphanumeric \
                       characters, '-', '_' or '.', and must start and end with an alphanumeric \
                       character";
        problems.push(misfit(message, LABEL_VALUE, &["MyValue", "my_value", "12345"]));
    }
    problems
}
