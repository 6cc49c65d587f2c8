//! UDNs and CUDNs.
//!
//! Invariant: what a status says concerns nobody but the network itself, numbers excepted.

use udn_model::{Manifest, ObjectName};
use udn_wire::api::NetworkStatus;
use udn_wire::kind::Kind;
use udn_wire::object::{ClusterUserDefinedNetwork, UserDefinedNetwork};
use udn_wire::spec_text::SpecText;

use super::super::summaries::NetworkSummary;
use super::{Cached, Change, Impact, Index, is_same};
use crate::work_item::WorkItem;
use crate::world::{Objects, World};

/// What UDNs and CUDNs have in common.
trait AsksForNetwork: Cached {
    fn item(name: &Self::Name) -> WorkItem;

    fn parts(&self) -> (&SpecText, &NetworkStatus);

    fn summary(&self) -> NetworkSummary;
}

impl AsksForNetwork for UserDefinedNetwork {
    fn item(name: &ObjectName) -> WorkItem {
        WorkItem::Network(Manifest::Udn(name.clone()))
    }

    fn parts(&self) -> (&SpecText, &NetworkStatus) {
        (&self.spec, &self.status)
    }

    fn summary(&self) -> NetworkSummary {
        NetworkSummary::of_udn(self)
    }
}

impl AsksForNetwork for ClusterUserDefinedNetwork {
    fn item(name: &String) -> WorkItem {
        WorkItem::Network(Manifest::Cudn(name.clone()))
    }

    fn parts(&self) -> (&SpecText, &NetworkStatus) {
        (&self.spec, &self.status)
    }

    fn summary(&self) -> NetworkSummary {
        NetworkSummary::of_cudn(self)
    }
}

impl Cached for UserDefinedNetwork {
    const KIND: Kind = Kind::UserDefinedNetwork;

    fn objects(world: &World) -> &Objects<ObjectName, Self> {
        &world.networks
    }

    fn objects_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.networks
    }

    fn impact(name: &ObjectName, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        reach_from(name, &change, impact);
    }

    fn reindex(name: &ObjectName, _: Option<&Self>, world: &World, index: &mut Index) {
        reindex::<Self>(name, world, index);
    }
}

impl Cached for ClusterUserDefinedNetwork {
    const KIND: Kind = Kind::ClusterUserDefinedNetwork;

    fn objects(world: &World) -> &Objects<String, Self> {
        &world.cluster_networks
    }

    fn objects_mut(world: &mut World) -> &mut Objects<String, Self> {
        &mut world.cluster_networks
    }

    fn impact(name: &String, change: Change<'_, Self>, impact: &mut Impact<'_>) {
        reach_from(name, &change, impact);
    }

    fn reindex(name: &String, _: Option<&Self>, world: &World, index: &mut Index) {
        reindex::<Self>(name, world, index);
    }
}

fn reach_from<T: AsksForNetwork>(name: &T::Name, change: &Change<'_, T>, impact: &mut Impact<'_>) {
    let item = T::item(name);
    impact.touch(&item);
    item.network().into_iter().for_each(|it| impact.subnets_of(&it));
    let is_seen = change.is_seen(|one, other| {
        let ((spec, status), (other_spec, other_status)) = (one.parts(), other.parts());
        spec == other_spec
            && is_same(one.metadata(), other.metadata())
            && numbers(status) == numbers(other_status)
    });
    if !is_seen {
        return;
    }
    impact.spread(&item);
    impact.segments(&item);
    let [before, after] = [change.before, change.after].map(|it| {
        let summary = it.map(T::summary).filter(NetworkSummary::is_promise);
        summary.map(|it| it.selector)
    });
    if before != after {
        impact.lookup.places(&item).iter().for_each(|place| impact.waiting_in(place));
    }
}

fn reindex<T: AsksForNetwork>(name: &T::Name, world: &World, index: &mut Index) {
    let item = T::item(name);
    index.drop_manifest(&item);
    if let Some(manifest) = T::objects(world).get(name) {
        index.add_manifest(item, manifest.summary());
    }
}

/// The numbers in a status: others may have to give way to them.
type Numbers<'a> = (Option<i32>, Option<&'a Vec<i32>>, Option<&'a Vec<String>>);

fn numbers(status: &NetworkStatus) -> Numbers<'_> {
    let NetworkStatus { network_id, tunnel_keys, transit_subnets, .. } = status;
    (*network_id, tunnel_keys.as_ref(), transit_subnets.as_ref())
}
