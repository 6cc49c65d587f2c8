//! Whether a configuration fits the schema closely enough to be merged.
//!
//! Reads the configuration and its type; returns what does not fit, in the server's words.
//! Invariant: what passes here can be merged; whether it is valid is for others to say.

use kube_schema::{Kind, go_text, quoted};
use serde_json::Value;

use super::names;
use super::shape::{Form, Type};

/// Checks; one text for all that does not fit.
pub(super) fn check(ty: Type<'_>, config: &Value) -> Result<(), String> {
    let mut faults = Vec::new();
    visit(&mut faults, ty, config, "");
    match faults.as_slice() {
        [] => Ok(()),
        [fault] => Err(fault.clone()),
        faults => Err(format!("errors:\n  {}", faults.join("\n  "))),
    }
}

fn visit(faults: &mut Vec<String>, ty: Type<'_>, value: &Value, at: &str) {
    let Type::Known { schema, .. } = ty else {
        return;
    };
    let kind = match (schema.kind, value) {
        (Some(kind), _) => kind,
        (None, Value::Array(_)) => Kind::Array,
        (None, Value::Object(_)) => Kind::Object,
        (None, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => return,
    };
    match (kind, value) {
        (_, Value::Null) => {}
        (Kind::Object, Value::Object(_)) => visit_map(faults, ty, value, at),
        (Kind::Object, _) => fault(faults, at, format!("expected map, got {}", pointed(value))),
        (Kind::Array, Value::Array(items)) => visit_list(faults, ty, items, at),
        (Kind::Array, _) => fault(faults, at, format!("expected list, got {}", pointed(value))),
        (Kind::Boolean, Value::Bool(_))
        | (Kind::Integer | Kind::Number, Value::Number(_))
        | (Kind::String, Value::String(_)) => {}
        (Kind::Boolean, _) => {
            fault(faults, at, format!("expected boolean, got {}", pointed(value)));
        }
        (Kind::Integer | Kind::Number, _) => {
            let found = go_text::type_name(value);
            fault(faults, at, format!("expected numeric (int or float), got {found}"));
        }
        (Kind::String, _) if matches!(schema.format.as_str(), "" | "byte") => {
            let found = written(value);
            let what = format!("expected string, got &value.valueUnstructured{{Value:{found}}}");
            fault(faults, at, what);
        }
        (Kind::String, Value::Array(_) | Value::Object(_)) => {
            fault(faults, at, format!("expected any scalar, got {}", pointed(value)));
        }
        (Kind::String, Value::Bool(_) | Value::Number(_)) => {}
    }
}

fn fault(faults: &mut Vec<String>, at: &str, what: String) {
    let between = if at.is_empty() { "" } else { ": " };
    faults.push(format!("{at}{between}{what}"));
}

fn visit_map(faults: &mut Vec<String>, ty: Type<'_>, value: &Value, at: &str) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        let Some(ty) = ty.field(name) else {
            fault(faults, &at, "field not declared in schema".to_owned());
            // The first unknown field of an object is the last that is looked at.
            return;
        };
        visit(faults, ty, value, &at);
    }
}

fn visit_list(faults: &mut Vec<String>, ty: Type<'_>, items: &[Value], at: &str) {
    let mut seen = Vec::new();
    let form = ty.form(Some(&Value::Array(Vec::new())));
    for (place, item) in items.iter().enumerate() {
        let shown = match form {
            Form::Leaf | Form::Map => format!("[{place}]"),
            Form::Set | Form::Keyed(_) => {
                let name = match ty.item_name(form, item) {
                    Ok(name) => name,
                    Err(why) => return fault(faults, at, format!("element {place}: {why}")),
                };
                let shown = names::shown(&name);
                if seen.contains(&name) {
                    fault(faults, at, format!("duplicate entries for key {shown}"));
                }
                seen.push(name);
                shown
            }
        };
        visit(faults, ty.items(), item, &format!("{at}{shown}"));
    }
}

/// A value as Go prints what points at it.
fn pointed(value: &Value) -> String {
    format!("&{{{}}}", go_text::plain(value))
}

/// A value as Go writes it in source.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(written).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| format!("{}:{}", quoted(name), written(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
    }
}
