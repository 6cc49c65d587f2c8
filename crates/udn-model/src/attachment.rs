//! An attachment: one pod's wish to be on one network.
//!
//! Invariant: an attachment exists only for a pod that runs, or is about to run, on a node.

use std::net::IpAddr;

use serde::Serialize;
use strict_net::IpNet;

use crate::names::{AttachmentKey, NetworkName, NodeName};

/// One pod on one network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attachment {
    pub key: AttachmentKey,
    pub network: NetworkName,
    pub node: NodeName,
    /// Tells a pod from a later one of the same name.
    pub pod_uid: String,
    /// The name of the link inside the pod, if the user chose one.
    pub interface: Option<String>,
}

/// A route in a pod, besides the default one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Route {
    pub destination: IpNet,
    pub next_hop: IpAddr,
}
