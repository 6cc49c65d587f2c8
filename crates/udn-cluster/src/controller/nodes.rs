//! What stands on nodes, and the NAD of the default network.
//!
//! Invariant: a node's number is written once; labels and legacy annotations follow what is known.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use udn_model::{
    ClusterSettings, Family, InterfaceAddress, NodeId, NodeName, ObjectName, PerFamily,
};
use udn_wire::Target;
use udn_wire::keys::{CNI_TYPE, CNI_VERSION, NODE_ID, NODE_JOIN_LEGACY, NODE_TRANSIT_ADDRESS};
use udn_wire::kind::Kind;
use udn_wire::node_annotations::{encode_id, encode_primary_address};
use udn_wire::object::Metadata;
use udn_wire::texts::Texts;

use super::labels::physical_network_labels;
use super::write::{Act, Write};
use super::{Decided, View};
use crate::world::World;

/// The node's number, its address on the transit switch, and annotations of old that mislead.
pub(super) fn writes(view: &View, decided: Decided<'_>, name: &NodeName) -> Vec<Write> {
    let Some(node) = view.world.nodes.get(name).filter(|it| !it.metadata.is_leaving()) else {
        return Vec::new();
    };
    let mut wanted: BTreeMap<&str, Option<String>> = BTreeMap::new();
    if let Some(id) = decided.grants.nodes.get(name) {
        wanted.insert(NODE_ID, Some(encode_id(*id)));
        wanted.insert(NODE_TRANSIT_ADDRESS, Some(transit_address(*id, decided.settings)));
        wanted.insert(NODE_JOIN_LEGACY, None);
    }
    let annotations = differing(&wanted, &node.metadata.annotations);
    let mut metadata = Map::new();
    if !annotations.is_empty() {
        metadata.insert("annotations".to_owned(), Value::Object(annotations));
    }
    if decided.settings.features.node_labels {
        let labels = physical_network_labels(node, view.world.reports.get(name));
        if !labels.is_empty() {
            metadata.insert("labels".to_owned(), json!(labels));
        }
    }
    if metadata.is_empty() {
        return Vec::new();
    }
    vec![Write::patch(Target::node(name), &node.metadata, metadata)]
}

/// The entries that are not as they should be; `null` takes one away.
fn differing(wanted: &BTreeMap<&str, Option<String>>, standing: &Texts) -> Map<String, Value> {
    let differing = wanted.iter().filter(|(key, text)| standing.get(key) != text.as_ref());
    differing.map(|(key, text)| ((*key).to_owned(), json!(text))).collect()
}

/// The node's port on the default network's transit switch: the subnet's base plus the node's id.
// compat: pkg/clustermanager/node, OvnTransitSwitchPortAddr
fn transit_address(id: NodeId, settings: &ClusterSettings) -> String {
    let mut addresses: PerFamily<InterfaceAddress> = PerFamily::default();
    for family in Family::BOTH.into_iter().filter(|it| settings.families.contains(it)) {
        let subnet = settings.transit.of(family);
        let address = subnet.and_then(|it| it.interface_address(id.get().into()));
        if let Some(address) = address {
            addresses.put(family, address);
        }
    }
    encode_primary_address(&addresses)
}

/// The NAD that requests for addresses name, and its namespace.
pub(super) fn default_nad(world: &World, settings: &ClusterSettings) -> Vec<Vec<Write>> {
    let ObjectName { namespace, name } = &settings.default_nad;
    let home = match world.namespaces.get(&**namespace) {
        Some(it) if it.metadata.is_leaving() => return Vec::new(),
        Some(_) => None,
        None => {
            let (none, name) = (String::new(), namespace.to_string());
            let target = Target { kind: Kind::Namespace, namespace: none, name };
            let object = target.object(Map::new());
            Some(Write { target, act: Act::Create(object) })
        }
    };
    let target = Target::nad(&settings.default_nad);
    let config = json!({ "cniVersion": CNI_VERSION, "name": "ovn-kubernetes", "type": CNI_TYPE })
        .to_string();
    let nad = world.nads.get(&ObjectName::new(namespace, name));
    let nad = match nad {
        None => {
            let mut object = target.object(Map::new());
            object["spec"] = json!({ "config": config });
            Some(Write { target, act: Act::Create(object) })
        }
        Some(it) if it.metadata.is_leaving() || it.spec.config == config => None,
        Some(it) => Some(repaired(target, &it.metadata, config)),
    };
    [home, nad].map(|it| it.into_iter().collect()).into()
}

fn repaired(target: Target, seen: &Metadata, config: String) -> Write {
    let metadata = json!({ "uid": seen.uid, "resourceVersion": seen.resource_version });
    let act = Act::Patch(json!({ "metadata": metadata, "spec": { "config": config } }));
    Write { target, act }
}
