//! The writes that put a work item in order, besides its status.
//!
//! Invariant: grants stand on the NADs that are created; nothing that a living pod uses goes.

use udn_model::{Grants, Manifest, Network, NetworkGrant};
use udn_wire::Target;
use udn_wire::keys::FINALIZER;
use udn_wire::object::Metadata;

use super::leaving;
use super::nads::of_network;
use crate::decision::Decision;
use crate::view::View;
use crate::work_item::{WorkItem, target_of};
use crate::world::ManifestObject;
use crate::write::Write;

/// What must be written: waves in order, and within a wave in any order.
///
/// What takes more than one step, such as the end of a NAD, is done by one step in each reconcile.
pub(crate) fn writes(view: &View, decision: &Decision) -> Vec<Vec<Write>> {
    match &view.item {
        WorkItem::Network(manifest) => of_manifest(view, decision, manifest),
        WorkItem::HandWritten(_) => vec![nads(view, decision)],
        WorkItem::Node(_) | WorkItem::DefaultNad | WorkItem::Pod(_) | WorkItem::Claim(_) => {
            Vec::new()
        }
    }
}

/// The NADs of a UDN or CUDN, its finalizer, and their end.
fn of_manifest(view: &View, decision: &Decision, manifest: &Manifest) -> Vec<Vec<Write>> {
    let leaving = leaving::steps(view, decision);
    let Some(ManifestObject { metadata: maker, .. }) = view.world.manifest(manifest) else {
        return vec![leaving];
    };
    let target = target_of(manifest);
    if maker.is_leaving() {
        let is_last = leaving::made(view).next().is_none();
        let release = is_last.then(|| release(target, maker)).flatten();
        return vec![leaving, release.into_iter().collect()];
    }
    let made = nads(view, decision);
    let protect = if made.is_empty() { None } else { protect(target, maker) };
    vec![protect.into_iter().collect(), made, leaving]
}

/// The finalizer comes before the first NAD.
fn protect(target: Target, maker: &Metadata) -> Option<Write> {
    let standing = maker.finalizers.iter().map(String::as_str);
    let is_there = maker.finalizers.iter().any(|it| it == FINALIZER);
    (!is_there).then(|| Write::finalizers(target, maker, standing.chain([FINALIZER]).collect()))
}

/// The finalizer goes after the last NAD.
fn release(target: Target, maker: &Metadata) -> Option<Write> {
    let others = maker.finalizers.iter().map(String::as_str).filter(|it| *it != FINALIZER);
    let others: Vec<&str> = others.collect();
    let is_there = others.len() < maker.finalizers.len();
    is_there.then(|| Write::finalizers(target, maker, others))
}

/// The NADs that are missing or not as they should be, and the numbers on those that somebody
/// wrote.
fn nads(view: &View, decision: &Decision) -> Vec<Write> {
    let Some((network, grant)) = granted(view, decision) else { return Vec::new() };
    of_network(&view.world, network, grant, &decision.settings)
}

/// The work item's network and its numbers.
fn granted<'a>(view: &View, decision: &'a Decision) -> Option<(&'a Network, &'a NetworkGrant)> {
    let name = view.item.network()?;
    let network = decision.intent.networks.get(&name)?;
    // Somebody's NADs may bear the name that a UDN's network has.
    (Some(&network.origin) == view.item.origin().as_ref()).then_some(())?;
    let Grants { networks, .. } = &decision.grants;
    Some((network, networks.get(&name)?))
}
