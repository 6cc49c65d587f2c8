//! Which networks a pod asks for, besides its main one.
//!
//! Reads `k8s.v1.cni.cncf.io/networks` in its short or its JSON form; returns [`Selection`]s.
//! Invariant: the same NAD named again has the next index.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use udn_model::ObjectName;

use crate::go_json;
use crate::keys::SELECTION;
use crate::refusal::Unreadable;

#[cfg(test)]
mod tests;

/// One network that a pod asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub definition: ObjectName,
    /// How many times the pod named the same NAD before.
    pub index: u16,
    /// The name of the link inside the pod, if the user chose one.
    pub interface: Option<String>,
}

/// One element of the JSON form, as far as we look at it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Element {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<String>,
}

/// Reads the annotation of a pod in this namespace; absent, empty and `null` ask for nothing.
pub fn decode(annotation: Option<&str>, namespace: &str) -> Result<Vec<Selection>, Unreadable> {
    let text = annotation.unwrap_or("").trim();
    // compat: the NPWG client reads JSON where any of its signs appears
    let elements = match text {
        "" | "null" => Vec::new(),
        json if json.contains(['[', '{', '"']) => parse_json(json)?,
        short => short.split(',').map(parse_short).collect::<Result<_, _>>()?,
    };
    number(elements, namespace)
}

/// Writes the JSON form.
pub fn encode(selections: &[Selection]) -> String {
    let element = |it: &Selection| Element {
        name: it.definition.name.to_string(),
        namespace: Some(it.definition.namespace.to_string()),
        interface: it.interface.clone(),
    };
    go_json::to_text(&selections.iter().map(element).collect::<Vec<_>>())
}

fn parse_json(text: &str) -> Result<Vec<Element>, Unreadable> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("cannot be read as JSON: {error}; write [{{\"name\": \"a-nad\"}}]");
        Unreadable::new(SELECTION, message)
    })
}

/// Reads `namespace/name@interface`, of which only the name must be there.
fn parse_short(text: &str) -> Result<Element, Unreadable> {
    let text = text.trim();
    let (place, interface) = match text.split_once('@') {
        Some((place, interface)) => (place, Some(interface.to_owned())),
        None => (text, None),
    };
    let (namespace, name) = match place.split_once('/') {
        Some((namespace, name)) => (Some(namespace.to_owned()), name.to_owned()),
        None => (None, place.to_owned()),
    };
    let is_whole = |text: &String| !text.is_empty() && !text.contains(['/', '@']);
    let parts = [Some(&name), namespace.as_ref(), interface.as_ref()];
    if parts.into_iter().flatten().all(is_whole) {
        return Ok(Element { name, namespace, interface });
    }
    let text = text.escape_default();
    let message = format!("\"{text}\" names no NAD; write namespace/name or namespace/name@link");
    Err(Unreadable::new(SELECTION, message))
}

fn number(elements: Vec<Element>, namespace: &str) -> Result<Vec<Selection>, Unreadable> {
    let mut times: BTreeMap<ObjectName, u16> = BTreeMap::new();
    let mut selections = Vec::with_capacity(elements.len());
    for element in elements {
        if element.name.is_empty() {
            let message = "an element has no name; write {\"name\": \"a-nad\"}";
            return Err(Unreadable::new(SELECTION, message));
        }
        let named = element.namespace.filter(|text| !text.is_empty());
        let namespace = named.as_deref().unwrap_or(namespace);
        let definition = ObjectName::new(namespace, &element.name);
        let next = times.entry(definition.clone()).or_default();
        let interface = element.interface.filter(|text| !text.is_empty());
        selections.push(Selection { definition, index: *next, interface });
        *next = next.checked_add(1).ok_or_else(|| {
            Unreadable::new(SELECTION, "names one NAD more often than a pod can have links")
        })?;
    }
    Ok(selections)
}
