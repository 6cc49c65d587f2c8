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
pub const POD: &str = "pod";
pub const NAMESPACE: &str = "namespace";
pub const CLUSTER_ROUTER: &str = "k8s-cluster-router";
pub const PHYSICAL_IP: &str = "physical_ip";
pub const PHYSICAL_IPS: &str = "physical_ips";

/// The owner type of a network's own port groups.
pub const CLUSTER: &str = "Cluster";
/// The owner type of the rows that let the host reach pods.
pub const HOST_ACCESS: &str = "NetpolNode";

/// The owner type of the rows that keep workloads from being routers and DHCP servers.
///
/// Ours alone: OVN-Kubernetes has no such rows.
pub const ROUTER_GUARD: &str = "RouterGuard";

/// The port group of the workloads that are guarded.
pub const GUARDED_PORTS: &str = "guardedPortGroup";

/// The port group of the network's management ports.
pub const CLUSTER_PORTS: &str = "clusterPortGroup";
/// The port group of the ports towards routers.
pub const ROUTER_PORTS: &str = "clusterRtrPortGroup";

/// A network's topology, as rows spell it.
pub fn topology(network: &Network) -> &'static str {
    match network.topology {
        Topology::Layer2(_) => LAYER2,
        Topology::Localnet(_) => LOCALNET,
    }
}

pub const LAYER2: &str = "layer2";
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
pub fn primary_id(controller: &str, rest: [&str; 2]) -> String {
    let [kind, object] = rest;
    format!("{controller}:{kind}:{object}")
}
