//! Names of links on nodes that a network would take.
//!
//! Our own nodes name no link after a network (docs/decisions/0008). A node that runs the other
//! project names the routing domain of a primary CUDN after the CUDN, if the name is short enough,
//! and a cluster is moved over node by node; so names that the node's own links have are refused.
//! Invariant: only names that every node of either kind has, or may have, are refused.

use udn_model::{Manifest, Reason, Subject};
use udn_wire::refusal::Refusal;

use super::proposal::Proposal;

/// The longest name of a link.
const LONGEST: usize = 15;

/// Links that nodes have, whatever their networks are.
const TAKEN: [&str; 4] = ["lo", "br-int", "br-ex", "ovs-system"];

/// Why a CUDN cannot have its name, if so.
// compat: pkg/util/multi_network.go, GetNetworkVRFName
pub(super) fn objection(proposal: &Proposal) -> Option<Refusal> {
    let Some(Subject::Manifest(Manifest::Cudn(name))) = &proposal.maker else { return None };
    let is_taken = proposal.network.is_primary() && is_taken(name);
    is_taken.then(|| {
        let message = format!(
            "nodes have a link {name}, and those that run OVN-Kubernetes would name the network's \
             routing domain so too; choose another name"
        );
        Refusal::new(Reason::DeviceNameTaken, message).at("metadata.name")
    })
}

fn is_taken(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let management = name.strip_prefix("ovn-k8s-mp");
    let domain = name.strip_prefix("mp").and_then(|rest| rest.strip_suffix("-udn-vrf"));
    name.len() <= LONGEST
        && (TAKEN.contains(&name) || [management, domain].into_iter().flatten().any(is_number))
}
