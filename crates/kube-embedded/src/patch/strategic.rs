//! Strategic merge patches: merges that know how the lists of a kind merge.
//!
//! Reads an object, a patch and the kind's schema; returns the merged object.
//! Invariant: no directive (`$patch` and its kin) of a patch that merges gets into the object,
//! except inside an item that is new to its list.

mod lists;
mod order;

use kube_schema::Schema;
use kube_schema::go_text::{plain, type_name};
use serde_json::{Map, Value};

use super::merge::drop_nulls;
use super::rejected;
use crate::refusal::Refusal;

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const SET_ORDER: &str = "$setElementOrder";

/// Merges a patch into an object.
pub(super) fn merge(current: &Value, patch: &Value, schema: &Schema) -> Result<Value, Refusal> {
    let (Value::Object(fields), Value::Object(changes)) = (current, patch) else {
        return Ok(current.clone());
    };
    merge_maps(fields.clone(), changes.clone(), Some(schema)).map(Value::Object)
}

fn merge_maps(
    mut fields: Map<String, Value>,
    mut patch: Map<String, Value>,
    schema: Option<&Schema>,
) -> Result<Map<String, Value>, Refusal> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Map::new()),
            _ => Err(unknown_directive(&directive.clone(), patch)),
        };
    }
    retain(&mut fields, &mut patch)?;
    order_lists(&mut fields, &mut patch, schema)?;
    for (name, change) in patch {
        match listed_key(&name, DELETE_FROM, "invalid patch format of primitive list")? {
            Some(list) => delete_items(&mut fields, list, change)?,
            None => merge_field(&mut fields, name, change, schema)?,
        }
    }
    Ok(fields)
}

fn merge_field(
    fields: &mut Map<String, Value>,
    name: String,
    change: Value,
    schema: Option<&Schema>,
) -> Result<(), Refusal> {
    let current = fields.remove(&name);
    if change.is_null() {
        return Ok(());
    }
    let schema = schema.and_then(|schema| field_of(schema, &name));
    let strategy = Strategy::of(schema);
    let merged = match (current, change) {
        (Some(Value::Object(_)), change @ Value::Object(_)) if strategy.is("replace") => {
            Some(change)
        }
        (Some(Value::Object(current)), Value::Object(change)) => {
            Some(Value::Object(merge_maps(current, change, schema)?))
        }
        (Some(Value::Array(current)), Value::Array(change)) if strategy.is("merge") => {
            Some(Value::Array(lists::merge(current, change, &strategy)?))
        }
        (Some(Value::Array(_)), change @ Value::Array(_)) => Some(change),
        (current, mut change) => {
            let has_type = current.is_some_and(|it| type_name(&it) == type_name(&change));
            if !has_type {
                drop_nulls(&mut change);
            }
            without_directives(change)
        }
    };
    if let Some(merged) = merged {
        fields.insert(name, merged);
    }
    Ok(())
}

/// What a patch does to the list of a field.
struct Strategy<'a> {
    words: &'a str,
    key: &'a str,
    items: Option<&'a Schema>,
}

impl<'a> Strategy<'a> {
    fn of(schema: Option<&'a Schema>) -> Self {
        schema.map_or(Self { words: "", key: "", items: None }, |schema| Self {
            words: &schema.patch_strategy,
            key: &schema.patch_merge_key,
            items: schema.items.as_deref(),
        })
    }

    fn is(&self, word: &str) -> bool {
        self.words.split(',').any(|it| it == word)
    }
}

/// Looks through wrappers that only point at a type.
fn field_of<'a>(schema: &'a Schema, name: &str) -> Option<&'a Schema> {
    match schema.all_of.as_slice() {
        [only] if schema.kind.is_none() => field_of(only, name),
        _ => schema.of_field(name),
    }
}

/// Takes away what `$retainKeys` does not name.
fn retain(fields: &mut Map<String, Value>, patch: &mut Map<String, Value>) -> Result<(), Refusal> {
    let Some(keys) = patch.remove(RETAIN) else {
        return Ok(());
    };
    let wrong = || Refusal::bad_request("invalid patch format of retainKeys");
    let keys = keys.as_array().ok_or_else(wrong)?;
    let is_kept = |name: &str| keys.iter().any(|key| key.as_str() == Some(name));
    let is_free = |name: &str, value: &Value| {
        value.is_null() || name.starts_with(DELETE_FROM) || name.starts_with(SET_ORDER)
    };
    if patch.iter().any(|(name, value)| !is_free(name, value) && !is_kept(name)) {
        return Err(wrong());
    }
    fields.retain(|name, _| is_kept(name));
    Ok(())
}

/// Merges the lists for which the patch also says in which order they come.
fn order_lists(
    fields: &mut Map<String, Value>,
    patch: &mut Map<String, Value>,
    schema: Option<&Schema>,
) -> Result<(), Refusal> {
    let names: Vec<_> = patch.keys().filter(|name| name.starts_with(SET_ORDER)).cloned().collect();
    for name in names {
        let order = list_of(patch.remove(&name).unwrap_or_default())?;
        let wrong = "invalid patch format of setElementOrder list";
        let Some(field) = listed_key(&name, SET_ORDER, wrong)? else {
            continue;
        };
        let schema = schema.and_then(|schema| field_of(schema, field));
        let strategy = Strategy::of(schema);
        let current = fields.get(field).cloned().map(list_of).transpose()?;
        let change = patch.get(field).cloned().map(list_of).transpose()?;
        order::check(change.as_deref().unwrap_or_default(), &order, strategy.key)?;
        let Some(merged) = merged_list(current.clone(), change.clone(), &strategy)? else {
            continue;
        };
        let current = current.unwrap_or_default();
        lists::want_one_type(&current, change.as_deref().unwrap_or_default())?;
        let sorted = order::arrange(merged, &order, &current, strategy.key)?;
        fields.insert(field.to_owned(), Value::Array(sorted));
        patch.remove(field);
    }
    Ok(())
}

fn merged_list(
    current: Option<Vec<Value>>,
    change: Option<Vec<Value>>,
    strategy: &Strategy<'_>,
) -> Result<Option<Vec<Value>>, Refusal> {
    match (current, change) {
        (None, None) => Ok(None),
        (Some(current), None) => Ok(Some(current)),
        (None, Some(change)) => {
            Ok(Some(change.into_iter().filter_map(without_directives).collect()))
        }
        (Some(current), Some(change)) if strategy.is("merge") => {
            lists::merge(current, change, strategy).map(Some)
        }
        (Some(_), Some(change)) => Ok(Some(change)),
    }
}

fn delete_items(fields: &mut Map<String, Value>, list: &str, gone: Value) -> Result<(), Refusal> {
    match (fields.get_mut(list), gone) {
        (_, Value::Null) => {
            fields.remove(list);
        }
        (Some(Value::Array(items)), Value::Array(gone)) => {
            lists::want_one_type(items, &gone)?;
            items.retain(|item| !gone.contains(item));
        }
        _ => {}
    }
    Ok(())
}

/// The field a parallel list is about, if the name is that of a parallel list.
fn listed_key<'a>(name: &'a str, prefix: &str, wrong: &str) -> Result<Option<&'a str>, Refusal> {
    if !name.starts_with(prefix) {
        return Ok(None);
    }
    match name.split_once('/') {
        Some((head, field)) if head == prefix => Ok(Some(field)),
        _ => Err(Refusal::bad_request(wrong)),
    }
}

fn list_of(value: Value) -> Result<Vec<Value>, Refusal> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(wrong_type("[]interface {}", &other)),
    }
}

/// A value as it is stored: what carries a directive is left out.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => {
            let kept = fields
                .into_iter()
                .filter_map(|(name, value)| without_directives(value).map(|value| (name, value)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => {
            Some(Value::Array(items.into_iter().filter_map(without_directives).collect()))
        }
        other => Some(other),
    }
}

/// The server has no words of its own for these; it passes on what its library says.
fn failure(message: impl Into<String>) -> Refusal {
    Refusal::new(500, "", message)
}

fn wrong_type(wanted: &str, found: &Value) -> Refusal {
    failure(format!("expected a {wanted}, but received a {}", type_name(found)))
}

fn missing_key(item: &Map<String, Value>, key: &str) -> Refusal {
    let item = plain(&Value::Object(item.clone()));
    failure(format!("map: {item} does not contain declared merge key: {key}"))
}

fn unknown_directive(directive: &Value, item: Map<String, Value>) -> Refusal {
    let (directive, item) = (plain(directive), plain(&Value::Object(item)));
    failure(format!("unknown patch type: {directive} in map: {item}"))
}

/// Lists in lists do not merge.
fn nested_list() -> Refusal {
    rejected()
}
