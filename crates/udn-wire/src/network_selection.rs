//! Which networks a pod asks for, and what it asks for on each.
//!
//! Reads `k8s.v1.cni.cncf.io/networks` and `v1.multus-cni.io/default-network` in their short and
//! their JSON forms; returns [`Selection`]s.
//! Invariant: the same NAD named again has the next index; a request that cannot be read costs no
//! other selection its network.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use udn_model::{AddressRequest, ObjectName};

use crate::go_json;
use crate::keys::{DEFAULT_SELECTION, SELECTION};
use crate::refusal::Unreadable;

mod requests;
#[cfg(test)]
mod tests;

pub use requests::parse_requested_address;

/// One network that a pod asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub nad: ObjectName,
    /// How many times the pod named the same NAD before.
    pub index: u16,
    /// The name of the link inside the pod, if the user chose one.
    pub interface: Option<String>,
    /// What the pod asks for there, or why that cannot be told.
    pub requests: Result<Requests, Unreadable>,
}

/// What a pod asks for on one network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    pub addresses: AddressRequest,
    /// The name of a claim.
    pub claim: Option<String>,
    /// Where default routes shall lead.
    pub gateways: Vec<IpAddr>,
}

/// One element of the JSON form, as far as we look at it.
// compat: k8s.cni.cncf.io/v1, NetworkSelectionElement
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Element {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ips: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mac: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interface: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_route: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ipam_claim_reference: Option<String>,
}

impl Selection {
    /// A NAD at which nothing in particular is asked for.
    pub fn new(nad: ObjectName, index: u16) -> Self {
        Self { nad, index, interface: None, requests: Ok(Requests::default()) }
    }
}

/// Reads the annotation of a pod in this namespace; absent, empty and `null` ask for nothing.
pub fn decode(annotation: Option<&str>, namespace: &str) -> Result<Vec<Selection>, Unreadable> {
    let text = annotation.unwrap_or("").trim();
    // compat: the NPWG client reads JSON where any of its signs appears
    let elements = match text {
        "" | "null" => Vec::new(),
        json if is_json(json) => parse_json(SELECTION, json)?,
        short => parse_shorts(SELECTION, short)?,
    };
    number(elements, (SELECTION, namespace))
}

/// Reads what a pod in this namespace asks for on its main network: one object, or a list of one.
///
/// The link's name and default routes are not for the user to choose there, and are not read.
pub fn decode_default(
    annotation: Option<&str>,
    namespace: &str,
) -> Result<Option<Selection>, Unreadable> {
    let text = annotation.unwrap_or("").trim();
    let elements = match text {
        "" | "null" => return Ok(None),
        object if object.starts_with('{') => {
            vec![serde_json::from_str(object).map_err(|it| not_json(DEFAULT_SELECTION, &it))?]
        }
        list if is_json(list) => parse_json(DEFAULT_SELECTION, list)?,
        short => parse_shorts(DEFAULT_SELECTION, short)?,
    };
    let [element]: [Element; 1] = elements.try_into().map_err(|elements: Vec<Element>| {
        let message = format!("lists {} networks; a pod has one main network", elements.len());
        Unreadable::new(DEFAULT_SELECTION, message)
    })?;
    let element = Element { interface: None, default_route: None, ..element };
    let selections = number(vec![element], (DEFAULT_SELECTION, namespace))?;
    Ok(selections.into_iter().next())
}

/// Writes the JSON form; requests that could not be read are left out.
pub fn encode(selections: &[Selection]) -> String {
    let element = |it: &Selection| Element {
        name: it.nad.name.to_string(),
        namespace: Some(it.nad.namespace.to_string()),
        interface: it.interface.clone(),
        ..it.requests.as_ref().map(Element::of).unwrap_or_default()
    };
    go_json::to_text(&selections.iter().map(element).collect::<Vec<_>>())
}

fn is_json(text: &str) -> bool {
    text.contains(['[', '{', '"'])
}

fn parse_json(key: &'static str, text: &str) -> Result<Vec<Element>, Unreadable> {
    serde_json::from_str(text).map_err(|error| not_json(key, &error))
}

fn not_json(key: &'static str, error: &serde_json::Error) -> Unreadable {
    let message = format!("cannot be read as JSON: {error}; write [{{\"name\": \"a-nad\"}}]");
    Unreadable::new(key, message)
}

fn parse_shorts(key: &'static str, list: &str) -> Result<Vec<Element>, Unreadable> {
    let parse = |text| parse_short(text).map_err(|message| Unreadable::new(key, message));
    list.split(',').map(parse).collect()
}

/// Reads `namespace/name@interface`, of which only the name must be there.
fn parse_short(text: &str) -> Result<Element, String> {
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
        return Ok(Element { name, namespace, interface, ..Element::default() });
    }
    let text = text.escape_default();
    Err(format!("\"{text}\" names no NAD; write namespace/name or namespace/name@link"))
}

fn number(
    elements: Vec<Element>,
    (key, namespace): (&'static str, &str),
) -> Result<Vec<Selection>, Unreadable> {
    let mut times: BTreeMap<ObjectName, u16> = BTreeMap::new();
    let mut selections = Vec::with_capacity(elements.len());
    for element in elements {
        if element.name.is_empty() {
            let message = "an element has no name; write {\"name\": \"a-nad\"}";
            return Err(Unreadable::new(key, message));
        }
        let named = element.namespace.as_deref().filter(|text| !text.is_empty());
        let nad = ObjectName::new(named.unwrap_or(namespace), &element.name);
        let next = times.entry(nad.clone()).or_default();
        let requests = element
            .requests()
            .map_err(|problem| Unreadable::new(key, format!("at {nad}: {problem}")));
        let interface = element.interface.filter(|text| !text.is_empty());
        selections.push(Selection { nad, index: *next, interface, requests });
        *next = next.checked_add(1).ok_or_else(|| {
            Unreadable::new(key, "names one NAD more often than a pod can have links")
        })?;
    }
    Ok(selections)
}
