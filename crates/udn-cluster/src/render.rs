//! From grants to what must be written down so that the world carries them.
//!
//! Reads a world, an intent and grants; returns [`Publication`]s.
//! Invariant: only what differs is published; a world that carries everything gives none.

use udn_model::{ClusterSettings, Grants, Intent};

use crate::world::World;

mod claims;
mod nads;
mod nodes;
mod pods;
mod publication;
#[cfg(test)]
mod tests;

pub(crate) use nads::of_network;
pub use nads::preview;
pub use nodes::{NodeReport, node_report};
pub(crate) use pods::annotation_of;
pub use publication::{Change, Publication};

/// What the cluster controller must write: NADs and their numbers, nodes' numbers, what claims hold,
/// pods' entries, and which NADs must go.
pub fn publications(
    world: &World,
    intent: &Intent,
    grants: &Grants,
    settings: &ClusterSettings,
) -> Vec<Publication> {
    let made = nads::made_and_marked(world, intent, grants, settings);
    let numbered = nodes::numbered(world, grants);
    // Before the pods, so that a crash between the two loses no machine its address.
    let bound = claims::bound(world, intent, grants);
    let attached = pods::attached(world, intent, grants, settings);
    let unwanted = nads::unwanted(world, intent, settings);
    [made, numbered, bound, attached, unwanted].concat()
}
