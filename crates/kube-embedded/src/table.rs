//! Tables and partial objects: the two short forms in which objects are asked for.
//!
//! Reads a kind and its objects; returns `Table`, `PartialObjectMetadata` or its list.
//! Invariant: every row has as many cells as the table has columns.

mod age;
mod built_in;
mod columns;
mod custom;
mod json_path;
mod objects;
mod others;
mod pod;
mod read;
mod services;
mod workloads;

use serde_json::{Value, json};

use crate::kinds::Kind;
use crate::refusal::Refusal;
use age::Clock;

/// What a row carries of its object: `?includeObject=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Include {
    None,
    #[default]
    Metadata,
    Object,
}

impl Include {
    /// Reads the value of the query parameter.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            other => Err(Refusal::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: \
                 {other:?}: must be 'Metadata', 'Object', 'None', or empty"
            ))),
        }
    }
}

/// A `Table` of objects of one kind; `now` is in RFC 3339.
pub(crate) fn render(
    kind: &Kind,
    objects: &[Value],
    list_metadata: Value,
    include: Include,
    now: &str,
) -> Value {
    let clock = Clock::parse(now).expect("the clock of the server writes RFC 3339");
    let (definitions, rows) = match built_in::printer(kind) {
        Some(printer) => {
            let rows: Vec<Value> = objects
                .iter()
                .map(|object| {
                    let cells = (printer.cells)(object, &clock);
                    let mut row = json!({"cells": cells, "object": included(object, include)});
                    if let Some(conditions) = built_in::conditions(kind, object) {
                        row["conditions"] = conditions;
                    }
                    row
                })
                .collect();
            let is_null = printer.is_plain && rows.is_empty();
            let rows = if is_null { Value::Null } else { Value::from(rows) };
            (columns::definitions(printer.columns), rows)
        }
        None => {
            let columns = custom::Columns::of(kind);
            let rows = objects.iter().map(|object| {
                let cells = columns.cells(object, &clock);
                json!({"cells": cells, "object": included(object, include)})
            });
            (columns.definitions(), rows.collect::<Value>())
        }
    };
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": list_metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    })
}

/// The `Table` of one object, on its own or in an event of a watch; only the first event of a
/// watch has columns.
pub(crate) fn render_one(
    kind: &Kind,
    object: &Value,
    include: Include,
    has_columns: bool,
    now: &str,
) -> Value {
    // Clients must see the mark at the end of initial events, whatever they asked for.
    let ends = !object["metadata"]["annotations"]["k8s.io/initial-events-end"].is_null();
    let include = if ends && include == Include::None { Include::Metadata } else { include };
    let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
    let mut table = render(kind, std::slice::from_ref(object), metadata, include, now);
    if !has_columns {
        table["columnDefinitions"] = Value::Null;
    }
    table
}

/// The `Table` of a scale.
pub(crate) fn render_scale(scale: &Value, include: Include, now: &str) -> Value {
    let clock = Clock::parse(now).expect("the clock of the server writes RFC 3339");
    let printer = workloads::SCALE;
    let cells = (printer.cells)(scale, &clock);
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": scale["metadata"]["resourceVersion"]},
        "columnDefinitions": columns::definitions(printer.columns),
        "rows": [{"cells": cells, "object": included(scale, include)}],
    })
}

/// The metadata of an object, as `as=PartialObjectMetadata` asks for it.
pub(crate) fn partial(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}

fn included(object: &Value, include: Include) -> Value {
    match include {
        Include::None => Value::Null,
        Include::Metadata => partial(object),
        Include::Object => object.clone(),
    }
}

#[cfg(test)]
mod tests;
