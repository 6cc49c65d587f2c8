//! Whom the pods of a namespace wait for while no primary network is ready there.
//!
//! Reads the cache; returns the UDN, the CUDN or the hand-written network that is to be the primary one.
//! Invariant: who is leaving is not waited for.

use udn_model::ObjectName;
use udn_wire::keys::PRIMARY_LABEL;
use udn_wire::object::Namespace;

use super::lookup::Lookup;
use super::summaries::NetworkSummary;
use crate::work_item::WorkItem;

impl Lookup<'_> {
    /// Whether pods of a namespace are promised a primary network that they cannot have yet.
    pub(crate) fn is_deserted(self, namespace: &str) -> bool {
        let object = self.world.namespaces.get(namespace);
        object.is_some_and(|it| it.metadata.labels.contains_key(PRIMARY_LABEL))
            && self.primary_nad(namespace).is_none()
    }

    /// The first of those who want to be the namespace's primary network, as long as none is.
    pub(crate) fn awaited(self, namespace: &str) -> Option<WorkItem> {
        self.awaited_in(namespace, self.world.namespaces.get(namespace))
    }

    /// The same if the namespace were like this, or not there.
    pub(crate) fn awaited_in(self, name: &str, namespace: Option<&Namespace>) -> Option<WorkItem> {
        if self.primary_nad(name).is_some() {
            return None;
        }
        let mut all = self.askers_of(name, namespace);
        let manifests = &self.index.manifests;
        all.retain(|it| manifests.get(it).is_some_and(NetworkSummary::is_promise));
        all.extend(self.summaries_in(name).filter_map(|(name, _)| self.written_promise(name)));
        all.pop_first()
    }

    /// The network of a NAD that somebody wrote for it, if it is a primary one.
    pub(crate) fn written_promise(self, name: &ObjectName) -> Option<WorkItem> {
        let summary = self.index.nads.get(name).filter(|it| it.is_primary)?;
        let is_leaving = self.world.nads.get(name)?.metadata.is_leaving();
        let home = summary.home.as_ref().filter(|it| matches!(it, WorkItem::HandWritten(_)));
        home.filter(|_| !is_leaving).cloned()
    }
}
