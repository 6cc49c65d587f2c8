//! Every name that a network has in OVN, one function each.
//!
//! Reads networks, nodes and attachments; returns OVN's spelling.
//! Invariant: the names are wire facts: another controller on the same database, and the node's own
//! switch, know rows by the same ones.

use std::fmt;
use std::sync::Arc;

use udn_model::{AttachmentKey, ChassisName, Network, NetworkName, NodeName, ObjectName};

pub mod ids;
#[cfg(test)]
mod tests;

/// What a network's names in OVN begin with: the network's name with dots for `-` and `/`, and `_`.
/// The names of the default network begin with nothing.
// compat: pkg/util/multi_network.go, GetUserDefinedNetworkPrefix
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix(Arc<str>);

// compat: pkg/types/const.go, the fixed halves of names
pub(crate) const LAYER2_SWITCH: &str = "ovn_layer2_switch";
pub(crate) const LOCALNET_SWITCH: &str = "ovn_localnet_switch";
pub(crate) const LOCALNET_PORT: &str = "ovn_localnet_port";
pub(crate) const TRANSIT_ROUTER: &str = "transit_router";
pub(crate) const CLUSTER_ROUTER: &str = "ovn_cluster_router";
pub(crate) const JOIN_SWITCH: &str = "join";
pub(crate) const TRANSIT_SWITCH: &str = "transit_switch";
pub(crate) const GATEWAY_ROUTER: &str = "GR_";
pub(crate) const EXTERNAL_SWITCH: &str = "ext_";
pub(crate) const MANAGEMENT_PORT: &str = "k8s-";
pub(crate) const SWITCH_TO_TRANSIT: &str = "stotr-";
pub(crate) const TRANSIT_TO_SWITCH: &str = "trtos-";
pub(crate) const TRANSIT_TO_GATEWAY: &str = "trtor-";
pub(crate) const GATEWAY_TO_TRANSIT: &str = "rtotr-";
pub(crate) const SWITCH_TO_ROUTER: &str = "stor-";
pub(crate) const ROUTER_TO_SWITCH: &str = "rtos-";
pub(crate) const JOIN_TO_ROUTER: &str = "jtor-";
pub(crate) const ROUTER_TO_JOIN: &str = "rtoj-";
pub(crate) const ROUTER_TO_TRANSIT: &str = "rtots-";
pub(crate) const TRANSIT_TO_ROUTER: &str = "tstor-";
pub(crate) const GATEWAY_TO_EXTERNAL: &str = "rtoe-";
pub(crate) const EXTERNAL_TO_GATEWAY: &str = "etor-";
pub(crate) const CLUSTER_BALANCERS: &str = "clusterLBGroup";
pub(crate) const SWITCH_BALANCERS: &str = "clusterSwitchLBGroup";
pub(crate) const ROUTER_BALANCERS: &str = "clusterRouterLBGroup";
pub(crate) const CONTROLLER: &str = "-network-controller";

/// The row that limits what OVN sends to the control plane, shared by all networks.
// compat: pkg/ovn/copp.go
pub const PROTECTION: &str = "ovnkube-default";

/// The meter that limits logged packets; whoever logs makes it.
// compat: pkg/types/const.go, OvnACLLoggingMeter
pub const ACL_METER: &str = "acl-logging";

/// The priority of the policies that send pods' packets for their own node to the host.
// compat: pkg/types/const.go, NodeSubnetPolicyPriority
pub const HOST_POLICY: i64 = 1004;

/// The protocols whose packets to the control plane are limited.
// compat: pkg/ovn/copp.go
pub const PROTECTED: [&str; 9] = [
    "arp",
    "arp-resolve",
    "bfd",
    "event-elb",
    "icmp4-error",
    "icmp6-error",
    "reject",
    "svc-monitor",
    "tcp-reset",
];

impl Prefix {
    pub fn of(network: &NetworkName) -> Self {
        Self::of_text(network.as_str())
    }

    /// The default network's.
    pub fn none() -> Self {
        Self::read("")
    }

    /// Whether it is the default network's.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// The prefix of a network by the name that a row carries.
    pub(crate) fn of_text(network: &str) -> Self {
        if network == Network::DEFAULT {
            return Self::none();
        }
        let mut text = dotted(network);
        text.push('_');
        Self(text.into())
    }

    /// A prefix as it stands in a name.
    pub(crate) fn read(text: &str) -> Self {
        Self(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The switch that all nodes of a layer-2 network share.
pub fn layer2_switch(prefix: &Prefix) -> String {
    format!("{prefix}{LAYER2_SWITCH}")
}

/// The switch of a localnet.
pub fn localnet_switch(prefix: &Prefix) -> String {
    format!("{prefix}{LOCALNET_SWITCH}")
}

/// The port through which a localnet leaves its switch.
pub fn localnet_port(prefix: &Prefix) -> String {
    format!("{prefix}{LOCALNET_PORT}")
}

/// A node's own switch on a layer-3 network.
pub fn node_switch(prefix: &Prefix, node: &NodeName) -> String {
    format!("{prefix}{node}")
}

/// The router that all nodes of a layer-3 network share.
pub fn cluster_router(prefix: &Prefix) -> String {
    format!("{prefix}{CLUSTER_ROUTER}")
}

/// The switch between the cluster router and the gateway routers.
pub fn join_switch(prefix: &Prefix) -> String {
    format!("{prefix}{JOIN_SWITCH}")
}

/// The switch on which the nodes of a layer-3 network meet.
pub fn transit_switch(prefix: &Prefix) -> String {
    format!("{prefix}{TRANSIT_SWITCH}")
}

/// The router that all nodes of a primary layer-2 network share.
pub fn transit_router(prefix: &Prefix) -> String {
    format!("{prefix}{TRANSIT_ROUTER}")
}

/// A node's way out of a network.
pub fn gateway_router(prefix: &Prefix, node: &NodeName) -> String {
    format!("{GATEWAY_ROUTER}{prefix}{node}")
}

/// The switch between a gateway router and the external bridge.
pub fn external_switch(prefix: &Prefix, node: &NodeName) -> String {
    format!("{EXTERNAL_SWITCH}{prefix}{node}")
}

/// The port of the external switch that is the bridge itself.
// compat: pkg/util/multi_network.go, GetNetworkScopedExtPortName
pub fn bridge_port(bridge: &str, prefix: &Prefix, node: &NodeName) -> String {
    format!("{bridge}_{prefix}{node}")
}

/// The port through which the host is on the network.
// compat: pkg/util/multi_network.go, GetNetworkScopedK8sMgmtIntfName
pub fn management_port(prefix: &Prefix, node: &NodeName) -> String {
    format!("{MANAGEMENT_PORT}{prefix}{node}")
}

/// The switch's port to the transit router.
pub fn switch_to_transit(prefix: &Prefix) -> String {
    format!("{SWITCH_TO_TRANSIT}{prefix}{LAYER2_SWITCH}")
}

/// The transit router's port to the switch: every workload's gateway.
pub fn transit_to_switch(prefix: &Prefix) -> String {
    format!("{TRANSIT_TO_SWITCH}{prefix}{LAYER2_SWITCH}")
}

/// The transit router's port to a node's gateway router.
pub fn transit_to_gateway(prefix: &Prefix, node: &NodeName) -> String {
    format!("{TRANSIT_TO_GATEWAY}{GATEWAY_ROUTER}{prefix}{node}")
}

/// The gateway router's port to the transit router.
pub fn gateway_to_transit(prefix: &Prefix, node: &NodeName) -> String {
    format!("{GATEWAY_TO_TRANSIT}{GATEWAY_ROUTER}{prefix}{node}")
}

/// The gateway router's port to the external switch.
pub fn gateway_to_external(prefix: &Prefix, node: &NodeName) -> String {
    format!("{GATEWAY_TO_EXTERNAL}{GATEWAY_ROUTER}{prefix}{node}")
}

/// The external switch's port to the gateway router.
pub fn external_to_gateway(prefix: &Prefix, node: &NodeName) -> String {
    format!("{EXTERNAL_TO_GATEWAY}{GATEWAY_ROUTER}{prefix}{node}")
}

/// The node switch's port to the cluster router.
pub fn switch_to_router(prefix: &Prefix, node: &NodeName) -> String {
    format!("{SWITCH_TO_ROUTER}{prefix}{node}")
}

/// The cluster router's port to a node switch: the gateway of the workloads there.
pub fn router_to_switch(prefix: &Prefix, node: &NodeName) -> String {
    format!("{ROUTER_TO_SWITCH}{prefix}{node}")
}

/// The join switch's port to the cluster router.
pub fn join_to_cluster(prefix: &Prefix) -> String {
    format!("{JOIN_TO_ROUTER}{prefix}{CLUSTER_ROUTER}")
}

/// The cluster router's port to the join switch.
pub fn cluster_to_join(prefix: &Prefix) -> String {
    format!("{ROUTER_TO_JOIN}{prefix}{CLUSTER_ROUTER}")
}

/// The join switch's port to a gateway router.
pub fn join_to_gateway(prefix: &Prefix, node: &NodeName) -> String {
    format!("{JOIN_TO_ROUTER}{GATEWAY_ROUTER}{prefix}{node}")
}

/// A gateway router's port to the join switch.
pub fn gateway_to_join(prefix: &Prefix, node: &NodeName) -> String {
    format!("{ROUTER_TO_JOIN}{GATEWAY_ROUTER}{prefix}{node}")
}

/// The cluster router's port to the transit switch.
// compat: pkg/ovn/zone_interconnect, the prefix stands first, as in no other port of a router
pub fn cluster_to_transit(prefix: &Prefix, node: &NodeName) -> String {
    format!("{prefix}{ROUTER_TO_TRANSIT}{node}")
}

/// The transit switch's port to a node's cluster router.
pub fn transit_to_cluster(prefix: &Prefix, node: &NodeName) -> String {
    format!("{prefix}{TRANSIT_TO_ROUTER}{node}")
}

/// The row that makes a port of a router a port of one chassis.
pub fn gateway_chassis(port: &str, chassis: &ChassisName) -> String {
    format!("{port}-{chassis}")
}

/// The load balancers of a network's switch and routers.
pub fn cluster_balancers(prefix: &Prefix) -> String {
    format!("{prefix}{CLUSTER_BALANCERS}")
}

/// The load balancers of a network's switch alone.
pub fn switch_balancers(prefix: &Prefix) -> String {
    format!("{prefix}{SWITCH_BALANCERS}")
}

/// The load balancers of a network's gateway routers alone.
pub fn router_balancers(prefix: &Prefix) -> String {
    format!("{prefix}{ROUTER_BALANCERS}")
}

/// The port of an attachment; also the `iface-id` of its interface.
// compat: pkg/util/util.go, GetUserDefinedNetworkLogicalPortName and GetLogicalPortName
pub fn pod_port(attachment: &AttachmentKey) -> String {
    let ObjectName { namespace, name } = &attachment.pod;
    if attachment.is_on_default_network() {
        return format!("{namespace}_{name}");
    }
    format!("{}_{namespace}_{name}", dotted(&attachment.nad_key()))
}

/// The meter that limits a protocol's packets to the control plane.
// compat: pkg/ovn/copp.go
pub fn protection_meter(protocol: &str) -> String {
    format!("{protocol}-rate-limiter")
}

/// How a network signs rows that carry a primary id.
// compat: pkg/ovn/base_network_controller.go, getNetworkControllerName
pub fn controller(network: &NetworkName) -> String {
    format!("{network}{CONTROLLER}")
}

/// The name of a port group: OVN's names may not hold the characters of a primary id.
// compat: pkg/util/util.go, HashForOVN
pub fn port_group(primary_id: &str) -> String {
    format!("a{}", fnv1a(primary_id.as_bytes()))
}

fn dotted(name: &str) -> String {
    name.replace(['-', '/'], ".")
}

/// FNV-1a with 64 bits.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
