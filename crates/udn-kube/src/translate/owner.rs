//! For whom a NAD was made.
//!
//! Invariant: a NAD is a network's own only if the owner's uid is right; a successor of the same
//! name is somebody else.

use udn_model::{ObjectName, Subject};

use crate::kind::Kind;
use crate::object::{Definition, Metadata, OwnerReference};
use crate::world::World;

/// Who made a NAD.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    UserDefinedNetwork(ObjectName),
    ClusterUserDefinedNetwork(String),
    /// A UDN or CUDN that is no more.
    Gone,
    /// Somebody wrote it.
    Nobody,
}

impl Owner {
    pub(crate) fn subject(&self) -> Option<Subject> {
        match self {
            Self::UserDefinedNetwork(name) => Some(Subject::UserDefinedNetwork(name.clone())),
            Self::ClusterUserDefinedNetwork(name) => {
                Some(Subject::ClusterUserDefinedNetwork(name.clone()))
            }
            Self::Gone | Self::Nobody => None,
        }
    }
}

/// Who made this NAD.
pub(crate) fn owner(world: &World, name: &ObjectName, definition: &Definition) -> Owner {
    let Some(reference) = maker(&definition.metadata) else { return Owner::Nobody };
    let is = |metadata: &Metadata| metadata.uid == reference.uid;
    if reference.kind == Kind::UserDefinedNetwork.as_str() {
        let udn = ObjectName::new(&name.namespace, &reference.name);
        let is_there = world.networks.get(&udn).is_some_and(|it| is(&it.metadata));
        return if is_there { Owner::UserDefinedNetwork(udn) } else { Owner::Gone };
    }
    match world.cluster_networks.get(&reference.name) {
        Some(cudn) if is(&cudn.metadata) => {
            Owner::ClusterUserDefinedNetwork(reference.name.clone())
        }
        Some(_) | None => Owner::Gone,
    }
}

/// The UDN or CUDN that a NAD says it was made for.
pub(super) fn maker(metadata: &Metadata) -> Option<&OwnerReference> {
    let kinds = [Kind::UserDefinedNetwork, Kind::ClusterUserDefinedNetwork];
    metadata.controller().filter(|reference| {
        kinds.iter().any(|kind| {
            kind.as_str() == reference.kind && kind.api_version() == reference.api_version
        })
    })
}
