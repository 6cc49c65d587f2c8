//! Edits of an object: a path with dots and numbers, and the value that shall stand there.
//!
//! Reads values as the table writes them; changes the object. `null` removes, as in a merge patch.
//! Invariant: an edit whose path does not fit the object is an error, so that no case means nothing.

use serde_json::Value;

/// Makes one edit. A path that begins with none of an object's own fields is below `network`.
pub(crate) fn make(
    object: &mut Value,
    network: &str,
    path: &str,
    value: &Value,
) -> Result<(), String> {
    let first = path.split('.').next().unwrap_or_default();
    let whole = match first {
        "spec" | "metadata" | "status" => path.to_owned(),
        _ => format!("{network}.{path}"),
    };
    let (parent, last) = whole.rsplit_once('.').unwrap_or(("", &whole));
    let steps = parent.split('.').filter(|step| !step.is_empty());
    let pointer: String = steps.map(|step| format!("/{step}")).collect();
    let place = object.pointer_mut(&pointer).ok_or_else(|| format!("nothing at {parent}"))?;
    put(place, last, expand(value)).ok_or_else(|| format!("nothing to change at {whole}"))
}

fn put(place: &mut Value, last: &str, value: Value) -> Option<()> {
    match place {
        Value::Object(fields) if value.is_null() => fields.remove(last).map(|_| ()),
        Value::Object(fields) => {
            fields.insert(last.to_owned(), value);
            Some(())
        }
        Value::Array(items) => {
            let index: usize = last.parse().ok()?;
            match (index.cmp(&items.len()), value.is_null()) {
                (std::cmp::Ordering::Less, true) => drop(items.remove(index)),
                (std::cmp::Ordering::Less, false) => items[index] = value,
                (std::cmp::Ordering::Equal, false) => items.push(value),
                _ => return None,
            }
            Some(())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Writes out `{repeat: x, times: 254}`, a long text, and `{count: 26, item: …}`, a long list, in
/// whose items `{n}` is the number from zero, and `{high}` and `{low}` its two bytes.
fn expand(value: &Value) -> Value {
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    if let (Some(text), Some(times)) = (value.get("repeat"), number("times")) {
        let text = text.as_str().expect("a text is repeated");
        return text.repeat(usize::try_from(times).expect("it is small")).into();
    }
    if let (Some(item), Some(count)) = (value.get("item"), number("count")) {
        return (0..count).map(|n| expand(&numbered(item, n))).collect();
    }
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), expand(value))).collect()
        }
        Value::Array(items) => items.iter().map(expand).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn numbered(item: &Value, n: u64) -> Value {
    match item {
        Value::String(text) => text
            .replace("{n}", &n.to_string())
            .replace("{high}", &(n / 256).to_string())
            .replace("{low}", &(n % 256).to_string())
            .into(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), numbered(value, n))).collect()
        }
        Value::Array(items) => items.iter().map(|item| numbered(item, n)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => item.clone(),
    }
}
