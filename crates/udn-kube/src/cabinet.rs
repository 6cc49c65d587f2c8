//! All objects of a cluster that matter to networks, in order and indexed.
//!
//! Reads states of objects as a server tells them; tells which affairs each change touches, and
//! hands out the part of the world that one affair needs.
//! Invariant: a turn on a slice gives what a turn on the whole world would give for that affair.

use std::collections::BTreeSet;

use udn_model::ObjectName;

use crate::affair::Affair;
use crate::kind::Kind;
use crate::object::{
    AnyObject, ClusterUserDefinedNetwork, Definition, Metadata, Namespace, Node, NodeNetworkReport,
    Pod, Service, UserDefinedNetwork,
};
use crate::office::Slice;
use crate::render::Target;
use crate::world::World;

mod cards;
mod change;
mod crowd;
mod filed;
mod gather;
mod index;
mod labels;
mod reach;
#[cfg(test)]
mod tests;
mod versions;
mod view;

use index::Index;
use versions::Versions;
use view::View;

/// The cabinet.
#[derive(Debug)]
pub struct Cabinet {
    world: World,
    index: Index,
    versions: Versions,
    default_definition: ObjectName,
}

impl Cabinet {
    /// An empty cabinet; it is told the name of the default network's NAD.
    pub fn new(default_definition: ObjectName) -> Self {
        let (world, index, versions) = Default::default();
        Self { world, index, versions, default_definition }
    }

    /// Takes in a state of an object; a state that is not newer than the one here changes nothing.
    pub fn put(&mut self, object: AnyObject) -> BTreeSet<Affair> {
        match object {
            AnyObject::Namespace(it) => self.take_in(it),
            AnyObject::Node(it) => self.take_in(it),
            AnyObject::UserDefinedNetwork(it) => self.take_in(it),
            AnyObject::ClusterUserDefinedNetwork(it) => self.take_in(it),
            AnyObject::Definition(it) => self.take_in(it),
            AnyObject::Service(it) => self.take_in(it),
            AnyObject::Pod(it) => self.take_in(it),
            AnyObject::Report(it) => self.take_in(it),
        }
    }

    /// Takes an object out. `version` is that of the deletion; an object that was made again
    /// since, with a higher version, stays.
    pub fn remove(&mut self, target: &Target, version: u64) -> BTreeSet<Affair> {
        match target.kind {
            Kind::Namespace => self.take_out::<Namespace>(target, version),
            Kind::Node => self.take_out::<Node>(target, version),
            Kind::UserDefinedNetwork => self.take_out::<UserDefinedNetwork>(target, version),
            Kind::ClusterUserDefinedNetwork => {
                self.take_out::<ClusterUserDefinedNetwork>(target, version)
            }
            Kind::Definition => self.take_out::<Definition>(target, version),
            Kind::Service => self.take_out::<Service>(target, version),
            Kind::Pod => self.take_out::<Pod>(target, version),
            Kind::Report => self.take_out::<NodeNetworkReport>(target, version),
        }
    }

    /// Takes in a list of all objects of a kind, as it was at a version: what is not in it goes,
    /// unless it is newer than the list. A list that is older than the last one changes nothing.
    pub fn replace(
        &mut self,
        kind: Kind,
        objects: Vec<AnyObject>,
        version: u64,
    ) -> BTreeSet<Affair> {
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
            Kind::Definition => self.drop_unlisted::<Definition>(&listed, version),
            Kind::Service => self.drop_unlisted::<Service>(&listed, version),
            Kind::Pod => self.drop_unlisted::<Pod>(&listed, version),
            Kind::Report => self.drop_unlisted::<NodeNetworkReport>(&listed, version),
        });
        self.versions.end_list(kind, version);
        touched
    }

    /// Everything.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All affairs that there are now.
    pub fn affairs(&self) -> BTreeSet<Affair> {
        let manifests = self.index.manifests.keys();
        let homes = self.index.by_home.keys();
        let nodes = self.world.nodes.keys().cloned().map(Affair::Node);
        let networks = manifests.chain(homes).cloned();
        networks.chain(nodes).chain([Affair::DefaultDefinition]).collect()
    }

    /// What a turn of an affair needs to see.
    pub fn slice(&self, affair: &Affair) -> Slice {
        let world = gather::gather(self.view(), affair, &self.default_definition);
        Slice { affair: affair.clone(), world, roster: self.index.roster.clone() }
    }
}
