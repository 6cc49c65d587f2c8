//! What a cluster needs before its first network: CRDs, admission policies, roles, the default NAD.
//!
//! Invariant: the texts are the files under `deploy/`, and every file there is listed here.

/// A manifest of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manifest {
    /// Its path under `deploy/`.
    pub path: &'static str,
    /// One or more YAML documents.
    pub text: &'static str,
}

macro_rules! manifest {
    ($path:literal) => {
        Manifest { path: $path, text: include_str!(concat!("../../../deploy/", $path)) }
    };
}

/// The kinds of objects that we define, and those of others that we need.
pub const CRDS: &[Manifest] = &[
    manifest!("crds/k8s.cni.cncf.io_ipamclaims.yaml"),
    manifest!("crds/k8s.cni.cncf.io_network-attachment-definitions.yaml"),
    manifest!("crds/k8s.ovn.org_clusteruserdefinednetworks.yaml"),
    manifest!("crds/k8s.ovn.org_nodenetworkreports.yaml"),
    manifest!("crds/k8s.ovn.org_userdefinednetworks.yaml"),
];

/// What may not be changed later, or not by everybody, in objects that are not ours.
pub const POLICIES: &[Manifest] = &[
    manifest!("policies/default-network-annotation.yaml"),
    manifest!("policies/namespace-label.yaml"),
    manifest!("policies/node-agent.yaml"),
    manifest!("policies/node-network-report.yaml"),
];

/// Who may do what: the controller, nodes, and users of networks.
pub const ROLES: &[Manifest] = &[
    manifest!("rbac/agents.yaml"),
    manifest!("rbac/controller.yaml"),
    manifest!("rbac/node.yaml"),
    manifest!("rbac/users.yaml"),
];

/// The NAD that a request for addresses on the primary network names.
pub const DEFAULT_NETWORK: Manifest = manifest!("default-network.yaml");
