//! The reasons in conditions that are not a finding's own.
//!
//! Invariant: every reason is on the page `docs/status.md`.

// compat: pkg/clustermanager/userdefinednetwork/controller.go, condition NetworkCreated
pub(super) const CREATED: &str = "NetworkAttachmentDefinitionCreated";
pub(super) const DELETED: &str = "NetworkAttachmentDefinitionDeleted";
pub(super) const UDN_FAILED: &str = "SyncError";
pub(super) const CUDN_FAILED: &str = "NetworkAttachmentDefinitionSyncError";

// compat: pkg/clustermanager/network_cluster_controller.go
pub(super) const ALLOCATED: &str = "NetworkAllocationSucceeded";
/// Some NADs do not carry the network's numbers.
pub(super) const NUMBERS_NOT_WRITTEN: &str = "NumbersNotWritten";

pub(super) const NOT_CREATED: &str = "NetworkNotCreated";
pub(super) const NOT_ALLOCATED: &str = "NetworkNotAllocated";
pub(super) const NO_NODES: &str = "NoNodes";
pub(super) const NODES_NOT_READY: &str = "NodesNotReady";
pub(super) const NODES_READY: &str = "NodesReady";

// Of a single node.
pub(super) use crate::agents::NOT_RESPONDING as AGENT_NOT_RESPONDING;
pub(super) const NO_REPORT: &str = "NoReport";
pub(super) const PHYSICAL_NETWORK_MISSING: &str = "PhysicalNetworkMissing";
pub(super) const PHYSICAL_NETWORK_UNUSABLE: &str = "PhysicalNetworkUnusable";
pub(super) const MTU_TOO_SMALL: &str = "MtuTooSmall";
pub(super) const VLAN_NOT_ALLOWED: &str = "VlanNotAllowed";
pub(super) const NOT_PROGRAMMED: &str = "NotProgrammed";
pub(super) const NOT_PROGRAMMED_YET: &str = "NotProgrammedYet";
pub(super) const REPORT_INCOMPLETE: &str = "ReportIncomplete";

/// Of the event when a network is no longer degraded.
pub(super) const RECOVERED: &str = "Recovered";

/// All of them.
#[cfg(test)]
pub(super) const ALL: [&str; 21] = [
    CREATED,
    DELETED,
    UDN_FAILED,
    CUDN_FAILED,
    ALLOCATED,
    NUMBERS_NOT_WRITTEN,
    NOT_CREATED,
    NOT_ALLOCATED,
    NO_NODES,
    NODES_NOT_READY,
    NODES_READY,
    AGENT_NOT_RESPONDING,
    NO_REPORT,
    PHYSICAL_NETWORK_MISSING,
    PHYSICAL_NETWORK_UNUSABLE,
    MTU_TOO_SMALL,
    VLAN_NOT_ALLOWED,
    NOT_PROGRAMMED,
    NOT_PROGRAMMED_YET,
    REPORT_INCOMPLETE,
    RECOVERED,
];

/// Whether a node's reason passes by itself as a rule, or is told by an event on the node, so that
/// nobody need be called for each network.
pub(super) fn is_passing(reason: &str) -> bool {
    [AGENT_NOT_RESPONDING, NO_REPORT, NOT_PROGRAMMED_YET, REPORT_INCOMPLETE].contains(&reason)
}
