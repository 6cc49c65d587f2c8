//! What a zone controller reads: networks as the NADs tell them, nodes, pods and services.
//!
//! Each piece can be read alone, from a world that has what the piece depends on; [`zone`] reads all
//! of them from one world.
//! Invariant: pieces that were read apart are the same as those that were read together.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use udn_model::{
    ClusterSettings, Finding, Findings, Intent, Network, NetworkName, Node, NodeId, NodeName,
    ObjectName, PerFamily, Reason, Subject, Subnet, Told,
};
use udn_wire::keys::NODE_ZONE;
use udn_wire::object;
use udn_wire::refusal::annotation_path;

use super::attachments::{self, PodRequests, Scene, Scope, ZonePlace};
use super::nads::{PublishedNetworks, ReadNads};
use super::{nads, nodes, rivals, services};
use crate::nad_states::NadStates;
use crate::world::World;

/// The networks of some NADs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ZoneNetworks {
    pub networks: BTreeMap<NetworkName, Arc<Network>>,
    /// The numbers that stand on the NADs.
    pub published: PublishedNetworks,
    pub nad_states: NadStates,
}

/// A node, and the numbers that stand on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneNode {
    pub node: Node,
    pub id: Option<NodeId>,
    /// Its subnets in layer-3 networks, whether there are such networks or not.
    pub subnets: BTreeMap<NetworkName, PerFamily<Subnet>>,
}

/// What a NAD says of its network, before it is asked whether that can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NadTold {
    pub network: Option<NetworkName>,
    pub is_primary: bool,
}

/// What one NAD says; `None` for one of another plugin or of the default network.
pub fn zone_nad(name: &ObjectName, nad: &object::Nad) -> Option<NadTold> {
    let (nobody, mut findings) = (World::default(), Findings::new());
    let read = nads::read(&nobody, name, nad, &mut findings)?;
    Some(NadTold { network: read.told_name(), is_primary: read.is_primary() })
}

/// The intent of the zone controller of a node, which takes networks as the NADs tell them.
pub fn zone_of(world: &World, node: &NodeName, settings: &ClusterSettings) -> Told<Intent> {
    read(world, Some(node), settings)
}

/// What the zone controllers of all nodes have in common: nobody's pods are on networks where nodes
/// have subnets of their own.
pub fn zone(world: &World, settings: &ClusterSettings) -> Told<Intent> {
    read(world, None, settings)
}

fn read(world: &World, node: Option<&NodeName>, settings: &ClusterSettings) -> Told<Intent> {
    let Told { value: told, mut findings } = zone_networks(world, settings);
    let mut intent = Intent { networks: told.networks, ..Intent::default() };
    intent.published.networks = told.published;
    let default = Network::of_settings(settings).map(Arc::new);
    intent.networks.extend(default.iter().map(|it| (it.name.clone(), it.clone())));
    for (name, object) in &world.nodes {
        let node = zone_node(name, object);
        findings.extend(node.findings);
        if let Some(ZoneNode { node, id, subnets }) = node.value {
            intent.nodes.insert(name.clone(), node);
            intent.published.nodes.extend(id.map(|id| (name.clone(), id)));
            for (network, subnets) in subnets {
                let of_network = intent.published.node_subnets.entry(network).or_default();
                of_network.insert(name.clone(), subnets);
            }
        }
    }
    let place = ZonePlace { node, nodes: &intent.nodes, default: default.as_ref() };
    let pods = zone_pods(world, &told.nad_states, place, settings);
    intent.attachments = pods.value.attachments;
    intent.published.attachments = pods.value.published.attachments;
    intent.allowed_services = allowed_services(world, settings);
    findings.extend(pods.findings);
    findings.sort();
    findings.dedup();
    Told::new(intent, findings)
}

/// The networks of all NADs of a world. Who has a name in OVN, and who is the primary network of a
/// namespace, must be decided among all who ask for it.
pub fn zone_networks(world: &World, settings: &ClusterSettings) -> Told<ZoneNetworks> {
    let mut findings = Findings::new();
    let read_nads = ReadNads::read(world, &mut findings);
    let published = read_nads.published_as_told();
    let proposals = read_nads.annotated_proposals(settings, &mut findings);
    let networks = rivals::judge(world, read_nads.occupied(), proposals, &mut findings);
    let networks = networks.into_iter().map(|(name, it)| (name, Arc::new(it))).collect();
    let nad_states = attachments::nad_states(world, &read_nads, &networks);
    Told::new(ZoneNetworks { networks, published, nad_states }, findings)
}

/// One node; none if it says that it shares a zone with others, which is not supported.
pub fn zone_node(name: &NodeName, object: &object::Node) -> Told<Option<ZoneNode>> {
    let mut findings = Findings::new();
    match object.metadata.annotation(NODE_ZONE) {
        Some(zone) if zone != name.as_str() => {
            findings.push(shared_zone(name, zone));
            Told::new(None, findings)
        }
        Some(_) | None => {
            let (node, id) = nodes::read_with_id(name, object, &mut findings);
            let subnets = nodes::read_subnets(name, object, &mut findings);
            Told::new(Some(ZoneNode { node, id, subnets }), findings)
        }
    }
}

/// The attachments of all pods of a world, and what they carry, for networks that are settled.
pub fn zone_pods(
    world: &World,
    nad_states: &NadStates,
    place: ZonePlace<'_>,
    settings: &ClusterSettings,
) -> Told<Intent> {
    let (mut intent, mut findings) = (Intent::default(), Findings::new());
    let scene = Scene { world, nad_states, settings, scope: Scope::Zone(place) };
    PodRequests::of(world).attach(&scene, &mut intent, &mut findings);
    Told::new(intent, findings)
}

/// The services of the default network that primary networks may reach.
pub fn allowed_services(
    world: &World,
    settings: &ClusterSettings,
) -> BTreeMap<ObjectName, Vec<IpAddr>> {
    services::allowed(world, settings)
}

// compat: pkg/ovnwebhook/nodeadmission.go, a zone has the name of its only node
fn shared_zone(name: &NodeName, zone: &str) -> Finding {
    let message = format!(
        "says that it is in zone {zone}, but every node must be a zone of its own, with databases of \
         its own; remove the annotation or set it to {name}"
    );
    let finding = Finding::new(Subject::Node(name.clone()), Reason::NotSupported, message);
    finding.at(annotation_path(NODE_ZONE))
}
