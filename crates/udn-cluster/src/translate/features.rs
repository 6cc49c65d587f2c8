//! What networks ask for that is switched off.
//!
//! Reads a proposal and the switches; returns refusals.
//! Invariant: nothing is dropped silently: a new network is refused, a living one keeps what it has
//! and is told.

use udn_model::Reason;
use udn_model::settings::Features;
use udn_wire::refusal::Refusal;

use super::proposal::Proposal;

/// All that is asked for in vain.
pub(super) fn objections(proposal: &Proposal, features: &Features) -> Vec<Refusal> {
    let mut objections = Vec::new();
    if proposal.network.is_primary() && !features.primary_networks {
        objections.push(beside_a_foreign_default(proposal).at(proposal.path("role")));
    }
    if proposal.network.has_persistent_addresses && !features.persistent_addresses {
        let what = match proposal.maker {
            Some(_) => "ipam.lifecycle Persistent asks",
            None => "allowPersistentIPs asks",
        };
        let attachment_request = AttachmentRequest {
            what,
            is: "for persistent addresses",
            switch: "--enable-persistent-ips",
        };
        objections.push(attachment_request.refuse(proposal).at(proposal.path("ipam.lifecycle")));
    }
    if !features.requested_addresses {
        let asked = ranges_asked_for(proposal).into_iter();
        objections.extend(asked.map(|(what, field)| {
            let switch = "--enable-preconfigured-udn-addresses";
            let attachment_request =
                AttachmentRequest { what, is: "for preconfigured addresses", switch };
            attachment_request.refuse(proposal).at(proposal.path(field))
        }));
    }
    objections
}

/// Where another plugin builds the default network, it gives pods their first interface.
fn beside_a_foreign_default(proposal: &Proposal) -> Refusal {
    let why = "role Primary asks to be the first network of pods, which is another plugin's in this \
               cluster (--default-network foreign)";
    match proposal.id {
        Some(_) => Refusal::new(
            Reason::FeatureKept,
            format!("{why}; this network stays as it is, but new pods do not get on it"),
        ),
        None => Refusal::new(
            Reason::FeatureOff,
            format!("{why}; use role Secondary and name the network in pods' annotations"),
        ),
    }
}

/// The fields by which a network prepares for workloads that ask for addresses.
fn ranges_asked_for(proposal: &Proposal) -> Vec<(&'static str, &'static str)> {
    let Some(primary) = proposal.network.primary() else { return Vec::new() };
    let fields = [
        ("reservedSubnets asks", "reservedSubnets", primary.reserved.is_empty()),
        ("infrastructureSubnets asks", "infrastructureSubnets", primary.infrastructure.is_empty()),
        ("defaultGatewayIPs asks", "defaultGatewayIPs", primary.chosen_gateways.is_empty()),
    ];
    let asked = fields.into_iter().filter(|(_, _, is_empty)| !is_empty);
    asked.map(|(what, field, _)| (what, field)).collect()
}

/// A field and what it requests.
struct AttachmentRequest {
    what: &'static str,
    is: &'static str,
    switch: &'static str,
}

impl AttachmentRequest {
    fn refuse(&self, proposal: &Proposal) -> Refusal {
        let Self { what, is, switch } = self;
        if proposal.id.is_some() {
            let message = format!(
                "{what} {is}, which were switched off since; this network keeps them, but one made \
                 anew would not get them, so switch them on again ({switch})"
            );
            return Refusal::new(Reason::FeatureKept, message);
        }
        let object = if proposal.maker.is_some() { "it" } else { "the key" };
        let message = format!(
            "{what} {is}, which are switched off in this cluster; remove {object}, or have them \
             switched on ({switch})"
        );
        Refusal::new(Reason::FeatureOff, message)
    }
}
