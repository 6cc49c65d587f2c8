//! What nodes told about themselves.
//!
//! Invariant: an annotation that cannot be read is told about and counts as absent.

use std::collections::BTreeMap;

use udn_model::{
    Findings, Intent, NetworkName, Node, NodeId, NodeName, PerFamily, Subject, Subnet,
};
use udn_wire::NodeSubnets;
use udn_wire::keys::{
    NODE_CHASSIS, NODE_ENCAP_IPS, NODE_GATEWAY, NODE_HOST_CIDRS, NODE_ID, NODE_LAYER2_VERSION,
    NODE_PRIMARY_ADDRESS, NODE_SUBNETS,
};
use udn_wire::node_annotations::{
    GatewayConfig, decode_chassis, decode_encap_ips, decode_host_cidrs, decode_id,
    decode_layer2_version, decode_primary_address,
};
use udn_wire::object;
use udn_wire::refusal::Unreadable;

use crate::world::World;

/// Adds the nodes and the numbers that they have.
pub(super) fn add(world: &World, intent: &mut Intent, findings: &mut Findings) {
    for (name, object) in &world.nodes {
        let (node, id) = read_with_id(name, object, findings);
        intent.published.nodes.extend(id.map(|id| (name.clone(), id)));
        intent.nodes.insert(name.clone(), node);
    }
}

/// One node, and the id that stands on it.
pub(super) fn read_with_id(
    name: &NodeName,
    object: &object::Node,
    findings: &mut Findings,
) -> (Node, Option<NodeId>) {
    let mut reader = Reader { name, object, findings };
    let id = reader.read(NODE_ID, decode_id);
    (reader.node(), id)
}

/// One node; what cannot be read counts as absent.
pub(crate) fn read(name: &NodeName, object: &object::Node) -> Node {
    Reader { name, object, findings: &mut Findings::new() }.node()
}

/// The subnets that a node carries, by network; an entry that cannot be read counts as absent.
pub(super) fn read_subnets(
    name: &NodeName,
    object: &object::Node,
    findings: &mut Findings,
) -> BTreeMap<NetworkName, PerFamily<Subnet>> {
    let mut reader = Reader { name, object, findings };
    let carried = reader.read(NODE_SUBNETS, NodeSubnets::decode).unwrap_or_default();
    let mut subnets = BTreeMap::new();
    for network in carried.networks() {
        match carried.entry(network) {
            Ok(entry) => {
                let entry = entry.filter(|it| !it.is_empty());
                subnets.extend(entry.map(|it| (NetworkName::new(network), it)));
            }
            Err(unreadable) => findings.push(unreadable.about(Subject::Node(name.clone()))),
        }
    }
    subnets
}

struct Reader<'a> {
    name: &'a NodeName,
    object: &'a object::Node,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn node(&mut self) -> Node {
        let gateway = self.read(NODE_GATEWAY, GatewayConfig::decode).flatten();
        let primary = self.read(NODE_PRIMARY_ADDRESS, decode_primary_address).unwrap_or_default();
        let encap = self.read(NODE_ENCAP_IPS, decode_encap_ips).filter(|ips| !ips.is_empty());
        // compat: pkg/ovn/zone_interconnect/chassis_handler.go, tunnels end at the primary address
        // unless the node says otherwise
        let primary = primary.v4.or(primary.v6).map(|address| address.addr());
        Node {
            name: self.name.clone(),
            chassis: self.read(NODE_CHASSIS, decode_chassis),
            gateway: gateway.map(|it| it.gateway),
            addresses: self.read(NODE_HOST_CIDRS, decode_host_cidrs).unwrap_or_default(),
            tunnel_addresses: encap.unwrap_or_else(|| primary.into_iter().collect()),
            uses_transit_router: self
                .read(NODE_LAYER2_VERSION, decode_layer2_version)
                .unwrap_or_default(),
        }
    }

    fn read<T>(&mut self, key: &str, decode: fn(&str) -> Result<T, Unreadable>) -> Option<T> {
        let text = self.object.metadata.annotation(key)?;
        let unreadable = match decode(text) {
            Ok(thing) => return Some(thing),
            Err(unreadable) => unreadable,
        };
        self.findings.push(unreadable.about(Subject::Node(self.name.clone())));
        None
    }
}
