//! Whether names, labels and annotations are spelled as Kubernetes wants them.
//!
//! Reads texts; returns what is wrong, in the server's words.
//! Invariant: an empty answer means the text is fine.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const LABEL_WHY: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
    characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const SUBDOMAIN_WHY: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
    alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const OLD_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const OLD_LABEL_WHY: &str = "a DNS-1035 label must consist of lower case alphanumeric characters \
    or '-', start with an alphabetic character, and end with an alphanumeric character";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_WHY: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character";
const VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const VALUE_WHY: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// What is wrong with a DNS subdomain (`a.b`).
pub fn subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push("must be no more than 253 characters".to_owned());
    }
    if !is_subdomain(text) {
        wrong.push(regex_text(SUBDOMAIN_WHY, SUBDOMAIN, &["example.com"]));
    }
    wrong
}

/// What is wrong with a DNS label (no dots).
pub fn label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push("must be no more than 63 characters".to_owned());
    }
    match (is_label(text), is_subdomain(text)) {
        (true, _) => {}
        (false, true) => wrong.push("must not contain dots".to_owned()),
        (false, false) => wrong.push(regex_text(LABEL_WHY, LABEL, &["my-name", "123-abc"])),
    }
    wrong
}

/// What is wrong with a label of RFC 1035, which starts with a letter.
pub fn old_label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push("must be no more than 63 characters".to_owned());
    }
    if !(is_label(text) && text.starts_with(|first: char| first.is_ascii_lowercase())) {
        wrong.push(regex_text(OLD_LABEL_WHY, OLD_LABEL, &["my-name", "abc-123"]));
    }
    wrong
}

/// What is wrong with a key such as `example.com/name`.
pub fn qualified(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let examples = ["MyName", "my.name", "123-abc"];
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            match prefix {
                "" => wrong.push("prefix part must be non-empty".to_owned()),
                _ => wrong.extend(prefix_part(prefix)),
            }
            name
        }
        _ => {
            let shape = regex_text(KEY_WHY, KEY, &examples);
            return vec![format!(
                "a valid label key {shape} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')"
            )];
        }
    };
    match name.len() {
        0 => wrong.push("name part must be non-empty".to_owned()),
        64.. => wrong.push("name part must be no more than 63 bytes".to_owned()),
        _ => {}
    }
    if !is_key(name) {
        wrong.push(format!("name part {}", regex_text(KEY_WHY, KEY, &examples)));
    }
    wrong
}

fn prefix_part(prefix: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if prefix.len() > 253 {
        wrong.push("prefix part must be no more than 253 bytes".to_owned());
    }
    if !is_subdomain(prefix) {
        let shape = regex_text(SUBDOMAIN_WHY, SUBDOMAIN, &["example.com"]);
        wrong.push(format!("prefix part {shape}"));
    }
    wrong
}

/// What is wrong with the value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push("must be no more than 63 bytes".to_owned());
    }
    if !text.is_empty() && !is_key(text) {
        wrong.push(regex_text(VALUE_WHY, VALUE, &["MyValue", "my_value", "12345"]));
    }
    wrong
}

/// What keeps a name from being part of a URL's path.
pub fn path_segment(text: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && (text == "." || text == "..") {
        return vec![format!("may not be '{text}'")];
    }
    let illegal = ["/", "%"].into_iter().filter(|part| text.contains(part));
    illegal.map(|part| format!("may not contain '{part}'")).collect()
}

/// A prefix as it is checked: a dash at its end will be followed by letters.
pub(crate) fn without_trailing_dash(prefix: &str) -> String {
    match prefix.len() {
        0 | 1 => prefix.to_owned(),
        length if prefix.ends_with('-') => {
            // compat: maskTrailingDash drops two bytes; the second may be part of a character
            let kept = String::from_utf8_lossy(&prefix.as_bytes()[..length - 2]);
            format!("{kept}a")
        }
        _ => prefix.to_owned(),
    }
}

pub fn is_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_alphanumeric = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    bytes.iter().all(|byte| is_alphanumeric(byte) || *byte == b'-')
        && bytes.first().is_some_and(is_alphanumeric)
        && bytes.last().is_some_and(is_alphanumeric)
}

pub fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

fn is_key(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}

fn regex_text(why: &str, regex: &str, examples: &[&str]) -> String {
    let quoted: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{why} (e.g. {}regex used for validation is '{regex}')", quoted.join(" or "))
}

#[cfg(test)]
mod tests;
