//! What only a layer-3 network has: ranges that are cut into subnets for nodes.
//!
//! Reads the settings for the default network; returns a network like any other.
//! Invariant: a node has at most one subnet of each family, whichever range it was cut from.

use serde::Serialize;

use super::{Network, Origin, PlatformAddresses, Primary, Role, Topology};
use crate::address::{ClusterSubnet, PerFamily, Subnet, Subnets};
use crate::names::NetworkName;
use crate::settings::ClusterSettings;

/// What only a layer-3 network has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Layer3 {
    /// Those of one family are used in the listed order.
    pub subnets: Vec<ClusterSubnet>,
    pub role: Role,
}

impl PlatformAddresses {
    /// What a layer-3 network keeps in a node's subnets: the first address is the pods' gateway, the
    /// second the host's. IPv4 first, whatever the order of the annotation.
    // compat: pkg/util/util.go, GetNodeGatewayIfAddr and GetNodeManagementIfAddr
    pub fn on_node(subnets: &PerFamily<Subnet>) -> Vec<Self> {
        let nobody_chooses = Primary::default();
        subnets.iter().map(|subnet| Self::choose(*subnet, &nobody_chooses)).collect()
    }
}

impl Network {
    /// The name of the default network.
    pub const DEFAULT: &str = "default";

    /// The cluster's default network, if it is ours to build.
    pub fn of_settings(settings: &ClusterSettings) -> Option<Self> {
        let role = Role::Primary(Primary { join: settings.default_join, ..Primary::default() });
        let layer3 = Layer3 { subnets: settings.cluster_subnets.clone(), role };
        settings.builds_default_network.then(|| Self {
            name: NetworkName::new(Self::DEFAULT),
            origin: Origin::Settings,
            topology: Topology::Layer3(layer3),
            subnets: Subnets::default(),
            excluded: Vec::new(),
            mtu: None,
            has_persistent_addresses: false,
            nads: Vec::new(),
        })
    }
}
