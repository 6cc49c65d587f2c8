//! All objects of a cluster that matter to networks, in order and indexed.
//!
//! Reads states of objects as a server tells them; tells which work items each change touches.
//! Invariant: a work item that is not touched has the same network, addresses and findings as before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use udn_model::{Network, NetworkName, ObjectName};
use udn_wire::Target;
use udn_wire::kind::Kind;
use udn_wire::object::{
    AnyObject, ClusterUserDefinedNetwork, IpamClaim, Machine, Metadata, Nad, Namespace, Node,
    NodeNetworkReport, Pod, Service, UserDefinedNetwork,
};

use crate::view::ClusterNodes;
use crate::work_item::WorkItem;
use crate::world::World;

mod awaited;
mod built;
mod cached;
mod change;
mod group_index;
mod heartbeats;
mod impact;
mod index;
mod labels;
mod lookup;
mod node_subnet_index;
mod pod_index;
mod references;
mod summaries;
#[cfg(test)]
mod tests;
mod versions;

pub(crate) use cached::is_same;
use impact::Impact;
use index::Index;
pub(crate) use lookup::Lookup;
pub use references::PodReferences;
pub use versions::Versions;

/// The cache.
#[derive(Debug)]
pub struct ObjectCache {
    world: World,
    index: Index,
    versions: Versions,
    default_nad: ObjectName,
}

impl ObjectCache {
    /// An empty cache; it is told the name of the default network's NAD.
    pub fn new(default_nad: ObjectName) -> Self {
        let (world, index, versions) = Default::default();
        Self { world, index, versions, default_nad }
    }

    /// Takes in a state of an object; a state that is not newer than the one here changes nothing.
    pub fn put(&mut self, object: AnyObject) -> BTreeSet<WorkItem> {
        match object {
            AnyObject::Namespace(it) => self.take_in(it),
            AnyObject::Node(it) => self.take_in(it),
            AnyObject::UserDefinedNetwork(it) => self.take_in(it),
            AnyObject::ClusterUserDefinedNetwork(it) => self.take_in(it),
            AnyObject::Nad(it) => self.take_in(it),
            AnyObject::Service(it) => self.take_in(it),
            AnyObject::Pod(it) => self.take_in(it),
            AnyObject::Report(it) => self.take_in(it),
            AnyObject::Claim(it) => self.take_in(it),
            AnyObject::Machine(it) => self.take_in(it),
        }
    }

    /// Takes an object out. `version` is that of the deletion; an object that was made again
    /// since, with a higher version, stays.
    pub fn remove(&mut self, target: &Target, version: u64) -> BTreeSet<WorkItem> {
        match target.kind {
            Kind::Namespace => self.take_out::<Namespace>(target, version),
            Kind::Node => self.take_out::<Node>(target, version),
            Kind::UserDefinedNetwork => self.take_out::<UserDefinedNetwork>(target, version),
            Kind::ClusterUserDefinedNetwork => {
                self.take_out::<ClusterUserDefinedNetwork>(target, version)
            }
            Kind::Nad => self.take_out::<Nad>(target, version),
            Kind::Service => self.take_out::<Service>(target, version),
            Kind::Pod => self.take_out::<Pod>(target, version),
            Kind::Report => self.take_out::<NodeNetworkReport>(target, version),
            Kind::Claim => self.take_out::<IpamClaim>(target, version),
            Kind::Machine => self.take_out::<Machine>(target, version),
        }
    }

    /// Takes in a list of all objects of a kind, as it was at a version: what is not in it goes,
    /// unless it is newer than the list. A list that is older than the last one changes nothing.
    pub fn replace(
        &mut self,
        kind: Kind,
        objects: Vec<AnyObject>,
        version: u64,
    ) -> BTreeSet<WorkItem> {
        if !self.versions.begin_list(kind, version) {
            return BTreeSet::new();
        }
        let objects = objects.into_iter().filter(|it| it.kind() == kind);
        let (mut listed, mut touched) = (BTreeSet::new(), BTreeSet::new());
        for object in objects {
            let Metadata { namespace, name, .. } = object.metadata();
            listed.insert(Target { kind, namespace: namespace.clone(), name: name.clone() });
            touched.append(&mut self.put(object));
        }
        touched.append(&mut match kind {
            Kind::Namespace => self.drop_unlisted::<Namespace>(&listed, version),
            Kind::Node => self.drop_unlisted::<Node>(&listed, version),
            Kind::UserDefinedNetwork => self.drop_unlisted::<UserDefinedNetwork>(&listed, version),
            Kind::ClusterUserDefinedNetwork => {
                self.drop_unlisted::<ClusterUserDefinedNetwork>(&listed, version)
            }
            Kind::Nad => self.drop_unlisted::<Nad>(&listed, version),
            Kind::Service => self.drop_unlisted::<Service>(&listed, version),
            Kind::Pod => self.drop_unlisted::<Pod>(&listed, version),
            Kind::Report => self.drop_unlisted::<NodeNetworkReport>(&listed, version),
            Kind::Claim => self.drop_unlisted::<IpamClaim>(&listed, version),
            Kind::Machine => self.drop_unlisted::<Machine>(&listed, version),
        });
        self.versions.end_list(kind, version);
        touched
    }

    /// Everything.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All work items that there are now.
    pub fn items(&self) -> BTreeSet<WorkItem> {
        let manifests = self.index.manifests.keys();
        let homes = self.index.by_home.keys();
        let nodes = self.world.nodes.keys().cloned().map(WorkItem::Node);
        let networks = manifests.chain(homes).cloned();
        let pods = self.world.pods.keys().cloned().map(WorkItem::Pod);
        let claims = self.world.claims.keys().cloned().map(WorkItem::Claim);
        networks.chain(nodes).chain(pods).chain(claims).chain([WorkItem::DefaultNad]).collect()
    }

    /// All nodes.
    pub fn cluster_nodes(&self) -> &Arc<ClusterNodes> {
        &self.index.cluster_nodes
    }

    /// The name of the default network's NAD.
    pub fn default_nad(&self) -> &ObjectName {
        &self.default_nad
    }

    /// A network was built, or built otherwise: its NADs lead to it from now on. `None`: they lead
    /// nowhere. Returns whom that concerns.
    pub fn build(
        &mut self,
        name: &NetworkName,
        network: Option<&Arc<Network>>,
    ) -> BTreeSet<WorkItem> {
        let before = self.index.built.network(name).cloned();
        if before.as_ref() == network {
            return BTreeSet::new();
        }
        let moved = moved(before.as_deref(), network.map(|it| &**it));
        let mut ready = self.first_ready_nads(name, &moved);
        let mut touched = self.waiting_at(&moved);
        let concerns_nodes = self.concerns_nodes(name, before.as_deref(), network);
        self.index.built.put(name, network);
        self.index.node_subnets.build(name, network);
        touched.append(&mut self.waiting_at(&moved));
        if is_wider_or_narrower(before.as_deref(), network.map(|it| &**it)) {
            let after = self.first_ready_nads(name, &moved);
            ready.retain(|it, nad| after.get(it) != Some(nad));
        }
        let mut impact = Impact::new(self.lookup(), &self.default_nad);
        ready.keys().for_each(|it| impact.claims_on(it));
        if concerns_nodes {
            impact.all_nodes();
        }
        touched.append(&mut impact.finish());
        touched
    }

    /// The first ready NADs of a network, and of others that say that its NADs are theirs.
    fn first_ready_nads(
        &self,
        name: &NetworkName,
        nads: &BTreeSet<ObjectName>,
    ) -> BTreeMap<NetworkName, Option<ObjectName>> {
        let lookup = self.lookup();
        let others = nads.iter().flat_map(|it| lookup.index.built.who_leads(it));
        let all = others.chain([name]);
        all.map(|it| (it.clone(), lookup.first_ready_nad(it).cloned())).collect()
    }

    /// Whether nodes have to have other subnets when a network takes the place of another.
    fn concerns_nodes(
        &self,
        name: &NetworkName,
        before: Option<&Network>,
        after: Option<&Arc<Network>>,
    ) -> bool {
        let ranges = [before.and_then(Network::layer3), after.and_then(|it| it.layer3())];
        let [before_ranges, after_ranges] = ranges.map(|it| it.map(|it| &it.subnets));
        let comes_or_goes = before.is_some() != after.is_some();
        before_ranges != after_ranges
            || comes_or_goes && self.index.node_subnets.is_carried(name.as_str())
    }

    fn waiting_at(&self, nads: &BTreeSet<ObjectName>) -> BTreeSet<WorkItem> {
        let mut impact = Impact::new(self.lookup(), &self.default_nad);
        nads.iter().for_each(|it| impact.callers(it));
        impact.finish()
    }
}

/// The NADs that lead elsewhere when a network takes the place of another.
fn moved(before: Option<&Network>, after: Option<&Network>) -> BTreeSet<ObjectName> {
    let own = |it: Option<&Network>| {
        let all = it.into_iter().flat_map(|it| it.nads.iter().cloned());
        all.collect::<BTreeSet<ObjectName>>()
    };
    let (old, new) = (own(before), own(after));
    if is_wider_or_narrower(before, after) { &old ^ &new } else { &old | &new }
}

/// Whether only the NADs of a network are others.
fn is_wider_or_narrower(before: Option<&Network>, after: Option<&Network>) -> bool {
    before.zip(after).is_some_and(|(before, after)| {
        let Network {
            name,
            origin,
            topology,
            subnets,
            excluded,
            mtu,
            has_persistent_addresses,
            nads: _,
        } = before;
        (name, origin, topology) == (&after.name, &after.origin, &after.topology)
            && (subnets, excluded, mtu) == (&after.subnets, &after.excluded, &after.mtu)
            && *has_persistent_addresses == after.has_persistent_addresses
    })
}
