//! What is missing, so that a part cannot be drawn.
//!
//! Reads one missing thing; returns the finding about it.
//! Invariant: a finding says what to do, in one sentence.

use udn_model::{
    AttachmentKey, Family, Finding, Network, NetworkName, NodeId, NodeName, Reason, Subject,
};

/// One thing that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The network's numbers, or some of them.
    Numbers,
    /// A subnet of a network that needs one.
    Subnet,
    /// The node itself.
    Node(NodeName),
    NodeId(NodeName),
    Chassis(NodeName),
    Gateway(NodeName),
    /// The node's subnet in a layer-3 network.
    NodeSubnet(NodeName),
    /// Another name for the node: a switch of each primary layer-3 network has this one.
    NodeName(NodeName),
    /// The node still builds layer-2 networks the old way.
    TransitRouter(NodeName),
    /// An address for the node in a range of the network's.
    Address(Range, Family, NodeId),
    /// An address for the network in the cluster's masquerade subnet.
    Masquerade(Family),
    /// A join subnet of a layer-3 network that needs one.
    Join(Family),
    /// The attachment's addresses or its key.
    Attachment(AttachmentKey),
    /// Another name for the pod: its port would have that of the external bridge's.
    PortName(AttachmentKey),
}

/// A range in which every node has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    Join,
    Transit,
    /// Where the nodes of all layer-3 networks meet.
    TransitSwitch,
}

impl Missing {
    pub(crate) fn finding(&self, network: &Network) -> Finding {
        let name = &network.name;
        Finding::new(self.subject(name), self.reason(), self.sentence(name))
    }

    fn subject(&self, network: &NetworkName) -> Subject {
        match self {
            Self::Numbers
            | Self::Subnet
            | Self::Join(_)
            | Self::Address(..)
            | Self::Masquerade(_) => Subject::Network(network.clone()),
            Self::Node(node)
            | Self::NodeId(node)
            | Self::Chassis(node)
            | Self::Gateway(node)
            | Self::NodeSubnet(node)
            | Self::NodeName(node)
            | Self::TransitRouter(node) => Subject::Node(node.clone()),
            Self::Attachment(attachment) | Self::PortName(attachment) => {
                Subject::Pod(attachment.pod.clone())
            }
        }
    }

    fn reason(&self) -> Reason {
        match self {
            Self::Subnet | Self::Join(_) => Reason::InvalidSpec,
            Self::NodeName(_) | Self::PortName(_) => Reason::RowConflict,
            Self::Address(..) | Self::Masquerade(_) => Reason::PoolExhausted,
            Self::Numbers
            | Self::Node(_)
            | Self::NodeId(_)
            | Self::Chassis(_)
            | Self::Gateway(_)
            | Self::NodeSubnet(_)
            | Self::TransitRouter(_)
            | Self::Attachment(_) => Reason::Waiting,
        }
    }

    fn sentence(&self, network: &NetworkName) -> String {
        match self {
            Self::Numbers => format!(
                "network {network} has not all its numbers yet; if this lasts, see whether the \
                 cluster controller runs and what the network's status says"
            ),
            Self::Subnet => format!("network {network} is primary and has no subnet; give it one"),
            Self::Node(node) => format!(
                "node {node} does not exist, so network {network} has nothing there; add the node, \
                 or delete the pods that are left on it"
            ),
            Self::NodeId(node) => format!(
                "node {node} has no id yet, so network {network} leaves it out; if this lasts, see \
                 whether the cluster controller runs"
            ),
            Self::Chassis(node) => format!(
                "node {node} has not told its chassis, so network {network} leaves it out; see \
                 whether the node agent runs there"
            ),
            Self::Gateway(node) => format!(
                "node {node} has not told its gateway, so network {network} has no way out there; \
                 see whether the node agent runs and finds the external bridge"
            ),
            Self::TransitRouter(node) => format!(
                "node {node} still builds network {network} without a transit router, so they are \
                 not connected; upgrade the node"
            ),
            Self::NodeSubnet(node) => format!(
                "node {node} has no subnet in network {network} yet, so the network leaves it out; \
                 if this lasts, see the network's status and whether the cluster controller runs"
            ),
            Self::NodeName(node) => format!(
                "node {node} has the name of a switch that network {network} needs; give the node \
                 another name"
            ),
            Self::Join(family) => format!(
                "network {network} has no {family} join subnet; give it one, or set one for the \
                 cluster"
            ),
            Self::Address(range, family, id) => address_sentence(network, *range, *family, *id),
            Self::Masquerade(family) => format!(
                "the {family} masquerade subnet has no address for network {network}; set a larger \
                 one for the cluster"
            ),
            Self::Attachment(attachment) => format!(
                "pod {pod} has no addresses on network {network} yet; if this lasts, see the pod's \
                 events and whether the cluster controller runs",
                pod = attachment.pod
            ),
            Self::PortName(attachment) => format!(
                "pod {pod} would have a port of the same name as the node's external bridge; give \
                 the pod another name",
                pod = attachment.pod
            ),
        }
    }
}

fn address_sentence(network: &NetworkName, range: Range, family: Family, id: NodeId) -> String {
    match range {
        Range::Join => format!(
            "the {family} join subnet of network {network} has no address for node id {id}; give \
             the network a larger one"
        ),
        Range::Transit => format!(
            "the {family} transit subnet of network {network} has no addresses for node id {id}; \
             set a larger one for the cluster and create the network again"
        ),
        Range::TransitSwitch => format!(
            "the {family} transit subnet of the cluster has no address for node id {id} in network \
             {network}; set a larger one"
        ),
    }
}
