//! What a zone is drawn from: intent, grants, settings, and whose zone it is.
//!
//! Invariant: the input is only read; nothing in it changes while a zone is drawn.

use udn_model::{
    Attachment, ChassisName, ClusterSettings, Family, Grants, Intent, Network, NetworkName, Node,
    NodeName, Topology,
};

/// What a zone is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct DrawingInput<'a> {
    pub intent: &'a Intent,
    pub grants: &'a Grants,
    pub settings: &'a ClusterSettings,
    /// The node whose databases are drawn.
    pub zone: &'a NodeName,
}

impl<'a> DrawingInput<'a> {
    pub(crate) fn network(&self, name: &NetworkName) -> Option<&'a Network> {
        self.intent.networks.get(name).map(AsRef::as_ref)
    }

    pub(crate) fn node(&self, name: &NodeName) -> Option<&'a Node> {
        self.intent.nodes.get(name)
    }

    pub(crate) fn is_own(&self, node: &NodeName) -> bool {
        node == self.zone
    }

    /// The zone's own chassis, once the node has told it.
    pub(crate) fn own_chassis(&self) -> Option<&'a ChassisName> {
        self.node(self.zone)?.chassis.as_ref()
    }

    /// Whether the attachment has a port in this zone.
    pub(crate) fn has_port(&self, network: &Network, attachment: &Attachment) -> bool {
        match network.topology {
            Topology::Layer2(_) => true,
            // Other nodes' pods are reached through routers, or through the network outside.
            Topology::Layer3(_) | Topology::Localnet(_) => self.is_own(&attachment.node),
        }
    }

    /// The families in which gateway routers have addresses: the cluster's, whichever of them the
    /// network itself uses.
    // compat: pkg/generator/udn, join and masquerade addresses follow config.IPv4Mode and IPv6Mode
    pub(crate) fn families(&self, network: &Network) -> impl Iterator<Item = Family> {
        let is_used = |family: &Family| {
            self.settings.families.contains(family) || network.families().any(|it| it == *family)
        };
        Family::BOTH.into_iter().filter(is_used)
    }
}
