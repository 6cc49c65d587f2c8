//! Puts single objects into a world, and takes them out.
//!
//! Invariant: an object stands under the name in its metadata.

use udn_model::{NodeName, ObjectName};
use udn_wire::Target;
use udn_wire::kind::Kind;
use udn_wire::object::{AnyObject, Metadata};

use super::{Objects, World};

impl World {
    /// Puts an object in the place of the one that had its name; returns that one.
    pub fn put(&mut self, object: AnyObject) -> Option<AnyObject> {
        match object {
            AnyObject::Namespace(it) => {
                let name = it.metadata.name.clone();
                self.namespaces.insert(name, it).map(AnyObject::Namespace)
            }
            AnyObject::Node(it) => {
                let name = NodeName::new(&it.metadata.name);
                self.nodes.insert(name, it).map(AnyObject::Node)
            }
            AnyObject::UserDefinedNetwork(it) => {
                let name = full_name(&it.metadata);
                self.networks.insert(name, it).map(AnyObject::UserDefinedNetwork)
            }
            AnyObject::ClusterUserDefinedNetwork(it) => {
                let name = it.metadata.name.clone();
                self.cluster_networks.insert(name, it).map(AnyObject::ClusterUserDefinedNetwork)
            }
            AnyObject::Nad(it) => {
                let name = full_name(&it.metadata);
                self.nads.insert(name, it).map(AnyObject::Nad)
            }
            AnyObject::Service(it) => {
                let name = full_name(&it.metadata);
                self.services.insert(name, it).map(AnyObject::Service)
            }
            AnyObject::Pod(it) => {
                let name = full_name(&it.metadata);
                self.pods.insert(name, it).map(AnyObject::Pod)
            }
            AnyObject::Report(it) => {
                let name = NodeName::new(&it.metadata.name);
                self.reports.insert(name, it).map(AnyObject::Report)
            }
            AnyObject::Claim(it) => {
                let name = full_name(&it.metadata);
                self.claims.insert(name, it).map(AnyObject::Claim)
            }
            AnyObject::Machine(it) => {
                let name = full_name(&it.metadata);
                self.machines.insert(name, it).map(AnyObject::Machine)
            }
        }
    }

    /// All objects of a kind.
    pub fn of_kind(&self, kind: Kind) -> Vec<AnyObject> {
        fn all<Name: Ord, Object: Clone>(
            objects: &Objects<Name, Object>,
            wrap: fn(Object) -> AnyObject,
        ) -> Vec<AnyObject> {
            objects.values().cloned().map(wrap).collect()
        }
        match kind {
            Kind::Namespace => all(&self.namespaces, AnyObject::Namespace),
            Kind::Node => all(&self.nodes, AnyObject::Node),
            Kind::UserDefinedNetwork => all(&self.networks, AnyObject::UserDefinedNetwork),
            Kind::ClusterUserDefinedNetwork => {
                all(&self.cluster_networks, AnyObject::ClusterUserDefinedNetwork)
            }
            Kind::Nad => all(&self.nads, AnyObject::Nad),
            Kind::Service => all(&self.services, AnyObject::Service),
            Kind::Pod => all(&self.pods, AnyObject::Pod),
            Kind::Report => all(&self.reports, AnyObject::Report),
            Kind::Claim => all(&self.claims, AnyObject::Claim),
            Kind::Machine => all(&self.machines, AnyObject::Machine),
        }
    }

    /// Takes an object out.
    pub fn take(&mut self, target: &Target) -> Option<AnyObject> {
        let Target { kind, namespace, name } = target;
        let full = ObjectName::new(namespace, name);
        let node = NodeName::new(name);
        match kind {
            Kind::Namespace => self.namespaces.remove(name).map(AnyObject::Namespace),
            Kind::Node => self.nodes.remove(&node).map(AnyObject::Node),
            Kind::UserDefinedNetwork => {
                self.networks.remove(&full).map(AnyObject::UserDefinedNetwork)
            }
            Kind::ClusterUserDefinedNetwork => {
                self.cluster_networks.remove(name).map(AnyObject::ClusterUserDefinedNetwork)
            }
            Kind::Nad => self.nads.remove(&full).map(AnyObject::Nad),
            Kind::Service => self.services.remove(&full).map(AnyObject::Service),
            Kind::Pod => self.pods.remove(&full).map(AnyObject::Pod),
            Kind::Report => self.reports.remove(&node).map(AnyObject::Report),
            Kind::Claim => self.claims.remove(&full).map(AnyObject::Claim),
            Kind::Machine => self.machines.remove(&full).map(AnyObject::Machine),
        }
    }
}

fn full_name(metadata: &Metadata) -> ObjectName {
    ObjectName::new(&metadata.namespace, &metadata.name)
}
