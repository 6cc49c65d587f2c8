//! What a write says of its field manager: `?fieldManager=` and `?force=`.
//!
//! Reads the options and the user agent; returns the manager's name, or a refusal.
//! Invariant: a name that passes is short and printable.

use kube_schema::quoted;
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// Names may be this long, in bytes.
const LONGEST: usize = 128;

/// Who writes: the name asked for, or what the user agent calls itself.
pub(crate) fn manager_of(asked: &str, user_agent: &str) -> String {
    if !asked.is_empty() {
        return asked.to_owned();
    }
    let called = user_agent.split('/').next().unwrap_or_default();
    let mut name = String::new();
    // What of a user agent would be refused in an option is left out instead.
    for letter in called.chars().filter(|letter| is_printable(*letter)) {
        if name.len() + letter.len_utf8() > LONGEST {
            break;
        }
        name.push(letter);
    }
    name
}

/// Refuses options that do not fit; `kind` is that of the options, `PatchOptions`.
///
/// `is_apply` and `is_forced` are none for requests that are no patches, or do not say.
pub(crate) fn check_options(
    kind: &str,
    manager: &str,
    is_apply: Option<bool>,
    is_forced: Option<bool>,
) -> Result<(), Refusal> {
    let mut causes = Vec::new();
    if is_apply == Some(true) && manager.is_empty() {
        causes.push((
            "fieldManager",
            "Required",
            "Required value: is required for apply patch".to_owned(),
        ));
    }
    if is_apply == Some(false) && is_forced.is_some() {
        let message = "Forbidden: may not be specified for non-apply patch";
        causes.push(("force", "Forbidden", message.to_owned()));
    }
    if manager.len() > LONGEST {
        let message = format!("Too long: may not be more than {LONGEST} bytes");
        causes.push(("fieldManager", "TooLong", message));
    }
    let odd = manager.chars().enumerate().find(|(_, letter)| !is_printable(*letter));
    if let Some((place, letter)) = odd {
        let message = format!(
            "Invalid value: {}: invalid character U+{:04X} (at position {place})",
            quoted(manager),
            letter as u32
        );
        causes.push(("fieldManager", "Invalid", message));
    }
    if causes.is_empty() { Ok(()) } else { Err(refuse(kind, &causes)) }
}

fn refuse(kind: &str, causes: &[(&str, &str, String)]) -> Refusal {
    let texts: Vec<_> = causes.iter().map(|(field, _, text)| format!("{field}: {text}")).collect();
    let texts = match texts.as_slice() {
        [text] => text.clone(),
        texts => format!("[{}]", texts.join(", ")),
    };
    let causes: Vec<Value> = causes
        .iter()
        .map(|(field, reason, text)| {
            json!({"reason": format!("FieldValue{reason}"), "message": text, "field": field})
        })
        .collect();
    let message = format!("{kind}.meta.k8s.io \"\" is invalid: {texts}");
    let details = json!({"group": "meta.k8s.io", "kind": kind, "causes": causes});
    Refusal::new(422, "Invalid", message).with_details(details)
}

fn is_printable(letter: char) -> bool {
    !letter.is_control()
}

#[cfg(test)]
mod tests;
