//! Which names of a CRD are accepted, beside those that other CRDs of its group have.
//!
//! Reads a CRD and the others; returns its status.
//! Invariant: a name is never taken from who has it.

use serde_json::{Map, Value, json};

use super::super::fields::{items, text};
use super::approval_condition;
use crate::lifecycle::set_condition;

/// The names other CRDs have.
#[derive(Debug, Default)]
struct Taken {
    resources: Vec<String>,
    kinds: Vec<String>,
}

/// Judges the names of a CRD, and says in its status what came of it.
pub(crate) fn accept_names(definition: &mut Value, others: &[Value], now: &str) {
    let taken = taken(definition, others);
    let (names, conflict) = accepted(definition, &taken);
    definition["status"]["acceptedNames"] = names;
    let is_established = items(&definition["status"], "conditions")
        .iter()
        .any(|it| it["type"] == "Established" && it["status"] == "True");
    match &conflict {
        None => {
            let texts = ["NamesAccepted", "True", "NoConflicts", "no conflicts found"];
            set_condition(definition, texts, now);
        }
        Some((reason, why)) => {
            set_condition(definition, ["NamesAccepted", "False", reason, why], now);
        }
    }
    if !is_established {
        let texts = match conflict {
            None => ["True", "InitialNamesAccepted", "the initial names have been accepted"],
            Some(_) => ["False", "NotAccepted", "not all names are accepted"],
        };
        let [status, reason, message] = texts;
        set_condition(definition, ["Established", status, reason, message], now);
    }
    if let Some(condition) = approval_condition(definition) {
        set_condition(definition, condition.each_ref().map(String::as_str), now);
    }
}

fn taken(definition: &Value, others: &[Value]) -> Taken {
    let mut taken = Taken::default();
    let group = text(definition, "/spec/group");
    let name = text(definition, "/metadata/name");
    let others = others
        .iter()
        .filter(|it| text(it, "/spec/group") == group && text(it, "/metadata/name") != name);
    for other in others {
        let names = &other["status"]["acceptedNames"];
        for field in ["/plural", "/singular"] {
            taken.resources.push(text(names, field).to_owned());
        }
        let short = items(names, "shortNames").iter();
        taken.resources.extend(short.filter_map(|it| Some(it.as_str()?.to_owned())));
        for field in ["/kind", "/listKind"] {
            taken.kinds.push(text(names, field).to_owned());
        }
    }
    taken
}

/// The names a CRD has from now on, and the last conflict: its reason and message.
fn accepted(definition: &Value, taken: &Taken) -> (Value, Option<(&'static str, String)>) {
    let wanted = &definition["spec"]["names"];
    let before = &definition["status"]["acceptedNames"];
    let mut names: Map<String, Value> = before.as_object().cloned().unwrap_or_default();
    let mut conflict = None;
    let fields: [(&str, &str, &[String]); 5] = [
        ("plural", "PluralConflict", &taken.resources),
        ("singular", "SingularConflict", &taken.resources),
        ("shortNames", "ShortNamesConflict", &taken.resources),
        ("kind", "KindConflict", &taken.kinds),
        ("listKind", "ListKindConflict", &taken.kinds),
    ];
    for (field, reason, taken) in fields {
        let is_used = |name: &Value| {
            let is_mine = before[field] == *name
                || before[field].as_array().is_some_and(|it| it.contains(name));
            !is_mine && name.as_str().is_some_and(|name| taken.iter().any(|it| it == name))
        };
        let given = &wanted[field];
        let used: Vec<String> = match given {
            Value::Array(list) => list.iter().filter(|it| is_used(it)).map(in_use).collect(),
            name => Some(name).filter(|it| is_used(it)).map(in_use).into_iter().collect(),
        };
        match used.is_empty() {
            true => keep(&mut names, field, given),
            false => conflict = Some((reason, listed(&used))),
        }
    }
    keep(&mut names, "categories", &wanted["categories"]);
    names.entry("plural").or_insert(json!(""));
    names.entry("kind").or_insert(json!(""));
    (Value::Object(names), conflict)
}

fn in_use(name: &Value) -> String {
    format!("{name} is already in use")
}

/// Several complaints as one.
fn listed(texts: &[String]) -> String {
    match texts {
        [text] => text.clone(),
        _ => format!("[{}]", texts.join(", ")),
    }
}

fn keep(names: &mut Map<String, Value>, field: &str, value: &Value) {
    match value.is_null() {
        true => drop(names.remove(field)),
        false => drop(names.insert(field.to_owned(), value.clone())),
    }
}
