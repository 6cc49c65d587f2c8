//! What a pod names: NADs, claims, and the machine that runs in it.
//!
//! Reads a pod's annotations as kindly as can be, and its owner; returns [`PodReferences`].
//! Invariant: whatever `translate` would look up for a pod is named here; more may be.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;
use udn_model::ObjectName;
use udn_wire::keys::{DEFAULT_SELECTION, POD_NETWORKS, PRIMARY_CLAIM, SELECTION};
use udn_wire::kind::Kind;
use udn_wire::object::{OwnerReference, Pod};
use udn_wire::pod_networks::PodNetworks;

#[cfg(test)]
mod tests;

/// What a pod names; nothing, if it takes no part in networks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PodReferences {
    /// The NADs that the pod asks for.
    pub nads: BTreeSet<ObjectName>,
    /// The NADs that the pod has entries for.
    pub used: BTreeSet<ObjectName>,
    pub claims: BTreeSet<ObjectName>,
    /// The machine that has the say over the pod.
    pub machine: Option<ObjectName>,
}

/// One element of a selection, of which nothing need be right.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Element {
    name: Value,
    namespace: Value,
    #[serde(rename = "ipam-claim-reference")]
    claim: Value,
}

/// A selection is a list, or only its element.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Elements {
    Many(Vec<Element>),
    One(Element),
}

impl PodReferences {
    pub fn of(name: &ObjectName, pod: &Pod) -> Self {
        if !pod.is_on_networks() {
            return Self::default();
        }
        let home = &*name.namespace;
        let mut references = Self { used: used_by(pod), ..Self::default() };
        for element in elements(pod.metadata.annotation(SELECTION)) {
            let namespace = text(&element.namespace).unwrap_or(home);
            let own = |it| ObjectName::new(namespace, it);
            references.nads.extend(text(&element.name).map(own));
            references.claims.extend(text(&element.claim).map(own));
        }
        for element in elements(pod.metadata.annotation(DEFAULT_SELECTION)) {
            references.claims.extend(text(&element.claim).map(|it| ObjectName::new(home, it)));
        }
        let claim = pod.metadata.annotation(PRIMARY_CLAIM).filter(|it| !it.is_empty());
        references.claims.extend(claim.map(|it| ObjectName::new(home, it)));
        let owner = pod.metadata.controller().filter(|it| is_machine(it));
        references.machine = owner.map(|it| ObjectName::new(home, &it.name));
        references
    }
}

/// The NADs that a pod uses.
pub(crate) fn used_by(pod: &Pod) -> BTreeSet<ObjectName> {
    let annotation = pod.metadata.annotation(POD_NETWORKS).filter(|_| pod.is_on_networks());
    let networks = annotation.and_then(|text| PodNetworks::decode(text).ok());
    networks.iter().flat_map(PodNetworks::nads).collect()
}

fn is_machine(owner: &OwnerReference) -> bool {
    let group = |version: &str| version.split('/').next().map(ToOwned::to_owned);
    owner.kind == Kind::Machine.as_str()
        && group(&owner.api_version) == group(Kind::Machine.api_version())
}

fn elements(annotation: Option<&str>) -> Vec<Element> {
    let text = annotation.unwrap_or("").trim();
    // compat: the NPWG client reads JSON where any of its signs appears
    if text.contains(['[', '{', '"']) {
        return match serde_json::from_str(text) {
            Ok(Elements::Many(all)) => all,
            Ok(Elements::One(one)) => vec![one],
            Err(_) => Vec::new(),
        };
    }
    let all = text.split(',').filter(|_| text != "null");
    all.map(short).collect()
}

/// Reads `namespace/name@interface`, of which only the name must be there.
fn short(text: &str) -> Element {
    let place = text.split('@').next().unwrap_or(text).trim();
    let (namespace, name) = match place.split_once('/') {
        Some((namespace, name)) => (namespace.into(), name),
        None => (Value::Null, place),
    };
    Element { name: name.into(), namespace, claim: Value::Null }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|it| !it.is_empty())
}
