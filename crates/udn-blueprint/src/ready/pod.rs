//! An attachment that has its addresses, on a node that OVN knows.
//!
//! Invariant: on a layer-2 network the port has a key, so that all zones mean the same port by it.

use udn_model::{Attachment, AttachmentGrant, ChassisName, Network, Node, PortKey, Topology};

use super::ReadyNetwork;
use crate::input::DrawingInput;
use crate::missing::Missing;
use crate::names::{self, Prefix};

/// One pod on one network.
#[derive(Debug)]
pub(crate) struct ReadyPod<'a> {
    pub(crate) network: ReadyNetwork<'a>,
    pub(crate) attachment: &'a Attachment,
    pub(crate) grant: &'a AttachmentGrant,
    pub(crate) chassis: &'a ChassisName,
    /// Only on a layer-2 network.
    pub(crate) key: Option<PortKey>,
}

impl<'a> ReadyPod<'a> {
    pub(crate) fn of(
        input: &DrawingInput<'a>,
        network: &'a Network,
        attachment: &'a Attachment,
    ) -> Result<Self, Missing> {
        let missing = || Missing::Attachment(attachment.key.clone());
        let node = &attachment.node;
        let found = input.node(node).ok_or_else(|| Missing::Node(node.clone()))?;
        let grant = input.grants.attachment(&network.name, &attachment.key).ok_or_else(missing)?;
        if has_bridge_name(found, network, attachment) {
            return Err(Missing::PortName(attachment.key.clone()));
        }
        let key = match network.topology {
            Topology::Layer2(_) => Some(grant.port_key.ok_or_else(missing)?),
            Topology::Layer3(_) | Topology::Localnet(_) => None,
        };
        Ok(Self {
            network: ReadyNetwork::of(input, network)?,
            attachment,
            grant,
            chassis: found.chassis.as_ref().ok_or_else(|| Missing::Chassis(node.clone()))?,
            key,
        })
    }
}

/// Whether the port would have the name of the default network's port to the external bridge.
fn has_bridge_name(node: &Node, network: &Network, attachment: &Attachment) -> bool {
    let bridge = node.gateway.as_ref().filter(|_| network.is_default());
    let bridge = bridge.map(|it| names::bridge_port(&it.bridge, &Prefix::none(), &node.name));
    bridge.is_some_and(|name| name == names::pod_port(&attachment.key))
}
