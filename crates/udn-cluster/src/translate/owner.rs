//! For whom a NAD was made.
//!
//! Invariant: a NAD is a network's own only if the owner's uid is right; a successor of the same
//! name is somebody else. Where somebody took the owner reference away, the marks count.

use udn_model::{Manifest, NetworkName, ObjectName, Subject};
use udn_wire::NadConfig;
use udn_wire::keys::{FINALIZER, MADE_LABEL, NETWORK_NAME};
use udn_wire::kind::Kind;
use udn_wire::object::{Metadata, Nad, OwnerReference};

use crate::work_item::WorkItem;
use crate::world::World;

/// Who made a NAD.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Manifest(Manifest),
    /// A UDN or CUDN that is no more.
    Gone,
    /// Somebody wrote it.
    Nobody,
}

impl Owner {
    pub(crate) fn subject(&self) -> Option<Subject> {
        match self {
            Self::Manifest(manifest) => Some(Subject::Manifest(manifest.clone())),
            Self::Gone | Self::Nobody => None,
        }
    }
}

/// Who made this NAD.
pub(crate) fn owner(world: &World, name: &ObjectName, nad: &Nad) -> Owner {
    let uid = maker(&nad.metadata).map(|reference| &reference.uid);
    let is = |metadata: &Metadata| uid.is_none_or(|uid| metadata.uid == *uid);
    match made_for(name, nad) {
        Some(WorkItem::Network(manifest)) => {
            let is_there = world.manifest(&manifest).is_some_and(|it| is(it.metadata));
            if is_there { Owner::Manifest(manifest) } else { Owner::Gone }
        }
        Some(
            WorkItem::HandWritten(_)
            | WorkItem::Node(_)
            | WorkItem::DefaultNad
            | WorkItem::Pod(_)
            | WorkItem::Claim(_),
        )
        | None => Owner::Nobody,
    }
}

/// The UDN or CUDN whose work item a NAD is: the one that its owner reference names, whether it is
/// there or not, else the one that its marks name.
pub(crate) fn made_for(name: &ObjectName, nad: &Nad) -> Option<WorkItem> {
    let Some(reference) = maker(&nad.metadata) else { return marked(name, nad) };
    if reference.kind == Kind::UserDefinedNetwork.as_str() {
        let udn = ObjectName::new(&name.namespace, &reference.name);
        return Some(WorkItem::Network(Manifest::Udn(udn)));
    }
    Some(WorkItem::Network(Manifest::Cudn(reference.name.clone())))
}

/// The UDN or CUDN that a NAD says it was made for.
pub(crate) fn maker(metadata: &Metadata) -> Option<&OwnerReference> {
    let kinds = [Kind::UserDefinedNetwork, Kind::ClusterUserDefinedNetwork];
    metadata.controller().filter(|reference| {
        kinds.iter().any(|kind| {
            kind.as_str() == reference.kind && kind.api_version() == reference.api_version
        })
    })
}

/// The same of a NAD with our finalizer and label, but without an owner.
fn marked(name: &ObjectName, nad: &Nad) -> Option<WorkItem> {
    let metadata = &nad.metadata;
    let is_ours = metadata.controller().is_none()
        && metadata.labels.contains_key(MADE_LABEL)
        && metadata.finalizers.iter().any(|it| it == FINALIZER);
    let network = metadata.annotation(NETWORK_NAME).filter(|_| is_ours)?;
    let makers = [
        WorkItem::Network(Manifest::Udn(name.clone())),
        WorkItem::Network(Manifest::Cudn(name.name.to_string())),
    ];
    makers.into_iter().find(|it| it.network().is_some_and(|it| it.as_str() == network))
}

/// The work item of a NAD that somebody wrote; `None` for one of another plugin.
///
/// A NAD that cannot be read has a work item of its own, named after it: names of networks that
/// UDNs and CUDNs ask for have no slash.
pub(crate) fn item_of_written(name: &ObjectName, nad: &Nad) -> Option<WorkItem> {
    let named = match NadConfig::decode(&nad.spec.config) {
        Ok(NadConfig::Foreign | NadConfig::DefaultNetwork) => return None,
        Ok(NadConfig::Network(config)) if !config.name.is_empty() => Some(config.name.clone()),
        Ok(NadConfig::Network(_)) | Err(_) => {
            nad.metadata.annotation(NETWORK_NAME).map(ToOwned::to_owned)
        }
    };
    let network = named.unwrap_or_else(|| name.to_string());
    Some(WorkItem::HandWritten(NetworkName::new(&network)))
}

/// Whose work item a NAD is; `None` for one of another plugin.
pub(crate) fn item_of_nad(name: &ObjectName, nad: &Nad) -> Option<WorkItem> {
    made_for(name, nad).or_else(|| item_of_written(name, nad))
}
