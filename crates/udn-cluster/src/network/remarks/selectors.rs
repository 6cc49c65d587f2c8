//! CUDNs that are for no namespace.
//!
//! Reads a CUDN and namespaces; returns a finding if its selector matches none of them.
//! Invariant: who is being deleted is told nothing.

use udn_model::{Finding, Manifest, Reason, Subject};
use udn_wire::object::ClusterUserDefinedNetwork;

use crate::spec::{NamespaceIndex, ReadSpec};

/// What one CUDN is told, if it is for none of these namespaces.
pub(super) fn idle(
    name: &str,
    cudn: &ClusterUserDefinedNetwork,
    namespaces: &NamespaceIndex<'_>,
) -> Option<Finding> {
    let spec = ReadSpec::of_cudn(&cudn.spec);
    if !namespaces.selected(spec.selector.as_ref()?).is_empty() || cudn.metadata.is_leaving() {
        return None;
    }
    let subject = Subject::Manifest(Manifest::Cudn(name.to_owned()));
    let message = "namespaceSelector matches no namespace, so that nobody gets the network; correct \
                   it or label a namespace";
    let finding = Finding::new(subject, Reason::NothingSelected, message);
    Some(finding.at("spec.namespaceSelector"))
}
