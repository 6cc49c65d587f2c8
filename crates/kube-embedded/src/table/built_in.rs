//! Which built-in kind is printed how.
//!
//! Reads a kind; returns its printer.
//! Invariant: custom kinds have no printer here, whatever they are called.

use serde_json::Value;

use super::columns::Printer;
use super::{objects, others, pod, services, workloads};
use crate::kinds::Kind;

/// None for custom kinds.
pub(super) fn printer(kind: &Kind) -> Option<Printer> {
    kind.built_in()?;
    Some(match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => pod::POD,
        ("", "Namespace") => objects::NAMESPACE,
        ("", "Node") => objects::NODE,
        ("" | "events.k8s.io", "Event") => objects::EVENT,
        ("", "ConfigMap") => objects::CONFIG_MAP,
        ("", "Secret") => objects::SECRET,
        ("", "ServiceAccount") => objects::SERVICE_ACCOUNT,
        ("", "Service") => services::SERVICE,
        ("", "Endpoints") => services::ENDPOINTS,
        ("discovery.k8s.io", "EndpointSlice") => services::ENDPOINT_SLICE,
        ("coordination.k8s.io", "Lease") => objects::LEASE,
        ("apps", "Deployment") => workloads::DEPLOYMENT,
        ("apps", "ReplicaSet") => workloads::REPLICA_SET,
        ("apps", "DaemonSet") => workloads::DAEMON_SET,
        ("apps", "StatefulSet") => workloads::STATEFUL_SET,
        ("batch", "Job") => workloads::JOB,
        ("batch", "CronJob") => others::CRON_JOB,
        ("", "ReplicationController") => others::REPLICATION_CONTROLLER,
        ("", "ResourceQuota") => others::QUOTA,
        ("", "PersistentVolume") => others::VOLUME,
        ("", "PersistentVolumeClaim") => others::CLAIM,
        ("", "PodTemplate") => others::POD_TEMPLATE,
        ("apps", "ControllerRevision") => others::REVISION,
        ("policy", "PodDisruptionBudget") => others::BUDGET,
        ("scheduling.k8s.io", "PriorityClass") => others::PRIORITY_CLASS,
        ("networking.k8s.io", "NetworkPolicy") => others::NETWORK_POLICY,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => objects::BINDING,
        (
            "admissionregistration.k8s.io",
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration",
        ) => objects::WEBHOOKS,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => objects::VALIDATING_POLICY,
        ("admissionregistration.k8s.io", "MutatingAdmissionPolicy") => objects::MUTATING_POLICY,
        (
            "admissionregistration.k8s.io",
            "ValidatingAdmissionPolicyBinding" | "MutatingAdmissionPolicyBinding",
        ) => objects::POLICY_BINDING,
        ("apiregistration.k8s.io", "APIService") => objects::API_SERVICE,
        _ => objects::PLAIN,
    })
}

/// Conditions of a row, for the kinds whose rows have some.
pub(super) fn conditions(kind: &Kind, object: &Value) -> Option<Value> {
    let is_pod = kind.group.is_empty() && kind.kind == "Pod";
    is_pod.then(|| pod::conditions(object)).flatten()
}
