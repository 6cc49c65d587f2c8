//! What the server calls the resources of its own kinds, and where they live.
//!
//! Reads a kind; returns its resource.
//! Invariant: a kind that is not in a table is guessed as Kubernetes' own tools guess.

/// Kinds of the server that do not live in a namespace.
const CLUSTER_KINDS: [&str; 26] = [
    "APIService",
    "CSIDriver",
    "CSINode",
    "CertificateSigningRequest",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "ComponentStatus",
    "CustomResourceDefinition",
    "DeviceClass",
    "FlowSchema",
    "IPAddress",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingWebhookConfiguration",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RuntimeClass",
    "ServiceCIDR",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
];

/// The plural of a kind, in lower case.
pub(super) fn plural(kind: &str) -> String {
    let lower = kind.to_lowercase();
    let stem = &lower[..lower.len().saturating_sub(1)];
    match lower.as_str() {
        "" => lower,
        "endpoints" => lower,
        _ if lower.ends_with('s') => format!("{lower}es"),
        _ if lower.ends_with('y') => format!("{stem}ies"),
        _ => format!("{lower}s"),
    }
}

/// Whether a kind of the server lives in a namespace.
pub(super) fn is_namespaced(kind: &str) -> bool {
    !CLUSTER_KINDS.contains(&kind)
}
