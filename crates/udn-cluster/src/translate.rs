//! From a world to an intent: what the users and the nodes ask for, and what is wrong with it.
//!
//! [`cluster`] reads UDNs, CUDNs and NADs; [`zone()`] reads NADs only, with what the cluster controller
//! wrote on them.
//! Invariant: one bad object costs no other its network; every network has a NAD that leads to it.

use std::sync::Arc;

use udn_model::{ClusterSettings, Findings, Intent, Told};

use crate::nad_states::{NadState, NadStates};
use crate::world::World;

mod asked;
mod attachment_requests;
mod attachments;
mod claims;
mod devices;
mod features;
mod fit;
mod free;
mod machines;
mod nads;
mod nodes;
mod on_default;
mod owner;
mod proposal;
mod requests;
mod rivals;
mod segments;
mod services;
mod statuses;
mod subnet_index;
#[cfg(test)]
mod tests;
mod users;
mod vacancy;
mod zone;

pub use attachments::ZonePlace;
pub(crate) use attachments::node_not_found;
use attachments::{PodRequests, Scene, Scope};
use fit::fitting;
pub(crate) use free::{first_free, taken_in};
use nads::ReadNads;
pub(crate) use nads::rank;
pub(crate) use nodes::read as read_node;
use owner::Owner;
pub(crate) use owner::{item_of_nad, item_of_written, made_for, maker, owner};
pub(crate) use proposal::{Described, Proposal};
pub(crate) use requests::wants;
pub(crate) use rivals::ovn_prefix;
pub(crate) use subnet_index::SubnetIndex;
pub(crate) use vacancy::only_on_request;
pub use zone::{
    NadTold, ZoneNetworks, ZoneNode, allowed_services, zone, zone_nad, zone_networks, zone_node,
    zone_of, zone_pods,
};

/// The intent of the cluster controller, which makes the NADs of UDNs and CUDNs.
pub fn cluster(world: &World, settings: &ClusterSettings) -> Told<Intent> {
    let Survey { read, proposals, findings } = survey(world, settings);
    finish(read, proposals, findings)
}

/// What the cluster controller finds before it asks who keeps a name or a namespace.
struct Survey<'a> {
    read: ReadWorld<'a>,
    proposals: Vec<Proposal>,
    findings: Findings,
}

fn survey<'a>(world: &'a World, settings: &'a ClusterSettings) -> Survey<'a> {
    let mut findings = Findings::new();
    let read_nads = ReadNads::read(world, &mut findings);
    let pod_requests = PodRequests::of(world);
    let published = read_nads.published(&statuses::published(world));
    let asked = requests::proposals(
        world,
        settings,
        (&read_nads, &published),
        &pod_requests,
        &mut findings,
    );
    let written = read_nads.proposals(settings, |it| it.owner == Owner::Nobody, &mut findings);
    let proposals = fitting([asked, written].concat(), settings, &published, &mut findings);
    findings.extend(vacancy::without_free_address(proposals.iter().map(Proposal::described)));
    findings.extend(segments::shared(&proposals));
    Survey {
        read: ReadWorld { world, settings, read_nads, pod_requests, published },
        proposals,
        findings,
    }
}

/// The part of an intent that is about pods and claims, with networks that are settled: those
/// of NADs that are ready.
///
/// The intent has the attachments of all pods of the world, its claims, and what both carry.
pub fn pods(world: &World, nad_states: &NadStates, settings: &ClusterSettings) -> Told<Intent> {
    let (mut intent, mut findings) = (Intent::default(), Findings::new());
    for nad_state in nad_states.at.values() {
        match nad_state {
            NadState::Ready(network) => {
                intent.networks.entry(network.name.clone()).or_insert_with(|| network.clone());
            }
            NadState::Pending | NadState::Foreign => (),
        }
    }
    let scene = Scene { world, nad_states, settings, scope: Scope::View };
    PodRequests::of(world).attach(&scene, &mut intent, &mut findings);
    findings.sort();
    findings.dedup();
    Told::new(intent, findings)
}

/// What the cluster controller reads from a world.
struct ReadWorld<'a> {
    world: &'a World,
    settings: &'a ClusterSettings,
    read_nads: ReadNads<'a>,
    pod_requests: PodRequests<'a>,
    published: nads::PublishedNetworks,
}

/// Settles rivalries, then adds nodes, pods and services.
fn finish(read: ReadWorld<'_>, proposals: Vec<Proposal>, mut findings: Findings) -> Told<Intent> {
    let networks = rivals::judge(read.world, read.read_nads.occupied(), proposals, &mut findings);
    let networks = networks.into_iter().map(|(name, it)| (name, Arc::new(it))).collect();
    let mut intent = Intent { networks, ..Intent::default() };
    intent.published.networks = read.published;
    nodes::add(read.world, &mut intent, &mut findings);
    let nad_states = attachments::nad_states(read.world, &read.read_nads, &intent.networks);
    let ReadWorld { world, settings, .. } = read;
    let nodes = std::mem::take(&mut intent.nodes);
    let scope = Scope::Whole(&nodes);
    let scene = Scene { world, nad_states: &nad_states, settings, scope };
    read.pod_requests.attach(&scene, &mut intent, &mut findings);
    intent.nodes = nodes;
    intent.allowed_services = services::allowed(read.world, read.settings);
    findings.sort();
    findings.dedup();
    Told::new(intent, findings)
}
