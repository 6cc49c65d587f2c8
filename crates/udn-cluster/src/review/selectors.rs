//! CUDNs that are for no namespace.
//!
//! Reads CUDNs and namespaces; returns a finding for each selector that matches nothing.
//! Invariant: a world without namespaces says nothing about selectors.

use udn_model::{Finding, Findings, Reason, Subject};
use udn_wire::object::ClusterUserDefinedNetwork;

use crate::spec::{NamespaceIndex, selector_of_cudn};
use crate::world::World;

/// All in a world.
pub(super) fn all_idle(world: &World) -> Findings {
    if world.namespaces.is_empty() {
        return Findings::new();
    }
    let namespaces = NamespaceIndex::of(&world.namespaces);
    let all = world.cluster_networks.iter();
    all.filter_map(|(name, cudn)| idle(name, cudn, &namespaces)).collect()
}

/// What one CUDN is told, if it is for none of these namespaces.
pub(crate) fn idle(
    name: &str,
    cudn: &ClusterUserDefinedNetwork,
    namespaces: &NamespaceIndex<'_>,
) -> Option<Finding> {
    let selector = selector_of_cudn(&cudn.spec.value())?;
    if !namespaces.selected(&selector).is_empty() || cudn.metadata.is_leaving() {
        return None;
    }
    let subject = Subject::ClusterUserDefinedNetwork(name.to_owned());
    let message = "namespaceSelector matches no namespace, so that nobody gets the network; correct \
                   it or label a namespace";
    let finding = Finding::new(subject, Reason::NothingSelected, message);
    Some(finding.at("spec.namespaceSelector"))
}
