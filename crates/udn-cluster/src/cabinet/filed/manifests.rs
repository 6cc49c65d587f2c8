//! UDNs and CUDNs.
//!
//! Invariant: what a status says concerns nobody but the network itself, numbers excepted.

use udn_model::ObjectName;
use udn_wire::api::NetworkStatus;
use udn_wire::kind::Kind;
use udn_wire::object::{ClusterUserDefinedNetwork, UserDefinedNetwork};
use udn_wire::spec_text::SpecText;

use super::super::cards::ManifestCard;
use super::{Change, Filed, Index, Reach, is_same};
use crate::affair::Affair;
use crate::world::{Objects, World};

/// What UDNs and CUDNs have in common.
trait Manifest: Filed {
    fn affair(name: &Self::Name) -> Affair;

    fn parts(&self) -> (&SpecText, &NetworkStatus);

    fn card(&self) -> ManifestCard;
}

impl Manifest for UserDefinedNetwork {
    fn affair(name: &ObjectName) -> Affair {
        Affair::UserDefinedNetwork(name.clone())
    }

    fn parts(&self) -> (&SpecText, &NetworkStatus) {
        (&self.spec, &self.status)
    }

    fn card(&self) -> ManifestCard {
        ManifestCard::of_udn(self)
    }
}

impl Manifest for ClusterUserDefinedNetwork {
    fn affair(name: &String) -> Affair {
        Affair::ClusterUserDefinedNetwork(name.clone())
    }

    fn parts(&self) -> (&SpecText, &NetworkStatus) {
        (&self.spec, &self.status)
    }

    fn card(&self) -> ManifestCard {
        ManifestCard::of_cudn(self)
    }
}

impl Filed for UserDefinedNetwork {
    const KIND: Kind = Kind::UserDefinedNetwork;

    fn shelf(world: &World) -> &Objects<ObjectName, Self> {
        &world.networks
    }

    fn shelf_mut(world: &mut World) -> &mut Objects<ObjectName, Self> {
        &mut world.networks
    }

    fn reach(name: &ObjectName, change: Change<'_, Self>, reach: &mut Reach<'_>) {
        reach_from(name, &change, reach);
    }

    fn refile(name: &ObjectName, _: Option<&Self>, world: &World, index: &mut Index) {
        refile::<Self>(name, world, index);
    }
}

impl Filed for ClusterUserDefinedNetwork {
    const KIND: Kind = Kind::ClusterUserDefinedNetwork;

    fn shelf(world: &World) -> &Objects<String, Self> {
        &world.cluster_networks
    }

    fn shelf_mut(world: &mut World) -> &mut Objects<String, Self> {
        &mut world.cluster_networks
    }

    fn reach(name: &String, change: Change<'_, Self>, reach: &mut Reach<'_>) {
        reach_from(name, &change, reach);
    }

    fn refile(name: &String, _: Option<&Self>, world: &World, index: &mut Index) {
        refile::<Self>(name, world, index);
    }
}

fn reach_from<T: Manifest>(name: &T::Name, change: &Change<'_, T>, reach: &mut Reach<'_>) {
    let affair = T::affair(name);
    reach.touch(&affair);
    let is_seen = change.is_seen(|one, other| {
        let ((spec, status), (other_spec, other_status)) = (one.parts(), other.parts());
        spec == other_spec
            && is_same(one.metadata(), other.metadata())
            && numbers(status) == numbers(other_status)
    });
    if !is_seen {
        return;
    }
    reach.spread(&affair);
    reach.segments(&affair);
    let [before, after] = [change.before, change.after].map(|it| {
        let card = it.map(T::card).filter(ManifestCard::is_promise);
        card.map(|it| it.selector)
    });
    if before != after {
        reach.view.places(&affair).iter().for_each(|place| reach.waiting_in(place));
    }
}

fn refile<T: Manifest>(name: &T::Name, world: &World, index: &mut Index) {
    let affair = T::affair(name);
    index.drop_manifest(&affair);
    if let Some(manifest) = T::shelf(world).get(name) {
        index.add_manifest(affair, manifest.card());
    }
}

/// The numbers in a status: others may have to give way to them.
type Numbers<'a> = (Option<i32>, Option<&'a Vec<i32>>, Option<&'a Vec<String>>);

fn numbers(status: &NetworkStatus) -> Numbers<'_> {
    let NetworkStatus { network_id, tunnel_keys, transit_subnets, .. } = status;
    (*network_id, tunnel_keys.as_ref(), transit_subnets.as_ref())
}
