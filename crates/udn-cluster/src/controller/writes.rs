//! The writes that put a work item in order, besides its status.
//!
//! Invariant: grants stand on the NADs that are created; nothing that a living pod uses goes.

use udn_model::{Grants, Network, NetworkGrant, ObjectName};
use udn_wire::Target;
use udn_wire::keys::FINALIZER;
use udn_wire::kind::Kind;
use udn_wire::object::Metadata;

use super::claims;
use super::leaving;
use super::nodes;
use super::pods;
use super::write::{Act, Write};
use super::{Decided, View};
use crate::render::{Change, Publication, of_network};
use crate::work_item::WorkItem;
use crate::world::World;

/// What must be written: waves in order, and within a wave in any order.
///
/// What takes more than one step, such as the end of a NAD, is done by one step in each reconcile.
pub fn writes(view: &View, decided: Decided<'_>) -> Vec<Vec<Write>> {
    let waves = match &view.item {
        WorkItem::UserDefinedNetwork(name) => {
            let maker = view.world.networks.get(name).map(|it| &it.metadata);
            of_maker(view, decided, Kind::UserDefinedNetwork, maker)
        }
        WorkItem::ClusterUserDefinedNetwork(name) => {
            let maker = view.world.cluster_networks.get(name).map(|it| &it.metadata);
            of_maker(view, decided, Kind::ClusterUserDefinedNetwork, maker)
        }
        WorkItem::HandWritten(_) => vec![nads(view, decided)],
        WorkItem::Node(name) => vec![nodes::writes(view, decided, name)],
        WorkItem::DefaultNad => nodes::default_nad(&view.world, decided.settings),
        WorkItem::Pod(name) => vec![pods::writes(view, decided, name)],
        WorkItem::Claim(name) => claims::writes(view, decided, name),
    };
    waves.into_iter().filter(|wave| !wave.is_empty()).collect()
}

/// The NADs of a UDN or CUDN, its finalizer, and their end.
fn of_maker(
    view: &View,
    decided: Decided<'_>,
    kind: Kind,
    maker: Option<&Metadata>,
) -> Vec<Vec<Write>> {
    let leaving = leaving::steps(view, decided);
    let Some(maker) = maker else { return vec![leaving] };
    let target = Target { kind, namespace: maker.namespace.clone(), name: maker.name.clone() };
    if maker.is_leaving() {
        let is_last = leaving::made(view).next().is_none();
        let release = is_last.then(|| release(target, maker)).flatten();
        return vec![leaving, release.into_iter().collect()];
    }
    let made = nads(view, decided);
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
fn nads(view: &View, decided: Decided<'_>) -> Vec<Write> {
    let Some((network, grant)) = granted(view, decided) else { return Vec::new() };
    let publications = of_network(&view.world, network, grant, decided.settings);
    publications.into_iter().filter_map(|it| guarded(&view.world, it)).collect()
}

/// The work item's network and its numbers.
pub(super) fn granted<'a>(
    view: &View,
    decided: Decided<'a>,
) -> Option<(&'a Network, &'a NetworkGrant)> {
    let name = view.item.network()?;
    let network = decided.intent.networks.get(&name)?;
    // Somebody's NADs may bear the name that a UDN's network has.
    (Some(&network.origin) == view.item.origin().as_ref()).then_some(())?;
    let Grants { networks, .. } = decided.grants;
    Some((network, networks.get(&name)?))
}

/// A publication as a request that fails where the NAD is no longer as it was seen.
fn guarded(world: &World, publication: Publication) -> Option<Write> {
    let Publication { target, change } = publication;
    let name = ObjectName::new(&target.namespace, &target.name);
    let seen = world.nads.get(&name).map(|it| &it.metadata);
    match (change, seen) {
        (Change::Apply(object), None) => Some(Write { target, act: Act::Create(object) }),
        (Change::Apply(mut object), Some(seen)) => {
            object["metadata"]["uid"] = seen.uid.clone().into();
            object["metadata"]["resourceVersion"] = seen.resource_version.clone().into();
            Some(Write { target, act: Act::Replace(object) })
        }
        (Change::Annotate(annotations), Some(seen)) => {
            let annotations = serde_json::json!(annotations);
            let metadata = [("annotations".to_owned(), annotations)].into_iter().collect();
            (!seen.is_leaving()).then(|| Write::patch(target, seen, metadata))
        }
        // `leaving` sees to what goes.
        (Change::Annotate(_), None) | (Change::Delete, _) => None,
    }
}
