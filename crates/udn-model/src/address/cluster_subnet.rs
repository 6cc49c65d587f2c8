//! A range from which each node gets a subnet of its own.
//!
//! Invariant: none beyond its fields; whether it can be cut so is judged where it is read.

use serde::Serialize;

use super::{Family, Subnet};

/// A range, and how long the prefix of a node's part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterSubnet {
    pub subnet: Subnet,
    pub host_prefix_len: u8,
}

impl ClusterSubnet {
    /// How long the prefix of a node's part is where nobody says so.
    // compat: pkg/config/utils.go, ParseClusterSubnetEntries
    pub fn usual_host_prefix_len(family: Family) -> u8 {
        match family {
            Family::V4 => 24,
            Family::V6 => 64,
        }
    }
}
