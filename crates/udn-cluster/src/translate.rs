//! From a world to an intent: what the users and the nodes ask for, and what is wrong with it.
//!
//! [`cluster`] reads UDNs, CUDNs and NADs; [`zone`] reads NADs only, with what the cluster office
//! wrote on them.
//! Invariant: one bad object costs no other its network; every network has a NAD that leads to it.

use std::sync::Arc;

use udn_model::{ClusterSettings, Findings, Intent, Told};

use crate::doors::{Door, Doors};
use crate::world::World;

mod asked;
mod attachments;
mod claims;
mod definitions;
mod devices;
mod features;
mod fit;
mod free;
mod machines;
mod nodes;
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
mod wishes;

use attachments::{Guests, Scene, Scope};
use definitions::Shelf;
pub(crate) use definitions::rank;
use fit::fitting;
pub(crate) use free::{first_free, taken_in};
pub(crate) use nodes::read as read_node;
use owner::Owner;
pub(crate) use owner::{made_for, maker, owner};
pub(crate) use proposal::{Described, Proposal};
pub(crate) use requests::wants;
pub(crate) use rivals::ovn_prefix;
pub(crate) use subnet_index::SubnetIndex;
pub(crate) use vacancy::only_on_request;

/// The intent of the cluster office, which makes the NADs of UDNs and CUDNs.
pub fn cluster(world: &World, settings: &ClusterSettings) -> Told<Intent> {
    let Survey { desk, proposals, findings } = survey(world, settings);
    finish(desk, proposals, Scope::Whole, findings)
}

/// The same, with the networks that are asked for and fit, as `review` needs them.
pub(crate) fn cluster_with_proposals(
    world: &World,
    settings: &ClusterSettings,
) -> (Told<Intent>, Vec<Proposal>) {
    let Survey { desk, proposals, findings } = survey(world, settings);
    (finish(desk, proposals.clone(), Scope::Whole, findings), proposals)
}

/// What the cluster office finds before it asks who keeps a name or a namespace.
struct Survey<'a> {
    desk: Desk<'a>,
    proposals: Vec<Proposal>,
    findings: Findings,
}

fn survey<'a>(world: &'a World, settings: &'a ClusterSettings) -> Survey<'a> {
    let mut findings = Findings::new();
    let shelf = Shelf::read(world, &mut findings);
    let guests = Guests::of(world);
    let published = shelf.published(&statuses::published(world));
    let asked = requests::proposals(world, settings, (&shelf, &published), &guests, &mut findings);
    let written = shelf.proposals(settings, |it| it.owner == Owner::Nobody, &mut findings);
    let proposals = fitting([asked, written].concat(), settings, &published, &mut findings);
    findings.extend(vacancy::crowded(proposals.iter().map(Proposal::described)));
    findings.extend(segments::shared(&proposals));
    Survey { desk: Desk { world, settings, shelf, guests, published }, proposals, findings }
}

/// The part of an intent that is about pods and claims, with networks that are settled: those
/// behind the doors.
///
/// The intent has the attachments of all pods of the world, its claims, and what both carry.
pub fn pods(world: &World, doors: &Doors, settings: &ClusterSettings) -> Told<Intent> {
    let (mut intent, mut findings) = (Intent::default(), Findings::new());
    for door in doors.at.values() {
        match door {
            Door::Open(network) => {
                intent.networks.entry(network.name.clone()).or_insert_with(|| network.clone());
            }
            Door::Shut | Door::Elsewhere => (),
        }
    }
    let scene = Scene { world, doors, settings, scope: Scope::Slice };
    Guests::of(world).attach(&scene, &mut intent, &mut findings);
    findings.sort();
    findings.dedup();
    Told::new(intent, findings)
}

/// The intent of a zone office, which takes networks as the NADs tell them.
pub fn zone(world: &World, settings: &ClusterSettings) -> Told<Intent> {
    let mut findings = Findings::new();
    let shelf = Shelf::read(world, &mut findings);
    let guests = Guests::of(world);
    let published = shelf.published_as_told();
    let proposals = shelf.annotated_proposals(settings, &mut findings);
    let desk = Desk { world, settings, shelf, guests, published };
    finish(desk, proposals, Scope::Zone, findings)
}

/// What both offices read from a world.
struct Desk<'a> {
    world: &'a World,
    settings: &'a ClusterSettings,
    shelf: Shelf<'a>,
    guests: Guests<'a>,
    published: definitions::PublishedNetworks,
}

/// Settles rivalries, then adds nodes, pods and services.
fn finish(
    desk: Desk<'_>,
    proposals: Vec<Proposal>,
    scope: Scope,
    mut findings: Findings,
) -> Told<Intent> {
    let networks = rivals::judge(desk.world, desk.shelf.occupied(), proposals, &mut findings);
    let networks = networks.into_iter().map(|(name, it)| (name, Arc::new(it))).collect();
    let mut intent = Intent { networks, ..Intent::default() };
    intent.published.networks = desk.published;
    nodes::add(desk.world, &mut intent, &mut findings);
    let doors = attachments::doors(desk.world, &desk.shelf, &intent);
    let Desk { world, settings, .. } = desk;
    let scene = Scene { world, doors: &doors, settings, scope };
    desk.guests.attach(&scene, &mut intent, &mut findings);
    intent.allowed_services = services::allowed(desk.world, desk.settings);
    findings.sort();
    findings.dedup();
    Told::new(intent, findings)
}
