//! CUDNs that are for no namespace.
//!
//! Reads a world; returns a finding for each selector that matches nothing.
//! Invariant: a world without namespaces says nothing about selectors.

use udn_model::{Finding, Findings, Reason, Subject};

use crate::spec::{NamespaceIndex, selector_of_cudn};
use crate::world::World;

pub(super) fn idle(world: &World) -> Findings {
    if world.namespaces.is_empty() {
        return Findings::new();
    }
    let namespaces = NamespaceIndex::of(&world.namespaces);
    let mut findings = Findings::new();
    for (name, cudn) in &world.cluster_networks {
        let Some(selector) = selector_of_cudn(&cudn.spec) else { continue };
        let is_idle = namespaces.selected(&selector).is_empty();
        if is_idle && !cudn.metadata.is_leaving() {
            let subject = Subject::ClusterUserDefinedNetwork(name.clone());
            let message = "namespaceSelector matches no namespace, so that nobody gets the network; \
                           correct it or label a namespace";
            let finding = Finding::new(subject, Reason::NothingSelected, message);
            findings.push(finding.at("spec.namespaceSelector"));
        }
    }
    findings
}
