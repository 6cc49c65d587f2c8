//! The end of NADs that were made for a UDN or CUDN.
//!
//! Invariant: a NAD that a living pod uses stays, and one that nobody uses always goes: it is
//! deleted in one reconcile, and our finalizer is taken off in the next.

use std::collections::BTreeSet;

use udn_model::ObjectName;
use udn_wire::Target;
use udn_wire::keys::{FINALIZER, POD_NETWORKS};
use udn_wire::object::{Metadata, Nad};
use udn_wire::pod_networks::PodNetworks;

use crate::decision::Decision;
use crate::translate::{made_for, owner, wants};
use crate::view::View;
use crate::world::World;
use crate::write::Write;

/// One step for each NAD that goes.
pub(super) fn steps(view: &View, decision: &Decision) -> Vec<Write> {
    let used = used(&view.world);
    let leave = |(name, nad): (&ObjectName, &Nad)| {
        let seen = &nad.metadata;
        let goes = seen.is_leaving() || !is_wanted(view, decision, name, nad);
        if !goes || used.contains(name) { None } else { step(name, seen) }
    };
    made(view).filter_map(leave).collect()
}

/// The NADs that say they were made for the work item's UDN or CUDN, or for one that had its name.
pub(super) fn made(view: &View) -> impl Iterator<Item = (&ObjectName, &Nad)> {
    let is_own = |(name, it): &(&ObjectName, &Nad)| made_for(name, it).as_ref() == Some(&view.item);
    view.world.nads.iter().filter(is_own)
}

/// The NADs that living pods are attached through, as the pods' annotations tell.
pub(super) fn used(world: &World) -> BTreeSet<ObjectName> {
    users(world).map(|(nad, _)| nad).collect()
}

/// The same with the pods.
pub(super) fn users(world: &World) -> impl Iterator<Item = (ObjectName, &ObjectName)> {
    let living = world.pods.iter().filter(|(_, pod)| pod.is_on_networks());
    living.flat_map(|(name, pod)| {
        let annotation = pod.metadata.annotation(POD_NETWORKS);
        let networks = annotation.and_then(|text| PodNetworks::decode(text).ok());
        let networks = networks.unwrap_or_default();
        let nads: Vec<ObjectName> = networks.nads().collect();
        nads.into_iter().map(move |nad| (nad, name))
    })
}

/// Whether the UDN or CUDN still wants the NAD; one that does not tell wants what it has.
fn is_wanted(view: &View, decision: &Decision, name: &ObjectName, nad: &Nad) -> bool {
    let owner = owner(&view.world, name, nad);
    wants(&view.world, &decision.settings, &owner, name).unwrap_or(true)
}

fn step(name: &ObjectName, seen: &Metadata) -> Option<Write> {
    let target = Target::nad(name);
    if !seen.is_leaving() {
        return Some(Write::delete(target, seen));
    }
    let others = seen.finalizers.iter().map(String::as_str).filter(|it| *it != FINALIZER);
    let others: Vec<&str> = others.collect();
    let is_ours = others.len() < seen.finalizers.len();
    is_ours.then(|| Write::finalizers(target, seen, others))
}
