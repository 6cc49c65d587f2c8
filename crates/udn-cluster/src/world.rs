//! The Kubernetes objects that matter to networks, as one snapshot.
//!
//! Invariant: an object stands under the name that its metadata carries, and has a uid.

use udn_model::{Manifest, NodeName, ObjectName};
use udn_wire::SpecText;
use udn_wire::api::NetworkStatus;
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

/// A UDN or a CUDN, as far as they are alike.
#[derive(Debug, Clone, Copy)]
pub struct ManifestObject<'w> {
    pub metadata: &'w Metadata,
    pub spec: &'w SpecText,
    pub status: &'w NetworkStatus,
}

impl World {
    /// The object of a UDN or a CUDN.
    pub fn manifest(&self, name: &Manifest) -> Option<ManifestObject<'_>> {
        match name {
            Manifest::Udn(name) => {
                let UserDefinedNetwork { metadata, spec, status } = self.networks.get(name)?;
                Some(ManifestObject { metadata, spec, status })
            }
            Manifest::Cudn(name) => {
                let ClusterUserDefinedNetwork { metadata, spec, status } =
                    self.cluster_networks.get(name)?;
                Some(ManifestObject { metadata, spec, status })
            }
        }
    }

    /// Reads manifests: YAML or JSON, any number of documents in each source.
    ///
    /// A source is its name, for messages, and its bytes. What cannot be read is told and left
    /// out; the rest is in the world.
    pub fn read<'a>(sources: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Reading {
        Reading::of(sources)
    }
}
