//! What the users and the nodes want, in plain words.
//!
//! Invariant: an intent says nothing about numbers; those that were granted before come along as
//! [`Published`].

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use serde::Serialize;

use crate::attachment::Attachment;
use crate::claim::Claim;
use crate::grants::Published;
use crate::names::{AttachmentKey, NetworkName, NodeName, ObjectName};
use crate::network::Network;
use crate::node::Node;

/// Everything wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Intent {
    pub networks: BTreeMap<NetworkName, Arc<Network>>,
    pub nodes: BTreeMap<NodeName, Node>,
    /// The attachments of each network.
    pub attachments: BTreeMap<NetworkName, BTreeMap<AttachmentKey, Attachment>>,
    /// The claims on addresses of these networks.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub claims: BTreeMap<ObjectName, Claim>,
    /// Services of the default network that primary networks may reach, with their addresses.
    pub allowed_services: BTreeMap<ObjectName, Vec<IpAddr>>,
    /// What was granted before, as annotations and NADs tell it.
    pub published: Published,
}

impl Intent {
    /// The attachments of one network, in order.
    pub fn attachments_of(&self, network: &NetworkName) -> impl Iterator<Item = &Attachment> {
        self.attachments.get(network).into_iter().flat_map(BTreeMap::values)
    }

    pub fn attachment(&self, network: &NetworkName, key: &AttachmentKey) -> Option<&Attachment> {
        self.attachments.get(network)?.get(key)
    }
}
