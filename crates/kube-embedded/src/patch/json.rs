//! JSON patches (RFC 6902), with the liberties the server takes.
//!
//! Reads steps and an object; returns the object after all of them, or the step that does not fit.
//! Invariant: an object is changed by all steps or by none.

use kube_schema::json_type;
use serde_json::{Map, Value};

/// Copies may add this much to one object.
// compat: apiserver/pkg/server/config.go, JSONPatchMaxCopyBytes
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// Objects may be this deep; so deep is what one body can say.
const DEEPEST: usize = 256;

/// One step of a patch, not yet known to make sense.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    operation: String,
    path: Option<String>,
    from: Option<String>,
    /// Null where there is none.
    value: Value,
}

impl Step {
    /// Reads a step; fails in Go's words.
    pub(crate) fn read(item: Value) -> Result<Self, String> {
        let mut fields = match item {
            Value::Object(fields) => fields,
            Value::Null => Map::new(),
            other => {
                let name = json_type(&other);
                return Err(format!(
                    "json: cannot unmarshal {name} into Go value of type handlers.jsonPatchOp"
                ));
            }
        };
        Ok(Self {
            operation: text(&mut fields, "op")?.unwrap_or_default(),
            path: text(&mut fields, "path")?,
            from: text(&mut fields, "from")?,
            value: fields.remove("value").unwrap_or_default(),
        })
    }
}

impl Step {
    pub(crate) fn operation(&self) -> &str {
        &self.operation
    }

    pub(crate) fn path(&self) -> &str {
        self.path.as_deref().unwrap_or("")
    }

    pub(crate) fn from(&self) -> &str {
        self.from.as_deref().unwrap_or("")
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!(
            "json: cannot unmarshal {} into Go struct field jsonPatchOp.{name} of type string",
            json_type(&other)
        )),
    }
}

/// Carries out all steps; gives back the first that does not fit.
pub(crate) fn run<'a>(steps: &'a [Step], current: &Value) -> Result<Value, &'a Step> {
    let mut object = current.clone();
    let mut copied = 0;
    for step in steps {
        take(step, &mut object, &mut copied).ok_or(step)?;
    }
    Ok(object)
}

fn take(step: &Step, object: &mut Value, copied: &mut usize) -> Option<()> {
    let path = step.path.as_deref()?;
    match step.operation.as_str() {
        "add" => add(object, path, step.value.clone()),
        "remove" => remove(object, path).map(drop),
        "replace" if path.is_empty() => {
            let is_whole = step.value.is_object() || step.value.is_array();
            is_whole.then(|| *object = step.value.clone())
        }
        "replace" => replace(object, path, step.value.clone()),
        "test" if path.is_empty() => (*object == step.value).then_some(()),
        "test" => (look(object, path)? == step.value).then_some(()),
        "move" => {
            let from = step.from.as_deref()?;
            let value = remove(object, from)?;
            add(object, path, value)
        }
        "copy" => {
            let value = look(object, step.from.as_deref()?)?;
            *copied += value.to_string().len();
            (*copied <= MOST_COPIED).then_some(())?;
            add(object, path, value)
        }
        _ => None,
    }
}

/// Where a path ends: what holds it, and the last part of its name.
fn find<'a>(object: &'a mut Value, path: &str) -> Option<(&'a mut Value, String)> {
    // What stands before the first slash is not looked at.
    let parts: Vec<_> = path.split('/').skip(1).collect();
    let (last, parts) = parts.split_last()?;
    let mut holder = object;
    for part in parts {
        holder = match holder {
            Value::Object(fields) => fields.get_mut(&unescape(part))?,
            Value::Array(items) => {
                let place = place(part, items.len())?;
                &mut items[place]
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
        };
    }
    (holder.is_object() || holder.is_array()).then(|| (holder, unescape(last)))
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// The place of an item that is there; negative numbers count from the end.
fn place(name: &str, count: usize) -> Option<usize> {
    let number: i64 = name.parse().ok()?;
    let count = i64::try_from(count).ok()?;
    let number = if number < 0 { number + count } else { number };
    (0..count).contains(&number).then(|| usize::try_from(number).ok()).flatten()
}

/// A field that is not there reads as null, an item that is not there fails.
fn look(object: &mut Value, path: &str) -> Option<Value> {
    let (holder, name) = find(object, path)?;
    match holder {
        Value::Object(fields) => Some(fields.get(&name).cloned().unwrap_or_default()),
        Value::Array(items) => Some(items[place(&name, items.len())?].clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Whether a value may stand at the end of a path: steps that nest do so without bound.
fn fits(path: &str, value: &Value) -> bool {
    let depth = path.split('/').count();
    DEEPEST.checked_sub(depth).is_some_and(|left| is_within(value, left))
}

fn is_within(value: &Value, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Object(fields) => fields.values().all(|value| is_within(value, below)),
        Value::Array(items) => items.iter().all(|value| is_within(value, below)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn add(object: &mut Value, path: &str, value: Value) -> Option<()> {
    fits(path, &value).then_some(())?;
    let (holder, name) = find(object, path)?;
    match holder {
        Value::Object(fields) => {
            fields.insert(name, value);
        }
        Value::Array(items) if name == "-" => items.push(value),
        Value::Array(items) => {
            // One place more than there are items: behind the last.
            let place = place(&name, items.len() + 1)?;
            items.insert(place, value);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    }
    Some(())
}

fn replace(object: &mut Value, path: &str, value: Value) -> Option<()> {
    fits(path, &value).then_some(())?;
    let (holder, name) = find(object, path)?;
    match holder {
        // A field need not be there to be replaced.
        Value::Object(fields) => {
            fields.insert(name, value);
        }
        Value::Array(items) => {
            let place = place(&name, items.len())?;
            items[place] = value;
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    }
    Some(())
}

fn remove(object: &mut Value, path: &str) -> Option<Value> {
    let (holder, name) = find(object, path)?;
    match holder {
        Value::Object(fields) => fields.remove(&name),
        Value::Array(items) => place(&name, items.len()).map(|place| items.remove(place)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
