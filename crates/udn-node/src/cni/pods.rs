//! What the CNI server needs to know of pods, and from whom it learns it.
//!
//! Invariant: nobody is asked again and again; whoever waits is told when something has changed.

use std::future::Future;
use std::sync::Arc;

use udn_model::{Attachment, Network, ObjectName};
use udn_wire::object::Metadata;

/// Nobody will say anything about pods any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the zone controller ended")]
pub struct Ended;

/// What is known of the pods of this node.
pub trait Pods: Send + Sync + 'static {
    /// What is known of one pod: at once if its revision is not the `known` one, else when it
    /// changes. The future may be dropped at any time.
    fn next(
        &self,
        pod: &ObjectName,
        known: Option<u64>,
    ) -> impl Future<Output = Result<PodView, Ended>> + Send;

    /// Whether everything was listed once; before that, an absent pod says nothing.
    fn is_synced(&self) -> bool;
}

/// One pod, as of a revision.
#[derive(Debug, Clone)]
pub struct PodView {
    /// Another one whenever something about the pod is.
    pub revision: u64,
    /// `None` if there is no such pod on this node, as far as is known.
    pub pod: Option<KnownPod>,
}

/// A pod of this node.
#[derive(Debug, Clone)]
pub struct KnownPod {
    pub uid: String,
    pub is_leaving: bool,
    pub metadata: Arc<Metadata>,
    /// On every network that is ready for it.
    pub attachments: Vec<KnownAttachment>,
    /// What stands in the pod's way, as sentences.
    pub waits: Vec<String>,
}

/// One attachment of a pod, and where it leads.
#[derive(Debug, Clone)]
pub struct KnownAttachment {
    pub attachment: Attachment,
    pub network: Arc<Network>,
}
