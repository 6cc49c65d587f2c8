//! The keys and words in which rows say what they belong to.
//!
//! Invariant: all of them are wire facts.
// compat: pkg/types/const.go; pkg/libovsdb/ops/db_object_types.go, db_object_ids.go

use udn_model::{Network, Role, Topology};

pub const NETWORK: &str = "k8s.ovn.org/network";
pub const TOPOLOGY: &str = "k8s.ovn.org/topology";
pub const ROLE: &str = "k8s.ovn.org/role";
pub const NAD: &str = "k8s.ovn.org/nad";
pub const NODE: &str = "k8s.ovn.org/node";
pub const OWNER_CONTROLLER: &str = "k8s.ovn.org/owner-controller";
pub const OWNER_TYPE: &str = "k8s.ovn.org/owner-type";
pub const NAME: &str = "k8s.ovn.org/name";
pub const ALLOWED_SERVICE: &str = "k8s.ovn.org/udn-enabled-default-service";
pub const IP: &str = "ip";
pub const DIRECTION: &str = "direction";
/// The other node to which a port of the transit switch belongs.
pub const TRANSIT_NODE: &str = "node";
/// The other node to which a route of the cluster router leads.
pub const ROUTE_NODE: &str = "ic-node";
/// Marks the default network's route to the masquerade subnet.
pub const MASQUERADE_ROUTE: &str = "k8s.ovn.org/node-masquerade-subnet";
/// Marks the default network's port to the external bridge.
pub const GATEWAY_PORT: &str = "gateway-physical-ip";
pub const POD: &str = "pod";
pub const NAMESPACE: &str = "namespace";
pub const CLUSTER_ROUTER: &str = "k8s-cluster-router";
pub const PHYSICAL_IP: &str = "physical_ip";
pub const PHYSICAL_IPS: &str = "physical_ips";

/// The owner type of a network's own port groups.
pub const CLUSTER: &str = "Cluster";
/// The owner type of the rows that let the host reach pods.
pub const HOST_ACCESS: &str = "NetpolNode";

/// The owner type of the rows that hold whatever the policies say.
pub const ALWAYS: &str = "NetpolDefault";
/// The rows that let workloads reach themselves through a service.
pub const HAIRPIN: &str = "allow-hairpinning";

/// The owner type of the rows that lock ports on the default network.
pub const ISOLATION: &str = "UDNIsolation";
/// The port group of the locked ports.
pub const LOCKED_PORTS: &str = "SecondaryPods";
/// The rows that lock them.
pub const DENIED: &str = "DenyPrimaryUDN";
/// The rows that let the host find a locked port.
pub const HOST_NEIGHBOUR: &str = "AllowHostARPPrimaryUDN";
/// The row that lets the host speak to a locked port.
pub const HOST_PROBES: &str = "AllowHostPrimaryUDN";
/// What the names of the rows begin with that open a locked port.
pub const OPEN_PORT: &str = "OpenPort-";

/// The owner type of the rows that keep workloads from being routers and DHCP servers.
///
/// Ours alone: OVN-Kubernetes has no such rows.
pub const ROUTER_GUARD: &str = "RouterGuard";
/// Which frames such a row is about.
pub const FRAMES: &str = "frames";

/// The port group of the network's management ports.
pub const CLUSTER_PORTS: &str = "clusterPortGroup";
/// The port group of the ports towards routers.
pub const ROUTER_PORTS: &str = "clusterRtrPortGroup";

/// A network's topology, as rows spell it.
pub fn topology(network: &Network) -> &'static str {
    match network.topology {
        Topology::Layer2(_) => LAYER2,
        Topology::Layer3(_) => LAYER3,
        Topology::Localnet(_) => LOCALNET,
    }
}

pub const LAYER2: &str = "layer2";
pub const LAYER3: &str = "layer3";
pub const LOCALNET: &str = "localnet";

/// A network's role, as rows spell it.
pub fn role(network: &Network) -> &'static str {
    match network.role() {
        Role::Primary(_) => "primary",
        Role::Secondary => "secondary",
    }
}

/// The primary id of a row: who made it, which kind it is, and what tells it from its kind.
// compat: pkg/libovsdb/ops/db_object_ids.go, the parts joined by `:`
pub fn primary_id(controller: &str, kind: &str, rest: &[&str]) -> String {
    format!("{controller}:{kind}:{}", rest.join(":"))
}
