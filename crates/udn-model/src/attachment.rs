//! An attachment: one pod's request to be on one network.
//!
//! Invariant: an attachment exists only for a pod that runs, or is about to run, on a node.

use std::net::IpAddr;

use serde::Serialize;
use strict_net::IpNet;

use crate::claim::AddressRequest;
use crate::names::{AttachmentKey, NetworkName, NodeName, ObjectName};

/// One pod on one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attachment {
    pub key: AttachmentKey,
    pub network: NetworkName,
    pub node: NodeName,
    /// Tells a pod from a later one of the same name.
    pub pod_uid: String,
    /// When the pod was made, as Kubernetes writes times: of two who carry one address, the older
    /// keeps it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub created: String,
    /// The name of the link inside the pod, if the user chose one.
    pub interface: Option<String>,
    /// Which addresses the pod asks for.
    #[serde(skip_serializing_if = "AddressRequest::is_empty")]
    pub request: AddressRequest,
    /// The claim whose addresses the pod uses; only where the network has persistent addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ObjectName>,
    /// The virtual machine that runs in the pod: all its pods are one holder of addresses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<ObjectName>,
    /// Where the pod asks its default routes to lead, instead of the network's own gateways.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gateways: Vec<IpAddr>,
    /// What the pod's port on the default network is closed by; `None` where it is an ordinary one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<Lock>,
}

impl Attachment {
    /// An attachment that asks for nothing in particular.
    pub fn new(
        key: AttachmentKey,
        network: NetworkName,
        node: NodeName,
        pod_uid: impl Into<String>,
    ) -> Self {
        Self {
            key,
            network,
            node,
            pod_uid: pod_uid.into(),
            created: String::new(),
            interface: None,
            request: AddressRequest::default(),
            claim: None,
            machine: None,
            gateways: Vec::new(),
            lock: None,
        }
    }
}

/// The port of a pod whose main network is another: its node reaches it, and nobody else does, save
/// where the pod opens it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Lock {
    /// In the order in which the pod tells them.
    pub open_ports: Vec<OpenPort>,
}

/// What anybody may reach of a locked port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenPort {
    Tcp(u16),
    Udp(u16),
    Sctp(u16),
    Icmp,
}

/// A route in a pod, besides the default one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Route {
    pub destination: IpNet,
    pub next_hop: IpAddr,
}
