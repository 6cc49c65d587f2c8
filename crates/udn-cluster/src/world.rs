//! The Kubernetes objects that matter to networks, as one snapshot.
//!
//! Invariant: an object stands under the name that its metadata carries, and has a uid.

use udn_model::{NodeName, ObjectName};
use udn_wire::api::ClaimStatus;
use udn_wire::object::{
    ClusterUserDefinedNetwork, IpamClaim, Machine, Metadata, Nad, Namespace, Node,
    NodeNetworkReport, Pod, Service, UserDefinedNetwork,
};

mod identity;
mod insert;
mod objects;
mod put;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use insert::Object;
pub use insert::Refused;
pub use objects::Objects;
pub use read::{Problem, Reading};

/// One snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct World {
    pub namespaces: Objects<String, Namespace>,
    pub nodes: Objects<NodeName, Node>,
    /// UDNs.
    pub networks: Objects<ObjectName, UserDefinedNetwork>,
    /// CUDNs.
    pub cluster_networks: Objects<String, ClusterUserDefinedNetwork>,
    /// NADs.
    pub nads: Objects<ObjectName, Nad>,
    pub services: Objects<ObjectName, Service>,
    pub pods: Objects<ObjectName, Pod>,
    /// What nodes say of their networks.
    pub reports: Objects<NodeName, NodeNetworkReport>,
    /// IPAMClaims.
    pub claims: Objects<ObjectName, IpamClaim>,
    /// Virtual machines that run.
    pub machines: Objects<ObjectName, Machine>,
}

impl World {
    /// Reads manifests: YAML or JSON, any number of documents in each source.
    ///
    /// A source is its name, for messages, and its bytes. What cannot be read is told and left
    /// out; the rest is in the world.
    pub fn read<'a>(sources: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Reading {
        Reading::of(sources)
    }

    /// Lays publications over the objects that they are about.
    ///
    /// Annotations of `over` win, key by key. NADs of `over` that carry a configuration are added
    /// where there is none of that name, and replace one that was made for the same network. Claims
    /// get the addresses of `over` unless they have some.
    /// Everything else of `over` is about objects that are gone, and is ignored.
    pub fn merge(&mut self, over: Self) {
        lay(&mut self.namespaces, over.namespaces, |it| &mut it.metadata);
        lay(&mut self.nodes, over.nodes, |it| &mut it.metadata);
        lay(&mut self.networks, over.networks, |it| &mut it.metadata);
        lay(&mut self.cluster_networks, over.cluster_networks, |it| &mut it.metadata);
        lay(&mut self.services, over.services, |it| &mut it.metadata);
        lay(&mut self.pods, over.pods, |it| &mut it.metadata);
        for (name, claim) in over.claims {
            self.lay_claim(&name, claim);
        }
        for (name, nad) in over.nads {
            self.lay_nad(name, nad);
        }
    }

    /// What a claim was bound to; what its own manifest says comes first.
    fn lay_claim(&mut self, name: &ObjectName, mut over: IpamClaim) {
        let Some(under) = self.claims.get_mut(name) else { return };
        under.metadata.annotations.append(&mut over.metadata.annotations);
        let ClaimStatus { ips, owner_pod, conditions: _ } = over.status;
        under.status.ips = under.status.ips.take().filter(|it| !it.is_empty()).or(ips);
        under.status.owner_pod = owner_pod;
    }

    fn lay_nad(&mut self, name: ObjectName, mut over: Nad) {
        let Some(under) = self.nads.get_mut(&name) else {
            if !over.spec.config.is_empty() {
                self.nads.insert(name, over);
            }
            return;
        };
        let controller = under.metadata.controller();
        let is_ours = controller.is_some() && controller == over.metadata.controller();
        if is_ours && !over.spec.config.is_empty() {
            *under = over;
        } else {
            under.metadata.annotations.append(&mut over.metadata.annotations);
        }
    }
}

fn lay<Name: Ord, Object: Clone>(
    under: &mut Objects<Name, Object>,
    over: Objects<Name, Object>,
    metadata: fn(&mut Object) -> &mut Metadata,
) {
    for (name, mut object) in over {
        if let Some(standing) = under.get_mut(&name) {
            metadata(standing).annotations.append(&mut metadata(&mut object).annotations);
        }
    }
}
